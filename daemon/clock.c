// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns nothing: reads clocks and prints times. */
#include <stdio.h>
#include <time.h>

#include "daemon/clock.h"

uint64_t clock_mono_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

uint64_t clock_wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

char *clock_iso(uint64_t wall_us, char text[CLOCK_ISO_BYTES])
{
	time_t seconds = wall_us / 1000000;
	struct tm tm = { 0 };
	size_t used;

	gmtime_r(&seconds, &tm);
	used = strftime(text, CLOCK_ISO_BYTES, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + used, CLOCK_ISO_BYTES - used, ".%06uZ",
		 (unsigned int)(wall_us % 1000000));
	return text;
}
