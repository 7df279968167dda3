/* SPDX-License-Identifier: GPL-2.0-only */
/* Soft hrtimers that stay on time while ksoftirqd waits for a CPU. */
#ifndef KARDIA_KICK_H
#define KARDIA_KICK_H

#include <linux/hrtimer.h>

/**
 * struct kardia_timer - a soft hrtimer and its kick
 * @soft: does the work, in softirq
 * @kick: fires at the same time in hard interrupt context
 */
struct kardia_timer {
	struct hrtimer soft;
	struct hrtimer kick;
};

void kardia_timer_setup(struct kardia_timer *timer,
			enum hrtimer_restart (*function)(struct hrtimer *));
/* The caller serialises starts of one timer. */
void kardia_timer_start(struct kardia_timer *timer, u64 expires_ns);
/* Sleeps. */
void kardia_timer_cancel(struct kardia_timer *timer);

void kardia_kick_init(void);
/* With all timers cancelled. */
void kardia_kick_exit(void);

#endif
