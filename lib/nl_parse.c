// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attributes of the kernel's messages to the structures of lib/nl.h, pure.
 * The kernel is trusted no more than any input: types, ranges and counts are
 * checked, for the module loaded may be of another version than ours.
 */
#include "lib/nl_msg.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

static const struct nla_policy node_policy[KARDIA_A_NODE_MAX + 1] = {
	[KARDIA_A_NODE_ID] = { .type = NLA_U32 },
	[KARDIA_A_NODE_CLUSTER] = { .type = NLA_U32 },
	[KARDIA_A_NODE_INTERVAL_US] = { .type = NLA_U32 },
	[KARDIA_A_NODE_GRACE_US] = { .type = NLA_U32 },
	[KARDIA_A_NODE_ARBITER] = { .type = NLA_U8 },
	[KARDIA_A_NODE_INSECURE] = { .type = NLA_FLAG },
	[KARDIA_A_NODE_MAP_EPOCH] = { .type = NLA_U64 },
	[KARDIA_A_NODE_INCARNATION] = { .type = NLA_U64 },
	[KARDIA_A_NODE_EVENT_SEQ] = { .type = NLA_U64 },
	[KARDIA_A_NODE_TIME_NS] = { .type = NLA_U64 },
	[KARDIA_A_NODE_VERSION] = { .type = NLA_STRING },
	[KARDIA_A_NODE_STATS] = { .type = NLA_NESTED },
};

static const struct nla_policy stats_policy[KARDIA_A_STATS_MAX + 1] = {
	[KARDIA_A_STATS_PAD + 1 ... KARDIA_A_STATS_MAX] = { .type = NLA_U64 },
};

static const struct nla_policy peer_policy[KARDIA_A_PEER_MAX + 1] = {
	[KARDIA_A_PEER_ID] = { .type = NLA_U32 },
	[KARDIA_A_PEER_ARBITER] = { .type = NLA_U8 },
	[KARDIA_A_PEER_PATH] = { .type = NLA_NESTED },
	[KARDIA_A_PEER_STATE] = { .type = NLA_U8 },
	[KARDIA_A_PEER_CAUSE] = { .type = NLA_U8 },
	[KARDIA_A_PEER_SINCE_NS] = { .type = NLA_U64 },
	[KARDIA_A_PEER_INCARNATION] = { .type = NLA_U64 },
	[KARDIA_A_PEER_HEARD_NS] = { .type = NLA_U64 },
	[KARDIA_A_PEER_DEADLINE_NS] = { .type = NLA_U64 },
	[KARDIA_A_PEER_OWN_LATENESS_NS] = { .type = NLA_U64 },
	[KARDIA_A_PEER_INTERVAL_US] = { .type = NLA_U32 },
	[KARDIA_A_PEER_GRACE_US] = { .type = NLA_U32 },
	[KARDIA_A_PEER_MAP_EPOCH] = { .type = NLA_U64 },
	[KARDIA_A_PEER_EVENT_SEQ] = { .type = NLA_U64 },
};

static const struct nla_policy path_policy[KARDIA_A_PATH_MAX + 1] = {
	[KARDIA_A_PATH_INDEX] = { .type = NLA_U8 },
	[KARDIA_A_PATH_LOCAL] = { .type = NLA_U32 },
	[KARDIA_A_PATH_REMOTE] = { .type = NLA_U32 },
	[KARDIA_A_PATH_HEARD_NS] = { .type = NLA_U64 },
	[KARDIA_A_PATH_RTT_NS] = { .type = NLA_U64 },
	[KARDIA_A_PATH_TX] = { .type = NLA_U64 },
	[KARDIA_A_PATH_RX] = { .type = NLA_U64 },
	[KARDIA_A_PATH_RX_LOST] = { .type = NLA_U64 },
};

static const struct nla_policy report_policy[KARDIA_A_REPORT_MAX + 1] = {
	[KARDIA_A_REPORT_REPORTER] = { .type = NLA_U32 },
	[KARDIA_A_REPORT_INCARNATION] = { .type = NLA_U64 },
	[KARDIA_A_REPORT_SET_SEQ] = { .type = NLA_U64 },
	[KARDIA_A_REPORT_RECEIVED_NS] = { .type = NLA_U64 },
	[KARDIA_A_REPORT_EXPIRES_NS] = { .type = NLA_U64 },
	[KARDIA_A_REPORT_EXPIRED] = { .type = NLA_FLAG },
	[KARDIA_A_REPORT_WATCHED] = { .type = NLA_U32 },
	[KARDIA_A_REPORT_SILENT] = { .type = NLA_U32 },
	[KARDIA_A_REPORT_SUSPECT] = { .type = NLA_NESTED },
	[KARDIA_A_REPORT_EVENT_SEQ] = { .type = NLA_U64 },
};

