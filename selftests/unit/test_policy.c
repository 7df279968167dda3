// SPDX-License-Identifier: GPL-2.0-or-later
/* Which accusations count, and how many of them bring a node down. */
#include "policy_world.h"

static void needs_two_reporters(void **state)
{
	struct world w = world_up(5);
	const struct map_change *change;

	(void)state;
	report(&w, 2, 5);
	expect_nothing(&w);
	report(&w, 3, 5);
	change = expect(&w, MAP_NODE_DOWN, 5);
	assert_string_equal(change->name, "n5");
	assert_int_equal(change->incarnation, life(5));
	assert_int_equal(change->cause, MAP_CAUSE_SILENT);
	commit(&w);
	expect_nothing(&w);
	world_end(&w);
}

static void needs_as_many_as_configured(void **state)
{
	struct world w = world_up(6);
	unsigned int i;

	(void)state;
	w.map->settings.min_down_reporters = 4;
	for (i = 1; i <= 3; i++) {
		report(&w, i, 6);
		expect_nothing(&w);
	}
	report(&w, 4, 6);
	expect(&w, MAP_NODE_DOWN, 6);
	world_end(&w);
}

static void one_is_enough_if_configured(void **state)
{
	struct world w = world_up(3);

	(void)state;
	w.map->settings.min_down_reporters = 1;
	report(&w, 2, 3);
	expect(&w, MAP_NODE_DOWN, 3);
	world_end(&w);
}

static void names_the_accusers(void **state)
{
	struct world w = world_up(5);
	const struct map_change *change;

	(void)state;
	report(&w, 2, 5);
	report(&w, 4, 5);
	report(&w, 3, 5);
	change = expect(&w, MAP_NODE_DOWN, 5);
	assert_int_equal(change->n_accusers_total, 3);
	assert_int_equal(change->n_accusers, 3);
	/* The longest silence first. */
	assert_int_equal(change->accusers[0].id, 4);
	assert_int_equal(change->accusers[0].silent_us, 54000);
	assert_int_equal(change->accusers[0].grace_us, 50000);
	assert_int_equal(change->accusers[0].own_lateness_us, 4);
	assert_int_equal(change->accusers[0].paths, 3);
	assert_int_equal(change->accusers[0].incarnation, life(5));
	assert_int_equal(change->accusers[2].id, 2);
	world_end(&w);
}

static void names_a_few_of_many(void **state)
{
	struct world w = world_up(40);
	const struct map_change *change;
	unsigned int i;

	(void)state;
	for (i = 1; i <= 39; i++)
		report(&w, i, 40);
	change = expect(&w, MAP_NODE_DOWN, 40);
	assert_int_equal(change->n_accusers_total, 39);
	assert_int_equal(change->n_accusers, MAP_ACCUSERS_MAX);
	for (i = 0; i < MAP_ACCUSERS_MAX; i++)
		assert_int_equal(change->accusers[i].id, 39 - i);
	world_end(&w);
}

static void counts_the_arbiters_own_node(void **state)
{
	struct world w = world_up(3);

	(void)state;
	report(&w, 1, 3);
	expect_nothing(&w);
	report(&w, 2, 3);
	expect(&w, MAP_NODE_DOWN, 3);
	world_end(&w);
}

/* Give a world another layout of hosts. */
static void set_host(struct world *w, uint32_t id, const char *host)
{
	struct map *map = fixture_map(w->map->n_nodes), *old = w->map;

	memcpy(map->nodes, old->nodes, old->n_nodes * sizeof(*map->nodes));
	map->settings = old->settings;
	strcpy(map_find(map, id)->host, host);
	policy_set_map(w->policy, map);
	w->map = map;
	map_free(old);
}

static void counts_a_host_once(void **state)
{
	struct world w = world_up(5);

	(void)state;
	set_host(&w, 3, "h2");
	report(&w, 2, 5);
	report(&w, 3, 5);
	expect_nothing(&w);
	report(&w, 4, 5);
	/* Both are named all the same. */
	assert_int_equal(expect(&w, MAP_NODE_DOWN, 5)->n_accusers_total, 3);
	world_end(&w);
}

static void does_not_count_the_accuseds_host(void **state)
{
	struct world w = world_up(5);

	(void)state;
	set_host(&w, 4, "h5");
	report(&w, 4, 5);
	report(&w, 2, 5);
	expect_nothing(&w);
	report(&w, 3, 5);
	assert_int_equal(expect(&w, MAP_NODE_DOWN, 5)->n_accusers_total, 2);
	world_end(&w);
}

