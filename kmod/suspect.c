// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reporting. The set of suspects goes whole to every arbiter node, on every
 * path: at once when it changes, then again every grace while it is not
 * empty. An empty set is repeated a few times, so that a lost frame does not
 * keep a withdrawn accusation alive until it expires.
 */
#include <linux/math64.h>
#include <linux/slab.h>

#include "compat.h"
#include "net.h"
#include "peer.h"
#include "xmit.h"

#define KARDIA_REPORT_FAREWELLS 3
/* A set outlives so many lost refreshes. */
#define KARDIA_REPORT_VALID_REFRESHES 4

static u32 refresh_us(const struct kardia_net *kn)
{
	return READ_ONCE(kn->grace_us);
}

void kardia_suspect_add(struct kardia_peer *peer)
{
	struct kardia_suspects *suspects = &peer->kn->suspects;
	struct kardia_suspect *suspect = &peer->suspect;
	u64 heard_ns = kardia_grace_heard_ns(&peer->grace);
	u64 lateness_us = div_u64(peer->own_lateness_ns, NSEC_PER_USEC);

	lockdep_assert_held(&peer->lock);
	spin_lock(&suspects->lock);
	suspect->silent_since_ns = heard_ns ?: peer->grace.start_ns;
	suspect->said = (struct kardia_suspicion){
		.node = peer->id,
		.incarnation = peer->incarnation,
		.grace_us = div_u64(peer->grace.grace_ns, NSEC_PER_USEC),
		.own_lateness_us = min_t(u64, lateness_us, U32_MAX),
		.paths = peer->grace.paths,
		.cause = peer->grace.cause,
	};
	if (list_empty(&suspect->link)) {
		list_add_tail(&suspect->link, &suspects->list);
		suspects->count++;
	}
	suspects->changed = true;
	spin_unlock(&suspects->lock);
}

void kardia_suspect_del(struct kardia_peer *peer)
{
	struct kardia_suspects *suspects = &peer->kn->suspects;

	lockdep_assert_held(&peer->lock);
	spin_lock(&suspects->lock);
	if (!list_empty(&peer->suspect.link)) {
		list_del_init(&peer->suspect.link);
		suspects->count--;
		suspects->changed = true;
	}
	spin_unlock(&suspects->lock);
}

/* Write the next set into @data, which holds KARDIA_FRAME_BYTES_MAX. */
static void encode_set(struct kardia_net *kn, struct kardia_frame *frame,
		       void *data)
{
	struct kardia_suspects *suspects = &kn->suspects;
	struct kardia_suspect *suspect;
	u64 now_ns = ktime_get_ns();
	unsigned int i = 0;

	lockdep_assert_held(&suspects->lock);
	list_for_each_entry(suspect, &suspects->list, link) {
		if (i == KARDIA_REPORT_SUSPECTS_MAX)
			break;
		suspect->said.silent_for_ns = now_ns - suspect->silent_since_ns;
		kardia_frame_put_suspicion(data, i++, &suspect->said);
	}
	*frame = (struct kardia_frame){
		.type = KARDIA_FRAME_REPORT,
		.source_incarnation = kn->incarnation,
		.sent_ns = now_ns,
		.report = {
			.set_sequence = ++suspects->set_sequence,
			.valid_us = KARDIA_REPORT_VALID_REFRESHES *
				    refresh_us(kn),
			.watched = max(READ_ONCE(kn->n_peers), suspects->count),
			.silent = suspects->count,
			.count = i,
		},
	};
}

static void arm_refresh(struct kardia_net *kn)
{
	struct kardia_suspects *suspects = &kn->suspects;
	u64 refresh_ns = (u64)refresh_us(kn) * NSEC_PER_USEC;

	lockdep_assert_held(&suspects->lock);
	if (!suspects->running || (!suspects->count && !suspects->farewells))
		return;
	hrtimer_start(&suspects->refresh,
		      ns_to_ktime(ktime_get_ns() + refresh_ns),
		      HRTIMER_MODE_ABS_SOFT);
}

