// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The netlink client without a kernel: attributes in hand-made messages to
 * structures and back, refusals, acks, and the names.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/nl_msg.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Every test gets an empty message in *state. */
static int message_new(void **state)
{
	struct nl_msg *msg = nlmsg_alloc();

	*state = msg;
	return !msg || !nlmsg_put(msg, 0, 0, NLMSG_MIN_TYPE, 0, 0);
}

static int message_free(void **state)
{
	nlmsg_free(*state);
	return 0;
}

static struct nlattr *attrs(struct nl_msg *msg)
{
	return nlmsg_attrdata(nlmsg_hdr(msg), 0);
}

static int attrs_len(struct nl_msg *msg)
{
	return nlmsg_attrlen(nlmsg_hdr(msg), 0);
}

static void put_node(struct nl_msg *msg, bool with_time)
{
	nla_put_u32(msg, KARDIA_A_NODE_ID, 3);
	nla_put_u32(msg, KARDIA_A_NODE_CLUSTER, 77);
	nla_put_u64(msg, KARDIA_A_NODE_EVENT_SEQ, 12);
	if (with_time)
		nla_put_u64(msg, KARDIA_A_NODE_TIME_NS, 1234567890123);
}

static void reads_a_node(void **state)
{
	struct nl_msg *msg = *state;
	struct nlattr *nest;
	struct knl_node node;

	put_node(msg, true);
	nla_put_u32(msg, KARDIA_A_NODE_INTERVAL_US, 10000);
	nla_put_u8(msg, KARDIA_A_NODE_ARBITER, 1);
	nla_put_flag(msg, KARDIA_A_NODE_INSECURE);
	nla_put_string(msg, KARDIA_A_NODE_VERSION, "0.1.0");
	nest = nla_nest_start(msg, KARDIA_A_NODE_STATS);
	nla_put_u64(msg, KARDIA_A_STATS_TX_BEATS, UINT64_MAX);
	nla_put_u64(msg, KARDIA_A_STATS_EVENTS_LOST, 5);
	nla_nest_end(msg, nest);

	assert_int_equal(knl_parse_node(attrs(msg), attrs_len(msg), &node), 0);
	assert_int_equal(node.id, 3);
	assert_int_equal(node.cluster, 77);
	assert_int_equal(node.event_seq, 12);
	assert_int_equal(node.time_ns, 1234567890123);
	assert_int_equal(node.interval_us, 10000);
	assert_int_equal(node.grace_us, 0);
	assert_true(node.arbiter);
	assert_true(node.insecure);
	assert_string_equal(node.version, "0.1.0");
	assert_true(node.stats[KARDIA_A_STATS_TX_BEATS] == UINT64_MAX);
	assert_int_equal(node.stats[KARDIA_A_STATS_RX_BEATS], 0);
	assert_int_equal(node.stats[KARDIA_A_STATS_EVENTS_LOST], 5);
}

static void refuses_a_node_without_its_time(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_node node;

	put_node(msg, false);
	assert_int_equal(knl_parse_node(attrs(msg), attrs_len(msg), &node),
			 -EBADMSG);
}

