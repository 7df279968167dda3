/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arbiter role: evidence from the kernel, decisions by the policy, commits
 * to the store, the result on show for the agents.
 */
#ifndef KARDIAD_ARBITER_ARBITER_H
#define KARDIAD_ARBITER_ARBITER_H

#include <systemd/sd-event.h>

#include "daemon/config.h"
#include "daemon/http/board.h"
#include "daemon/kernel.h"
#include "daemon/map/store.h"
#include "daemon/status.h"

struct arbiter;

/* All of these have to live as long; @kernel may be NULL: no evidence then. */
struct arbiter_params {
	const struct config *config;
	sd_event *event;
	struct kernel *kernel;
	struct store *store;
	struct board *board;
	struct status *status;
};

/*
 * Take over: commit the first decision of a new term and put it on show, then
 * listen to @kernel. With a store that completes later, it is not done yet when
 * this returns.
 */
int arbiter_new(struct arbiter **arbiter, const struct arbiter_params *params,
		struct why *why);
void arbiter_free(struct arbiter *arbiter);

/* What it does with the kernel's events, with the arbiter as argument. */
extern const struct kernel_listener arbiter_listener;

#endif
