// SPDX-License-Identifier: GPL-2.0-only
/*
 * The peer's life: added by configuration, found by softirq under RCU, judged
 * by its grace timer, removed in two steps: unlinked and marked dead, then,
 * when nobody can hold it any more, its timers are stopped and it is freed.
 */
#include <linux/slab.h>

#include "beat.h"
#include "event.h"
#include "net.h"
#include "peer.h"

struct kardia_peer *kardia_peer_find(struct kardia_net *kn, u32 id)
{
	struct kardia_peer *peer;

	hash_for_each_possible_rcu(kn->peers, peer, hash, id,
				   lockdep_is_held(&kn->config))
		if (peer->id == id)
			return peer;
	return NULL;
}

void kardia_peer_address(struct kardia_peer *peer, unsigned int i,
			 struct kardia_frame *frame)
{
	lockdep_assert_held(&peer->lock);
	frame->path = i;
	frame->cluster = peer->kn->cluster;
	frame->source = peer->kn->id;
	frame->source_incarnation = peer->kn->incarnation;
	frame->destination = peer->id;
	frame->destination_incarnation = peer->incarnation;
	frame->sequence = ++peer->paths[i].tx_sequence;
}

void kardia_peer_update_grace(struct kardia_peer *peer)
{
	u32 grace_us = max(READ_ONCE(peer->kn->grace_us), peer->grace_us);

	lockdep_assert_held(&peer->lock);
	peer->grace.grace_ns = (u64)grace_us * NSEC_PER_USEC;
	kardia_peer_arm_grace(peer);
}

void kardia_peer_arm_grace(struct kardia_peer *peer)
{
	u64 deadline_ns = kardia_grace_deadline(&peer->grace);

	lockdep_assert_held(&peer->lock);
	if (peer->dead || peer->grace.state == KARDIA_PEER_DOWN)
		return;
	/* Lazy: a timer that fires too early finds the new deadline itself. */
	if (hrtimer_is_queued(&peer->grace_timer.soft) &&
	    peer->grace_armed_ns <= deadline_ns)
		return;
	/* A deadline that a shorter grace moved into the past is no stall. */
	peer->grace_armed_ns = max(deadline_ns, ktime_get_ns());
	kardia_timer_start(&peer->grace_timer, peer->grace_armed_ns);
}

void kardia_peer_apply(struct kardia_peer *peer, enum kardia_verdict verdict,
		       u64 now_ns)
{
	lockdep_assert_held(&peer->lock);
	switch (verdict) {
	case KARDIA_VERDICT_NONE:
		break;
	case KARDIA_VERDICT_UP:
		kardia_suspect_del(peer);
		kardia_event_peer(peer, KARDIA_EVENT_PEER_UP, now_ns);
		kardia_peer_arm_grace(peer);
		break;
	case KARDIA_VERDICT_DOWN:
		peer->deadline_ns = kardia_grace_deadline(&peer->grace);
		kardia_suspect_add(peer);
		kardia_event_peer(peer, KARDIA_EVENT_PEER_DOWN, now_ns);
		break;
	}
}

static enum hrtimer_restart grace_timer(struct hrtimer *timer)
{
	struct kardia_peer *peer =
		container_of(timer, struct kardia_peer, grace_timer.soft);
	u64 margin_ns = (u64)READ_ONCE(peer->kn->interval_us) * NSEC_PER_USEC;
	u64 now_ns = ktime_get_ns();
	u64 armed_ns;

	spin_lock(&peer->lock);
	armed_ns = peer->grace_armed_ns;
	peer->own_lateness_ns = now_ns > armed_ns ? now_ns - armed_ns : 0;
	if (!peer->dead)
		kardia_peer_apply(peer,
				  kardia_grace_expire(&peer->grace, armed_ns,
						      margin_ns, now_ns),
				  now_ns);
	kardia_peer_arm_grace(peer);
	spin_unlock(&peer->lock);

	kardia_suspects_flush(peer->kn);
	return HRTIMER_NORESTART;
}

static void peer_free(struct kardia_peer *peer)
{
	unsigned int i;

	for (i = 0; i < KARDIA_PATHS_MAX; i++)
		dst_cache_destroy(&peer->paths[i].route);
	kfree(peer);
}

static struct kardia_peer *peer_alloc(struct kardia_net *kn, u32 id)
{
	struct kardia_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL);
	unsigned int i;

	if (!peer)
		return NULL;
	for (i = 0; i < KARDIA_PATHS_MAX; i++) {
		if (dst_cache_init(&peer->paths[i].route, GFP_KERNEL)) {
			peer_free(peer);
			return NULL;
		}
		peer->paths[i].tx_sequence = kn->sequence_floor;
	}
	peer->kn = kn;
	peer->id = id;
	spin_lock_init(&peer->lock);
	INIT_LIST_HEAD(&peer->suspect.link);
	kardia_report_init(&peer->report, kn);
	kardia_report_open(&peer->report, id);
	kardia_timer_setup(&peer->beat_timer, kardia_beat_timer);
	kardia_timer_setup(&peer->grace_timer, grace_timer);
	return peer;
}