static const struct nla_policy suspect_policy[KARDIA_A_SUSPECT_MAX + 1] = {
	[KARDIA_A_SUSPECT_ID] = { .type = NLA_U32 },
	[KARDIA_A_SUSPECT_INCARNATION] = { .type = NLA_U64 },
	[KARDIA_A_SUSPECT_SILENT_SINCE_NS] = { .type = NLA_U64 },
	[KARDIA_A_SUSPECT_PATHS] = { .type = NLA_U8 },
	[KARDIA_A_SUSPECT_CAUSE] = { .type = NLA_U8 },
	[KARDIA_A_SUSPECT_GRACE_US] = { .type = NLA_U32 },
	[KARDIA_A_SUSPECT_OWN_LATENESS_US] = { .type = NLA_U32 },
};

static const struct nla_policy event_policy[KARDIA_A_EVENT_MAX + 1] = {
	[KARDIA_A_EVENT_SEQ] = { .type = NLA_U64 },
	[KARDIA_A_EVENT_TYPE] = { .type = NLA_U32 },
	[KARDIA_A_EVENT_TIME_NS] = { .type = NLA_U64 },
	[KARDIA_A_EVENT_PEER] = { .type = NLA_NESTED },
	[KARDIA_A_EVENT_REPORT] = { .type = NLA_NESTED },
	[KARDIA_A_EVENT_MAP_EPOCH] = { .type = NLA_U64 },
};

static uint8_t get_u8(struct nlattr *a)
{
	return a ? nla_get_u8(a) : 0;
}

static uint32_t get_u32(struct nlattr *a)
{
	return a ? nla_get_u32(a) : 0;
}

static uint64_t get_u64(struct nlattr *a)
{
	return a ? nla_get_u64(a) : 0;
}

static int parse_stats(struct nlattr *nest, uint64_t *stats)
{
	struct nlattr *tb[KARDIA_A_STATS_MAX + 1];

	if (nla_parse_nested(tb, KARDIA_A_STATS_MAX, nest, stats_policy))
		return -EBADMSG;
	for (int i = KARDIA_A_STATS_PAD + 1; i <= KARDIA_A_STATS_MAX; i++)
		stats[i] = get_u64(tb[i]);
	return 0;
}

int knl_parse_node(struct nlattr *head, int len, struct knl_node *node)
{
	struct nlattr *tb[KARDIA_A_NODE_MAX + 1];

	memset(node, 0, sizeof(*node));
	if (nla_parse(tb, KARDIA_A_NODE_MAX, head, len, node_policy))
		return -EBADMSG;
	if (!tb[KARDIA_A_NODE_ID] || !tb[KARDIA_A_NODE_CLUSTER] ||
	    !tb[KARDIA_A_NODE_EVENT_SEQ] || !tb[KARDIA_A_NODE_TIME_NS])
		return -EBADMSG;
	node->id = get_u32(tb[KARDIA_A_NODE_ID]);
	node->cluster = get_u32(tb[KARDIA_A_NODE_CLUSTER]);
	node->interval_us = get_u32(tb[KARDIA_A_NODE_INTERVAL_US]);
	node->grace_us = get_u32(tb[KARDIA_A_NODE_GRACE_US]);
	node->arbiter = get_u8(tb[KARDIA_A_NODE_ARBITER]);
	node->insecure = tb[KARDIA_A_NODE_INSECURE];
	node->map_epoch = get_u64(tb[KARDIA_A_NODE_MAP_EPOCH]);
	node->incarnation = get_u64(tb[KARDIA_A_NODE_INCARNATION]);
	node->event_seq = get_u64(tb[KARDIA_A_NODE_EVENT_SEQ]);
	node->time_ns = get_u64(tb[KARDIA_A_NODE_TIME_NS]);
	if (tb[KARDIA_A_NODE_VERSION])
		nla_strlcpy(node->version, tb[KARDIA_A_NODE_VERSION],
			    sizeof(node->version));
	if (tb[KARDIA_A_NODE_STATS])
		return parse_stats(tb[KARDIA_A_NODE_STATS], node->stats);
	return 0;
}

