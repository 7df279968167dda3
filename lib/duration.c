// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parsing and printing of durations, in integers throughout: "0.1s" is
 * 100000us exactly, and no locale is consulted.
 */
#include "lib/duration.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t us;
};

/* Ascending: duration_format() takes the last that fits. */
static const struct unit units[] = {
	{ "us", 1 },
	{ "ms", 1000 },
	{ "s", 1000 * 1000 },
	{ "min", 60ULL * 1000 * 1000 },
	{ "h", 3600ULL * 1000 * 1000 },
};

#define N_UNITS (sizeof(units) / sizeof(units[0]))

/* Enough for a microsecond's worth of an hour, and h x 10^9 fits 64 bits. */
#define FRACTION_SCALE 1000000000ULL

struct decimal {
	uint64_t whole;
	uint64_t fraction; /* in 1 / FRACTION_SCALE */
	bool overflow;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *parse_whole(const char *p, struct decimal *d)
{
	for (; is_digit(*p); p++)
		if (__builtin_mul_overflow(d->whole, 10, &d->whole) ||
		    __builtin_add_overflow(d->whole, *p - '0', &d->whole))
			d->overflow = true;
	return p;
}

static const char *parse_fraction(const char *p, struct decimal *d)
{
	uint64_t scale = FRACTION_SCALE / 10;

	for (; is_digit(*p); p++, scale /= 10)
		d->fraction += (*p - '0') * scale;
	return p;
}

/* Returns what follows the number, NULL if there is no number. */
static const char *parse_decimal(const char *p, struct decimal *d)
{
	if (!is_digit(*p))
		return NULL;
	p = parse_whole(p, d);
	if (*p != '.')
		return p;
	if (!is_digit(p[1]))
		return NULL;
	return parse_fraction(p + 1, d);
}

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < N_UNITS; i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

int duration_parse(const char *text, uint64_t *us)
{
	struct decimal d = { 0 };
	const char *name = parse_decimal(text, &d);
	const struct unit *unit;
	uint64_t sum;

	if (!name)
		return -EINVAL;
	name += strspn(name, " ");
	if (!*name)
		return -EDOM;
	unit = find_unit(name);
	if (!unit)
		return -EINVAL;
	if (d.overflow || __builtin_mul_overflow(d.whole, unit->us, &sum))
		return -ERANGE;
	if (__builtin_add_overflow(sum, d.fraction * unit->us / FRACTION_SCALE,
				   &sum))
		return -ERANGE;
	*us = sum;
	return 0;
}

/* How many decimals make three significant digits. */
static int decimals_for(uint64_t whole)
{
	return whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
}

char *duration_format(char *buf, size_t size, uint64_t us)
{
	const struct unit *unit = &units[0];
	uint64_t whole, rest;
	int decimals;

	for (size_t i = 1; i < N_UNITS && us >= units[i].us; i++)
		unit = &units[i];
	whole = us / unit->us;
	rest = us % unit->us;
	decimals = decimals_for(whole);
	rest = rest * (decimals == 2 ? 100 : 10) / unit->us;
	while (decimals && rest % 10 == 0) {
		rest /= 10;
		decimals--;
	}
	if (decimals)
		snprintf(buf, size, "%ju.%0*ju%s", (uintmax_t)whole, decimals,
			 (uintmax_t)rest, unit->name);
	else
		snprintf(buf, size, "%ju%s", (uintmax_t)whole, unit->name);
	return buf;
}
