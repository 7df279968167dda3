// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all JSON answers have in common.
 */
#include "json.h"

#include <stdio.h>

#include "daemon/clock.h"
#include "daemon/mem.h"
#include "output.h"

struct json_object *json_document(const char *schema)
{
	struct json_object *document = json_object_new_object();

	if (!document)
		mem_exhausted();
	json_add_text(document, "schema", schema);
	json_add_time(document, "generated", clock_wall_us());
	return document;
}

void json_add_null(struct json_object *to, const char *key)
{
	json_add_text(to, key, NULL);
}

void json_maybe_u64(struct json_object *to, const char *key, bool known,
		    uint64_t value)
{
	if (known)
		json_add_u64(to, key, value);
	else
		json_add_null(to, key);
}

void json_maybe_hex64(struct json_object *to, const char *key, bool known,
		      uint64_t value)
{
	if (known)
		json_add_hex64(to, key, value);
	else
		json_add_null(to, key);
}

void json_maybe_bool(struct json_object *to, const char *key, bool known,
		     bool value)
{
	if (known)
		json_add_bool(to, key, value);
	else
		json_add_null(to, key);
}

void json_add_trouble(struct json_object *to, const char *key,
		      const struct trouble *trouble)
{
	struct json_object *error;

	if (trouble->exit == EXIT_DONE) {
		json_add_null(to, key);
		return;
	}
	error = json_add_object(to, key);
	json_add_text(error, "code", trouble->code);
	json_add_text(error, "message", trouble->text);
}

bool json_emit(struct json_object *document)
{
	size_t bytes;
	const char *text = json_text(document, &bytes);
	bool good = puts(text) >= 0 && output_flush();

	json_object_put(document);
	return good;
}