static void cuts_a_version_that_is_too_long(void **state)
{
	struct nl_msg *msg = *state;
	char text[200];
	struct knl_node node;

	memset(text, 'v', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	put_node(msg, true);
	nla_put_string(msg, KARDIA_A_NODE_VERSION, text);
	assert_int_equal(knl_parse_node(attrs(msg), attrs_len(msg), &node), 0);
	assert_int_equal(strlen(node.version), sizeof(node.version) - 1);
}

static void refuses_an_unterminated_version(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_node node;

	put_node(msg, true);
	nla_put(msg, KARDIA_A_NODE_VERSION, 3, "1.0");
	assert_int_equal(knl_parse_node(attrs(msg), attrs_len(msg), &node),
			 -EBADMSG);
}

static void put_path(struct nl_msg *msg, uint8_t index)
{
	struct nlattr *nest = nla_nest_start(msg, KARDIA_A_PEER_PATH);

	nla_put_u8(msg, KARDIA_A_PATH_INDEX, index);
	nla_put_u32(msg, KARDIA_A_PATH_LOCAL, htonl(0x0a000001));
	nla_put_u32(msg, KARDIA_A_PATH_REMOTE, htonl(0x0a000002 + index));
	nla_put_u64(msg, KARDIA_A_PATH_RTT_NS, 58000 + index);
	nla_nest_end(msg, nest);
}

static void reads_a_peer_with_two_paths(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_peer peer;

	nla_put_u32(msg, KARDIA_A_PEER_ID, 5);
	nla_put_u8(msg, KARDIA_A_PEER_STATE, KARDIA_PEER_DOWN);
	nla_put_u8(msg, KARDIA_A_PEER_CAUSE, KARDIA_CAUSE_NEVER_HEARD);
	nla_put_u64(msg, KARDIA_A_PEER_SINCE_NS, 1000);
	nla_put_u64(msg, KARDIA_A_PEER_EVENT_SEQ, 9);
	put_path(msg, 1);
	put_path(msg, 0);

	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &peer), 0);
	assert_int_equal(peer.id, 5);
	assert_int_equal(peer.state, KARDIA_PEER_DOWN);
	assert_int_equal(peer.cause, KARDIA_CAUSE_NEVER_HEARD);
	assert_int_equal(peer.since_ns, 1000);
	assert_int_equal(peer.event_seq, 9);
	assert_true(peer.path[0].present && peer.path[1].present);
	assert_int_equal(peer.path[0].rtt_ns, 58000);
	assert_int_equal(peer.path[1].rtt_ns, 58001);
	assert_int_equal(peer.path[1].remote.s_addr, htonl(0x0a000003));
}

static void reads_a_peer_that_is_only_an_id(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_peer peer;

	nla_put_u32(msg, KARDIA_A_PEER_ID, 5);
	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &peer), 0);
	assert_int_equal(peer.id, 5);
	assert_false(peer.path[0].present);
}

static void refuses_bad_peers(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_peer peer;

	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &peer),
			 -EBADMSG);
	nla_put_u16(msg, KARDIA_A_PEER_ID, 5);
	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &peer),
			 -EBADMSG);
}

static void refuses_an_unknown_state(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_peer peer;

	nla_put_u32(msg, KARDIA_A_PEER_ID, 5);
	nla_put_u8(msg, KARDIA_A_PEER_STATE, KARDIA_PEER_DOWN + 1);
	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &peer),
			 -EBADMSG);
}

static void refuses_a_path_out_of_range(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_peer peer;

	nla_put_u32(msg, KARDIA_A_PEER_ID, 5);
	put_path(msg, KARDIA_PATHS_MAX);
	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &peer),
			 -EBADMSG);
}

static void refuses_the_same_path_twice(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_peer peer;

	nla_put_u32(msg, KARDIA_A_PEER_ID, 5);
	put_path(msg, 1);
	put_path(msg, 1);
	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &peer),
			 -EBADMSG);
}

static void put_report(struct nl_msg *msg, unsigned int n_suspects)
{
	nla_put_u32(msg, KARDIA_A_REPORT_REPORTER, 2);
	nla_put_u64(msg, KARDIA_A_REPORT_SET_SEQ, 44);
	nla_put_u32(msg, KARDIA_A_REPORT_WATCHED, 100);
	nla_put_u32(msg, KARDIA_A_REPORT_SILENT, n_suspects);
	for (unsigned int i = 0; i < n_suspects; i++) {
		struct nlattr *nest;

		nest = nla_nest_start(msg, KARDIA_A_REPORT_SUSPECT);
		nla_put_u32(msg, KARDIA_A_SUSPECT_ID, 10 + i);
		nla_put_u8(msg, KARDIA_A_SUSPECT_PATHS, 3);
		nla_put_u8(msg, KARDIA_A_SUSPECT_CAUSE, KARDIA_CAUSE_SILENT);
		nla_nest_end(msg, nest);
	}
}

static void reads_a_report_of_nobody(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_report report;

	put_report(msg, 0);
	nla_put_flag(msg, KARDIA_A_REPORT_EXPIRED);
	assert_int_equal(knl_parse_report(attrs(msg), attrs_len(msg), &report),
			 0);
	assert_int_equal(report.reporter, 2);
	assert_int_equal(report.set_seq, 44);
	assert_int_equal(report.n_suspects, 0);
	assert_true(report.expired);
}