static void set_path(struct kardia_peer *peer, unsigned int i,
		     const struct kardia_peer_config *config)
{
	struct kardia_path *path = &peer->paths[i];

	lockdep_assert_held(&peer->lock);
	if (!(config->paths & BIT(i)))
		peer->grace.heard_ns[i] = 0;
	if (path->local == config->local[i] &&
	    path->remote == config->remote[i])
		return;
	path->local = config->local[i];
	path->remote = config->remote[i];
	dst_cache_reset(&path->route);
}

static void peer_configure(struct kardia_peer *peer,
			   const struct kardia_peer_config *config)
{
	unsigned int i;

	lockdep_assert_held(&peer->lock);
	WRITE_ONCE(peer->arbiter, config->arbiter);
	peer->grace.paths = config->paths;
	for (i = 0; i < KARDIA_PATHS_MAX; i++)
		set_path(peer, i, config);
}

static int peer_add(struct kardia_net *kn,
		    const struct kardia_peer_config *config)
{
	struct kardia_peer *peer = peer_alloc(kn, config->id);

	if (!peer)
		return -ENOMEM;
	spin_lock_bh(&peer->lock);
	peer_configure(peer, config);
	kardia_grace_start(&peer->grace, config->paths, 0, ktime_get_ns());
	kardia_peer_update_grace(peer);
	kardia_beat_start(peer);
	hash_add_rcu(kn->peers, &peer->hash, peer->id);
	spin_unlock_bh(&peer->lock);
	WRITE_ONCE(kn->n_peers, kn->n_peers + 1);
	WRITE_ONCE(kn->generation, kn->generation + 1);
	return 0;
}

int kardia_peer_set(struct kardia_net *kn,
		    const struct kardia_peer_config *config)
{
	struct kardia_peer *peer;

	lockdep_assert_held(&kn->config);
	peer = kardia_peer_find(kn, config->id);
	if (!peer)
		return peer_add(kn, config);
	spin_lock_bh(&peer->lock);
	peer_configure(peer, config);
	spin_unlock_bh(&peer->lock);
	return 0;
}

/* Step one: nobody new finds it, no timer is armed, no event raised. */
static void peer_condemn(struct kardia_peer *peer, struct list_head *condemned)
{
	struct kardia_net *kn = peer->kn;

	lockdep_assert_held(&kn->config);
	hash_del_rcu(&peer->hash);
	WRITE_ONCE(kn->n_peers, kn->n_peers - 1);
	WRITE_ONCE(kn->generation, kn->generation + 1);
	spin_lock_bh(&peer->lock);
	kardia_suspect_del(peer);
	kardia_event_peer(peer, KARDIA_EVENT_PEER_GONE, ktime_get_ns());
	peer->dead = true;
	spin_unlock_bh(&peer->lock);
	list_add(&peer->condemned, condemned);
}

/* If it is added again, it must not take our new frames for old ones. */
static void raise_floor(const struct kardia_peer *peer)
{
	struct kardia_net *kn = peer->kn;
	unsigned int i;

	lockdep_assert_held(&kn->config);
	for (i = 0; i < KARDIA_PATHS_MAX; i++)
		kn->sequence_floor =
			max(kn->sequence_floor, peer->paths[i].tx_sequence);
}

/*
 * Step two, a grace period later. A reader that found a peer before has let
 * go of it; it armed no timer since the peer was dead. What is left are
 * timers that were armed before, and their callbacks.
 */
static void peers_destroy(struct list_head *condemned)
{
	struct kardia_peer *peer, *next;

	synchronize_net();
	list_for_each_entry_safe(peer, next, condemned, condemned) {
		kardia_timer_cancel(&peer->beat_timer);
		kardia_timer_cancel(&peer->grace_timer);
		kardia_report_close(&peer->report);
		raise_floor(peer);
		peer_free(peer);
	}
}

int kardia_peer_del(struct kardia_net *kn, u32 id)
{
	struct kardia_peer *peer = kardia_peer_find(kn, id);
	LIST_HEAD(condemned);

	lockdep_assert_held(&kn->config);
	if (!peer)
		return -ENOENT;
	peer_condemn(peer, &condemned);
	peers_destroy(&condemned);
	kardia_suspects_flush(kn);
	return 0;
}

void kardia_peer_del_all(struct kardia_net *kn)
{
	struct kardia_peer *peer;
	struct hlist_node *next;
	LIST_HEAD(condemned);
	int bucket;

	lockdep_assert_held(&kn->config);
	hash_for_each_safe(kn->peers, bucket, next, peer, hash)
		peer_condemn(peer, &condemned);
	peers_destroy(&condemned);
}

void kardia_peer_retune_all(struct kardia_net *kn)
{
	struct kardia_peer *peer;
	int bucket;

	lockdep_assert_held(&kn->config);
	hash_for_each(kn->peers, bucket, peer, hash) {
		spin_lock_bh(&peer->lock);
		kardia_peer_update_grace(peer);
		kardia_beat_start(peer);
		spin_unlock_bh(&peer->lock);
	}
}
