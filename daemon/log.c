// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the way to stderr. A reader that has stopped must not stop the deciding
 * loop, so a line is written only if it fits now. Knows no levels to filter by:
 * what is not worth reading is not written.
 */
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/log.h"

/* Short enough for a pipe to take it whole once it polls writable. */
#define LINE_BYTES 1024

static atomic_uint dropped;

static void write_line(char *line, int len)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (len >= LINE_BYTES)
		len = LINE_BYTES - 1;
	line[len++] = '\n';
	if (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLOUT) ||
	    write(STDERR_FILENO, line, len) != len)
		atomic_fetch_add(&dropped, 1);
}

static void tell_dropped(void)
{
	unsigned int lost = atomic_exchange(&dropped, 0);
	char line[LINE_BYTES + 1];

	if (lost)
		write_line(line, snprintf(line, LINE_BYTES,
					  SD_WARNING
					  "%u messages lost: stderr was full",
					  lost));
}

void log_line(const char *priority, const char *format, ...)
{
	char line[LINE_BYTES + 1];
	va_list args;
	int len;

	tell_dropped();
	len = snprintf(line, LINE_BYTES, "%s", priority);
	va_start(args, format);
	len += vsnprintf(line + len, LINE_BYTES - len, format, args);
	va_end(args);
	write_line(line, len);
}

void log_state(struct log_state *state, const char *what, const char *text)
{
	if (!strncmp(state->text, text, sizeof(state->text) - 1))
		return;
	snprintf(state->text, sizeof(state->text), "%s", text);
	if (*text)
		log_warn("%s: %s", what, text);
	else
		log_notice("%s: well again", what);
}
