// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The policy over time: evidence that ends, windows, returns and restarts, many
 * failures at once, maps that change; and that it always comes to rest.
 */
#include "policy_world.h"

static void withdrawal_counts(void **state)
{
	struct world w = world_up(5);

	(void)state;
	report(&w, 2, 5);
	report(&w, 2, 0);
	report(&w, 3, 5);
	expect_nothing(&w);
	world_end(&w);
}

static void expired_sets_are_empty(void **state)
{
	struct world w = world_up(5);
	struct knl_report gone = empty_report(&w, 2);

	(void)state;
	report(&w, 2, 5);
	add_suspect(&w, &gone, 5, life(5));
	gone.event_seq = ++w.seq;
	gone.expired = true;
	policy_report(w.policy, &gone);
	report(&w, 3, 5);
	expect_nothing(&w);
	world_end(&w);
}

static void older_news_is_ignored(void **state)
{
	struct world w = world_up(5);
	struct knl_report old = empty_report(&w, 2);
	struct knl_peer old_peer = { .id = 5, .event_seq = ++w.seq };

	(void)state;
	report(&w, 2, 5);
	policy_report(w.policy, &old);
	report(&w, 3, 5);
	expect(&w, MAP_NODE_DOWN, 5);
	commit(&w);
	report(&w, 2, 0);
	peer(&w, 5, KARDIA_PEER_UP);
	old_peer.state = KARDIA_PEER_DOWN;
	policy_peer(w.policy, &old_peer);
	expect(&w, MAP_NODE_UP, 5);
	world_end(&w);
}

static void waits_for_the_collection_window(void **state)
{
	struct world w = world_up(5);

	(void)state;
	policy_start(w.policy, w.now_ns, COLLECT);
	report(&w, 2, 5);
	report(&w, 3, 5);
	expect_nothing(&w);
	assert_int_equal(policy_wake_ns(w.policy), w.now_ns + COLLECT);
	w.now_ns += COLLECT - 1;
	expect_nothing(&w);
	w.now_ns++;
	expect(&w, MAP_NODE_DOWN, 5);
	assert_int_equal(policy_wake_ns(w.policy), 0);
	world_end(&w);
}

static void the_window_holds_no_good_news_back(void **state)
{
	struct world w = world_up(5);

	(void)state;
	policy_start(w.policy, w.now_ns, COLLECT);
	w.map->nodes[4].up = false;
	expect(&w, MAP_NODE_UP, 5);
	/* Without a reason to wake up there is no wake-up. */
	assert_int_equal(policy_wake_ns(w.policy), 0);
	world_end(&w);
}

static void goes_up_when_heard_and_not_accused(void **state)
{
	struct world w = world_up(5);

	(void)state;
	peer(&w, 5, KARDIA_PEER_DOWN);
	report(&w, 2, 5);
	report(&w, 3, 5);
	expect(&w, MAP_NODE_DOWN, 5);
	commit(&w);
	/* Heard again, but two still accuse its present life. */
	peer(&w, 5, KARDIA_PEER_UP);
	expect_nothing(&w);
	report(&w, 2, 0);
	assert_int_equal(expect(&w, MAP_NODE_UP, 5)->incarnation, life(5));
	commit(&w);
	report(&w, 3, 0);
	expect_nothing(&w);
	world_end(&w);
}

static void stays_down_while_the_arbiter_hears_nothing(void **state)
{
	struct world w = world_up(5);

	(void)state;
	peer(&w, 5, KARDIA_PEER_DOWN);
	report(&w, 2, 5);
	report(&w, 3, 5);
	commit(&w);
	report(&w, 2, 0);
	report(&w, 3, 0);
	expect_nothing(&w);
	peer(&w, 5, KARDIA_PEER_NEW);
	expect_nothing(&w);
	world_end(&w);
}

static void a_new_life_goes_up_past_old_accusations(void **state)
{
	struct world w = world_up(5);

	(void)state;
	peer(&w, 5, KARDIA_PEER_DOWN);
	report(&w, 2, 5);
	report(&w, 3, 5);
	commit(&w);
	peer_in(&w, 5, KARDIA_PEER_UP, 555);
	assert_int_equal(expect(&w, MAP_NODE_UP, 5)->incarnation, 555);
	commit(&w);
	expect_nothing(&w);
	world_end(&w);
}

static void records_a_fast_restart(void **state)
{
	struct world w = world_up(5);

	(void)state;
	peer_in(&w, 5, KARDIA_PEER_UP, 555);
	assert_int_equal(expect(&w, MAP_NODE_RESTARTED, 5)->incarnation, 555);
	commit(&w);
	/* Whom the old life is accused by is nothing to the new one. */
	report(&w, 2, 5);
	report(&w, 3, 5);
	expect_nothing(&w);
	world_end(&w);
}

