/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The detector of one peer: pure, time is an argument. It is told what was
 * heard and when its deadline passed, and answers with verdicts.
 */
#ifndef KARDIA_GRACE_H
#define KARDIA_GRACE_H

#include "pure.h"
#include <linux/kardia.h>

enum kardia_verdict {
	KARDIA_VERDICT_NONE,
	KARDIA_VERDICT_UP,
	KARDIA_VERDICT_DOWN,
};

/**
 * struct kardia_grace - the detector's state
 * @grace_ns: silence tolerated
 * @start_ns: when watching began, or this life of the peer was first heard
 * @allowance_ns: added to the deadline for own stalls since the newest beat
 * @stalls: how many of them
 * @heard_ns: arrival of the newest beat, per path, 0: none in this life
 * @paths: bit per configured path
 * @state: enum kardia_peer_state
 * @cause: enum kardia_cause
 * @since_ns: when @state was entered
 */
struct kardia_grace {
	u64 grace_ns;
	u64 start_ns;
	u64 allowance_ns;
	u64 heard_ns[KARDIA_PATHS_MAX];
	u64 since_ns;
	u8 paths;
	u8 state;
	u8 cause;
	u8 stalls;
};

/* So many stalls in a row are allowed for; then silence counts all the same. */
#define KARDIA_STALLS_MAX 4

/* Begin to watch, or begin anew with a new life of the peer. */
void kardia_grace_start(struct kardia_grace *grace, u8 paths, u64 grace_ns,
			u64 now_ns);

/* When silence turns into a verdict; meaningless while the state is down. */
u64 kardia_grace_deadline(const struct kardia_grace *grace);

/* Arrival of the newest beat on any path, 0: none. */
u64 kardia_grace_heard_ns(const struct kardia_grace *grace);

/*
 * A beat came in on @path; @mutual: it proves that the peer hears us. Only
 * that brings a peer up; any beat keeps it up.
 */
enum kardia_verdict kardia_grace_heard(struct kardia_grace *grace,
				       unsigned int path, bool mutual,
				       u64 now_ns);

/*
 * A timer armed for @armed_ns fired at @now_ns. NONE: ask again at the new
 * kardia_grace_deadline(). A timer later than @margin_ns tells of our own
 * stall: packets may wait unread, so we listen for as long as we were away,
 * one grace at most, before we judge.
 */
enum kardia_verdict kardia_grace_expire(struct kardia_grace *grace,
					u64 armed_ns, u64 margin_ns,
					u64 now_ns);

#endif
