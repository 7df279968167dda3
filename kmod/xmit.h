/* SPDX-License-Identifier: GPL-2.0-only */
/* Transmission of one frame in an IPv4 packet of our protocol. */
#ifndef KARDIA_XMIT_H
#define KARDIA_XMIT_H

#include <linux/types.h>

struct dst_cache;
struct kardia_net;
struct sk_buff;

/*
 * An skb with room for headers and @bytes of frame, its data at the frame.
 * NULL: no memory, counted.
 */
struct sk_buff *kardia_xmit_alloc(struct kardia_net *kn, size_t bytes);

/*
 * Send the frame in @skb, which is consumed. BH off. Failures are counted:
 * an unsent frame is dropped, never queued. 0 or -errno.
 */
int kardia_xmit(struct kardia_net *kn, struct sk_buff *skb, __be32 local,
		__be32 remote, struct dst_cache *cache);

#endif