static void reads_as_many_suspects_as_there_may_be(void **state)
{
	struct nl_msg *msg = *state;
	const unsigned int max = KARDIA_REPORT_SUSPECTS_MAX;
	struct knl_report report;

	put_report(msg, max);
	assert_int_equal(knl_parse_report(attrs(msg), attrs_len(msg), &report),
			 0);
	assert_int_equal(report.n_suspects, max);
	assert_int_equal(report.suspects[max - 1].id, 10 + max - 1);
	assert_int_equal(report.suspects[0].cause, KARDIA_CAUSE_SILENT);
	assert_int_equal(report.suspects[0].paths, 3);
	assert_false(report.expired);
}

static void refuses_one_suspect_more(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_report report;

	put_report(msg, KARDIA_REPORT_SUSPECTS_MAX + 1);
	assert_int_equal(knl_parse_report(attrs(msg), attrs_len(msg), &report),
			 -EBADMSG);
}

static void refuses_a_suspect_without_id(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_report report;
	struct nlattr *nest;

	put_report(msg, 1);
	nest = nla_nest_start(msg, KARDIA_A_REPORT_SUSPECT);
	nla_put_u8(msg, KARDIA_A_SUSPECT_PATHS, 3);
	nla_nest_end(msg, nest);
	assert_int_equal(knl_parse_report(attrs(msg), attrs_len(msg), &report),
			 -EBADMSG);
}

static void put_event(struct nl_msg *msg, uint32_t type)
{
	nla_put_u64(msg, KARDIA_A_EVENT_SEQ, 501);
	nla_put_u32(msg, KARDIA_A_EVENT_TYPE, type);
	nla_put_u64(msg, KARDIA_A_EVENT_TIME_NS, 99);
}

static void reads_a_peer_event(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_event event;
	struct nlattr *nest;

	put_event(msg, KARDIA_EVENT_PEER_UP);
	nest = nla_nest_start(msg, KARDIA_A_EVENT_PEER);
	nla_put_u32(msg, KARDIA_A_PEER_ID, 6);
	nla_put_u8(msg, KARDIA_A_PEER_STATE, KARDIA_PEER_UP);
	nla_nest_end(msg, nest);
	assert_int_equal(knl_parse_event(attrs(msg), attrs_len(msg), &event),
			 0);
	assert_int_equal(event.seq, 501);
	assert_int_equal(event.time_ns, 99);
	assert_int_equal(event.peer.id, 6);
	assert_int_equal(event.peer.state, KARDIA_PEER_UP);
}

static void reads_a_report_event(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_event event;
	struct nlattr *nest;

	put_event(msg, KARDIA_EVENT_REPORT);
	nest = nla_nest_start(msg, KARDIA_A_EVENT_REPORT);
	put_report(msg, 2);
	nla_nest_end(msg, nest);
	assert_int_equal(knl_parse_event(attrs(msg), attrs_len(msg), &event),
			 0);
	assert_int_equal(event.report.n_suspects, 2);
}

static void refuses_events_without_their_object(void **state)
{
	static const uint32_t types[] = {
		KARDIA_EVENT_PEER_DOWN,	  KARDIA_EVENT_PEER_UP,
		KARDIA_EVENT_PEER_GONE,	  KARDIA_EVENT_REPORT,
		KARDIA_EVENT_MAP_APPLIED,
	};
	struct knl_event event;

	message_free(state);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		assert_int_equal(message_new(state), 0);
		put_event(*state, types[i]);
		assert_int_equal(knl_parse_event(attrs(*state),
						 attrs_len(*state), &event),
				 -EBADMSG);
		message_free(state);
	}
	message_new(state);
}

static void passes_unknown_events_with_their_number(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_event event;

	put_event(msg, KARDIA_EVENT_MAX + 1);
	assert_int_equal(knl_parse_event(attrs(msg), attrs_len(msg), &event),
			 0);
	assert_int_equal(event.seq, 501);
	assert_string_equal(knl_event_name(event.type), "unknown");
}

/* Whatever the length, no read beyond it: the sanitizers watch. */
static void survives_every_truncation(void **state)
{
	struct nl_msg *msg = *state;
	struct knl_event event;
	struct nlattr *nest;

	put_event(msg, KARDIA_EVENT_REPORT);
	nest = nla_nest_start(msg, KARDIA_A_EVENT_REPORT);
	put_report(msg, 3);
	nla_nest_end(msg, nest);
	for (int len = 0; len < attrs_len(msg); len++) {
		void *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, attrs(msg), len);
		assert_int_equal(knl_parse_event(copy, len, &event), -EBADMSG);
		free(copy);
	}
}

