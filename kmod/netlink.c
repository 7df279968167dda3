// SPDX-License-Identifier: GPL-2.0-only
/*
 * The family and its commands. Each configuring command takes the instance's
 * mutex, so they run in parallel with those of other namespaces only.
 */
#include "event.h"
#include "net.h"
#include "netlink.h"
#include "peer.h"

typedef int (*fill_fn)(struct sk_buff *skb, void *object);

static struct kardia_net *lock_config(struct genl_info *info)
{
	struct kardia_net *kn = kardia_net(genl_info_net(info));

	mutex_lock(&kn->config);
	return kn;
}

static int set_node_locked(struct kardia_net *kn, struct genl_info *info)
{
	struct kardia_node_config config;
	bool epoch_given;
	int err;

	err = kardia_parse_node(info, kn, &config, &epoch_given);
	if (err)
		return err;
	if (kn->running && config.id != kn->id) {
		NL_SET_ERR_MSG(info->extack,
			       "KARDIA_A_NODE_ID: fixed until NODE_DEL");
		return -EBUSY;
	}
	if (kn->running && config.cluster != kn->cluster) {
		NL_SET_ERR_MSG(info->extack,
			       "KARDIA_A_NODE_CLUSTER: fixed until NODE_DEL");
		return -EBUSY;
	}
	err = kardia_net_configure(kn, &config);
	if (!err && epoch_given)
		kardia_event_map_applied(kn);
	return err;
}

static int set_node(struct sk_buff *skb, struct genl_info *info)
{
	struct kardia_net *kn = lock_config(info);
	int err = set_node_locked(kn, info);

	mutex_unlock(&kn->config);
	return err;
}

static int del_node(struct sk_buff *skb, struct genl_info *info)
{
	struct kardia_net *kn = lock_config(info);
	int err = kardia_parse_none(info);

	if (!err && !kn->running)
		err = -ENODEV;
	if (!err)
		kardia_net_stop(kn);
	mutex_unlock(&kn->config);
	return err;
}

static int set_peer_locked(struct kardia_net *kn, struct genl_info *info)
{
	struct kardia_peer_config config;
	int err;

	if (!kn->running)
		return -ENODEV;
	err = kardia_parse_peer(info, &config);
	if (err)
		return err;
	if (config.id == kn->id) {
		NL_SET_ERR_MSG(info->extack,
			       "KARDIA_A_PEER_ID: is this node's own");
		return -EINVAL;
	}
	return kardia_peer_set(kn, &config);
}

static int set_peer(struct sk_buff *skb, struct genl_info *info)
{
	struct kardia_net *kn = lock_config(info);
	int err = set_peer_locked(kn, info);

	mutex_unlock(&kn->config);
	return err;
}

static int del_peer(struct sk_buff *skb, struct genl_info *info)
{
	struct kardia_net *kn = lock_config(info);
	u32 id;
	int err;

	err = kardia_parse_id(info, &id);
	if (!err)
		err = kn->running ? kardia_peer_del(kn, id) : -ENODEV;
	mutex_unlock(&kn->config);
	return err;
}

/* Answer @info with one message that @fill writes. */
static int reply(struct genl_info *info, size_t bytes, fill_fn fill,
		 void *object)
{
	struct sk_buff *skb = genlmsg_new(bytes, GFP_KERNEL);
	void *header;
	int err;

	if (!skb)
		return -ENOMEM;
	header = genlmsg_put_reply(skb, info, &kardia_genl_family, 0,
				   info->genlhdr->cmd);
	err = header ? fill(skb, object) : -EMSGSIZE;
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

static int fill_node(struct sk_buff *skb, void *kn)
{
	return kardia_fill_node(skb, kn);
}

static int get_node(struct sk_buff *skb, struct genl_info *info)
{
	struct kardia_net *kn = lock_config(info);
	int err = kardia_parse_none(info);

	if (!err)
		err = kn->running ? reply(info, kardia_fill_node_bytes(),
					  fill_node, kn) :
				    -ENODEV;
	mutex_unlock(&kn->config);
	return err;
}

static int fill_peer(struct sk_buff *skb, void *object)
{
	struct kardia_peer *peer = object;
	int err;

	spin_lock_bh(&peer->lock);
	err = kardia_fill_peer(skb, peer);
	spin_unlock_bh(&peer->lock);
	return err;
}

static int get_peer(struct sk_buff *skb, struct genl_info *info)
{
	struct kardia_net *kn = lock_config(info);
	struct kardia_peer *peer;
	u32 id;
	int err;

	err = kardia_parse_id(info, &id);
	if (err)
		goto out;
	peer = kardia_peer_find(kn, id);
	err = peer ? reply(info, kardia_fill_peer_bytes(), fill_peer, peer) :
		     -ENOENT;
out:
	mutex_unlock(&kn->config);
	return err;
}

/* One message of a dump; -EMSGSIZE: the rest goes into the next buffer. */
static int dump_one(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		    fill_fn fill, void *object)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				   cb->nlh->nlmsg_seq, &kardia_genl_family,
				   NLM_F_MULTI, cmd);
	int err;

	if (!header)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, header);
	err = fill(skb, object);
	if (err) {
		genlmsg_cancel(skb, header);
		return err;
	}
	genlmsg_end(skb, header);
	return 0;
}

