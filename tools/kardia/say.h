/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages for people on standard error; standard output is the answer's. */
#ifndef KARDIA_SAY_H
#define KARDIA_SAY_H

#include "cli.h"

/* "kardia: ", the message escaped, and a newline. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, for a command line that cannot be: returns EXIT_USAGE. */
int say_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * struct trouble - why a source (module, daemon) gave no answer
 * @exit: what the program ends with; EXIT_DONE: no trouble
 * @code: for programs, as in JSON
 * @text: for people
 */
struct trouble {
	enum exit_code exit;
	const char *code;
	char text[320];
};

void trouble_set(struct trouble *trouble, enum exit_code exit, const char *code,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
