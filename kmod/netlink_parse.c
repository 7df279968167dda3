// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to structs. Attributes are parsed here, not by the netlink core,
 * so that each refusal is -EINVAL with a text that names the attribute; the
 * core would say "integer out of range" and leave the reader to guess.
 */
#include <net/ip.h>

#include "net.h"
#include "netlink.h"
#include "peer.h"
#include "sysfs.h"

/* Not const: 6.1 keeps pointers to them that are not. */
static struct netlink_range_validation id_range = {
	.min = 1,
	.max = U32_MAX,
};

static struct netlink_range_validation interval_range = {
	.min = KARDIA_INTERVAL_US_MIN,
	.max = KARDIA_INTERVAL_US_MAX,
};

static struct netlink_range_validation grace_range = {
	.min = KARDIA_INTERVAL_US_MIN * KARDIA_GRACE_INTERVALS_MIN,
	.max = KARDIA_GRACE_US_MAX,
};

static const struct nla_policy node_policy[KARDIA_A_NODE_MAX + 1] = {
	[KARDIA_A_NODE_ID] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[KARDIA_A_NODE_CLUSTER] = { .type = NLA_U32 },
	[KARDIA_A_NODE_INTERVAL_US] =
		NLA_POLICY_FULL_RANGE(NLA_U32, &interval_range),
	[KARDIA_A_NODE_GRACE_US] = NLA_POLICY_FULL_RANGE(NLA_U32, &grace_range),
	[KARDIA_A_NODE_ARBITER] = NLA_POLICY_MAX(NLA_U8, 1),
	[KARDIA_A_NODE_INSECURE] = { .type = NLA_FLAG },
	[KARDIA_A_NODE_MAP_EPOCH] = { .type = NLA_U64 },
};

static const char *const node_refusals[KARDIA_A_NODE_MAX + 1] = {
	[KARDIA_A_NODE_ID] = "KARDIA_A_NODE_ID: u32 from 1 is needed",
	[KARDIA_A_NODE_CLUSTER] = "KARDIA_A_NODE_CLUSTER: u32 is needed",
	[KARDIA_A_NODE_INTERVAL_US] =
		"KARDIA_A_NODE_INTERVAL_US: u32 from 500 to 60000000",
	[KARDIA_A_NODE_GRACE_US] =
		"KARDIA_A_NODE_GRACE_US: u32 from 3 x interval to 600000000",
	[KARDIA_A_NODE_ARBITER] = "KARDIA_A_NODE_ARBITER: u8, 0 or 1",
	[KARDIA_A_NODE_INSECURE] =
		"KARDIA_A_NODE_INSECURE: flag is needed, frames carry no tag",
	[KARDIA_A_NODE_MAP_EPOCH] = "KARDIA_A_NODE_MAP_EPOCH: u64",
};

static const struct nla_policy peer_policy[KARDIA_A_PEER_MAX + 1] = {
	[KARDIA_A_PEER_ID] = NLA_POLICY_FULL_RANGE(NLA_U32, &id_range),
	[KARDIA_A_PEER_ARBITER] = NLA_POLICY_MAX(NLA_U8, 1),
	[KARDIA_A_PEER_PATH] = { .type = NLA_NESTED },
};

static const char *const peer_refusals[KARDIA_A_PEER_MAX + 1] = {
	[KARDIA_A_PEER_ID] =
		"KARDIA_A_PEER_ID: u32 from 1, not this node's own, is needed",
	[KARDIA_A_PEER_ARBITER] = "KARDIA_A_PEER_ARBITER: u8, 0 or 1",
	[KARDIA_A_PEER_PATH] =
		"KARDIA_A_PEER_PATH: one nest per path is needed, two at most",
};

static const struct nla_policy path_policy[KARDIA_A_PATH_MAX + 1] = {
	[KARDIA_A_PATH_INDEX] = NLA_POLICY_MAX(NLA_U8, KARDIA_PATHS_MAX - 1),
	[KARDIA_A_PATH_LOCAL] = { .type = NLA_U32 },
	[KARDIA_A_PATH_REMOTE] = { .type = NLA_U32 },
};

