// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel follows the map by the fewest calls, and whatever fails midway is
 * made up for by the next attempt. The kernel is a fake that keeps what it was
 * told and counts.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "daemon/agent/program.h"
#include "fixture.h"

#define PEERS_MAX 16

struct knl {
	bool running;
	struct knl_node node;
	struct knl_peer peers[PEERS_MAX];
	unsigned int n_peers;
	unsigned int node_sets, node_dels, peer_sets, peer_dels;
	int fail_after; /* so many more changes succeed; -1: all */
	uint64_t epoch_at_last_peer_set;
	uint64_t lives;
};

static int change(struct knl *k)
{
	if (!k->fail_after)
		return -EPERM;
	if (k->fail_after > 0)
		k->fail_after--;
	return 0;
}

static int fake_node_get(struct knl *k, struct knl_node *node)
{
	if (!k->running)
		return -ENODEV;
	*node = k->node;
	return 0;
}

static int fake_node_set(struct knl *k, const struct knl_node_config *config)
{
	int ret = change(k);

	if (ret)
		return ret;
	if (k->running &&
	    (k->node.id != config->id || k->node.cluster != config->cluster))
		return -EBUSY;
	if (!k->running)
		k->node.incarnation = ++k->lives;
	k->running = true;
	k->node_sets++;
	k->node.id = config->id;
	k->node.cluster = config->cluster;
	k->node.interval_us = config->interval_us;
	k->node.grace_us = config->grace_us;
	k->node.arbiter = config->arbiter;
	k->node.insecure = true;
	if (config->map_epoch)
		k->node.map_epoch = config->map_epoch;
	return 0;
}

static int fake_node_del(struct knl *k)
{
	int ret = change(k);

	if (ret)
		return ret;
	k->node_dels++;
	k->running = false;
	k->n_peers = 0;
	memset(&k->node, 0, sizeof(k->node));
	return 0;
}

static struct knl_peer *find_peer(struct knl *k, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < k->n_peers; i++)
		if (k->peers[i].id == id)
			return &k->peers[i];
	return NULL;
}

static int fake_peer_set(struct knl *k, const struct knl_peer *peer)
{
	struct knl_peer *known = find_peer(k, peer->id);
	int ret = change(k);

	if (ret)
		return ret;
	k->peer_sets++;
	k->epoch_at_last_peer_set = k->node.map_epoch;
	if (!known)
		known = &k->peers[k->n_peers++];
	*known = *peer;
	return 0;
}

static int fake_peer_del(struct knl *k, uint32_t id)
{
	struct knl_peer *known = find_peer(k, id);
	int ret = change(k);

	if (ret)
		return ret;
	if (!known)
		return -ENOENT;
	k->peer_dels++;
	*known = k->peers[--k->n_peers];
	return 0;
}

/* As a dump that was torn: each peer twice. */
static int fake_peer_dump(struct knl *k,
			  void (*each)(void *arg, const struct knl_peer *peer),
			  void *arg)
{
	unsigned int i;

	for (i = 0; i < 2 * k->n_peers; i++)
		each(arg, &k->peers[i / 2]);
	return 0;
}

static const struct program_ops fake = {
	.node_get = fake_node_get,
	.node_set = fake_node_set,
	.node_del = fake_node_del,
	.peer_set = fake_peer_set,
	.peer_del = fake_peer_del,
	.peer_dump = fake_peer_dump,
};

static int program_as(struct knl *k, const struct map *map, uint32_t self,
		      bool replace, struct program_result *result)
{
	const struct program program = {
		.map = map,
		.self_id = self,
		.cluster_id = 77,
		.insecure = true,
		.replace = replace,
	};

	return program_kernel(&fake, k, &program, result);
}

static struct program_result program(struct knl *k, const struct map *map)
{
	struct program_result result;

	assert_int_equal(program_as(k, map, 2, false, &result), 0);
	return result;
}

static void expect_calls(struct knl *k, unsigned int node_sets,
			 unsigned int peer_sets, unsigned int peer_dels)
{
	assert_int_equal(k->node_sets, node_sets);
	assert_int_equal(k->peer_sets, peer_sets);
	assert_int_equal(k->peer_dels, peer_dels);
	k->node_sets = 0;
	k->peer_sets = 0;
	k->peer_dels = 0;
}

static struct map *map_at(unsigned int n, uint64_t epoch)
{
	struct map *map = fixture_map(n);

	map->epoch = epoch;
	return map;
}

static void sets_up_an_idle_kernel(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *map = map_at(4, 7);
	struct program_result result;

	(void)state;
	map->nodes[3].back.s_addr = 0;
	result = program(&k, map);
	assert_true(result.configured);
	assert_int_equal(result.peers_set, 3);
	assert_int_equal(result.epoch, 7);
	assert_int_equal(k.node.id, 2);
	assert_int_equal(k.node.cluster, 77);
	assert_int_equal(k.node.interval_us, 10000);
	assert_int_equal(k.node.grace_us, 50000);
	assert_false(k.node.arbiter);
	assert_int_equal(k.node.map_epoch, 7);
	/* The epoch comes last. */
	assert_int_equal(k.epoch_at_last_peer_set, 0);
	assert_null(find_peer(&k, 2));
	assert_true(find_peer(&k, 1)->arbiter);
	assert_int_equal(find_peer(&k, 1)->path[1].local.s_addr,
			 map->nodes[1].back.s_addr);
	assert_int_equal(find_peer(&k, 1)->path[1].remote.s_addr,
			 map->nodes[0].back.s_addr);
	assert_true(find_peer(&k, 4)->path[0].present);
	assert_false(find_peer(&k, 4)->path[1].present);
	map_free(map);
}

