// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns how values look in JSON: units, hex, times. Knows no schema. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include "daemon/clock.h"
#include "daemon/json_write.h"
#include "daemon/mem.h"

static void add(struct json_object *object, const char *key,
		struct json_object *value)
{
	if (json_object_object_add(object, key, value))
		mem_exhausted();
}

/* json-c returns NULL for lack of memory, which would read as null. */
static struct json_object *made(struct json_object *value)
{
	if (!value)
		mem_exhausted();
	return value;
}

void json_add_text(struct json_object *object, const char *key,
		   const char *text)
{
	add(object, key, text ? made(json_object_new_string(text)) : NULL);
}

void json_add_address(struct json_object *object, const char *key,
		      struct in_addr address)
{
	char text[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &address, text, sizeof(text));
	json_add_text(object, key, address.s_addr ? text : NULL);
}

void json_add_u64(struct json_object *object, const char *key, uint64_t value)
{
	add(object, key, made(json_object_new_uint64(value)));
}

void json_add_bool(struct json_object *object, const char *key, bool value)
{
	add(object, key, made(json_object_new_boolean(value)));
}

void json_add_hex64(struct json_object *object, const char *key, uint64_t value)
{
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, value);
	json_add_text(object, key, text);
}

void json_add_time(struct json_object *object, const char *name, uint64_t us)
{
	char iso[CLOCK_ISO_BYTES];
	char key[32];

	snprintf(key, sizeof(key), "%s_at", name);
	json_add_text(object, key, us ? clock_iso(us, iso) : NULL);
	snprintf(key, sizeof(key), "%s_at_us", name);
	add(object, key, us ? made(json_object_new_uint64(us)) : NULL);
}

struct json_object *json_add_array(struct json_object *object, const char *key)
{
	struct json_object *array = made(json_object_new_array());

	add(object, key, array);
	return array;
}

struct json_object *json_add_object(struct json_object *object, const char *key)
{
	struct json_object *child = made(json_object_new_object());

	add(object, key, child);
	return child;
}

static void append(struct json_object *array, struct json_object *value)
{
	if (json_object_array_add(array, value))
		mem_exhausted();
}

void json_append_text(struct json_object *array, const char *text)
{
	append(array, made(json_object_new_string(text)));
}

struct json_object *json_append_object(struct json_object *array)
{
	struct json_object *child = made(json_object_new_object());

	append(array, child);
	return child;
}

const char *json_text(struct json_object *object, size_t *bytes)
{
	const char *text = json_object_to_json_string_length(
		object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE,
		bytes);

	if (!text)
		mem_exhausted();
	return text;
}
