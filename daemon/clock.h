/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two clocks: monotonic for every rule, wall clock for people only. */
#ifndef KARDIAD_CLOCK_H
#define KARDIAD_CLOCK_H

#include <stdint.h>

#define CLOCK_ISO_BYTES 32

uint64_t clock_mono_ns(void);
uint64_t clock_wall_us(void);

/* "2026-11-30T02:13:26.123456Z" into @text, which is returned. */
char *clock_iso(uint64_t wall_us, char text[CLOCK_ISO_BYTES]);

#endif