static void sends_nothing_twice(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *map = map_at(4, 7);

	(void)state;
	program(&k, map);
	expect_calls(&k, 2, 3, 0);
	program(&k, map);
	expect_calls(&k, 0, 0, 0);
	assert_int_equal(k.lives, 1);
	map_free(map);
}

static void a_verdict_costs_one_call(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *map = map_at(4, 7);

	(void)state;
	program(&k, map);
	expect_calls(&k, 2, 3, 0);
	map->epoch = 8;
	map->nodes[3].up = true;
	program(&k, map);
	expect_calls(&k, 1, 0, 0);
	assert_int_equal(k.node.map_epoch, 8);
	map_free(map);
}

static void sends_differences_only(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *map = map_at(5, 7), *next = map_at(5, 8);

	(void)state;
	program(&k, map);
	expect_calls(&k, 2, 4, 0);
	/* n3 moves, n4 becomes an arbiter, n5 leaves. */
	next->nodes[2].front = IPV4(10, 9, 9, 9);
	next->nodes[3].arbiter = true;
	next->n_nodes = 4;
	program(&k, next);
	expect_calls(&k, 1, 2, 1);
	assert_null(find_peer(&k, 5));
	assert_true(find_peer(&k, 4)->arbiter);
	/* A path that comes or goes is a difference, too. */
	next->epoch = 9;
	next->nodes[2].back.s_addr = 0;
	program(&k, next);
	expect_calls(&k, 1, 1, 0);
	/* So are the settings. */
	next->epoch = 10;
	next->settings.grace_us = 60000;
	program(&k, next);
	expect_calls(&k, 2, 0, 0);
	assert_int_equal(k.node.grace_us, 60000);
	map_free(map);
	map_free(next);
}

static void begins_without_a_map(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *seed = map_at(3, 0), *map = map_at(3, 1);

	(void)state;
	program(&k, seed);
	expect_calls(&k, 1, 2, 0);
	assert_int_equal(k.node.map_epoch, 0);
	program(&k, map);
	expect_calls(&k, 1, 0, 0);
	map_free(seed);
	map_free(map);
}

static void leaves_a_newer_map_alone(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *map = map_at(4, 7), *old = map_at(2, 6);
	struct program_result result;

	(void)state;
	program(&k, map);
	expect_calls(&k, 2, 3, 0);
	old->settings.grace_us = 90000;
	result = program(&k, old);
	assert_int_equal(result.epoch, 7);
	old->epoch = 0;
	program(&k, old);
	expect_calls(&k, 0, 0, 0);
	map_free(map);
	map_free(old);
}

static void completes_after_failures(void **state)
{
	struct map *map = map_at(5, 7), *old = map_at(6, 6);
	struct program_result result;
	int successes;

	/* Fail at each of the calls, then try again. */
	(void)state;
	for (successes = 0; successes < 8; successes++) {
		struct knl k = { .fail_after = -1 };

		program(&k, old);
		map->nodes[2].front = IPV4(10, 9, 9, 9);
		k.fail_after = successes;
		if (program_as(&k, map, 2, false, &result)) {
			assert_int_equal(k.node.map_epoch, 6);
			k.fail_after = -1;
			program(&k, map);
		}
		assert_int_equal(k.node.map_epoch, 7);
		assert_int_equal(k.n_peers, 4);
		assert_null(find_peer(&k, 6));
		assert_int_equal(find_peer(&k, 3)->path[0].remote.s_addr,
				 map->nodes[2].front.s_addr);
		assert_int_equal(k.lives, 1);
	}
	map_free(map);
	map_free(old);
}

static void is_not_another_node(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *map = map_at(4, 7);
	struct program_result result;

	(void)state;
	program(&k, map);
	assert_int_equal(program_as(&k, map, 3, false, &result), -EBUSY);
	assert_int_equal(k.node.id, 2);
	/* Unless it may begin anew. */
	assert_int_equal(program_as(&k, map, 3, true, &result), 0);
	assert_true(result.configured);
	assert_int_equal(k.node_dels, 1);
	assert_int_equal(k.node.id, 3);
	assert_int_equal(k.lives, 2);
	assert_non_null(find_peer(&k, 2));
	map_free(map);
}

static void a_map_without_this_node_changes_nothing(void **state)
{
	struct knl k = { .fail_after = -1 };
	struct map *map = map_at(4, 7), *next = map_at(4, 8);
	struct program_result result;

	(void)state;
	program(&k, map);
	expect_calls(&k, 2, 3, 0);
	next->nodes[1].id = 99;
	assert_int_equal(program_as(&k, next, 2, true, &result), -ENXIO);
	expect_calls(&k, 0, 0, 0);
	map_free(map);
	map_free(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_up_an_idle_kernel),
		cmocka_unit_test(sends_nothing_twice),
		cmocka_unit_test(a_verdict_costs_one_call),
		cmocka_unit_test(sends_differences_only),
		cmocka_unit_test(begins_without_a_map),
		cmocka_unit_test(leaves_a_newer_map_alone),
		cmocka_unit_test(completes_after_failures),
		cmocka_unit_test(is_not_another_node),
		cmocka_unit_test(a_map_without_this_node_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
