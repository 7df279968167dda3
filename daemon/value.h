/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Typed values out of configuration text; each refusal says what was wrong. */
#ifndef KARDIAD_VALUE_H
#define KARDIAD_VALUE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/why.h"

/* All return 0, or -EINVAL with the reason in @why and the target untouched. */

int value_u32(const char *text, uint32_t min, uint32_t max, uint32_t *value,
	      struct why *why);
int value_bool(const char *text, bool *value, struct why *why);
int value_address(const char *text, struct in_addr *value, struct why *why);

/* A number and its unit, for 1 us to 600 s. */
int value_duration_us(const char *text, uint32_t *value, struct why *why);

/* Fit for file names, host names and JSON: [A-Za-z0-9._-], no dot first. */
int value_name(const char *text, char *value, size_t size, struct why *why);

/* Any text that is not empty and fits. */
int value_text(const char *text, char *value, size_t size, struct why *why);

bool name_is_valid(const char *text, size_t size);

#endif
