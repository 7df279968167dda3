// SPDX-License-Identifier: GPL-2.0-only
/*
 * The detector. Deadlines are lazy: a beat only leaves its stamp, and the
 * deadline is computed from the stamps when the caller's timer asks. Policy
 * "all": a peer is down when all its paths are silent.
 *
 * States: new --mutual beat--> up --silence--> down --mutual beat--> up,
 * and new --silence--> down with the cause "never heard".
 */
#include "grace.h"

static void enter(struct kardia_grace *grace, enum kardia_peer_state state,
		  enum kardia_cause cause, u64 now_ns)
{
	grace->state = state;
	grace->cause = cause;
	grace->since_ns = now_ns;
}

void kardia_grace_start(struct kardia_grace *grace, u8 paths, u64 grace_ns,
			u64 now_ns)
{
	memset(grace, 0, sizeof(*grace));
	grace->paths = paths;
	grace->grace_ns = grace_ns;
	grace->start_ns = now_ns;
	enter(grace, KARDIA_PEER_NEW, KARDIA_CAUSE_NONE, now_ns);
}

u64 kardia_grace_heard_ns(const struct kardia_grace *grace)
{
	u64 newest_ns = 0;
	unsigned int i;

	for (i = 0; i < KARDIA_PATHS_MAX; i++)
		if (grace->heard_ns[i] > newest_ns)
			newest_ns = grace->heard_ns[i];
	return newest_ns;
}

u64 kardia_grace_deadline(const struct kardia_grace *grace)
{
	u64 heard_ns = kardia_grace_heard_ns(grace);
	u64 from_ns = heard_ns ? heard_ns : grace->start_ns;

	return from_ns + grace->grace_ns + grace->allowance_ns;
}

enum kardia_verdict kardia_grace_heard(struct kardia_grace *grace,
				       unsigned int path, bool mutual,
				       u64 now_ns)
{
	/* Two CPUs may deliver in either order: stamps never go back. */
	if (now_ns > grace->heard_ns[path])
		grace->heard_ns[path] = now_ns;
	grace->allowance_ns = 0;
	grace->stalls = 0;

	if (!mutual || grace->state == KARDIA_PEER_UP)
		return KARDIA_VERDICT_NONE;
	enter(grace, KARDIA_PEER_UP, KARDIA_CAUSE_NONE, now_ns);
	return KARDIA_VERDICT_UP;
}

static void allow_for_stall(struct kardia_grace *grace, u64 lateness_ns,
			    u64 now_ns)
{
	u64 listen_ns = lateness_ns < grace->grace_ns ? lateness_ns :
							grace->grace_ns;

	grace->allowance_ns +=
		now_ns + listen_ns - kardia_grace_deadline(grace);
	grace->stalls++;
}

enum kardia_verdict kardia_grace_expire(struct kardia_grace *grace,
					u64 armed_ns, u64 margin_ns, u64 now_ns)
{
	u64 lateness_ns = now_ns > armed_ns ? now_ns - armed_ns : 0;

	if (grace->state == KARDIA_PEER_DOWN ||
	    now_ns < kardia_grace_deadline(grace))
		return KARDIA_VERDICT_NONE;
	if (lateness_ns > margin_ns && grace->stalls < KARDIA_STALLS_MAX) {
		allow_for_stall(grace, lateness_ns, now_ns);
		return KARDIA_VERDICT_NONE;
	}
	enter(grace, KARDIA_PEER_DOWN,
	      kardia_grace_heard_ns(grace) ? KARDIA_CAUSE_SILENT :
					     KARDIA_CAUSE_NEVER_HEARD,
	      now_ns);
	return KARDIA_VERDICT_DOWN;
}
