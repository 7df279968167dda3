/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds typed members to JSON objects; all of them abort without memory. */
#ifndef KARDIAD_JSON_WRITE_H
#define KARDIAD_JSON_WRITE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

/* A NULL @text, an @address of 0.0.0.0 are written as null. */
void json_add_text(struct json_object *object, const char *key,
		   const char *text);
void json_add_address(struct json_object *object, const char *key,
		      struct in_addr address);
void json_add_u64(struct json_object *object, const char *key, uint64_t value);
void json_add_bool(struct json_object *object, const char *key, bool value);
void json_add_hex64(struct json_object *object, const char *key,
		    uint64_t value);
/* "NAME_at" as ISO 8601 and "NAME_at_us" as a number; nulls for 0. */
void json_add_time(struct json_object *object, const char *name, uint64_t us);
/* An empty array or object, owned by @object. */
struct json_object *json_add_array(struct json_object *object, const char *key);
struct json_object *json_add_object(struct json_object *object,
				    const char *key);
/* At the end of @array: a text, an empty object. */
void json_append_text(struct json_object *array, const char *text);
struct json_object *json_append_object(struct json_object *array);

/* The compact text that hashes and HTTP bodies are made of. */
const char *json_text(struct json_object *object, size_t *bytes);

#endif
