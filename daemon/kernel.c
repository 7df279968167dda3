// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the netlink sockets and the order of events. What is asked of the
 * kernel, and what its events mean, is the listeners'.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/kernel.h"
#include "daemon/log.h"
#include "daemon/mem.h"

#define LISTENERS_MAX 2
#define TICK_US 1000000

/* Ahead of HTTP and timers: what the kernel says is what we are here for. */
#define EVENT_PRIORITY SD_EVENT_PRIORITY_IMPORTANT

struct kernel {
	sd_event *event;
	sd_event_source *io;
	sd_event_source *timer;
	struct knl *knl;
	struct knl_events *events;
	uint64_t incarnation; /* of the kernel that the listeners know */
	uint64_t last_seq; /* 0: no event yet */
	bool gap;
	struct log_state trouble;
	struct {
		const struct kernel_listener *ops;
		void *arg;
	} listeners[LISTENERS_MAX];
	unsigned int n_listeners;
};

/* Call this callback of each listener that has it. */
#define TELL(k, call, ...)                                                     \
	do {                                                                   \
		for (unsigned int i = 0; i < (k)->n_listeners; i++)            \
			if ((k)->listeners[i].ops->call)                       \
				(k)->listeners[i].ops->call(                   \
					(k)->listeners[i].arg, ##__VA_ARGS__); \
	} while (0)

struct knl *kernel_knl(struct kernel *k)
{
	return k->knl;
}

void kernel_listen(struct kernel *k, const struct kernel_listener *ops,
		   void *arg)
{
	k->listeners[k->n_listeners].ops = ops;
	k->listeners[k->n_listeners++].arg = arg;
}

void kernel_explain(struct kernel *k, int err, struct why *why)
{
	switch (err) {
	case -ENOENT:
		why_set(why, err, "kardia.ko is not loaded");
		break;
	case -ENODEV:
		why_set(why, err, "kardia.ko is idle: not configured yet");
		break;
	default:
		why_set(why, err, "%s",
			k->knl && *knl_error(k->knl) ? knl_error(k->knl) :
						       strerror(-err));
	}
}

static void close_sockets(struct kernel *k)
{
	k->io = sd_event_source_disable_unref(k->io);
	knl_events_close(k->events);
	k->events = NULL;
	knl_close(k->knl);
	k->knl = NULL;
	k->last_seq = 0;
}

/* All listeners take a snapshot; which life of the kernel is it of? */
static void reset(struct kernel *k)
{
	struct knl_node node;

	k->gap = false;
	TELL(k, reset);
	k->incarnation = knl_node_get(k->knl, &node) ? 0 : node.incarnation;
}

static void on_event(void *arg, const struct knl_event *event)
{
	struct kernel *k = arg;

	if (k->last_seq && event->seq != k->last_seq + 1)
		k->gap = true;
	k->last_seq = event->seq;
	TELL(k, event, event);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct kernel *k = arg;
	int ret = knl_events_read(k->events, on_event, k);

	(void)source;
	(void)fd;
	(void)revents;
	if (ret || k->gap) {
		reset(k);
		log_warn("events of the kernel were lost; took a snapshot");
		return 0;
	}
	TELL(k, drained);
	return 0;
}

static int open_sockets(struct kernel *k)
{
	int ret = knl_open(&k->knl);

	if (!ret)
		ret = knl_events_open(&k->events);
	if (!ret)
		ret = sd_event_add_io(k->event, &k->io,
				      knl_events_fd(k->events), EPOLLIN, on_io,
				      k);
	if (!ret)
		ret = sd_event_source_set_priority(k->io, EVENT_PRIORITY);
	return ret < 0 ? ret : 0;
}

static void connect_kernel(struct kernel *k)
{
	int ret = open_sockets(k);
	struct why why;

	if (!ret) {
		log_state(&k->trouble, "kernel module", "");
		reset(k);
		return;
	}
	kernel_explain(k, ret, &why);
	close_sockets(k);
	log_state(&k->trouble, "kernel module", why.text);
	TELL(k, lost, &why);
}

/* Is it still the kernel that the listeners know? */
static bool is_same(struct kernel *k)
{
	struct knl_node node;

	return k->knl && k->incarnation && !knl_node_get(k->knl, &node) &&
	       node.incarnation == k->incarnation;
}

static int on_tick(sd_event_source *source, uint64_t usec, void *arg)
{
	struct kernel *k = arg;

	(void)usec;
	if (is_same(k)) {
		TELL(k, tick);
	} else {
		close_sockets(k);
		connect_kernel(k);
	}
	sd_event_source_set_time_relative(source, TICK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

struct kernel *kernel_new(sd_event *event)
{
	struct kernel *k = mem_zalloc(1, sizeof(*k));

	k->event = sd_event_ref(event);
	return k;
}

int kernel_start(struct kernel *k, struct why *why)
{
	int ret = sd_event_add_time_relative(
		k->event, &k->timer, CLOCK_MONOTONIC, TICK_US, 0, on_tick, k);

	if (ret < 0)
		return why_set(why, ret, "event loop: %s", strerror(-ret));
	connect_kernel(k);
	return 0;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	close_sockets(k);
	sd_event_source_disable_unref(k->timer);
	sd_event_unref(k->event);
	free(k);
}