static void begins_with_all_down(void **state)
{
	struct world w = { .now_ns = NOW, .map = fixture_map(3) };
	const struct policy_decision *d;

	(void)state;
	w.policy = policy_new(1);
	assert_null(policy_decide(w.policy, NOW));
	policy_set_map(w.policy, w.map);
	policy_start(w.policy, NOW, COLLECT);
	expect_nothing(&w);
	policy_self(w.policy, life(1));
	expect(&w, MAP_NODE_UP, 1);
	commit(&w);
	peer(&w, 2, KARDIA_PEER_UP);
	peer(&w, 3, KARDIA_PEER_UP);
	d = decide(&w);
	assert_int_equal(d->n_changes, 2);
	assert_int_equal(d->changes[1].kind, MAP_NODE_UP);
	commit(&w);
	expect_nothing(&w);
	world_end(&w);
}

static void two_failures_make_one_decision(void **state)
{
	struct world w = world_up(5);
	struct knl_report both;
	const struct policy_decision *d;
	unsigned int i;

	(void)state;
	for (i = 1; i <= 3; i++) {
		both = empty_report(&w, i);
		add_suspect(&w, &both, 4, life(4));
		add_suspect(&w, &both, 5, life(5));
		policy_report(w.policy, &both);
	}
	d = decide(&w);
	assert_int_equal(d->n_changes, 2);
	assert_int_equal(d->changes[0].id, 4);
	assert_int_equal(d->changes[1].id, 5);
	commit(&w);
	expect_nothing(&w);
	world_end(&w);
}

/* Two that accuse each other, with a third that sides with one of them. */
static void mutual_accusations_need_others(void **state)
{
	struct world w = world_up(5);

	(void)state;
	report(&w, 4, 5);
	report(&w, 5, 4);
	expect_nothing(&w);
	report(&w, 3, 5);
	expect(&w, MAP_NODE_DOWN, 5);
	commit(&w);
	/* The accuser that is down now brings nobody down. */
	report(&w, 2, 4);
	expect_nothing(&w);
	world_end(&w);
}

/*
 * n4 and n5 do not hear each other, n3 hears neither, the arbiter hears all.
 * Both go down, and by that neither may bring the other up again.
 */
static void a_partial_cut_does_not_flap(void **state)
{
	struct world w = world_up(5);
	struct knl_report both = empty_report(&w, 3);

	(void)state;
	report(&w, 4, 5);
	report(&w, 5, 4);
	add_suspect(&w, &both, 4, life(4));
	add_suspect(&w, &both, 5, life(5));
	policy_report(w.policy, &both);
	assert_int_equal(decide(&w)->n_changes, 2);
	commit(&w);
	expect_nothing(&w);
	/* One of them is heard by all but the other: it can serve again. */
	report(&w, 3, 5);
	expect(&w, MAP_NODE_UP, 4);
	commit(&w);
	expect_nothing(&w);
	world_end(&w);
}

static void an_isolated_arbiter_marks_nobody_down(void **state)
{
	struct world w = world_up(4);
	unsigned int i;

	(void)state;
	for (i = 2; i <= 4; i++)
		peer(&w, i, KARDIA_PEER_DOWN);
	report(&w, 2, 4);
	report(&w, 3, 4);
	expect_nothing(&w);
	peer(&w, 2, KARDIA_PEER_UP);
	expect(&w, MAP_NODE_DOWN, 4);
	world_end(&w);
}

static void the_arbiters_node_can_go_down_itself(void **state)
{
	struct world w = world_up(4);

	(void)state;
	report(&w, 2, 1);
	report(&w, 3, 1);
	expect(&w, MAP_NODE_DOWN, 1);
	commit(&w);
	report(&w, 3, 0);
	expect(&w, MAP_NODE_UP, 1);
	world_end(&w);
}

static void flapping_follows_the_evidence(void **state)
{
	struct world w = world_up(5);
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		peer(&w, 5, KARDIA_PEER_DOWN);
		report(&w, 2, 5);
		report(&w, 3, 5);
		expect(&w, MAP_NODE_DOWN, 5);
		commit(&w);
		report(&w, 2, 0);
		report(&w, 3, 0);
		peer(&w, 5, KARDIA_PEER_UP);
		expect(&w, MAP_NODE_UP, 5);
		commit(&w);
		expect_nothing(&w);
	}
	world_end(&w);
}

static void forgetting_leaves_no_evidence(void **state)
{
	struct world w = world_up(5);

	(void)state;
	report(&w, 2, 5);
	report(&w, 3, 5);
	policy_forget(w.policy);
	expect_nothing(&w);
	/* A kernel that begins anew counts its events from the start. */
	w.seq = 0;
	snapshot(&w);
	report(&w, 2, 5);
	report(&w, 3, 5);
	expect(&w, MAP_NODE_DOWN, 5);
	world_end(&w);
}

static void a_peer_that_is_gone_is_not_heard(void **state)
{
	struct world w = world_up(5);

	(void)state;
	w.map->nodes[4].up = false;
	policy_peer_gone(w.policy, 5, ++w.seq);
	expect_nothing(&w);
	world_end(&w);
}

