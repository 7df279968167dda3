/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed reads from a JSON object that anybody may have written. The first
 * failure is kept and makes the later reads do nothing, so that a caller reads
 * a whole object and looks once.
 */
#ifndef KARDIAD_JSON_READ_H
#define KARDIAD_JSON_READ_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "daemon/why.h"

struct json_read {
	struct json_object *object;
	const char *where; /* for messages: "nodes", "settings" */
	struct why *why;
	int result; /* 0 or -EBADMSG */
};

/* Starts a reader on @object, which may be of any type or NULL. */
struct json_read json_read(struct json_object *object, const char *where,
			   struct why *why);
/* A reader on the object at @key, which has failed if @r has. */
struct json_read json_read_child(struct json_read *r, const char *key);
/* Note a failure that the caller found itself. */
void json_read_fail(struct json_read *r, const char *key, const char *problem);

void json_read_u64(struct json_read *r, const char *key, uint64_t min,
		   uint64_t max, uint64_t *value);
void json_read_u32(struct json_read *r, const char *key, uint32_t min,
		   uint32_t max, uint32_t *value);
void json_read_bool(struct json_read *r, const char *key, bool *value);
/* Printable text without control characters. */
void json_read_text(struct json_read *r, const char *key, char *value,
		    size_t size);
void json_read_name(struct json_read *r, const char *key, char *value,
		    size_t size);
/* Lower-case hex of exactly so many bytes. */
void json_read_hex(struct json_read *r, const char *key, uint8_t *value,
		   size_t bytes);
void json_read_hex64(struct json_read *r, const char *key, uint64_t *value);
/* null reads as 0.0.0.0 if @optional. */
void json_read_address(struct json_read *r, const char *key, bool optional,
		       struct in_addr *value);
/* One of @n names; their index. */
void json_read_choice(struct json_read *r, const char *key,
		      const char *(*name)(unsigned int i), unsigned int n,
		      unsigned int *value);
/* NULL on failure. */
struct json_object *json_read_array(struct json_read *r, const char *key,
				    size_t max, size_t *n);
struct json_object *json_read_object(struct json_read *r, const char *key);

#endif
