/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that does not fail: without memory the daemon aborts, the kernel
 * goes on beating, and the service manager starts it anew.
 */
#ifndef KARDIAD_MEM_H
#define KARDIAD_MEM_H

#include <stddef.h>

void mem_exhausted(void) __attribute__((noreturn));

/* Zeroed memory for @n objects of @size bytes. */
void *mem_zalloc(size_t n, size_t size);

/* A copy of @bytes bytes with a NUL after them. */
char *mem_dup(const void *data, size_t bytes);

#endif
