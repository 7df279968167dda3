// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the list of suspended connections. Resuming takes locks of libmicrohttpd
 * and grows with the number of waiters, so a thread does it rather than the
 * loop that decides.
 *
 * Lock order: hold's lock, then a board's or libmicrohttpd's.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/clock.h"
#include "daemon/http/hold.h"
#include "daemon/mem.h"
#include "daemon/realtime.h"

struct hold {
	pthread_t thread;
	pthread_mutex_t lock;
	int notify_fd;
	bool stopped; /* nobody may wait */
	bool quit; /* the thread ends */
	struct hold_waiter *waiters;
};

static bool is_over(const struct hold *h, const struct hold_waiter *w)
{
	return h->stopped || board_epoch(w->board) > w->since ||
	       clock_mono_ns() >= w->deadline_ns;
}

static void remove_waiter(struct hold_waiter *w)
{
	*w->link = w->next;
	if (w->next)
		w->next->link = w->link;
}

bool hold_wait(struct hold *h, struct hold_waiter *w)
{
	bool wait;

	pthread_mutex_lock(&h->lock);
	wait = !is_over(h, w);
	if (wait) {
		MHD_suspend_connection(w->connection);
		w->next = h->waiters;
		w->link = &h->waiters;
		if (w->next)
			w->next->link = &w->next;
		h->waiters = w;
	}
	pthread_mutex_unlock(&h->lock);
	/* The thread has to learn of the new deadline. */
	if (wait)
		eventfd_write(h->notify_fd, 1);
	return wait;
}

/* Let go who need not wait; the time until the next deadline, -1: none. */
static int release(struct hold *h)
{
	uint64_t now_ns = clock_mono_ns(), next_ns = UINT64_MAX;
	struct hold_waiter *w, *next;

	for (w = h->waiters; w; w = next) {
		next = w->next;
		if (is_over(h, w)) {
			remove_waiter(w);
			/* The waiter may be gone from here on. */
			MHD_resume_connection(w->connection);
		} else if (w->deadline_ns < next_ns) {
			next_ns = w->deadline_ns;
		}
	}
	if (next_ns == UINT64_MAX)
		return -1;
	return next_ns > now_ns ? (next_ns - now_ns) / 1000000 + 1 : 0;
}

static void *release_loop(void *arg)
{
	struct hold *h = arg;
	struct pollfd fd = { .fd = h->notify_fd, .events = POLLIN };
	bool quit = false;
	eventfd_t value;
	int timeout_ms;

	while (!quit) {
		pthread_mutex_lock(&h->lock);
		timeout_ms = release(h);
		quit = h->quit;
		pthread_mutex_unlock(&h->lock);
		if (!quit && poll(&fd, 1, timeout_ms) == 1)
			eventfd_read(h->notify_fd, &value);
	}
	return NULL;
}

int hold_new(struct hold **hold, struct why *why)
{
	struct hold *h = mem_zalloc(1, sizeof(*h));
	int ret = 0;

	h->notify_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (h->notify_fd < 0)
		ret = -errno;
	realtime_mutex_init(&h->lock);
	if (!ret)
		ret = realtime_thread(&h->thread, REALTIME_SERVING,
				      release_loop, h);
	if (ret) {
		if (h->notify_fd >= 0)
			close(h->notify_fd);
		free(h);
		return why_set(why, ret, "HTTP server: %s", strerror(-ret));
	}
	*hold = h;
	return 0;
}

int hold_notify_fd(const struct hold *h)
{
	return h->notify_fd;
}

void hold_stop(struct hold *h)
{
	pthread_mutex_lock(&h->lock);
	h->stopped = true;
	release(h);
	pthread_mutex_unlock(&h->lock);
}

void hold_free(struct hold *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->quit = true;
	pthread_mutex_unlock(&h->lock);
	eventfd_write(h->notify_fd, 1);
	pthread_join(h->thread, NULL);
	close(h->notify_fd);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
