// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception. The raw socket owns the protocol number in its namespace; its
 * data_ready callback runs in the receiving softirq and drains the queue
 * there. Checks go from cheap to dear, and nothing of a peer is touched
 * before all that concern the bytes have passed.
 */
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/sock.h>

#include "net.h"
#include "peer.h"
#include "recv.h"

#define KARDIA_TTL_MIN 255 /* no router in between: RFC 5082 */

static void count_bad_frame(struct kardia_net *kn,
			    enum kardia_frame_error error)
{
	switch (error) {
	case KARDIA_FRAME_OK:
		break;
	case KARDIA_FRAME_BAD_LENGTH:
		kardia_count(kn, RX_LENGTH);
		break;
	case KARDIA_FRAME_BAD_MAGIC:
		kardia_count(kn, RX_MAGIC);
		break;
	case KARDIA_FRAME_BAD_VERSION:
		kardia_count(kn, RX_VERSION);
		break;
	case KARDIA_FRAME_BAD_TYPE:
		kardia_count(kn, RX_TYPE);
		break;
	case KARDIA_FRAME_BAD_FIELD:
		kardia_count(kn, RX_FIELD);
		break;
	}
}

/* A life of the peer that we have not met: forget what we knew of the last. */
static void new_life(struct kardia_peer *peer, u64 incarnation, u64 now_ns)
{
	bool first = !peer->incarnation;
	unsigned int i;

	lockdep_assert_held(&peer->lock);
	peer->old_incarnation = peer->incarnation;
	peer->incarnation = incarnation;
	peer->interval_us = 0;
	peer->grace_us = 0;
	peer->map_epoch = 0;
	for (i = 0; i < KARDIA_PATHS_MAX; i++) {
		struct kardia_path *path = &peer->paths[i];

		path->rx_sequence = 0;
		path->echo_sequence = 0;
		path->rtt_ns = 0;
	}
	if (first)
		return;
	kardia_suspect_del(peer);
	kardia_grace_start(&peer->grace, peer->grace.paths,
			   peer->grace.grace_ns, now_ns);
	kardia_peer_arm_grace(peer);
}

static bool accept_life(struct kardia_peer *peer,
			const struct kardia_frame *frame, u64 now_ns)
{
	u64 ours = peer->kn->incarnation;

	if (frame->destination_incarnation &&
	    frame->destination_incarnation != ours)
		return false;
	if (frame->source_incarnation == peer->incarnation)
		return true;
	if (frame->source_incarnation == peer->old_incarnation)
		return false;
	new_life(peer, frame->source_incarnation, now_ns);
	return true;
}

static bool accept_sequence(struct kardia_path *path, u64 sequence)
{
	if (sequence <= path->rx_sequence)
		return false;
	if (path->rx_sequence)
		path->rx_lost += sequence - path->rx_sequence - 1;
	path->rx_sequence = sequence;
	return true;
}

/* Is the frame this peer's, from where it lives, of this life, and new? */
static bool accept(struct kardia_peer *peer, const struct kardia_frame *frame,
		   const struct iphdr *ip, u64 now_ns)
{
	struct kardia_path *path = &peer->paths[frame->path];

	lockdep_assert_held(&peer->lock);
	if (!(peer->grace.paths & BIT(frame->path)) ||
	    ip->saddr != path->remote || ip->daddr != path->local) {
		kardia_count(peer->kn, RX_ADDRESS);
		return false;
	}
	if (!accept_life(peer, frame, now_ns)) {
		kardia_count(peer->kn, RX_INCARNATION);
		return false;
	}
	if (!accept_sequence(path, frame->sequence)) {
		kardia_count(peer->kn, RX_SEQUENCE);
		return false;
	}
	return true;
}

/* Does the echo prove that the peer hears what we send now? */
static bool echo_is_fresh(const struct kardia_peer *peer,
			  const struct kardia_frame *frame, u64 now_ns)
{
	const struct kardia_beat *beat = &frame->beat;

	return frame->destination_incarnation == peer->kn->incarnation &&
	       beat->echo_sequence &&
	       beat->echo_sequence <= peer->paths[frame->path].tx_sequence &&
	       beat->echo_sent_ns <= now_ns &&
	       now_ns - beat->echo_sent_ns <= peer->grace.grace_ns;
}

