// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns the syntax of single values. Knows no keys, sections or files. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kardia.h>

#include "daemon/value.h"
#include "lib/duration.h"

int value_u32(const char *text, uint32_t min, uint32_t max, uint32_t *value,
	      struct why *why)
{
	unsigned long long number;
	char *end;

	/* strtoull() alone would take signs and blanks. */
	errno = 0;
	number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end)
		return why_set(why, -EINVAL, "'%s' is not a number", text);
	if (errno || number < min || number > max)
		return why_set(why, -EINVAL, "%s is not within %u to %u", text,
			       min, max);
	*value = number;
	return 0;
}

int value_bool(const char *text, bool *value, struct why *why)
{
	if (!strcmp(text, "yes"))
		*value = true;
	else if (!strcmp(text, "no"))
		*value = false;
	else
		return why_set(why, -EINVAL, "'%s' is neither yes nor no",
			       text);
	return 0;
}

int value_address(const char *text, struct in_addr *value, struct why *why)
{
	struct in_addr address;

	if (inet_pton(AF_INET, text, &address) != 1)
		return why_set(why, -EINVAL, "'%s' is not an IPv4 address",
			       text);
	if (address.s_addr == INADDR_ANY ||
	    address.s_addr == htonl(INADDR_BROADCAST) ||
	    IN_MULTICAST(ntohl(address.s_addr)))
		return why_set(why, -EINVAL,
			       "%s is not the address of one node", text);
	*value = address;
	return 0;
}

int value_duration_us(const char *text, uint32_t *value, struct why *why)
{
	uint64_t us = 0;
	int ret = duration_parse(text, &us);

	if (ret == -EDOM)
		return why_set(why, -EINVAL,
			       "%s has no unit: write %sus, %sms, %ss or %smin",
			       text, text, text, text, text);
	if (ret == -EINVAL)
		return why_set(why, -EINVAL,
			       "'%s' is not a duration such as 10ms", text);
	if (ret || !us || us > KARDIA_GRACE_US_MAX)
		return why_set(why, -EINVAL, "%s is not within 1us to 600s",
			       text);
	*value = us;
	return 0;
}

bool name_is_valid(const char *text, size_t size)
{
	const char *c;

	if (!*text || *text == '.' || strlen(text) >= size)
		return false;
	for (c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return true;
}

int value_name(const char *text, char *value, size_t size, struct why *why)
{
	if (!name_is_valid(text, size))
		return why_set(
			why, -EINVAL,
			"'%s' is not a name: 1 to %zu of A-Z a-z 0-9 . _ -, not starting with a dot",
			text, size - 1);
	strcpy(value, text);
	return 0;
}

int value_text(const char *text, char *value, size_t size, struct why *why)
{
	if (!*text)
		return why_set(why, -EINVAL, "the value is empty");
	if (strlen(text) >= size)
		return why_set(why, -EINVAL, "the value exceeds %zu bytes",
			       size - 1);
	strcpy(value, text);
	return 0;
}
