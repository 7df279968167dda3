/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard output, and the forms that values take on it. */
#ifndef KARDIA_OUTPUT_H
#define KARDIA_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for each of the forms below but output_escape(). */
#define OUTPUT_FORM_BYTES 48

/*
 * Copy @text with everything but printable ASCII as \xNN; cut it where it does
 * not fit. Returns @buf.
 */
char *output_escape(char *buf, size_t size, const char *text);

/* How long ago: "3.1ms", "41.2s", "00:06:12", "3d04h". Returns @buf. */
char *output_age(char *buf, size_t size, uint64_t ns);

/* A short time, "-" for 0. Returns @buf. */
char *output_ns(char *buf, size_t size, uint64_t ns);

/* Local time of day: "02:13:26.123". Returns @buf. */
char *output_clock(char *buf, size_t size, uint64_t wall_us);

/* Hand over what is buffered; false if the reader is gone or the disk full. */
bool output_flush(void);

/* Flush and close, for the end. Says what failed; returns the exit code. */
int output_finish(int exit_code);

#endif
