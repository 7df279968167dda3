/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A policy and its surroundings, for tests that read as a specification:
 * evidence in, changes out. Nodes n1 to nN, each on its own host, n1 the
 * arbiter, life of node ID: 100 + ID, two reporters needed.
 */
#ifndef KARDIA_UNIT_POLICY_WORLD_H
#define KARDIA_UNIT_POLICY_WORLD_H

#include <arpa/inet.h>

#include "daemon/arbiter/policy.h"
#include "fixture.h"

#define MS 1000000ULL
#define NOW (100000 * MS)
#define COLLECT (200 * MS)

struct world {
	struct map *map;
	struct policy *policy;
	uint64_t now_ns;
	uint64_t seq; /* of the kernel's events */
};

static inline uint64_t life(uint32_t id)
{
	return 100 + id;
}

static inline void peer_in(struct world *w, uint32_t id,
			   enum kardia_peer_state state, uint64_t incarnation)
{
	const struct knl_peer peer = {
		.id = id,
		.state = state,
		.incarnation = incarnation,
		.event_seq = ++w->seq,
	};

	policy_peer(w->policy, &peer);
}

static inline void peer(struct world *w, uint32_t id,
			enum kardia_peer_state state)
{
	peer_in(w, id, state, life(id));
}

static inline struct knl_report empty_report(struct world *w, uint32_t reporter)
{
	return (struct knl_report){
		.reporter = reporter,
		.watched = w->map->n_nodes - 1,
		.event_seq = ++w->seq,
	};
}

static inline void add_suspect(struct world *w, struct knl_report *report,
			       uint32_t id, uint64_t incarnation)
{
	report->suspects[report->n_suspects++] = (struct knl_suspect){
		.id = id,
		.incarnation = incarnation,
		.silent_since_ns = w->now_ns - (50 + report->reporter) * MS,
		.grace_us = 50000,
		.own_lateness_us = report->reporter,
		.paths = 3,
		.cause = incarnation ? KARDIA_CAUSE_SILENT :
				       KARDIA_CAUSE_NEVER_HEARD,
	};
	report->silent++;
}

/* The reporter's whole set is: @accused in this life of it; 0 for nobody. */
static inline void report_in(struct world *w, uint32_t reporter,
			     uint32_t accused, uint64_t incarnation)
{
	struct knl_report report = empty_report(w, reporter);

	if (accused)
		add_suspect(w, &report, accused, incarnation);
	policy_report(w->policy, &report);
}

static inline void report(struct world *w, uint32_t reporter, uint32_t accused)
{
	report_in(w, reporter, accused, life(accused));
}

static inline const struct policy_decision *decide(struct world *w)
{
	return policy_decide(w->policy, w->now_ns);
}

static inline void expect_nothing(struct world *w)
{
	const struct policy_decision *d = decide(w);

	if (d)
		fail_msg("%u changes, the first: %s %s", d->n_changes,
			 d->changes[0].name,
			 map_change_name(d->changes[0].kind));
}

/* A decision of one change. */
static inline const struct map_change *
expect(struct world *w, enum map_change_kind kind, uint32_t id)
{
	const struct policy_decision *d = decide(w);

	assert_non_null(d);
	assert_int_equal(d->n_changes, 1);
	assert_int_equal(d->changes[0].kind, kind);
	assert_int_equal(d->changes[0].id, id);
	return &d->changes[0];
}

/* Put what was decided into the map, as a commit does. */
static inline void commit(struct world *w)
{
	const struct policy_decision *d = decide(w);
	unsigned int i;

	assert_non_null(d);
	for (i = 0; i < d->n_changes; i++) {
		struct map_node *node = map_find(w->map, d->changes[i].id);

		node->up = d->changes[i].kind != MAP_NODE_DOWN;
		node->incarnation = d->changes[i].incarnation;
		node->cause = d->changes[i].cause;
	}
	policy_set_map(w->policy, w->map);
}

static inline void snapshot(struct world *w)
{
	unsigned int i;

	policy_self(w->policy, life(1));
	for (i = 2; i <= w->map->n_nodes; i++)
		peer(w, i, KARDIA_PEER_UP);
}

/* @n nodes, all up and heard, no window, nobody accused. */
static inline struct world world_up(unsigned int n)
{
	struct world w = { .now_ns = NOW };
	unsigned int i;

	w.map = fixture_map(n);
	for (i = 0; i < n; i++) {
		w.map->nodes[i].up = true;
		w.map->nodes[i].cause = MAP_CAUSE_NONE;
		w.map->nodes[i].incarnation = life(i + 1);
	}
	w.policy = policy_new(1);
	policy_set_map(w.policy, w.map);
	snapshot(&w);
	expect_nothing(&w);
	return w;
}

static inline void world_end(struct world *w)
{
	policy_free(w->policy);
	map_free(w->map);
}

#endif
