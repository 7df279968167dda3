/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent role, on every node: follows the map and programs the kernel from
 * it. Without an arbiter it goes on with the last map it had, without any map
 * with what the configuration file says.
 */
#ifndef KARDIAD_AGENT_AGENT_H
#define KARDIAD_AGENT_AGENT_H

#include <systemd/sd-event.h>

#include "daemon/config.h"
#include "daemon/http/board.h"
#include "daemon/kernel.h"
#include "daemon/status.h"

struct agent;

/* All of these have to live as long; @board shows the newest map known here. */
struct agent_params {
	const struct config *config;
	sd_event *event;
	struct kernel *kernel;
	struct board *board;
	struct status *status;
};

/* Takes up the cached map and listens to @kernel; sends nothing yet. */
int agent_new(struct agent **agent, const struct agent_params *params,
	      struct why *why);

/* Begin to ask the arbiter. */
void agent_start(struct agent *agent);

void agent_free(struct agent *agent);

#endif