static const char *const path_refusals[KARDIA_A_PATH_MAX + 1] = {
	[KARDIA_A_PATH_INDEX] =
		"KARDIA_A_PATH_INDEX: u8, 0 or 1, each once, is needed",
	[KARDIA_A_PATH_LOCAL] =
		"KARDIA_A_PATH_LOCAL: unicast IPv4 address is needed",
	[KARDIA_A_PATH_REMOTE] =
		"KARDIA_A_PATH_REMOTE: unicast IPv4 address is needed",
};

/* Set the text that belongs to the attribute in question; -EINVAL. */
static int refuse(struct netlink_ext_ack *extack, const char *const *refusals,
		  int max, int type)
{
	const char *text = type <= max ? refusals[type] : NULL;

	if (extack)
		extack->_msg = text ?: "attribute is not one to be set";
	return -EINVAL;
}

static int parse(struct nlattr **tb, int max, const struct nlattr *head,
		 int len, const struct nla_policy *policy,
		 const char *const *refusals, struct netlink_ext_ack *extack)
{
	struct netlink_ext_ack local = {};

	/* The core may be called with no extack; the culprit is needed. */
	if (!nla_parse(tb, max, head, len, policy, &local))
		return 0;
	if (extack)
		extack->bad_attr = local.bad_attr;
	if (!local.bad_attr) {
		NL_SET_ERR_MSG(extack, "attributes are malformed");
		return -EINVAL;
	}
	return refuse(extack, refusals, max, nla_type(local.bad_attr));
}

static int parse_info(struct genl_info *info, struct nlattr **tb, int max,
		      const struct nla_policy *policy,
		      const char *const *refusals)
{
	const struct genlmsghdr *header = info->genlhdr;

	return parse(tb, max, genlmsg_data(header), genlmsg_len(header), policy,
		     refusals, info->extack);
}

static int need(struct nlattr **tb, int type, struct netlink_ext_ack *extack,
		const char *const *refusals)
{
	return tb[type] ? 0 : refuse(extack, refusals, type, type);
}

int kardia_parse_node(struct genl_info *info, const struct kardia_net *kn,
		      struct kardia_node_config *config, bool *epoch_given)
{
	struct netlink_ext_ack *extack = info->extack;
	struct nlattr *tb[KARDIA_A_NODE_MAX + 1];
	int err;

	lockdep_assert_held(&kn->config);
	err = parse_info(info, tb, KARDIA_A_NODE_MAX, node_policy,
			 node_refusals);
	if (err)
		return err;
	if (!kn->running &&
	    (need(tb, KARDIA_A_NODE_ID, extack, node_refusals) ||
	     need(tb, KARDIA_A_NODE_CLUSTER, extack, node_refusals) ||
	     need(tb, KARDIA_A_NODE_INSECURE, extack, node_refusals)))
		return -EINVAL;

	*config = (struct kardia_node_config){
		.id = kn->id,
		.cluster = kn->cluster,
		.interval_us = kn->interval_us,
		.grace_us = kn->grace_us,
		.map_epoch = kn->map_epoch,
		.arbiter = kn->arbiter,
	};
	if (!kn->running)
		kardia_defaults(&config->interval_us, &config->grace_us);
	if (tb[KARDIA_A_NODE_ID])
		config->id = nla_get_u32(tb[KARDIA_A_NODE_ID]);
	if (tb[KARDIA_A_NODE_CLUSTER])
		config->cluster = nla_get_u32(tb[KARDIA_A_NODE_CLUSTER]);
	if (tb[KARDIA_A_NODE_INTERVAL_US])
		config->interval_us =
			nla_get_u32(tb[KARDIA_A_NODE_INTERVAL_US]);
	if (tb[KARDIA_A_NODE_GRACE_US])
		config->grace_us = nla_get_u32(tb[KARDIA_A_NODE_GRACE_US]);
	if (tb[KARDIA_A_NODE_MAP_EPOCH])
		config->map_epoch = nla_get_u64(tb[KARDIA_A_NODE_MAP_EPOCH]);
	if (tb[KARDIA_A_NODE_ARBITER])
		config->arbiter = nla_get_u8(tb[KARDIA_A_NODE_ARBITER]);
	*epoch_given = tb[KARDIA_A_NODE_MAP_EPOCH];

