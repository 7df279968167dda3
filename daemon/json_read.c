// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the checks on single JSON values: presence, type, length, range. Knows
 * nothing of maps.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "daemon/json_read.h"
#include "daemon/value.h"

struct json_read json_read(struct json_object *object, const char *where,
			   struct why *why)
{
	struct json_read r = { .object = object, .where = where, .why = why };

	if (!json_object_is_type(object, json_type_object))
		r.result = why_set(why, -EBADMSG, "%s: not an object", where);
	return r;
}

void json_read_fail(struct json_read *r, const char *key, const char *problem)
{
	if (!r->result)
		r->result = why_set(r->why, -EBADMSG, "%s.%s: %s", r->where,
				    key, problem);
}

/* The value of @key if it is of @type; NULL after a failure. */
static struct json_object *get(struct json_read *r, const char *key,
			       enum json_type type)
{
	struct json_object *value;

	if (r->result)
		return NULL;
	if (!json_object_object_get_ex(r->object, key, &value)) {
		json_read_fail(r, key, "missing");
		return NULL;
	}
	if (!json_object_is_type(value, type)) {
		json_read_fail(r, key, "of the wrong type");
		return NULL;
	}
	return value;
}

struct json_read json_read_child(struct json_read *r, const char *key)
{
	struct json_read child = { .where = key, .why = r->why };

	child.object = json_read_object(r, key);
	child.result = r->result;
	return child;
}

void json_read_u64(struct json_read *r, const char *key, uint64_t min,
		   uint64_t max, uint64_t *value)
{
	struct json_object *object = get(r, key, json_type_int);
	int64_t number;

	if (!object)
		return;
	number = json_object_get_int64(object);
	if (number < 0 || (uint64_t)number < min || (uint64_t)number > max)
		json_read_fail(r, key, "out of range");
	else
		*value = number;
}

void json_read_u32(struct json_read *r, const char *key, uint32_t min,
		   uint32_t max, uint32_t *value)
{
	uint64_t number = min;

	json_read_u64(r, key, min, max, &number);
	*value = number;
}

void json_read_bool(struct json_read *r, const char *key, bool *value)
{
	struct json_object *object = get(r, key, json_type_boolean);

	if (object)
		*value = json_object_get_boolean(object);
}

/* A string without embedded NUL that fits; NULL after a failure. */
static const char *get_string(struct json_read *r, const char *key, size_t size)
{
	struct json_object *object = get(r, key, json_type_string);
	const char *text;

	if (!object)
		return NULL;
	text = json_object_get_string(object);
	if (strlen(text) != (size_t)json_object_get_string_len(object) ||
	    strlen(text) >= size) {
		json_read_fail(r, key, "not a text, or too long");
		return NULL;
	}
	return text;
}

void json_read_text(struct json_read *r, const char *key, char *value,
		    size_t size)
{
	const char *text = get_string(r, key, size);
	const unsigned char *c;

	if (!text)
		return;
	for (c = (const unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			json_read_fail(r, key, "has a control character");
	strcpy(value, text);
}

void json_read_name(struct json_read *r, const char *key, char *value,
		    size_t size)
{
	const char *text = get_string(r, key, size);

	if (!text)
		return;
	if (name_is_valid(text, size))
		strcpy(value, text);
	else
		json_read_fail(r, key, "not a name");
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

void json_read_hex(struct json_read *r, const char *key, uint8_t *value,
		   size_t bytes)
{
	const char *text = get_string(r, key, 2 * bytes + 1);
	size_t i;

	if (!text)
		return;
	if (strlen(text) != 2 * bytes) {
		json_read_fail(r, key, "of the wrong length");
		return;
	}
	for (i = 0; i < bytes; i++) {
		int high = nibble(text[2 * i]), low = nibble(text[2 * i + 1]);

		if (high < 0 || low < 0) {
			json_read_fail(r, key, "not lower-case hex");
			return;
		}
		value[i] = high << 4 | low;
	}
}

void json_read_hex64(struct json_read *r, const char *key, uint64_t *value)
{
	uint8_t bytes[8] = { 0 };
	unsigned int i;

	json_read_hex(r, key, bytes, sizeof(bytes));
	for (*value = 0, i = 0; i < sizeof(bytes); i++)
		*value = *value << 8 | bytes[i];
}

void json_read_address(struct json_read *r, const char *key, bool optional,
		       struct in_addr *value)
{
	struct json_object *object;
	struct why ignored;
	const char *text;

	value->s_addr = 0;
	if (optional && !r->result &&
	    json_object_object_get_ex(r->object, key, &object) && !object)
		return;
	text = get_string(r, key, INET_ADDRSTRLEN);
	if (text && value_address(text, value, &ignored))
		json_read_fail(r, key, "not an IPv4 address");
}

void json_read_choice(struct json_read *r, const char *key,
		      const char *(*name)(unsigned int i), unsigned int n,
		      unsigned int *value)
{
	const char *text = get_string(r, key, 32);
	unsigned int i;

	if (!text)
		return;
	for (i = 0; i < n; i++)
		if (!strcmp(text, name(i))) {
			*value = i;
			return;
		}
	json_read_fail(r, key, "an unknown word");
}

struct json_object *json_read_array(struct json_read *r, const char *key,
				    size_t max, size_t *n)
{
	struct json_object *array = get(r, key, json_type_array);

	*n = array ? json_object_array_length(array) : 0;
	if (*n <= max)
		return array;
	json_read_fail(r, key, "too long");
	*n = 0;
	return NULL;
}

struct json_object *json_read_object(struct json_read *r, const char *key)
{
	return get(r, key, json_type_object);
}
