/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why something was refused or failed: one sentence for the operator, carried
 * next to a negative errno.
 */
#ifndef KARDIAD_WHY_H
#define KARDIAD_WHY_H

struct why {
	char text[512];
};

/* Format the sentence and return @result, so that callers can return it. */
int why_set(struct why *why, int result, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
