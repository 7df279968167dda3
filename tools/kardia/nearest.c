// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spelling correction by edit distance (optimal string alignment).
 */
#include "nearest.h"

#include <string.h>

#define WORD_MAX 32

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Both at most WORD_MAX long. */
static size_t distance(const char *a, const char *b)
{
	size_t d[WORD_MAX + 1][WORD_MAX + 1];
	size_t la = strlen(a), lb = strlen(b);

	for (size_t i = 0; i <= la; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= lb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= la; i++)
		for (size_t j = 1; j <= lb; j++) {
			size_t cost = a[i - 1] != b[j - 1];

			d[i][j] = min(min(d[i - 1][j], d[i][j - 1]) + 1,
				      d[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[la][lb];
}

const char *nearest(const char *word, const char *const candidates[], size_t n)
{
	size_t best = (strlen(word) + 1) / 2;
	const char *found = NULL;

	if (strlen(word) > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t edits;

		if (!candidates[i] || strlen(candidates[i]) > WORD_MAX)
			continue;
		edits = distance(word, candidates[i]);
		if (edits < best || (!found && edits == best)) {
			best = edits;
			found = candidates[i];
		}
	}
	return found;
}
