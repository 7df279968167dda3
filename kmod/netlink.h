/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic netlink family. */
#ifndef KARDIA_NETLINK_H
#define KARDIA_NETLINK_H

#include <net/genetlink.h>

struct kardia_net;
struct kardia_node_config;
struct kardia_peer;
struct kardia_peer_config;
struct kardia_report_slot;

extern struct genl_family kardia_genl_family;

/* netlink_parse.c: requests. -EINVAL, with the attribute named by extack. */
int kardia_parse_node(struct genl_info *info, const struct kardia_net *kn,
		      struct kardia_node_config *config, bool *epoch_given);
int kardia_parse_peer(struct genl_info *info,
		      struct kardia_peer_config *config);
int kardia_parse_id(struct genl_info *info, u32 *id);
int kardia_parse_none(struct genl_info *info);

/* netlink_fill.c: answers and events. -EMSGSIZE when @skb has no room. */
int kardia_fill_node(struct sk_buff *skb, struct kardia_net *kn);
int kardia_fill_peer(struct sk_buff *skb, struct kardia_peer *peer);
int kardia_fill_report(struct sk_buff *skb, struct kardia_report_slot *slot);

/* Room that a fill needs at most. */
size_t kardia_fill_node_bytes(void);
size_t kardia_fill_peer_bytes(void);
size_t kardia_fill_report_bytes(unsigned int suspects);

int kardia_netlink_init(void);
void kardia_netlink_exit(void);

#endif