static void keeps_evidence_across_maps(void **state)
{
	struct world w = world_up(5);
	struct map *map = fixture_map(6), *old = w.map;

	/* n2 leaves, n6 and n7 come: the others' places shift. */
	(void)state;
	report(&w, 3, 5);
	report(&w, 2, 5);
	memcpy(map->nodes, old->nodes, sizeof(*map->nodes));
	memcpy(map->nodes + 1, old->nodes + 2, 3 * sizeof(*map->nodes));
	map->nodes[4].id = 6;
	strcpy(map->nodes[4].host, "h6");
	map->nodes[5].id = 7;
	strcpy(map->nodes[5].host, "h7");
	policy_set_map(w.policy, map);
	map_free(old);
	w.map = map;
	expect_nothing(&w);
	report(&w, 4, 5);
	expect(&w, MAP_NODE_DOWN, 5);
	world_end(&w);
}

static void works_at_the_size_limit(void **state)
{
	struct world w = world_up(MAP_NODES_MAX);
	const struct policy_decision *d;
	struct knl_report full;
	unsigned int i, k;

	/* Every node reports 32 others: the last 32 of the map. */
	(void)state;
	for (i = 1; i <= MAP_NODES_MAX - 32; i++) {
		full = empty_report(&w, i);
		for (k = 0; k < 32; k++)
			add_suspect(&w, &full, MAP_NODES_MAX - k,
				    life(MAP_NODES_MAX - k));
		policy_report(w.policy, &full);
	}
	d = decide(&w);
	assert_int_equal(d->n_changes, 32);
	assert_int_equal(d->changes[31].n_accusers_total, MAP_NODES_MAX - 32);
	commit(&w);
	expect_nothing(&w);
	world_end(&w);
}

/* Decide until nothing is left; what was decided goes into the digest. */
static unsigned int settle(struct world *w, uint64_t *digest)
{
	const struct policy_decision *d;
	unsigned int k, rounds;

	for (rounds = 0; (d = decide(w)); rounds++) {
		for (k = 0; k < d->n_changes; k++)
			*digest = *digest * 31 + d->changes[k].kind * 8 +
				  d->changes[k].id;
		commit(w);
		/* With the same evidence each node changes twice at most. */
		assert_true(rounds < 2 * w->map->n_nodes);
	}
	return rounds;
}

static void report_at_random(struct world *w, uint32_t reporter)
{
	struct knl_report set = empty_report(w, reporter);
	unsigned int id;

	for (id = 1; id <= w->map->n_nodes; id++)
		if (id != reporter && random() % 3 == 0)
			add_suspect(w, &set, id, life(id) + random() % 2);
	policy_report(w->policy, &set);
}

static unsigned int random_run(unsigned int seed, uint64_t *digest)
{
	struct world w = world_up(8);
	unsigned int i, changes = 0;

	srandom(seed);
	*digest = 0;
	for (i = 0; i < 5000; i++) {
		uint32_t id = random() % 8 + 1;

		if (random() % 2)
			peer_in(&w, id, random() % 3, life(id) + random() % 2);
		else
			report_at_random(&w, id);
		changes += settle(&w, digest);
	}
	world_end(&w);
	return changes;
}

/* The same inputs give the same decisions, and decisions come to an end. */
static void is_deterministic_and_stable(void **state)
{
	unsigned int seed;
	uint64_t a, b;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		assert_true(random_run(seed, &a) > 10);
		random_run(seed, &b);
		assert_int_equal(a, b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(withdrawal_counts),
		cmocka_unit_test(expired_sets_are_empty),
		cmocka_unit_test(older_news_is_ignored),
		cmocka_unit_test(waits_for_the_collection_window),
		cmocka_unit_test(the_window_holds_no_good_news_back),
		cmocka_unit_test(goes_up_when_heard_and_not_accused),
		cmocka_unit_test(stays_down_while_the_arbiter_hears_nothing),
		cmocka_unit_test(a_new_life_goes_up_past_old_accusations),
		cmocka_unit_test(records_a_fast_restart),
		cmocka_unit_test(begins_with_all_down),
		cmocka_unit_test(two_failures_make_one_decision),
		cmocka_unit_test(mutual_accusations_need_others),
		cmocka_unit_test(a_partial_cut_does_not_flap),
		cmocka_unit_test(an_isolated_arbiter_marks_nobody_down),
		cmocka_unit_test(the_arbiters_node_can_go_down_itself),
		cmocka_unit_test(flapping_follows_the_evidence),
		cmocka_unit_test(forgetting_leaves_no_evidence),
		cmocka_unit_test(a_peer_that_is_gone_is_not_heard),
		cmocka_unit_test(keeps_evidence_across_maps),
		cmocka_unit_test(works_at_the_size_limit),
		cmocka_unit_test(is_deterministic_and_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
