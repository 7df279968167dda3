// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the order of evidence: a snapshot, then the events after it. Events that
 * the snapshot holds already are told by their sequence number, object by
 * object, in the policy.
 */
#include "daemon/arbiter/intake.h"

static void on_peer(void *arg, const struct knl_peer *peer)
{
	struct intake *intake = arg;

	policy_peer(intake->policy, peer);
}

static void on_report(void *arg, const struct knl_report *report)
{
	struct intake *intake = arg;

	policy_report(intake->policy, report);
}

void intake_lost(struct intake *intake)
{
	policy_forget(intake->policy);
	intake->incarnation = 0;
}

int intake_snapshot(struct intake *intake, struct knl *knl, uint64_t now_ns)
{
	struct knl_node node;
	int ret = knl_node_get(knl, &node);

	policy_forget(intake->policy);
	if (!ret)
		ret = knl_peer_dump(knl, on_peer, intake);
	if (!ret)
		ret = knl_report_dump(knl, on_report, intake);
	if (ret) {
		intake_lost(intake);
		return ret;
	}
	policy_self(intake->policy, node.incarnation);
	if (node.incarnation != intake->incarnation)
		policy_start(intake->policy, now_ns, intake->collect_ns);
	intake->incarnation = node.incarnation;
	return 0;
}

void intake_event(struct intake *intake, const struct knl_event *event)
{
	switch (event->type) {
	case KARDIA_EVENT_PEER_UP:
	case KARDIA_EVENT_PEER_DOWN:
		policy_peer(intake->policy, &event->peer);
		break;
	case KARDIA_EVENT_PEER_GONE:
		policy_peer_gone(intake->policy, event->peer.id, event->seq);
		break;
	case KARDIA_EVENT_REPORT:
		policy_report(intake->policy, &event->report);
		break;
	default:
		break;
	}
}