static void take_beat(struct kardia_peer *peer,
		      const struct kardia_frame *frame, u64 now_ns)
{
	struct kardia_path *path = &peer->paths[frame->path];
	const struct kardia_beat *beat = &frame->beat;
	bool mutual = echo_is_fresh(peer, frame, now_ns);

	lockdep_assert_held(&peer->lock);
	path->rx++;
	path->echo_sequence = frame->sequence;
	path->echo_sent_ns = frame->sent_ns;
	path->echo_arrived_ns = now_ns;
	if (mutual && now_ns - beat->echo_sent_ns >= beat->echo_held_ns)
		path->rtt_ns = now_ns - beat->echo_sent_ns - beat->echo_held_ns;
	peer->map_epoch = beat->map_epoch;
	peer->interval_us = beat->interval_us;
	if (peer->grace_us != beat->grace_us) {
		peer->grace_us = beat->grace_us;
		kardia_peer_update_grace(peer);
	}
	kardia_peer_apply(peer,
			  kardia_grace_heard(&peer->grace, frame->path, mutual,
					     now_ns),
			  now_ns);
	kardia_count(peer->kn, RX_BEATS);
}

static void take_report(struct kardia_peer *peer,
			const struct kardia_frame *frame, const void *data,
			u64 now_ns)
{
	struct kardia_net *kn = peer->kn;
	int err;

	lockdep_assert_held(&peer->lock);
	kardia_grace_heard(&peer->grace, frame->path, false, now_ns);
	if (!READ_ONCE(kn->arbiter)) {
		kardia_count(kn, RX_NOT_ARBITER);
		return;
	}
	err = kardia_report_store(&peer->report, frame, data, now_ns);
	if (err == -ENOMEM)
		kardia_count(kn, RX_NO_MEMORY);
	else
		kardia_count(kn, RX_REPORTS);
}

static void dispatch(struct kardia_net *kn, const struct kardia_frame *frame,
		     const struct iphdr *ip, const void *data, u64 now_ns)
{
	struct kardia_peer *peer;

	if (frame->cluster != kn->cluster) {
		kardia_count(kn, RX_CLUSTER);
		return;
	}
	if (frame->destination != kn->id) {
		kardia_count(kn, RX_DESTINATION);
		return;
	}
	peer = kardia_peer_find(kn, frame->source);
	if (!peer) {
		kardia_count(kn, RX_UNKNOWN_PEER);
		return;
	}
	spin_lock(&peer->lock);
	if (!peer->dead && accept(peer, frame, ip, now_ns)) {
		if (frame->type == KARDIA_FRAME_REPORT)
			take_report(peer, frame, data, now_ns);
		else
			take_beat(peer, frame, now_ns);
	}
	spin_unlock(&peer->lock);
	kardia_suspects_flush(kn);
}

static void receive(struct kardia_net *kn, struct sk_buff *skb)
{
	u64 now_ns = ktime_get_ns();
	struct kardia_frame frame;
	enum kardia_frame_error error;
	unsigned int offset;

	/* A raw IPv4 socket gets the packet from its IP header on. */
	offset = ip_hdrlen(skb);
	if (ip_hdr(skb)->ttl < KARDIA_TTL_MIN) {
		kardia_count(kn, RX_TTL);
		return;
	}
	if (skb->len > offset + KARDIA_FRAME_BYTES_MAX) {
		kardia_count(kn, RX_LENGTH);
		return;
	}
	if (skb_linearize(skb)) {
		kardia_count(kn, RX_NO_MEMORY);
		return;
	}
	error = kardia_frame_decode(skb->data + offset, skb->len - offset,
				    &frame);
	if (error) {
		count_bad_frame(kn, error);
		return;
	}
	dispatch(kn, &frame, ip_hdr(skb), skb->data + offset, now_ns);
}

static void data_ready(struct sock *sk)
{
	struct kardia_net *kn;
	struct sk_buff *skb;

	rcu_read_lock();
	kn = rcu_dereference_sk_user_data(sk);
	while (kn && (skb = skb_dequeue(&sk->sk_receive_queue))) {
		receive(kn, skb);
		consume_skb(skb);
	}
	rcu_read_unlock();
}

int kardia_recv_start(struct kardia_net *kn)
{
	struct socket *socket;
	struct sock *sk;
	int err;

	lockdep_assert_held(&kn->config);
	err = sock_create_kern(kn->net, AF_INET, SOCK_RAW, KARDIA_IPPROTO,
			       &socket);
	if (err)
		return err;
	sk = socket->sk;
	kn->socket = socket;
	write_lock_bh(&sk->sk_callback_lock);
	kn->data_ready = sk->sk_data_ready;
	rcu_assign_sk_user_data(sk, kn);
	sk->sk_data_ready = data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
	return 0;
}

void kardia_recv_stop(struct kardia_net *kn)
{
	struct sock *sk = kn->socket->sk;

	lockdep_assert_held(&kn->config);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = kn->data_ready;
	rcu_assign_sk_user_data(sk, NULL);
	write_unlock_bh(&sk->sk_callback_lock);
	sock_release(kn->socket);
	/* The callback may still run on another CPU. */
	synchronize_net();
	kn->socket = NULL;
}