static void builds_a_peer_that_reads_back(void **state)
{
	struct nl_msg *msg = *state;
	const struct knl_peer in = {
		.id = 8,
		.arbiter = true,
		.path[1] = { .present = true,
			     .local.s_addr = htonl(0x0a010001),
			     .remote.s_addr = htonl(0x0a010002) },
	};
	struct knl_peer out;

	assert_int_equal(knl_put_peer(msg, &in), 0);
	assert_int_equal(knl_parse_peer(attrs(msg), attrs_len(msg), &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
}

static struct nlattr *find(struct nl_msg *msg, int type)
{
	return nla_find(attrs(msg), attrs_len(msg), type);
}

static void leaves_out_what_is_zero(void **state)
{
	const struct knl_node_config config = { .id = 1, .cluster = 2 };
	struct nl_msg *msg = *state;

	assert_int_equal(knl_put_node(msg, &config), 0);
	assert_int_equal(nla_get_u32(find(msg, KARDIA_A_NODE_ID)), 1);
	assert_int_equal(nla_get_u32(find(msg, KARDIA_A_NODE_CLUSTER)), 2);
	assert_int_equal(nla_get_u8(find(msg, KARDIA_A_NODE_ARBITER)), 0);
	assert_null(find(msg, KARDIA_A_NODE_INSECURE));
	assert_null(find(msg, KARDIA_A_NODE_INTERVAL_US));
	assert_null(find(msg, KARDIA_A_NODE_GRACE_US));
	assert_null(find(msg, KARDIA_A_NODE_MAP_EPOCH));
}

static void puts_in_all_that_is_set(void **state)
{
	const struct knl_node_config config = {
		.id = 1,
		.cluster = 2,
		.interval_us = 3,
		.grace_us = 4,
		.map_epoch = 1ULL << 40,
		.arbiter = true,
		.insecure = true,
	};
	struct nl_msg *msg = *state;

	assert_int_equal(knl_put_node(msg, &config), 0);
	assert_int_equal(nla_get_u32(find(msg, KARDIA_A_NODE_INTERVAL_US)), 3);
	assert_int_equal(nla_get_u32(find(msg, KARDIA_A_NODE_GRACE_US)), 4);
	assert_true(nla_get_u64(find(msg, KARDIA_A_NODE_MAP_EPOCH)) ==
		    1ULL << 40);
	assert_int_equal(nla_get_u8(find(msg, KARDIA_A_NODE_ARBITER)), 1);
	assert_non_null(find(msg, KARDIA_A_NODE_INSECURE));
}

/* An error message as the kernel sends it: code, request, attributes. */
static struct nlmsghdr *error_message(struct nl_msg *msg, int error, int flags,
				      const char *text)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct nlmsgerr *e = nlmsg_reserve(msg, sizeof(*e), NLMSG_ALIGNTO);

	memset(e, 0, sizeof(*e));
	e->error = error;
	e->msg.nlmsg_len = NLMSG_HDRLEN + 8;
	if (!(flags & NLM_F_CAPPED))
		memset(nlmsg_reserve(msg, 8, NLMSG_ALIGNTO), 0xff, 8);
	if (text)
		nla_put_string(msg, NLMSGERR_ATTR_MSG, text);
	hdr->nlmsg_type = NLMSG_ERROR;
	hdr->nlmsg_flags = flags;
	return hdr;
}

static void finds_the_text_behind_the_request(void **state)
{
	struct nlmsghdr *hdr;
	char text[64];

	hdr = error_message(*state, -EINVAL, NLM_F_ACK_TLVS, "grace_us: no");
	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -EINVAL);
	assert_string_equal(text, "grace_us: no");
}

static void finds_the_text_behind_a_cut_request(void **state)
{
	struct nlmsghdr *hdr;
	char text[6];

	hdr = error_message(*state, -EBUSY, NLM_F_ACK_TLVS | NLM_F_CAPPED,
			    "id: busy");
	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -EBUSY);
	assert_string_equal(text, "id: b");
}