static void send_path(struct kardia_peer *peer, unsigned int i,
		      struct kardia_frame *frame, void *data)
{
	size_t bytes = kardia_frame_bytes(frame);
	struct kardia_path *path = &peer->paths[i];
	struct kardia_net *kn = peer->kn;
	struct sk_buff *skb;
	__be32 local, remote;

	skb = kardia_xmit_alloc(kn, bytes);
	if (!skb)
		return;
	spin_lock(&peer->lock);
	kardia_peer_address(peer, i, frame);
	local = path->local;
	remote = path->remote;
	spin_unlock(&peer->lock);

	kardia_frame_encode(frame, data);
	memcpy(skb->data, data, bytes);
	if (!kardia_xmit(kn, skb, local, remote, &path->route))
		kardia_count(kn, TX_REPORTS);
}

static void send_set(struct kardia_net *kn, struct kardia_frame *frame,
		     void *data)
{
	struct kardia_peer *peer;
	unsigned int i;
	int bucket;

	if (READ_ONCE(kn->arbiter))
		kardia_report_store(&kn->self_report, frame, data,
				    frame->sent_ns);
	rcu_read_lock();
	hash_for_each_rcu(kn->peers, bucket, peer, hash) {
		if (!READ_ONCE(peer->arbiter))
			continue;
		for_each_path(i, peer)
			send_path(peer, i, frame, data);
	}
	rcu_read_unlock();
}

static void report(struct kardia_net *kn)
{
	struct kardia_suspects *suspects = &kn->suspects;
	struct kardia_frame frame;
	void *data;

	/* Without memory for it the set goes out with the next refresh. */
	data = kmalloc(KARDIA_FRAME_BYTES_MAX, GFP_ATOMIC);
	spin_lock(&suspects->lock);
	if (data)
		encode_set(kn, &frame, data);
	arm_refresh(kn);
	spin_unlock(&suspects->lock);
	if (!data) {
		kardia_count(kn, TX_NO_MEMORY);
		return;
	}
	send_set(kn, &frame, data);
	kfree(data);
}

void kardia_suspects_flush(struct kardia_net *kn)
{
	struct kardia_suspects *suspects = &kn->suspects;
	bool changed;

	/* Racy on purpose: whoever sets it flushes after. */
	if (!READ_ONCE(suspects->changed))
		return;
	local_bh_disable();
	spin_lock(&suspects->lock);
	changed = suspects->changed;
	suspects->changed = false;
	suspects->farewells = KARDIA_REPORT_FAREWELLS;
	spin_unlock(&suspects->lock);
	if (changed)
		report(kn);
	local_bh_enable();
}

static enum hrtimer_restart refresh_timer(struct hrtimer *timer)
{
	struct kardia_net *kn =
		container_of(timer, struct kardia_net, suspects.refresh);
	struct kardia_suspects *suspects = &kn->suspects;

	spin_lock(&suspects->lock);
	if (!suspects->count)
		suspects->farewells--;
	spin_unlock(&suspects->lock);
	report(kn);
	return HRTIMER_NORESTART;
}

void kardia_suspects_init(struct kardia_net *kn)
{
	struct kardia_suspects *suspects = &kn->suspects;

	spin_lock_init(&suspects->lock);
	INIT_LIST_HEAD(&suspects->list);
	hrtimer_setup(&suspects->refresh, refresh_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

void kardia_suspects_start(struct kardia_net *kn)
{
	struct kardia_suspects *suspects = &kn->suspects;

	spin_lock_bh(&suspects->lock);
	suspects->changed = false;
	suspects->set_sequence = 0;
	suspects->farewells = 0;
	suspects->running = true;
	spin_unlock_bh(&suspects->lock);
}

void kardia_suspects_stop(struct kardia_net *kn)
{
	struct kardia_suspects *suspects = &kn->suspects;

	spin_lock_bh(&suspects->lock);
	suspects->running = false;
	spin_unlock_bh(&suspects->lock);
	hrtimer_cancel(&suspects->refresh);
}