/*
 * Call @dump for each peer from where the last buffer ended: args[0] counts
 * those done. A change of the table in between is told by NLM_F_DUMP_INTR.
 */
static int dump_each(struct sk_buff *skb, struct netlink_callback *cb,
		     int (*dump)(struct sk_buff *skb,
				 struct netlink_callback *cb,
				 struct kardia_peer *peer))
{
	struct kardia_net *kn = kardia_net(sock_net(skb->sk));
	struct kardia_peer *peer;
	long walked = 0;
	int err = 0;
	int bucket;

	rcu_read_lock();
	cb->seq = READ_ONCE(kn->generation);
	hash_for_each_rcu(kn->peers, bucket, peer, hash) {
		if (walked++ < cb->args[0])
			continue;
		err = dump(skb, cb, peer);
		if (err)
			goto out;
		cb->args[0]++;
	}
out:
	rcu_read_unlock();
	return err;
}

static int dump_peer(struct sk_buff *skb, struct netlink_callback *cb,
		     struct kardia_peer *peer)
{
	return dump_one(skb, cb, KARDIA_CMD_PEER_GET, fill_peer, peer);
}

static int dump_peers(struct sk_buff *skb, struct netlink_callback *cb)
{
	dump_each(skb, cb, dump_peer);
	return skb->len;
}

static int fill_slot(struct sk_buff *skb, void *object)
{
	struct kardia_report_slot *slot = object;
	int err;

	spin_lock_bh(&slot->lock);
	err = slot->report ? kardia_fill_report(skb, slot) : -ENODATA;
	spin_unlock_bh(&slot->lock);
	return err;
}

static int dump_slot(struct sk_buff *skb, struct netlink_callback *cb,
		     struct kardia_report_slot *slot)
{
	int err = dump_one(skb, cb, KARDIA_CMD_REPORT_GET, fill_slot, slot);

	/* A node that never reported has nothing to show. */
	return err == -ENODATA ? 0 : err;
}

static int dump_report(struct sk_buff *skb, struct netlink_callback *cb,
		       struct kardia_peer *peer)
{
	return dump_slot(skb, cb, &peer->report);
}

/* This node's own set first: args[1] tells that it is done. */
static int dump_reports(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kardia_net *kn = kardia_net(sock_net(skb->sk));

	cb->seq = READ_ONCE(kn->generation);
	if (!cb->args[1]) {
		if (dump_slot(skb, cb, &kn->self_report))
			return skb->len;
		cb->args[1] = 1;
	}
	dump_each(skb, cb, dump_report);
	return skb->len;
}

static const struct genl_ops ops[] = {
	{
		.cmd = KARDIA_CMD_NODE_SET,
		.flags = GENL_UNS_ADMIN_PERM,
		.doit = set_node,
	},
	{
		.cmd = KARDIA_CMD_NODE_GET,
		.doit = get_node,
	},
	{
		.cmd = KARDIA_CMD_NODE_DEL,
		.flags = GENL_UNS_ADMIN_PERM,
		.doit = del_node,
	},
	{
		.cmd = KARDIA_CMD_PEER_SET,
		.flags = GENL_UNS_ADMIN_PERM,
		.doit = set_peer,
	},
	{
		.cmd = KARDIA_CMD_PEER_DEL,
		.flags = GENL_UNS_ADMIN_PERM,
		.doit = del_peer,
	},
	{
		.cmd = KARDIA_CMD_PEER_GET,
		.doit = get_peer,
		.dumpit = dump_peers,
	},
	{
		.cmd = KARDIA_CMD_REPORT_GET,
		.dumpit = dump_reports,
	},
};

/* State of nodes, no packet and no secret: open to the whole namespace. */
static const struct genl_multicast_group groups[] = {
	{ .name = KARDIA_GENL_GROUP_EVENTS },
};

struct genl_family kardia_genl_family __ro_after_init = {
	.name = KARDIA_GENL_NAME,
	.version = KARDIA_GENL_VERSION,
	.module = THIS_MODULE,
	.netnsok = true,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	/* netlink_parse.c checks attributes, and says which one is wrong. */
	.resv_start_op = __KARDIA_CMD_MAX,
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

int kardia_netlink_init(void)
{
	return genl_register_family(&kardia_genl_family);
}

void kardia_netlink_exit(void)
{
	kardia_event_close();
	genl_unregister_family(&kardia_genl_family);
}
