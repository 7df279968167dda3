/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KARDIAD_FILE_H
#define KARDIAD_FILE_H

#include <stddef.h>

#include "daemon/why.h"

/*
 * The whole of a file with a NUL after it, for the caller to free. -EFBIG if
 * it has more than @max bytes.
 */
int file_read(const char *path, size_t max, char **text, size_t *bytes,
	      struct why *why);

/* Replace @path in one step: its old or its new content survives any crash. */
int file_replace(const char *path, const char *text, size_t bytes,
		 struct why *why);

/* Make the folder that @path lies in, and those above, if missing. */
int file_make_parent(const char *path, struct why *why);

/* Flush the folder that @path lies in, so that its new name is durable. */
int file_sync_parent(const char *path);

#endif
