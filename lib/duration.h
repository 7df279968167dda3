/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Durations as people write them: a number and a unit, "50ms", "1.5 s".
 */
#ifndef KARDIA_LIB_DURATION_H
#define KARDIA_LIB_DURATION_H

#include <stddef.h>
#include <stdint.h>

/* Room for every output of duration_format(). */
#define DURATION_MAX 32

/*
 * Parse @text (units us, ms, s, min, h; decimals allowed; no sign) into
 * microseconds; a fraction of a microsecond is cut off. Returns 0, -EDOM for
 * a number without a unit (worth a hint), -ERANGE when it does not fit,
 * -EINVAL for anything else. @us is only written on success.
 */
int duration_parse(const char *text, uint64_t *us);

/*
 * Write @us with three significant digits at most and the largest unit that
 * leaves a number of 1 or more: "812us", "1.04ms", "50ms", "2.5s", "1.5h".
 * For people, not for reading back: further digits are cut off. Returns @buf.
 */
char *duration_format(char *buf, size_t size, uint64_t us);

#endif
