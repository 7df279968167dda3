// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Standard error. Arguments and other programs' words may stand in a message,
 * so it is escaped as a whole: no terminal is steered by them.
 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

#include "output.h"

static void say_list(const char *format, va_list args)
{
	char text[1024], escaped[4 * sizeof(text)];

	vsnprintf(text, sizeof(text), format, args);
	/* What was answered before stands before it on a terminal. */
	fflush(stdout);
	fprintf(stderr, "kardia: %s\n",
		output_escape(escaped, sizeof(escaped), text));
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list(format, args);
	va_end(args);
}

int say_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_list(format, args);
	va_end(args);
	return EXIT_USAGE;
}

void trouble_set(struct trouble *trouble, enum exit_code exit, const char *code,
		 const char *format, ...)
{
	va_list args;

	trouble->exit = exit;
	trouble->code = code;
	va_start(args, format);
	vsnprintf(trouble->text, sizeof(trouble->text), format, args);
	va_end(args);
}
