/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a request for the next map at the arbiter: over one of its networks
 * and then the other, again and again.
 */
#ifndef KARDIAD_AGENT_FOLLOW_H
#define KARDIAD_AGENT_FOLLOW_H

#include <systemd/sd-event.h>

#include "daemon/config.h"
#include "daemon/status.h"
#include "daemon/why.h"

struct follow;

struct follow_ops {
	/* Newer maps than this are asked for. */
	uint64_t (*newest_epoch)(void *arg);
	/*
	 * An answer came. -EALREADY: it is the map that we have; other negative
	 * errnos refuse it. Both with a reason.
	 */
	int (*take)(void *arg, const char *text, size_t bytes, struct why *why);
};

int follow_new(struct follow **follow, sd_event *event,
	       const struct config *config, struct status *status,
	       const struct follow_ops *ops, void *arg, struct why *why);
void follow_free(struct follow *follow);

/*
 * Ask, over the front network first; a request in progress is dropped. From
 * then on it goes on by itself.
 */
void follow_now(struct follow *follow);

#endif
