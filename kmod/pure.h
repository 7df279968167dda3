/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the pure files (frame, grace) may lean on: they are compiled into the
 * module, the unit tests and the simulator alike, and call nothing.
 */
#ifndef KARDIA_PURE_H
#define KARDIA_PURE_H

#include <linux/types.h>
#include <asm/byteorder.h>

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/string.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
#endif

#endif
