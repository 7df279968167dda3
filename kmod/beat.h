/* SPDX-License-Identifier: GPL-2.0-only */
/* Sending: beats by timer, and any frame on a path. */
#ifndef KARDIA_BEAT_H
#define KARDIA_BEAT_H

#include <linux/hrtimer.h>

struct kardia_peer;

/* Start, or restart with the interval in force, at a random phase. */
void kardia_beat_start(struct kardia_peer *peer);
enum hrtimer_restart kardia_beat_timer(struct hrtimer *timer);

#endif
