/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who runs before whom: the deciding loop at the configured SCHED_FIFO
 * priority, threads that serve HTTP one below, the rest at no priority. All
 * memory is locked.
 */
#ifndef KARDIAD_REALTIME_H
#define KARDIAD_REALTIME_H

#include <pthread.h>
#include <stdbool.h>

#include "daemon/why.h"

/* Of each thread; locked in memory whole. */
#define REALTIME_STACK_BYTES (256 * 1024)

/*
 * Raise the calling thread to @priority and lock memory. Called once, before
 * any other thread exists. Until then, or without it, no thread has priority.
 */
int realtime_enter(unsigned int priority, struct why *why);

enum realtime_class {
	REALTIME_NOT, /* may wait for disks */
	REALTIME_SERVING, /* may not delay the loop, nor be starved by others */
};

/* Start a thread of that class; negative errno. */
int realtime_thread(pthread_t *thread, enum realtime_class class,
		    void *(*start)(void *arg), void *arg);

/*
 * Threads that a library creates inherit the priority of the caller: between
 * these two it is that of REALTIME_SERVING.
 */
void realtime_serving_begin(void);
void realtime_serving_end(void);

/* A lock whose owner inherits the priority of who waits for it. */
void realtime_mutex_init(pthread_mutex_t *lock);

#endif
