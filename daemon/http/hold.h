/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that wait for a newer map, and the thread that lets them go on when
 * it is there or their time is over.
 */
#ifndef KARDIAD_HTTP_HOLD_H
#define KARDIAD_HTTP_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include <microhttpd.h>

#include "daemon/http/board.h"
#include "daemon/why.h"

struct hold;

/* Part of a request, which stays in place while it waits. */
struct hold_waiter {
	struct hold_waiter *next, **link;
	struct MHD_Connection *connection;
	struct board *board;
	uint64_t since; /* wait for an epoch above this one */
	uint64_t deadline_ns;
};

int hold_new(struct hold **hold, struct why *why);
void hold_free(struct hold *hold);

/* The eventfd that boards write to. */
int hold_notify_fd(const struct hold *hold);

/* Let everybody go on, and nobody wait from now on. */
void hold_stop(struct hold *hold);

/*
 * Suspend the connection of @waiter until there is something for it. Returns
 * false if there is already: the answer is to be given now.
 */
bool hold_wait(struct hold *hold, struct hold_waiter *waiter);

#endif
