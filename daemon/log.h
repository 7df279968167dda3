/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to stderr, with the priority prefixes that systemd understands. */
#ifndef KARDIAD_LOG_H
#define KARDIAD_LOG_H

#include <systemd/sd-daemon.h>

#define log_err(...) log_line(SD_ERR, __VA_ARGS__)
#define log_warn(...) log_line(SD_WARNING, __VA_ARGS__)
#define log_notice(...) log_line(SD_NOTICE, __VA_ARGS__)
#define log_info(...) log_line(SD_INFO, __VA_ARGS__)

/*
 * Write one line. Never waits: a line that stderr cannot take at once is
 * counted, and the count is told by the next line that gets through.
 */
void log_line(const char *priority, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A condition that is looked at again and again, told when it changes. */
struct log_state {
	char text[512];
};

/*
 * Log @text as a warning unless it is what @state holds already. An empty
 * @text means that all is well again, which is worth one line too.
 */
void log_state(struct log_state *state, const char *what, const char *text);

#endif
