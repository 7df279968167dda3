// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns the answer to "no memory": say so and abort. */
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/mem.h"

void mem_exhausted(void)
{
	log_err("out of memory");
	abort();
}

void *mem_zalloc(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size);

	if (!memory)
		mem_exhausted();
	return memory;
}

char *mem_dup(const void *data, size_t bytes)
{
	char *copy = mem_zalloc(bytes + 1, 1);

	memcpy(copy, data, bytes);
	return copy;
}
