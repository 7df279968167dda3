// SPDX-License-Identifier: GPL-2.0-only
/*
 * One frame, one IPv4 packet. The skb is our own and goes through
 * ip_local_out(): no socket lock, no security hook on behalf of whoever was
 * interrupted, one route lookup while the cached one holds.
 */
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <linux/pkt_sched.h>
#include <linux/skbuff.h>
#include <net/dst_cache.h>
#include <net/ip.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/route.h>

#include "net.h"
#include "xmit.h"

#define KARDIA_TTL 255 /* receivers refuse less: RFC 5082 */
#define KARDIA_TOS 0xc0 /* DSCP CS6, network control: RFC 2474 */
#define KARDIA_HEADROOM (LL_MAX_HEADER + sizeof(struct iphdr))

struct sk_buff *kardia_xmit_alloc(struct kardia_net *kn, size_t bytes)
{
	struct sk_buff *skb = alloc_skb(KARDIA_HEADROOM + bytes, GFP_ATOMIC);

	if (!skb) {
		kardia_count(kn, TX_NO_MEMORY);
		return NULL;
	}
	skb_reserve(skb, KARDIA_HEADROOM);
	skb_put(skb, bytes);
	return skb;
}

static struct rtable *route(struct net *net, __be32 local, __be32 remote,
			    struct dst_cache *cache)
{
	struct flowi4 flow = {
		.daddr = remote,
		.saddr = local,
		.flowi4_proto = KARDIA_IPPROTO,
	};
	struct rtable *rt;
	__be32 saddr;

	rt = dst_cache_get_ip4(cache, &saddr);
	if (rt)
		return rt;
	rt = ip_route_output_key(net, &flow);
	if (!IS_ERR(rt))
		dst_cache_set_ip4(cache, &rt->dst, flow.saddr);
	return rt;
}

static void push_ip_header(struct sk_buff *skb, __be32 local, __be32 remote)
{
	struct iphdr *ip = skb_push(skb, sizeof(*ip));

	skb_reset_network_header(skb);
	/* ip_local_out() fills in the length and the checksum. */
	*ip = (struct iphdr){
		.version = IPVERSION,
		.ihl = sizeof(*ip) / 4,
		.tos = KARDIA_TOS,
		.frag_off = htons(IP_DF),
		.ttl = KARDIA_TTL,
		.protocol = KARDIA_IPPROTO,
		.saddr = local,
		.daddr = remote,
	};
}

int kardia_xmit(struct kardia_net *kn, struct sk_buff *skb, __be32 local,
		__be32 remote, struct dst_cache *cache)
{
	struct rtable *rt = route(kn->net, local, remote, cache);
	int err;

	if (IS_ERR(rt)) {
		kardia_count(kn, TX_NO_ROUTE);
		kfree_skb(skb);
		return PTR_ERR(rt);
	}
	skb_dst_set(skb, &rt->dst);
	skb->protocol = htons(ETH_P_IP);
	skb->priority = TC_PRIO_CONTROL;
	push_ip_header(skb, local, remote);
	/* A full connection table must not drop beats. */
	nf_ct_set(skb, NULL, IP_CT_UNTRACKED);

	err = ip_local_out(kn->net, kn->socket->sk, skb);
	err = net_xmit_eval(err);
	if (err)
		kardia_count(kn, TX_DROPPED);
	return err;
}
