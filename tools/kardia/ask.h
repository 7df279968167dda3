/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GET requests to kardiad on its Unix socket, all within one time limit. */
#ifndef KARDIA_ASK_H
#define KARDIA_ASK_H

#include <stddef.h>

#include "say.h"

struct ask;

/* The limit starts to run; nothing is connected yet. */
struct ask *ask_open(const struct cli *cli);
void ask_close(struct ask *ask);

/**
 * struct ask_answer - what kardiad said
 * @status: of HTTP
 * @body: with a NUL after it, to be freed
 * @bytes: without the NUL
 */
struct ask_answer {
	long status;
	char *body;
	size_t bytes;
};

/* Any answer of at most @max bytes; false after @trouble. */
bool ask_get(struct ask *ask, const char *path, size_t max,
	     struct ask_answer *answer, struct trouble *trouble);

#endif
