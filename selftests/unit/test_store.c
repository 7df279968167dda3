// SPDX-License-Identifier: GPL-2.0-or-later
/* What every store has to keep, run on each implementation. */
#include "store_world.h"

static int set_up_memory(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_int_equal(store_memory_open(&f->store), 0);
	*state = f;
	return 0;
}

static struct outcome read_epoch(struct store *store, uint64_t epoch)
{
	struct outcome o = { 0 };

	store_read(store, epoch, on_loaded, &o);
	assert_int_equal(o.calls, 1);
	return o;
}

static void is_empty_at_first(void **state)
{
	struct fixture *f = *state;
	struct outcome o = load(f->store);

	assert_int_equal(o.result, -ENOENT);
	assert_null(o.map);
	assert_int_equal(o.claim.term, 0);
	assert_int_equal(read_epoch(f->store, 0).result, -ENOENT);
	assert_int_equal(read_epoch(f->store, 1).result, -ENOENT);
}

static void keeps_a_chain(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 3);
	struct outcome o;

	expect_newest(f->store, map, term1);
	o = read_epoch(f->store, 2);
	assert_int_equal(o.result, 0);
	assert_int_equal(o.map->epoch, 2);
	assert_memory_equal(o.map->hash, map->prev_hash, MAP_HASH_BYTES);
	map_free(o.map);
	map_free(map);
}

static void refuses_what_does_not_follow(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 2);
	struct map *same = fixture_next(NULL, 1);
	struct map *skipping = fixture_next(map, 1);
	struct map *forked = fixture_next(map, 1);
	struct why why;

	/* Epoch 1 again, epoch 4 after 2, epoch 3 on another epoch 2. */
	assert_int_equal(append(f->store, same, term1), -ESTALE);
	skipping->epoch++;
	assert_int_equal(map_seal(skipping, &why), 0);
	assert_int_equal(append(f->store, skipping, term1), -ESTALE);
	forked->prev_hash[31] ^= 1;
	assert_int_equal(map_seal(forked, &why), 0);
	assert_int_equal(append(f->store, forked, term1), -ESTALE);
	expect_newest(f->store, map, term1);
	map_free(same);
	map_free(skipping);
	map_free(forked);
	map_free(map);
}

static void refuses_a_first_map_that_is_not(void **state)
{
	struct fixture *f = *state;
	struct map *first = fixture_next(NULL, 1);
	struct map *second = fixture_next(first, 1);
	struct why why;

	assert_int_equal(append(f->store, second, nobody), -ESTALE);
	first->prev_hash[0] = 1;
	assert_int_equal(map_seal(first, &why), 0);
	assert_int_equal(append(f->store, first, nobody), -ESTALE);
	assert_int_equal(load(f->store).result, -ENOENT);
	map_free(first);
	map_free(second);
}

static void refuses_who_does_not_act(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 1);
	struct map *next = fixture_next(map, 1);
	struct map *taken = fixture_next(map, 2);
	struct map *late = fixture_next(taken, 1);
	struct map *lower = fixture_next(taken, 1);

	assert_int_equal(append(f->store, next, nobody), -ESTALE);
	assert_int_equal(append(f->store, next, (struct store_claim){ 2, 1 }),
			 -ESTALE);
	/* A takeover; from then on the old term is void, on any base. */
	assert_int_equal(append(f->store, taken, term1), 0);
	assert_int_equal(append(f->store, late, term1), -ESTALE);
	assert_int_equal(append(f->store, lower, term2), -ESTALE);
	expect_newest(f->store, taken, term2);
	map_free(map);
	map_free(next);
	map_free(taken);
	map_free(late);
	map_free(lower);
}

static void refuses_another_arbiter_in_a_term(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 1);
	struct map *next = fixture_next(map, 1);
	struct why why;

	next->decision.arbiter_id = 2;
	assert_int_equal(map_seal(next, &why), 0);
	assert_int_equal(append(f->store, next, term1), -ESTALE);
	expect_newest(f->store, map, term1);
	map_free(map);
	map_free(next);
}

static void on_commit(void *arg, const struct map *map)
{
	*(uint64_t *)arg = map->epoch;
}

static void tells_the_watcher_of_commits_only(void **state)
{
	struct fixture *f = *state;
	struct map *map, *bad;
	uint64_t seen = 0;

	store_watch(f->store, on_commit, &seen);
	map = fill(f->store, 2);
	assert_int_equal(seen, 2);
	bad = fixture_next(NULL, 1);
	seen = 0;
	assert_int_equal(append(f->store, bad, term1), -ESTALE);
	assert_int_equal(seen, 0);
	map_free(map);
	map_free(bad);
}

static void keeps_its_history_and_no_more(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, STORE_HISTORY_EPOCHS + 5);
	struct outcome o = read_epoch(f->store, 6);

	assert_int_equal(o.result, 0);
	assert_int_equal(o.map->epoch, 6);
	map_free(o.map);
	assert_int_equal(read_epoch(f->store, 5).result, -ENOENT);
	expect_newest(f->store, map, term1);
	map_free(map);
}

#define ON_BOTH(test)                                               \
	{ "memory_" #test, test, set_up_memory, tear_down, NULL },  \
	{                                                           \
		"sqlite_" #test, test, set_up_file, tear_down, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_BOTH(is_empty_at_first),
		ON_BOTH(keeps_a_chain),
		ON_BOTH(refuses_what_does_not_follow),
		ON_BOTH(refuses_a_first_map_that_is_not),
		ON_BOTH(refuses_who_does_not_act),
		ON_BOTH(refuses_another_arbiter_in_a_term),
		ON_BOTH(tells_the_watcher_of_commits_only),
		ON_BOTH(keeps_its_history_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