static int parse_path(struct nlattr *nest, struct knl_path *paths)
{
	struct nlattr *tb[KARDIA_A_PATH_MAX + 1];
	struct knl_path *path;
	uint8_t index;

	if (nla_parse_nested(tb, KARDIA_A_PATH_MAX, nest, path_policy))
		return -EBADMSG;
	if (!tb[KARDIA_A_PATH_INDEX] || !tb[KARDIA_A_PATH_LOCAL] ||
	    !tb[KARDIA_A_PATH_REMOTE])
		return -EBADMSG;
	index = get_u8(tb[KARDIA_A_PATH_INDEX]);
	if (index >= KARDIA_PATHS_MAX || paths[index].present)
		return -EBADMSG;
	path = &paths[index];
	path->present = true;
	path->local.s_addr = get_u32(tb[KARDIA_A_PATH_LOCAL]);
	path->remote.s_addr = get_u32(tb[KARDIA_A_PATH_REMOTE]);
	path->heard_ns = get_u64(tb[KARDIA_A_PATH_HEARD_NS]);
	path->rtt_ns = get_u64(tb[KARDIA_A_PATH_RTT_NS]);
	path->tx = get_u64(tb[KARDIA_A_PATH_TX]);
	path->rx = get_u64(tb[KARDIA_A_PATH_RX]);
	path->rx_lost = get_u64(tb[KARDIA_A_PATH_RX_LOST]);
	return 0;
}

static int parse_paths(struct nlattr *head, int len, struct knl_path *paths)
{
	struct nlattr *a;
	int rem, err;

	nla_for_each_attr(a, head, len, rem) {
		if (nla_type(a) != KARDIA_A_PEER_PATH)
			continue;
		err = parse_path(a, paths);
		if (err)
			return err;
	}
	return 0;
}

/* A peer that is gone is only an ID; what is unknown reads as zero. */
int knl_parse_peer(struct nlattr *head, int len, struct knl_peer *peer)
{
	struct nlattr *tb[KARDIA_A_PEER_MAX + 1];

	memset(peer, 0, sizeof(*peer));
	if (nla_parse(tb, KARDIA_A_PEER_MAX, head, len, peer_policy))
		return -EBADMSG;
	if (!tb[KARDIA_A_PEER_ID] ||
	    get_u8(tb[KARDIA_A_PEER_STATE]) > KARDIA_PEER_DOWN)
		return -EBADMSG;
	peer->id = get_u32(tb[KARDIA_A_PEER_ID]);
	peer->arbiter = get_u8(tb[KARDIA_A_PEER_ARBITER]);
	peer->state = get_u8(tb[KARDIA_A_PEER_STATE]);
	peer->cause = get_u8(tb[KARDIA_A_PEER_CAUSE]);
	peer->since_ns = get_u64(tb[KARDIA_A_PEER_SINCE_NS]);
	peer->incarnation = get_u64(tb[KARDIA_A_PEER_INCARNATION]);
	peer->heard_ns = get_u64(tb[KARDIA_A_PEER_HEARD_NS]);
	peer->deadline_ns = get_u64(tb[KARDIA_A_PEER_DEADLINE_NS]);
	peer->own_lateness_ns = get_u64(tb[KARDIA_A_PEER_OWN_LATENESS_NS]);
	peer->interval_us = get_u32(tb[KARDIA_A_PEER_INTERVAL_US]);
	peer->grace_us = get_u32(tb[KARDIA_A_PEER_GRACE_US]);
	peer->map_epoch = get_u64(tb[KARDIA_A_PEER_MAP_EPOCH]);
	peer->event_seq = get_u64(tb[KARDIA_A_PEER_EVENT_SEQ]);
	return parse_paths(head, len, peer->path);
}

static int parse_suspect(struct nlattr *nest, struct knl_suspect *suspect)
{
	struct nlattr *tb[KARDIA_A_SUSPECT_MAX + 1];

	if (nla_parse_nested(tb, KARDIA_A_SUSPECT_MAX, nest, suspect_policy))
		return -EBADMSG;
	if (!tb[KARDIA_A_SUSPECT_ID])
		return -EBADMSG;
	suspect->id = get_u32(tb[KARDIA_A_SUSPECT_ID]);
	suspect->incarnation = get_u64(tb[KARDIA_A_SUSPECT_INCARNATION]);
	suspect->silent_since_ns =
		get_u64(tb[KARDIA_A_SUSPECT_SILENT_SINCE_NS]);
	suspect->paths = get_u8(tb[KARDIA_A_SUSPECT_PATHS]);
	suspect->cause = get_u8(tb[KARDIA_A_SUSPECT_CAUSE]);
	suspect->grace_us = get_u32(tb[KARDIA_A_SUSPECT_GRACE_US]);
	suspect->own_lateness_us =
		get_u32(tb[KARDIA_A_SUSPECT_OWN_LATENESS_US]);
	return 0;
}

