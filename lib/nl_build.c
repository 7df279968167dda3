// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests' attributes, from the structures of lib/nl.h. Values are the
 * kernel's to judge: its extended ack says what is wrong with them.
 */
#include "lib/nl_msg.h"

#include <errno.h>

int knl_put_node(struct nl_msg *msg, const struct knl_node_config *config)
{
	NLA_PUT_U32(msg, KARDIA_A_NODE_ID, config->id);
	NLA_PUT_U32(msg, KARDIA_A_NODE_CLUSTER, config->cluster);
	NLA_PUT_U8(msg, KARDIA_A_NODE_ARBITER, config->arbiter);
	if (config->insecure)
		NLA_PUT_FLAG(msg, KARDIA_A_NODE_INSECURE);
	if (config->interval_us)
		NLA_PUT_U32(msg, KARDIA_A_NODE_INTERVAL_US,
			    config->interval_us);
	if (config->grace_us)
		NLA_PUT_U32(msg, KARDIA_A_NODE_GRACE_US, config->grace_us);
	if (config->map_epoch)
		NLA_PUT_U64(msg, KARDIA_A_NODE_MAP_EPOCH, config->map_epoch);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

static int put_path(struct nl_msg *msg, uint8_t index,
		    const struct knl_path *path)
{
	struct nlattr *nest;

	nest = nla_nest_start(msg, KARDIA_A_PEER_PATH | NLA_F_NESTED);
	if (!nest)
		return -EMSGSIZE;
	NLA_PUT_U8(msg, KARDIA_A_PATH_INDEX, index);
	NLA_PUT_U32(msg, KARDIA_A_PATH_LOCAL, path->local.s_addr);
	NLA_PUT_U32(msg, KARDIA_A_PATH_REMOTE, path->remote.s_addr);
	nla_nest_end(msg, nest);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

int knl_put_peer(struct nl_msg *msg, const struct knl_peer *peer)
{
	NLA_PUT_U32(msg, KARDIA_A_PEER_ID, peer->id);
	NLA_PUT_U8(msg, KARDIA_A_PEER_ARBITER, peer->arbiter);
	for (uint8_t i = 0; i < KARDIA_PATHS_MAX; i++)
		if (peer->path[i].present && put_path(msg, i, &peer->path[i]))
			goto nla_put_failure;
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}

int knl_put_peer_id(struct nl_msg *msg, uint32_t id)
{
	NLA_PUT_U32(msg, KARDIA_A_PEER_ID, id);
	return 0;

nla_put_failure:
	return -EMSGSIZE;
}
