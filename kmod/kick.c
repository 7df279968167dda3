// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before 6.5 (commit d15121be7485), once ksoftirqd has been woken, interrupts
 * leave all softirqs to it, and it waits behind every real-time task: soft
 * timers were milliseconds late while kardiad itself was busy. Only the
 * vectors HI and TASKLET are never left to it, and with them everything that
 * is pending runs, receive work before timers as ever. So each timer has a
 * twin in hard interrupt context that schedules an empty HI tasklet.
 */
#include <linux/interrupt.h>
#include <linux/percpu.h>

#include "compat.h"
#include "kick.h"

static DEFINE_PER_CPU(struct tasklet_struct, kicks);

static void nothing(struct tasklet_struct *tasklet)
{
}

static enum hrtimer_restart kick(struct hrtimer *timer)
{
	tasklet_hi_schedule(this_cpu_ptr(&kicks));
	return HRTIMER_NORESTART;
}

void kardia_timer_setup(struct kardia_timer *timer,
			enum hrtimer_restart (*function)(struct hrtimer *))
{
	hrtimer_setup(&timer->soft, function, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	hrtimer_setup(&timer->kick, kick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_HARD);
}

void kardia_timer_start(struct kardia_timer *timer, u64 expires_ns)
{
	ktime_t expires = ns_to_ktime(expires_ns);

	hrtimer_start(&timer->soft, expires, HRTIMER_MODE_ABS_SOFT);
	hrtimer_start(&timer->kick, expires, HRTIMER_MODE_ABS_HARD);
}

void kardia_timer_cancel(struct kardia_timer *timer)
{
	hrtimer_cancel(&timer->soft);
	hrtimer_cancel(&timer->kick);
}

void kardia_kick_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tasklet_setup(per_cpu_ptr(&kicks, cpu), nothing);
}

void kardia_kick_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) tasklet_kill(per_cpu_ptr(&kicks, cpu));
}
