// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Standard output: text forms of values, and the promise that what was not
 * written is not reported as success.
 */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "lib/duration.h"
#include "say.h"

#define NS_PER_US 1000ULL
#define US_PER_S 1000000ULL
#define S_PER_MIN 60
#define S_PER_H 3600
#define S_PER_DAY 86400

char *output_escape(char *buf, size_t size, const char *text)
{
	size_t used = 0;

	for (; *text; text++) {
		unsigned char c = *text;
		bool plain = c >= ' ' && c < 0x7f && c != '\\';

		if (used + (plain ? 1 : 4) >= size)
			break;
		if (plain)
			buf[used++] = c;
		else
			used += snprintf(buf + used, size - used, "\\x%02x", c);
	}
	buf[used] = '\0';
	return buf;
}

char *output_age(char *buf, size_t size, uint64_t ns)
{
	uint64_t us = ns / NS_PER_US;
	uint64_t s = us / US_PER_S;

	if (s < S_PER_MIN)
		return duration_format(buf, size, us);
	if (s < S_PER_DAY)
		snprintf(buf, size, "%02u:%02u:%02u",
			 (unsigned int)(s / S_PER_H),
			 (unsigned int)(s % S_PER_H / S_PER_MIN),
			 (unsigned int)(s % S_PER_MIN));
	else
		snprintf(buf, size, "%jud%02uh", (uintmax_t)(s / S_PER_DAY),
			 (unsigned int)(s % S_PER_DAY / S_PER_H));
	return buf;
}

char *output_ns(char *buf, size_t size, uint64_t ns)
{
	if (!ns)
		snprintf(buf, size, "-");
	else if (ns < NS_PER_US)
		snprintf(buf, size, "%uns", (unsigned int)ns);
	else
		duration_format(buf, size, ns / NS_PER_US);
	return buf;
}

char *output_clock(char *buf, size_t size, uint64_t wall_us)
{
	time_t s = wall_us / US_PER_S;
	struct tm tm = { 0 };

	localtime_r(&s, &tm);
	snprintf(buf, size, "%02d:%02d:%02d.%03u", tm.tm_hour, tm.tm_min,
		 tm.tm_sec, (unsigned int)(wall_us % US_PER_S / 1000));
	return buf;
}

bool output_flush(void)
{
	return !fflush(stdout) && !ferror(stdout);
}

int output_finish(int exit_code)
{
	bool good;

	errno = 0;
	good = output_flush() && !close(STDOUT_FILENO);
	if (good)
		return exit_code;
	say("writing standard output: %s",
	    errno ? strerror(errno) : "it failed earlier");
	return EXIT_FAILED;
}
