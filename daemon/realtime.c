// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns priorities and memory locking. A thread inherits the scheduling of its
 * creator unless told otherwise, and a stack is locked whole, so each thread is
 * made here or between realtime_serving_begin() and _end().
 */
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon/log.h"
#include "daemon/realtime.h"

static int loop_priority; /* 0: realtime_enter() was not called */

/* Freed memory stays locked and mapped, so that taking it again is no fault. */
static void keep_heap(void)
{
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_MMAP_MAX, 0);
}

int realtime_enter(unsigned int priority, struct why *why)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return why_set(
			why, -errno,
			"SCHED_FIFO priority %u: %s (needs CAP_SYS_NICE, or realtime = no in [local])",
			priority, strerror(errno));
	keep_heap();
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return why_set(
			why, -errno,
			"mlockall: %s (needs CAP_IPC_LOCK, or realtime = no in [local])",
			strerror(errno));
	loop_priority = priority;
	return 0;
}

static int set_class(pthread_attr_t *attr, enum realtime_class class)
{
	bool serving = loop_priority && class == REALTIME_SERVING;
	struct sched_param param = {
		.sched_priority = serving ? loop_priority - 1 : 0,
	};

	return pthread_attr_setstacksize(attr, REALTIME_STACK_BYTES) ||
	       pthread_attr_setinheritsched(attr, PTHREAD_EXPLICIT_SCHED) ||
	       pthread_attr_setschedpolicy(attr, serving ? SCHED_FIFO :
							   SCHED_OTHER) ||
	       pthread_attr_setschedparam(attr, &param);
}

int realtime_thread(pthread_t *thread, enum realtime_class class,
		    void *(*start)(void *arg), void *arg)
{
	pthread_attr_t attr;
	int ret = pthread_attr_init(&attr);

	if (ret)
		return -ret;
	ret = set_class(&attr, class) ?
		      EINVAL :
		      pthread_create(thread, &attr, start, arg);
	pthread_attr_destroy(&attr);
	return -ret;
}

static void set_own_priority(int priority)
{
	if (loop_priority && pthread_setschedprio(pthread_self(), priority))
		log_err("the priority cannot be set to %d", priority);
}

void realtime_serving_begin(void)
{
	set_own_priority(loop_priority - 1);
}

void realtime_serving_end(void)
{
	set_own_priority(loop_priority);
}

void realtime_mutex_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}
