/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of a JSON answer, by the contract of Documentation/cli.rst; single
 * values are daemon/json_write.h's.
 */
#ifndef KARDIA_JSON_H
#define KARDIA_JSON_H

#include <stdbool.h>

#include "daemon/json_write.h"
#include "say.h"

/* "schema" and when it was made. */
struct json_object *json_document(const char *schema);

void json_add_null(struct json_object *to, const char *key);

/* The value, or null unless it is @known. */
void json_maybe_u64(struct json_object *to, const char *key, bool known,
		    uint64_t value);
void json_maybe_hex64(struct json_object *to, const char *key, bool known,
		      uint64_t value);
void json_maybe_bool(struct json_object *to, const char *key, bool known,
		     bool value);

/* { code, message }, or null without trouble. */
void json_add_trouble(struct json_object *to, const char *key,
		      const struct trouble *trouble);

/* Print on one line, flush and free; false if it could not be written. */
bool json_emit(struct json_object *document);

#endif