static void keeps_any_errno_as_it_is(void **state)
{
	struct nlmsghdr *hdr;
	char text[64];

	hdr = error_message(*state, -ESHUTDOWN, 0, NULL);
	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -ESHUTDOWN);
	assert_string_equal(text, "");
}

static void refuses_broken_acks(void **state)
{
	struct nlmsghdr *hdr = error_message(*state, 5, 0, NULL);
	struct nlmsgerr *e = nlmsg_data(hdr);
	char text[64];

	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -EBADMSG);
	e->error = -EINVAL;
	e->msg.nlmsg_len = UINT32_MAX;
	hdr->nlmsg_flags = NLM_F_ACK_TLVS;
	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -EINVAL);
	hdr->nlmsg_len = NLMSG_HDRLEN + sizeof(*e) - 1;
	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -EBADMSG);
}

static void reads_the_error_of_a_dump(void **state)
{
	struct nlmsghdr *hdr = nlmsg_hdr(*state);
	int error = -ENODEV;
	char text[64];

	hdr->nlmsg_type = NLMSG_DONE;
	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -EBADMSG);
	nlmsg_append(*state, &error, sizeof(error), NLMSG_ALIGNTO);
	nla_put_string(*state, NLMSGERR_ATTR_MSG, "idle");
	hdr->nlmsg_flags = NLM_F_ACK_TLVS;
	assert_int_equal(knl_parse_ack(hdr, text, sizeof(text)), -ENODEV);
	assert_string_equal(text, "idle");
}

static void has_a_name_for_everything(void **state)
{
	(void)state;
	for (int i = KARDIA_PEER_NEW; i <= KARDIA_PEER_DOWN; i++)
		assert_string_not_equal(knl_peer_state_name(i), "unknown");
	for (int i = KARDIA_CAUSE_NONE; i <= KARDIA_CAUSE_NEVER_HEARD; i++)
		assert_string_not_equal(knl_cause_name(i), "unknown");
	for (int i = KARDIA_EVENT_UNSPEC + 1; i <= KARDIA_EVENT_MAX; i++)
		assert_string_not_equal(knl_event_name(i), "unknown");
	for (int i = KARDIA_A_STATS_PAD + 1; i <= KARDIA_A_STATS_MAX; i++)
		assert_string_not_equal(knl_stats_name(i), "unknown");
	assert_string_equal(knl_peer_state_name(KARDIA_PEER_DOWN), "down");
	assert_string_equal(knl_peer_state_name(-1), "unknown");
	assert_string_equal(knl_cause_name(200), "unknown");
	assert_string_equal(knl_event_name(KARDIA_EVENT_UNSPEC), "unknown");
	assert_string_equal(knl_stats_name(KARDIA_A_STATS_MAX + 1), "unknown");
}

#define with_message(f) \
	cmocka_unit_test_setup_teardown(f, message_new, message_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_message(reads_a_node),
		with_message(refuses_a_node_without_its_time),
		with_message(cuts_a_version_that_is_too_long),
		with_message(refuses_an_unterminated_version),
		with_message(reads_a_peer_with_two_paths),
		with_message(reads_a_peer_that_is_only_an_id),
		with_message(refuses_bad_peers),
		with_message(refuses_an_unknown_state),
		with_message(refuses_a_path_out_of_range),
		with_message(refuses_the_same_path_twice),
		with_message(reads_a_report_of_nobody),
		with_message(reads_as_many_suspects_as_there_may_be),
		with_message(refuses_one_suspect_more),
		with_message(refuses_a_suspect_without_id),
		with_message(reads_a_peer_event),
		with_message(reads_a_report_event),
		with_message(refuses_events_without_their_object),
		with_message(passes_unknown_events_with_their_number),
		with_message(survives_every_truncation),
		with_message(builds_a_peer_that_reads_back),
		with_message(leaves_out_what_is_zero),
		with_message(puts_in_all_that_is_set),
		with_message(finds_the_text_behind_the_request),
		with_message(finds_the_text_behind_a_cut_request),
		with_message(keeps_any_errno_as_it_is),
		with_message(refuses_broken_acks),
		with_message(reads_the_error_of_a_dump),
		cmocka_unit_test(has_a_name_for_everything),
	};

	return cmocka_run_group_tests_name("nl", tests, NULL, NULL);
}
