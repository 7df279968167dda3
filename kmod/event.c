// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events. Number, stamp and delivery happen under one lock, so subscribers
 * see the order in which things were numbered. An event that finds no memory
 * leaves a gap in the numbers: its loss is announced by the next one.
 */
#include "event.h"
#include "net.h"
#include "netlink.h"
#include "peer.h"

static bool closed;

static size_t event_bytes(size_t payload)
{
	return nla_total_size_64bit(sizeof(u64)) + /* SEQ */
	       nla_total_size(sizeof(u32)) + /* TYPE */
	       nla_total_size_64bit(sizeof(u64)) + /* TIME_NS */
	       nla_total_size(payload);
}

static struct sk_buff *event_new(struct kardia_net *kn, size_t payload,
				 enum kardia_event_type type, u64 now_ns,
				 void **header)
{
	struct sk_buff *skb;

	lockdep_assert_held(&kn->event_lock);
	if (READ_ONCE(closed) ||
	    !genl_has_listeners(&kardia_genl_family, kn->net, 0))
		return NULL;
	skb = genlmsg_new(event_bytes(payload), GFP_ATOMIC);
	if (!skb)
		goto lost;
	*header = genlmsg_put(skb, 0, 0, &kardia_genl_family, 0,
			      KARDIA_CMD_EVENT);
	if (!*header ||
	    nla_put_u64_64bit(skb, KARDIA_A_EVENT_SEQ, kn->event_seq,
			      KARDIA_A_EVENT_PAD) ||
	    nla_put_u32(skb, KARDIA_A_EVENT_TYPE, type) ||
	    nla_put_u64_64bit(skb, KARDIA_A_EVENT_TIME_NS, now_ns,
			      KARDIA_A_EVENT_PAD))
		goto lost;
	return skb;
lost:
	kardia_count(kn, EVENTS_LOST);
	nlmsg_free(skb);
	return NULL;
}

static void event_send(struct kardia_net *kn, struct sk_buff *skb, void *header,
		       int err)
{
	lockdep_assert_held(&kn->event_lock);
	if (err) {
		kardia_count(kn, EVENTS_LOST);
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&kardia_genl_family, kn->net, skb, 0, 0,
				GFP_ATOMIC);
}

static int fill_gone(struct sk_buff *skb, const struct kardia_peer *peer)
{
	return nla_put_u32(skb, KARDIA_A_PEER_ID, peer->id);
}

static int fill_peer_event(struct sk_buff *skb, struct kardia_peer *peer,
			   enum kardia_event_type type)
{
	struct nlattr *nest = nla_nest_start(skb, KARDIA_A_EVENT_PEER);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = type == KARDIA_EVENT_PEER_GONE ? fill_gone(skb, peer) :
					       kardia_fill_peer(skb, peer);
	nla_nest_end(skb, nest);
	return err;
}

void kardia_event_peer(struct kardia_peer *peer, enum kardia_event_type type,
		       u64 now_ns)
{
	struct kardia_net *kn = peer->kn;
	struct sk_buff *skb;
	void *header;

	lockdep_assert_held(&peer->lock);
	spin_lock(&kn->event_lock);
	peer->event_seq = ++kn->event_seq;
	skb = event_new(kn, kardia_fill_peer_bytes(), type, now_ns, &header);
	if (skb)
		event_send(kn, skb, header, fill_peer_event(skb, peer, type));
	spin_unlock(&kn->event_lock);
}

static int fill_report_event(struct sk_buff *skb,
			     struct kardia_report_slot *slot)
{
	struct nlattr *nest = nla_nest_start(skb, KARDIA_A_EVENT_REPORT);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = kardia_fill_report(skb, slot);
	nla_nest_end(skb, nest);
	return err;
}

void kardia_event_report(struct kardia_report_slot *slot, u64 now_ns)
{
	size_t bytes = kardia_fill_report_bytes(slot->report->head.count);
	struct kardia_net *kn = slot->kn;
	struct sk_buff *skb;
	void *header;

	lockdep_assert_held(&slot->lock);
	spin_lock(&kn->event_lock);
	slot->event_seq = ++kn->event_seq;
	skb = event_new(kn, bytes, KARDIA_EVENT_REPORT, now_ns, &header);
	if (skb)
		event_send(kn, skb, header, fill_report_event(skb, slot));
	spin_unlock(&kn->event_lock);
}

void kardia_event_map_applied(struct kardia_net *kn)
{
	struct sk_buff *skb;
	void *header;

	lockdep_assert_held(&kn->config);
	spin_lock_bh(&kn->event_lock);
	kn->event_seq++;
	skb = event_new(kn, nla_total_size_64bit(sizeof(u64)),
			KARDIA_EVENT_MAP_APPLIED, ktime_get_ns(), &header);
	if (skb)
		event_send(kn, skb, header,
			   nla_put_u64_64bit(skb, KARDIA_A_EVENT_MAP_EPOCH,
					     kn->map_epoch,
					     KARDIA_A_EVENT_PAD));
	spin_unlock_bh(&kn->event_lock);
}

u64 kardia_event_seq(struct kardia_net *kn)
{
	u64 seq;

	spin_lock_bh(&kn->event_lock);
	seq = kn->event_seq;
	spin_unlock_bh(&kn->event_lock);
	return seq;
}

void kardia_event_close(void)
{
	WRITE_ONCE(closed, true);
	/* Events are sent under a spinlock, an RCU reader in effect. */
	synchronize_net();
}