static void does_not_count_self_accusation(void **state)
{
	struct world w = world_up(5);

	(void)state;
	report(&w, 5, 5);
	report(&w, 2, 5);
	expect_nothing(&w);
	world_end(&w);
}

static void does_not_count_down_reporters(void **state)
{
	struct world w = world_up(5);

	(void)state;
	w.map->nodes[3].up = false;
	peer(&w, 4, KARDIA_PEER_DOWN);
	report(&w, 4, 5);
	report(&w, 2, 5);
	expect_nothing(&w);
	/* It counts once it is up again. */
	peer(&w, 4, KARDIA_PEER_UP);
	expect(&w, MAP_NODE_UP, 4);
	commit(&w);
	expect(&w, MAP_NODE_DOWN, 5);
	world_end(&w);
}

static void does_not_count_who_hears_nobody(void **state)
{
	struct world w = world_up(5);
	struct knl_report cut = empty_report(&w, 2);
	unsigned int i;

	(void)state;
	for (i = 1; i <= 5; i++)
		if (i != 2)
			add_suspect(&w, &cut, i, life(i));
	policy_report(w.policy, &cut);
	report(&w, 3, 5);
	expect_nothing(&w);
	/* Hearing one is enough to be believed. */
	cut = empty_report(&w, 2);
	for (i = 3; i <= 5; i++)
		add_suspect(&w, &cut, i, life(i));
	policy_report(w.policy, &cut);
	expect(&w, MAP_NODE_DOWN, 5);
	world_end(&w);
}

static void believes_silence_beyond_the_set(void **state)
{
	struct world w = world_up(5);
	struct knl_report report2 = empty_report(&w, 2);

	/* Four are silent, one of them is named. */
	(void)state;
	add_suspect(&w, &report2, 5, life(5));
	report2.silent = 4;
	policy_report(w.policy, &report2);
	report(&w, 3, 5);
	expect_nothing(&w);
	world_end(&w);
}

static void ignores_strangers(void **state)
{
	struct world w = world_up(3);

	(void)state;
	report(&w, 77, 3);
	report(&w, 2, 88);
	report(&w, 1, 88);
	peer(&w, 99, KARDIA_PEER_UP);
	policy_peer_gone(w.policy, 98, ++w.seq);
	expect_nothing(&w);
	world_end(&w);
}

static void accusations_of_an_older_life_are_void(void **state)
{
	struct world w = world_up(5);

	(void)state;
	report_in(&w, 2, 5, 4711);
	report_in(&w, 3, 5, 4711);
	expect_nothing(&w);
	/* The life of the map, heard no more by the arbiter: it counts. */
	report(&w, 2, 5);
	report(&w, 3, 5);
	expect(&w, MAP_NODE_DOWN, 5);
	world_end(&w);
}

static void never_heard_names_no_life(void **state)
{
	struct world w = world_up(5);

	(void)state;
	report_in(&w, 2, 5, 0);
	report_in(&w, 3, 5, 0);
	assert_int_equal(expect(&w, MAP_NODE_DOWN, 5)->cause,
			 MAP_CAUSE_NEVER_HEARD);
	world_end(&w);
}

/*
 * n5 restarts, its new life is heard by two others, and it dies before the
 * arbiter hears it: their accusations name a life the arbiter never met.
 */
static void a_life_that_only_others_met_can_be_accused(void **state)
{
	struct world w = world_up(5);

	(void)state;
	peer(&w, 5, KARDIA_PEER_DOWN);
	report_in(&w, 2, 5, 999);
	report_in(&w, 3, 5, 999);
	expect(&w, MAP_NODE_DOWN, 5);
	world_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_two_reporters),
		cmocka_unit_test(needs_as_many_as_configured),
		cmocka_unit_test(one_is_enough_if_configured),
		cmocka_unit_test(names_the_accusers),
		cmocka_unit_test(names_a_few_of_many),
		cmocka_unit_test(counts_the_arbiters_own_node),
		cmocka_unit_test(counts_a_host_once),
		cmocka_unit_test(does_not_count_the_accuseds_host),
		cmocka_unit_test(does_not_count_self_accusation),
		cmocka_unit_test(does_not_count_down_reporters),
		cmocka_unit_test(does_not_count_who_hears_nobody),
		cmocka_unit_test(believes_silence_beyond_the_set),
		cmocka_unit_test(ignores_strangers),
		cmocka_unit_test(accusations_of_an_older_life_are_void),
		cmocka_unit_test(never_heard_names_no_life),
		cmocka_unit_test(a_life_that_only_others_met_can_be_accused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
