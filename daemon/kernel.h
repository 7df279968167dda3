/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module of this network namespace: sockets to it, opened again whenever it
 * was away; its events; and a look each second whether it is still the same.
 */
#ifndef KARDIAD_KERNEL_H
#define KARDIAD_KERNEL_H

#include <systemd/sd-event.h>

#include "daemon/why.h"
#include "lib/nl.h"

/* Called in the order in which the listeners were added; each may be NULL. */
struct kernel_listener {
	/* Events may be missing, or the kernel is another: take a snapshot. */
	void (*reset)(void *arg);
	void (*event)(void *arg, const struct knl_event *event);
	/* All events that were queued have been told. */
	void (*drained)(void *arg);
	/* Each second while nothing else is the matter. */
	void (*tick)(void *arg);
	/* There is no module; what was known of it is void. */
	void (*lost)(void *arg, const struct why *why);
};

struct kernel;

struct kernel *kernel_new(sd_event *event);
void kernel_free(struct kernel *kernel);

void kernel_listen(struct kernel *kernel,
		   const struct kernel_listener *listener, void *arg);

/* Join the group and reset the listeners, now or as soon as it is possible. */
int kernel_start(struct kernel *kernel, struct why *why);

/* For requests; NULL while there is no module. */
struct knl *kernel_knl(struct kernel *kernel);

/* What a failed request means for people. */
void kernel_explain(struct kernel *kernel, int err, struct why *why);

#endif
