/* SPDX-License-Identifier: GPL-2.0-only */
/* A peer: a node that this node beats to, listens to, and judges. */
#ifndef KARDIA_PEER_H
#define KARDIA_PEER_H

#include <linux/spinlock.h>
#include <net/dst_cache.h>

#include "frame.h"
#include "grace.h"
#include "kick.h"
#include "report.h"
#include "suspect.h"

struct kardia_net;

/**
 * struct kardia_path - one network to a peer; guarded by the peer's lock
 * @local: our address there
 * @remote: the peer's address there
 * @route: cached route; per CPU, used with bottom halves off
 * @tx_sequence: of the newest frame sent
 * @rx_sequence: of the newest frame accepted in this life of the peer
 * @echo_sequence: of the newest beat, to be echoed
 * @echo_sent_ns: its send stamp, in the peer's clock
 * @echo_arrived_ns: its arrival, in ours
 * @rtt_ns: newest round trip, 0: none
 * @tx: beats sent
 * @rx: beats accepted
 * @rx_lost: sequence numbers that never came
 */
struct kardia_path {
	__be32 local;
	__be32 remote;
	struct dst_cache route;
	u64 tx_sequence;
	u64 rx_sequence;
	u64 echo_sequence;
	u64 echo_sent_ns;
	u64 echo_arrived_ns;
	u64 rtt_ns;
	u64 tx;
	u64 rx;
	u64 rx_lost;
};

/**
 * struct kardia_peer - a watched node
 * @hash: link in kardia_net.peers (RCU)
 * @condemned: link in a list of peers being removed (config mutex)
 * @kn: the instance; outlives the peer
 * @id: node id; constant
 * @lock: guards all below but the timers; softirq and process context
 * @arbiter: gets our reports; written under @lock, READ_ONCE elsewhere
 * @dead: being removed: arm no timer, raise no event
 * @grace: the detector
 * @incarnation: life last heard, 0: none
 * @old_incarnation: the life before it: frames of it are late, not news
 * @interval_us: declared by the peer, 0: unknown
 * @grace_us: declared by the peer, 0: unknown
 * @map_epoch: that it has applied
 * @own_lateness_ns: of our timer, when it judged last
 * @deadline_ns: that the newest down verdict was about
 * @event_seq: newest event about this peer
 * @paths: front and back; those in grace.paths are configured
 * @beat_timer: sends; softirq
 * @beat_due_ns: what @beat_timer is armed for
 * @grace_timer: judges; queued unless the state is down; softirq
 * @grace_armed_ns: what @grace_timer is armed for
 * @suspect: our accusation of it, linked while it is down
 * @report: what it reports to us as an arbiter
 */
struct kardia_peer {
	struct hlist_node hash;
	struct list_head condemned;
	struct kardia_net *kn;
	u32 id;

	spinlock_t lock;
	bool arbiter;
	bool dead;
	struct kardia_grace grace;
	u64 incarnation;
	u64 old_incarnation;
	u32 interval_us;
	u32 grace_us;
	u64 map_epoch;
	u64 own_lateness_ns;
	u64 deadline_ns;
	u64 event_seq;
	struct kardia_path paths[KARDIA_PATHS_MAX];

	struct kardia_timer beat_timer;
	u64 beat_due_ns;
	struct kardia_timer grace_timer;
	u64 grace_armed_ns;
	struct kardia_suspect suspect;
	struct kardia_report_slot report;
};

/**
 * struct kardia_peer_config - what a peer is configured with
 * @id: node id
 * @arbiter: gets our reports
 * @paths: bit per path given
 * @local: our address, per path
 * @remote: the peer's address, per path
 */
struct kardia_peer_config {
	u32 id;
	bool arbiter;
	u8 paths;
	__be32 local[KARDIA_PATHS_MAX];
	__be32 remote[KARDIA_PATHS_MAX];
};

#define for_each_path(i, peer)                       \
	for ((i) = 0; (i) < KARDIA_PATHS_MAX; (i)++) \
		if ((peer)->grace.paths & BIT(i))

/* By node id; under rcu_read_lock() or the config mutex. NULL: none. */
struct kardia_peer *kardia_peer_find(struct kardia_net *kn, u32 id);

/* Add or change; needs the config mutex. -ENOMEM. */
int kardia_peer_set(struct kardia_net *kn,
		    const struct kardia_peer_config *config);
/* Needs the config mutex; sleeps. -ENOENT. */
int kardia_peer_del(struct kardia_net *kn, u32 id);
void kardia_peer_del_all(struct kardia_net *kn);

/* The node's interval or grace changed; needs the config mutex. */
void kardia_peer_retune_all(struct kardia_net *kn);

/* With peer->lock: the header of the next frame to the peer on path @i. */
void kardia_peer_address(struct kardia_peer *peer, unsigned int i,
			 struct kardia_frame *frame);
/* With peer->lock: follow what both ends declare. */
void kardia_peer_update_grace(struct kardia_peer *peer);
/* With peer->lock: have the grace timer fire at the deadline, or before. */
void kardia_peer_arm_grace(struct kardia_peer *peer);
/* With peer->lock: a verdict becomes an event and a suspicion. */
void kardia_peer_apply(struct kardia_peer *peer, enum kardia_verdict verdict,
		       u64 now_ns);

#endif