	if (config->grace_us / KARDIA_GRACE_INTERVALS_MIN < config->interval_us)
		return refuse(extack, node_refusals, KARDIA_A_NODE_MAX,
			      KARDIA_A_NODE_GRACE_US);
	return 0;
}

static int parse_path(struct nlattr *nest, struct kardia_peer_config *config,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[KARDIA_A_PATH_MAX + 1];
	__be32 local, remote;
	u8 index;

	if (parse(tb, KARDIA_A_PATH_MAX, nla_data(nest), nla_len(nest),
		  path_policy, path_refusals, extack) ||
	    need(tb, KARDIA_A_PATH_INDEX, extack, path_refusals) ||
	    need(tb, KARDIA_A_PATH_LOCAL, extack, path_refusals) ||
	    need(tb, KARDIA_A_PATH_REMOTE, extack, path_refusals))
		return -EINVAL;

	index = nla_get_u8(tb[KARDIA_A_PATH_INDEX]);
	local = nla_get_in_addr(tb[KARDIA_A_PATH_LOCAL]);
	remote = nla_get_in_addr(tb[KARDIA_A_PATH_REMOTE]);
	if (config->paths & BIT(index))
		return refuse(extack, path_refusals, KARDIA_A_PATH_MAX,
			      KARDIA_A_PATH_INDEX);
	if (!local || ipv4_is_multicast(local) || ipv4_is_lbcast(local))
		return refuse(extack, path_refusals, KARDIA_A_PATH_MAX,
			      KARDIA_A_PATH_LOCAL);
	if (!remote || ipv4_is_multicast(remote) || ipv4_is_lbcast(remote))
		return refuse(extack, path_refusals, KARDIA_A_PATH_MAX,
			      KARDIA_A_PATH_REMOTE);
	config->paths |= BIT(index);
	config->local[index] = local;
	config->remote[index] = remote;
	return 0;
}

int kardia_parse_peer(struct genl_info *info, struct kardia_peer_config *config)
{
	const struct genlmsghdr *header = info->genlhdr;
	struct netlink_ext_ack *extack = info->extack;
	struct nlattr *tb[KARDIA_A_PEER_MAX + 1];
	struct nlattr *attr;
	int left;

	if (parse_info(info, tb, KARDIA_A_PEER_MAX, peer_policy,
		       peer_refusals) ||
	    need(tb, KARDIA_A_PEER_ID, extack, peer_refusals) ||
	    need(tb, KARDIA_A_PEER_PATH, extack, peer_refusals))
		return -EINVAL;

	memset(config, 0, sizeof(*config));
	config->id = nla_get_u32(tb[KARDIA_A_PEER_ID]);
	if (tb[KARDIA_A_PEER_ARBITER])
		config->arbiter = nla_get_u8(tb[KARDIA_A_PEER_ARBITER]);
	nla_for_each_attr(attr, genlmsg_data(header), genlmsg_len(header),
			  left) {
		if (nla_type(attr) == KARDIA_A_PEER_PATH &&
		    parse_path(attr, config, extack))
			return -EINVAL;
	}
	return 0;
}

int kardia_parse_id(struct genl_info *info, u32 *id)
{
	struct nlattr *tb[KARDIA_A_PEER_MAX + 1];

	if (parse_info(info, tb, KARDIA_A_PEER_MAX, peer_policy,
		       peer_refusals) ||
	    need(tb, KARDIA_A_PEER_ID, info->extack, peer_refusals))
		return -EINVAL;
	*id = nla_get_u32(tb[KARDIA_A_PEER_ID]);
	return 0;
}

int kardia_parse_none(struct genl_info *info)
{
	if (!genlmsg_len(info->genlhdr))
		return 0;
	NL_SET_ERR_MSG(info->extack, "the command takes no attributes");
	return -EINVAL;
}
