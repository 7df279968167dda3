// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns nothing: formats the reason of a failure into its caller's buffer. */
#include <stdarg.h>
#include <stdio.h>

#include "daemon/why.h"

int why_set(struct why *why, int result, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return result;
}