static int parse_suspects(struct nlattr *head, int len,
			  struct knl_report *report)
{
	struct nlattr *a;
	int rem, err;

	nla_for_each_attr(a, head, len, rem) {
		if (nla_type(a) != KARDIA_A_REPORT_SUSPECT)
			continue;
		if (report->n_suspects == KARDIA_REPORT_SUSPECTS_MAX)
			return -EBADMSG;
		err = parse_suspect(a, &report->suspects[report->n_suspects]);
		if (err)
			return err;
		report->n_suspects++;
	}
	return 0;
}

int knl_parse_report(struct nlattr *head, int len, struct knl_report *report)
{
	struct nlattr *tb[KARDIA_A_REPORT_MAX + 1];

	memset(report, 0, sizeof(*report));
	if (nla_parse(tb, KARDIA_A_REPORT_MAX, head, len, report_policy))
		return -EBADMSG;
	if (!tb[KARDIA_A_REPORT_REPORTER] || !tb[KARDIA_A_REPORT_SET_SEQ])
		return -EBADMSG;
	report->reporter = get_u32(tb[KARDIA_A_REPORT_REPORTER]);
	report->incarnation = get_u64(tb[KARDIA_A_REPORT_INCARNATION]);
	report->set_seq = get_u64(tb[KARDIA_A_REPORT_SET_SEQ]);
	report->received_ns = get_u64(tb[KARDIA_A_REPORT_RECEIVED_NS]);
	report->expires_ns = get_u64(tb[KARDIA_A_REPORT_EXPIRES_NS]);
	report->expired = tb[KARDIA_A_REPORT_EXPIRED];
	report->watched = get_u32(tb[KARDIA_A_REPORT_WATCHED]);
	report->silent = get_u32(tb[KARDIA_A_REPORT_SILENT]);
	report->event_seq = get_u64(tb[KARDIA_A_REPORT_EVENT_SEQ]);
	return parse_suspects(head, len, report);
}

static int parse_nested_peer(struct nlattr *nest, struct knl_peer *peer)
{
	if (!nest)
		return -EBADMSG;
	return knl_parse_peer(nla_data(nest), nla_len(nest), peer);
}

static int parse_nested_report(struct nlattr *nest, struct knl_report *report)
{
	if (!nest)
		return -EBADMSG;
	return knl_parse_report(nla_data(nest), nla_len(nest), report);
}

/* A type that we do not know passes: its sequence number still counts. */
int knl_parse_event(struct nlattr *head, int len, struct knl_event *event)
{
	struct nlattr *tb[KARDIA_A_EVENT_MAX + 1];

	memset(event, 0, sizeof(*event));
	if (nla_parse(tb, KARDIA_A_EVENT_MAX, head, len, event_policy))
		return -EBADMSG;
	if (!tb[KARDIA_A_EVENT_SEQ] || !tb[KARDIA_A_EVENT_TYPE])
		return -EBADMSG;
	event->seq = get_u64(tb[KARDIA_A_EVENT_SEQ]);
	event->type = get_u32(tb[KARDIA_A_EVENT_TYPE]);
	event->time_ns = get_u64(tb[KARDIA_A_EVENT_TIME_NS]);
	switch (event->type) {
	case KARDIA_EVENT_PEER_DOWN:
	case KARDIA_EVENT_PEER_UP:
	case KARDIA_EVENT_PEER_GONE:
		return parse_nested_peer(tb[KARDIA_A_EVENT_PEER], &event->peer);
	case KARDIA_EVENT_REPORT:
		return parse_nested_report(tb[KARDIA_A_EVENT_REPORT],
					   &event->report);
	case KARDIA_EVENT_MAP_APPLIED:
		if (!tb[KARDIA_A_EVENT_MAP_EPOCH])
			return -EBADMSG;
		event->map_epoch = get_u64(tb[KARDIA_A_EVENT_MAP_EPOCH]);
		return 0;
	default:
		return 0;
	}
}
