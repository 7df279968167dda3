// SPDX-License-Identifier: GPL-2.0-only
/*
 * Beats: a soft hrtimer per peer sends one on each path, every interval, at a
 * random phase so that the peers of a node do not burst. A beat that cannot
 * leave is dropped and counted; the next one is due in an interval anyway.
 */
#include <linux/math64.h>
#include <linux/random.h>

#include "beat.h"
#include "net.h"
#include "peer.h"
#include "xmit.h"

static u64 interval_ns(const struct kardia_net *kn)
{
	return (u64)READ_ONCE(kn->interval_us) * NSEC_PER_USEC;
}

static void compose(struct kardia_peer *peer, unsigned int i, u64 lateness_ns,
		    u64 now_ns, struct kardia_frame *frame)
{
	struct kardia_net *kn = peer->kn;
	struct kardia_path *path = &peer->paths[i];

	lockdep_assert_held(&peer->lock);
	*frame = (struct kardia_frame){
		.type = KARDIA_FRAME_BEAT,
		.sent_ns = now_ns,
		.beat = {
			.map_epoch = READ_ONCE(kn->map_epoch),
			.interval_us = READ_ONCE(kn->interval_us),
			.grace_us = READ_ONCE(kn->grace_us),
			.own_lateness_us = min_t(u64, U32_MAX,
						 div_u64(lateness_ns,
							 NSEC_PER_USEC)),
		},
	};
	kardia_peer_address(peer, i, frame);
	if (path->echo_sequence) {
		frame->beat.echo_sequence = path->echo_sequence;
		frame->beat.echo_sent_ns = path->echo_sent_ns;
		frame->beat.echo_held_ns = now_ns - path->echo_arrived_ns;
	}
	path->tx++;
}

static void send(struct kardia_peer *peer, unsigned int i, u64 lateness_ns)
{
	struct kardia_net *kn = peer->kn;
	struct kardia_frame frame;
	struct sk_buff *skb;
	__be32 local, remote;

	skb = kardia_xmit_alloc(kn, KARDIA_FRAME_BEAT_BYTES);
	if (!skb)
		return;
	spin_lock(&peer->lock);
	compose(peer, i, lateness_ns, ktime_get_ns(), &frame);
	local = peer->paths[i].local;
	remote = peer->paths[i].remote;
	spin_unlock(&peer->lock);

	kardia_frame_encode(&frame, skb->data);
	if (!kardia_xmit(kn, skb, local, remote, &peer->paths[i].route))
		kardia_count(kn, TX_BEATS);
}

/* The next multiple of the interval that is still to come. */
static void arm_next(struct kardia_peer *peer, u64 lateness_ns)
{
	u64 step_ns = interval_ns(peer->kn);
	u64 missed = div64_u64(lateness_ns, step_ns);

	lockdep_assert_held(&peer->lock);
	kardia_count_add(peer->kn, TX_MISSED, missed);
	peer->beat_due_ns += (missed + 1) * step_ns;
	kardia_timer_start(&peer->beat_timer, peer->beat_due_ns);
}

enum hrtimer_restart kardia_beat_timer(struct hrtimer *timer)
{
	struct kardia_peer *peer =
		container_of(timer, struct kardia_peer, beat_timer.soft);
	u64 lateness_ns = 0;
	unsigned int i;
	u64 now_ns;
	u8 paths;

	/*
	 * Re-armed by hrtimer_start() under the lock, not by HRTIMER_RESTART:
	 * a retune may have started the timer anew while we waited for it.
	 */
	spin_lock(&peer->lock);
	if (peer->dead) {
		spin_unlock(&peer->lock);
		return HRTIMER_NORESTART;
	}
	now_ns = ktime_get_ns();
	if (now_ns > peer->beat_due_ns)
		lateness_ns = now_ns - peer->beat_due_ns;
	arm_next(peer, lateness_ns);
	paths = peer->grace.paths;
	spin_unlock(&peer->lock);

	for (i = 0; i < KARDIA_PATHS_MAX; i++)
		if (paths & BIT(i))
			send(peer, i, lateness_ns);
	return HRTIMER_NORESTART;
}

void kardia_beat_start(struct kardia_peer *peer)
{
	u64 phase_ns =
		mul_u64_u32_shr(interval_ns(peer->kn), get_random_u32(), 32);

	lockdep_assert_held(&peer->lock);
	peer->beat_due_ns = ktime_get_ns() + phase_ns;
	kardia_timer_start(&peer->beat_timer, peer->beat_due_ns);
}
