/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What somebody may have meant. */
#ifndef KARDIA_NEAREST_H
#define KARDIA_NEAREST_H

#include <stddef.h>

/*
 * The one of the @n @candidates that takes the fewest edits (one character
 * added, dropped or replaced, or two neighbours swapped) from @word; NULL if
 * that is more than half of its length. NULL candidates are skipped.
 */
const char *nearest(const char *word, const char *const candidates[], size_t n);

#endif
