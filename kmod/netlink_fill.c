// SPDX-License-Identifier: GPL-2.0-only
/*
 * Structs to attributes: the answers to GETs, and the same nests in events.
 * Attributes are listed in the order of the uapi header.
 */
#include "event.h"
#include "net.h"
#include "netlink.h"
#include "peer.h"

#define U8_BYTES nla_total_size(sizeof(u8))
#define U32_BYTES nla_total_size(sizeof(u32))
#define U64_BYTES nla_total_size_64bit(sizeof(u64))

#define put_u64(skb, set, attr, value)                         \
	nla_put_u64_64bit(skb, KARDIA_A_##set##_##attr, value, \
			  KARDIA_A_##set##_PAD)

size_t kardia_fill_node_bytes(void)
{
	return 4 * U32_BYTES + U8_BYTES + nla_total_size(0) + 4 * U64_BYTES +
	       nla_total_size(sizeof(KARDIA_VERSION)) +
	       nla_total_size(KARDIA_A_STATS_MAX * U64_BYTES);
}

static int fill_stats(struct sk_buff *skb, const struct kardia_net *kn)
{
	struct nlattr *nest = nla_nest_start(skb, KARDIA_A_NODE_STATS);
	unsigned int stat;

	if (!nest)
		return -EMSGSIZE;
	for (stat = KARDIA_A_STATS_PAD + 1; stat <= KARDIA_A_STATS_MAX; stat++)
		if (nla_put_u64_64bit(skb, stat, kardia_net_stat(kn, stat),
				      KARDIA_A_STATS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int kardia_fill_node(struct sk_buff *skb, struct kardia_net *kn)
{
	lockdep_assert_held(&kn->config);
	if (nla_put_u32(skb, KARDIA_A_NODE_ID, kn->id) ||
	    nla_put_u32(skb, KARDIA_A_NODE_CLUSTER, kn->cluster) ||
	    nla_put_u32(skb, KARDIA_A_NODE_INTERVAL_US, kn->interval_us) ||
	    nla_put_u32(skb, KARDIA_A_NODE_GRACE_US, kn->grace_us) ||
	    nla_put_u8(skb, KARDIA_A_NODE_ARBITER, kn->arbiter) ||
	    nla_put_flag(skb, KARDIA_A_NODE_INSECURE) ||
	    put_u64(skb, NODE, MAP_EPOCH, kn->map_epoch) ||
	    put_u64(skb, NODE, INCARNATION, kn->incarnation) ||
	    put_u64(skb, NODE, EVENT_SEQ, kardia_event_seq(kn)) ||
	    put_u64(skb, NODE, TIME_NS, ktime_get_ns()) ||
	    nla_put_string(skb, KARDIA_A_NODE_VERSION, KARDIA_VERSION))
		return -EMSGSIZE;
	return fill_stats(skb, kn);
}

static size_t path_bytes(void)
{
	return nla_total_size(U8_BYTES + 2 * U32_BYTES + 5 * U64_BYTES);
}

size_t kardia_fill_peer_bytes(void)
{
	return 3 * U32_BYTES + 3 * U8_BYTES + 7 * U64_BYTES +
	       KARDIA_PATHS_MAX * path_bytes();
}

static int fill_path(struct sk_buff *skb, const struct kardia_peer *peer,
		     unsigned int i)
{
	const struct kardia_path *path = &peer->paths[i];
	struct nlattr *nest = nla_nest_start(skb, KARDIA_A_PEER_PATH);

	if (!nest || nla_put_u8(skb, KARDIA_A_PATH_INDEX, i) ||
	    nla_put_in_addr(skb, KARDIA_A_PATH_LOCAL, path->local) ||
	    nla_put_in_addr(skb, KARDIA_A_PATH_REMOTE, path->remote) ||
	    put_u64(skb, PATH, HEARD_NS, peer->grace.heard_ns[i]) ||
	    put_u64(skb, PATH, RTT_NS, path->rtt_ns) ||
	    put_u64(skb, PATH, TX, path->tx) ||
	    put_u64(skb, PATH, RX, path->rx) ||
	    put_u64(skb, PATH, RX_LOST, path->rx_lost))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static u64 deadline_ns(const struct kardia_peer *peer)
{
	if (peer->grace.state == KARDIA_PEER_DOWN)
		return peer->deadline_ns;
	return kardia_grace_deadline(&peer->grace);
}

int kardia_fill_peer(struct sk_buff *skb, struct kardia_peer *peer)
{
	const struct kardia_grace *grace = &peer->grace;
	u32 grace_us = div_u64(grace->grace_ns, NSEC_PER_USEC);
	unsigned int i;

	lockdep_assert_held(&peer->lock);
	if (nla_put_u32(skb, KARDIA_A_PEER_ID, peer->id) ||
	    nla_put_u8(skb, KARDIA_A_PEER_ARBITER, peer->arbiter))
		return -EMSGSIZE;
	for_each_path(i, peer)
		if (fill_path(skb, peer, i))
			return -EMSGSIZE;
	if (nla_put_u8(skb, KARDIA_A_PEER_STATE, grace->state) ||
	    nla_put_u8(skb, KARDIA_A_PEER_CAUSE, grace->cause) ||
	    put_u64(skb, PEER, SINCE_NS, grace->since_ns) ||
	    put_u64(skb, PEER, INCARNATION, peer->incarnation) ||
	    put_u64(skb, PEER, HEARD_NS, kardia_grace_heard_ns(grace)) ||
	    put_u64(skb, PEER, DEADLINE_NS, deadline_ns(peer)) ||
	    put_u64(skb, PEER, OWN_LATENESS_NS, peer->own_lateness_ns) ||
	    nla_put_u32(skb, KARDIA_A_PEER_INTERVAL_US, peer->interval_us) ||
	    nla_put_u32(skb, KARDIA_A_PEER_GRACE_US, grace_us) ||
	    put_u64(skb, PEER, MAP_EPOCH, peer->map_epoch) ||
	    put_u64(skb, PEER, EVENT_SEQ, peer->event_seq))
		return -EMSGSIZE;
	return 0;
}

size_t kardia_fill_report_bytes(unsigned int suspects)
{
	size_t suspect_bytes =
		nla_total_size(3 * U32_BYTES + 2 * U64_BYTES + 2 * U8_BYTES);

	return 3 * U32_BYTES + 5 * U64_BYTES + nla_total_size(0) +
	       suspects * suspect_bytes;
}

static int fill_suspect(struct sk_buff *skb,
			const struct kardia_report_slot *slot, unsigned int i)
{
	const struct kardia_suspicion *said = &slot->report->suspicions[i];
	struct nlattr *nest = nla_nest_start(skb, KARDIA_A_REPORT_SUSPECT);
	u64 age_ns = min(said->silent_for_ns, slot->received_ns);

	if (!nest || nla_put_u32(skb, KARDIA_A_SUSPECT_ID, said->node) ||
	    put_u64(skb, SUSPECT, INCARNATION, said->incarnation) ||
	    put_u64(skb, SUSPECT, SILENT_SINCE_NS,
		    slot->received_ns - age_ns) ||
	    nla_put_u8(skb, KARDIA_A_SUSPECT_PATHS, said->paths) ||
	    nla_put_u8(skb, KARDIA_A_SUSPECT_CAUSE, said->cause) ||
	    nla_put_u32(skb, KARDIA_A_SUSPECT_GRACE_US, said->grace_us) ||
	    nla_put_u32(skb, KARDIA_A_SUSPECT_OWN_LATENESS_US,
			said->own_lateness_us))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int kardia_fill_report(struct sk_buff *skb, struct kardia_report_slot *slot)
{
	const struct kardia_report_head *head = &slot->report->head;
	unsigned int i;

	lockdep_assert_held(&slot->lock);
	if (nla_put_u32(skb, KARDIA_A_REPORT_REPORTER, slot->reporter) ||
	    put_u64(skb, REPORT, INCARNATION, slot->incarnation) ||
	    put_u64(skb, REPORT, SET_SEQ, head->set_sequence) ||
	    put_u64(skb, REPORT, RECEIVED_NS, slot->received_ns) ||
	    put_u64(skb, REPORT, EXPIRES_NS, slot->expires_ns) ||
	    (slot->expired && nla_put_flag(skb, KARDIA_A_REPORT_EXPIRED)) ||
	    nla_put_u32(skb, KARDIA_A_REPORT_WATCHED, head->watched) ||
	    nla_put_u32(skb, KARDIA_A_REPORT_SILENT, head->silent))
		return -EMSGSIZE;
	for (i = 0; i < head->count; i++)
		if (fill_suspect(skb, slot, i))
			return -EMSGSIZE;
	return put_u64(skb, REPORT, EVENT_SEQ, slot->event_seq);
}
