// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arbiter from the kernel's events to the map on show, over a store that
 * can be told to fail, to fail after it has committed, and to take its time.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "daemon/arbiter/arbiter.h"
#include "daemon/clock.h"
#include "daemon/file.h"
#include "fixture.h"

#define NODES 5
#define WINDOW_US 6000 /* four graces of 1.5 ms */

/* A store in front of the one in memory, with trouble to order. */
struct tricky {
	struct store store;
	struct store *memory;
	unsigned int fail_before; /* so many appends are not even tried */
	unsigned int fail_after; /* so many commit and are told to fail */
	unsigned int fail_loads;
	bool later; /* answers wait for tricky_finish() */
	store_done_fn done;
	void *done_arg;
	int result;
	struct why why;
};

struct world {
	char *folder;
	struct config_node nodes[NODES];
	struct config config;
	sd_event *event;
	struct tricky tricky;
	struct board *board;
	struct status *status;
	struct arbiter *arbiter;
	uint64_t seq;
	struct why why;
};

static void tricky_close(struct store *store)
{
	(void)store;
}

static void tricky_load(struct store *store, store_loaded_fn loaded, void *arg)
{
	struct tricky *t = (struct tricky *)store;
	struct why why;

	if (!t->fail_loads) {
		store_load(t->memory, loaded, arg);
		return;
	}
	t->fail_loads--;
	why_set(&why, -EIO, "no answer");
	loaded(arg, -EIO, NULL, NULL, &why);
}

static void on_memory_done(void *arg, int result, const struct why *why)
{
	struct tricky *t = arg;

	t->result = result;
	if (result)
		t->why = *why;
}

static void tricky_finish(struct tricky *t)
{
	store_done_fn done = t->done;

	assert_non_null(done);
	t->done = NULL;
	done(t->done_arg, t->result, &t->why);
}

static void tricky_append(struct store *store, const struct map *map,
			  const struct store_claim *holder, store_done_fn done,
			  void *arg)
{
	struct tricky *t = (struct tricky *)store;

	assert_null(t->done);
	t->done = done;
	t->done_arg = arg;
	if (t->fail_before) {
		t->fail_before--;
		t->result = why_set(&t->why, -EIO, "disk trouble");
	} else {
		store_append(t->memory, map, holder, on_memory_done, t);
		if (t->fail_after) {
			t->fail_after--;
			t->result = why_set(&t->why, -EIO, "lost answer");
		} else if (!t->result) {
			store->committed(store->committed_arg, map);
		}
	}
	if (!t->later)
		tricky_finish(t);
}

static const struct store_ops tricky_ops = {
	.close = tricky_close,
	.load = tricky_load,
	.append = tricky_append,
};

static void set_up_config(struct world *w)
{
	struct config *c = &w->config;
	unsigned int i;

	strcpy(c->cluster, "test");
	c->settings = (struct map_settings){ 500, 1500, 2 };
	c->nodes = w->nodes;
	c->n_nodes = NODES;
	for (i = 0; i < NODES; i++) {
		struct map_node *node = &w->nodes[i].node;

		node->id = i + 1;
		snprintf(node->name, sizeof(node->name), "n%u", i + 1);
		strcpy(node->host, node->name);
		node->front = IPV4(10, 1, 0, i + 1);
	}
	w->nodes[0].node.arbiter = true;
	c->self = &w->nodes[0].node;
	c->arbiter = &w->nodes[0].node;
	snprintf(c->state_dir, sizeof(c->state_dir), "%s", w->folder);
	strcpy(c->store, "the-store");
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->folder = fixture_folder();
	set_up_config(w);
	assert_int_equal(sd_event_new(&w->event), 0);
	w->tricky.store.ops = &tricky_ops;
	store_memory_open(&w->tricky.memory);
	w->board = board_new();
	w->status = status_new(&w->config);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	arbiter_free(w->arbiter);
	store_close(w->tricky.memory);
	board_free(w->board);
	status_free(w->status);
	sd_event_unref(w->event);
	fixture_remove(w->folder);
	free(w);
	return 0;
}

/* Start, or start again. */
static int start(struct world *w)
{
	const struct arbiter_params params = {
		.config = &w->config,
		.event = w->event,
		.store = &w->tricky.store,
		.board = w->board,
		.status = w->status,
	};

	arbiter_free(w->arbiter);
	w->arbiter = NULL;
	return arbiter_new(&w->arbiter, &params, &w->why);
}

/* What is on show. */
static struct map *shown(struct world *w)
{
	struct board_text *text = board_get(w->board);
	struct map *map;

	assert_non_null(text);
	assert_int_equal(map_decode(&map, text->data, text->bytes, &w->why), 0);
	board_text_unref(text);
	return map;
}

static void expect_epoch(struct world *w, uint64_t epoch, const char *reason)
{
	struct map *map = shown(w);

	assert_int_equal(map->epoch, epoch);
	assert_string_equal(map->decision.reason, reason);
	map_free(map);
}

static void peer_event(struct world *w, uint32_t id,
		       enum kardia_event_type type)
{
	struct knl_event event = { .seq = ++w->seq, .type = type };

	event.peer = (struct knl_peer){
		.id = id,
		.state = type == KARDIA_EVENT_PEER_UP ? KARDIA_PEER_UP :
							KARDIA_PEER_DOWN,
		.incarnation = 100 + id,
		.event_seq = event.seq,
	};
	arbiter_listener.event(w->arbiter, &event);
}

static void report_event(struct world *w, uint32_t reporter, uint32_t accused)
{
	struct knl_event event = { .seq = ++w->seq,
				   .type = KARDIA_EVENT_REPORT };

	event.report = (struct knl_report){
		.reporter = reporter,
		.watched = NODES - 1,
		.silent = !!accused,
		.n_suspects = !!accused,
		.event_seq = event.seq,
		.suspects = { {
			.id = accused,
			.incarnation = 100 + accused,
			.silent_since_ns = clock_mono_ns() - 2000000,
			.grace_us = 1500,
			.paths = 1,
			.cause = KARDIA_CAUSE_SILENT,
		} },
	};
	arbiter_listener.event(w->arbiter, &event);
}

static void drained(struct world *w)
{
	arbiter_listener.drained(w->arbiter);
}

/* Epoch 1 by the takeover, epoch 2 with all others up; the window is over. */
static void start_and_settle(struct world *w)
{
	uint32_t id;

	assert_int_equal(start(w), 0);
	for (id = 2; id <= NODES; id++)
		peer_event(w, id, KARDIA_EVENT_PEER_UP);
	drained(w);
	expect_epoch(w, 2, "n2 up, n3 up, n4 up, n5 up");
	usleep(WINDOW_US + 1000);
}

static void takes_over(void **state)
{
	struct world *w = *state;
	struct map *map;

	assert_int_equal(start(w), 0);
	map = shown(w);
	assert_int_equal(map->epoch, 1);
	assert_int_equal(map->decision.term, 1);
	assert_string_equal(map->decision.arbiter, "n1");
	assert_int_equal(map->decision.n_changes, NODES);
	assert_int_equal(map->decision.changes[4].kind, MAP_NODE_ADDED);
	map_free(map);
	/* Each start is a term, and an epoch without a change. */
	assert_int_equal(start(w), 0);
	map = shown(w);
	assert_int_equal(map->epoch, 2);
	assert_int_equal(map->decision.term, 2);
	assert_int_equal(map->decision.n_changes, 0);
	assert_string_equal(map->decision.reason,
			    "arbiter n1 takes over, term 2");
	map_free(map);
}

static void follows_the_configuration(void **state)
{
	struct world *w = *state;
	struct map *map;

	start_and_settle(w);
	/* n2 moves, n5 is replaced by n6, the grace changes. */
	w->nodes[1].node.front = IPV4(10, 1, 0, 99);
	w->nodes[4].node.id = 6;
	strcpy(w->nodes[4].node.name, "n6");
	w->config.settings.grace_us = 2000;
	assert_int_equal(start(w), 0);
	map = shown(w);
	assert_int_equal(map->epoch, 3);
	assert_int_equal(map->settings.grace_us, 2000);
	assert_int_equal(map->decision.n_changes, 4);
	assert_int_equal(map->decision.changes[0].kind, MAP_NODE_CHANGED);
	assert_int_equal(map->decision.changes[0].id, 2);
	assert_int_equal(map->decision.changes[1].kind, MAP_NODE_ADDED);
	assert_int_equal(map->decision.changes[1].id, 6);
	assert_int_equal(map->decision.changes[2].kind, MAP_NODE_REMOVED);
	assert_string_equal(map->decision.changes[2].name, "n5");
	assert_int_equal(map->decision.changes[3].kind, MAP_SETTINGS_CHANGED);
	/* Verdicts stay as they were. */
	assert_true(map_find(map, 2)->up);
	assert_int_equal(map_find(map, 2)->incarnation, 102);
	assert_int_equal(map_find(map, 2)->since_epoch, 2);
	assert_false(map_find(map, 6)->up);
	assert_int_equal(map_find(map, 6)->since_epoch, 3);
	assert_null(map_find(map, 5));
	map_free(map);
}

static void refuses_another_clusters_store(void **state)
{
	struct world *w = *state;

	assert_int_equal(start(w), 0);
	strcpy(w->config.cluster, "other");
	assert_int_equal(start(w), -EINVAL);
	assert_contains(w->why.text, "is of the cluster 'test'");
}

/* The agent of this node keeps the map that it saw last. */
static void cache_shown(struct world *w)
{
	struct map *map = shown(w);
	char path[300];

	snprintf(path, sizeof(path), "%s/map.json", w->folder);
	assert_int_equal(
		file_replace(path, map->text, map->text_bytes, &w->why), 0);
	map_free(map);
}

static void refuses_a_store_behind_the_cache(void **state)
{
	struct world *w = *state;

	start_and_settle(w);
	cache_shown(w);
	assert_int_equal(start(w), 0);
	expect_epoch(w, 3, "arbiter n1 takes over, term 2");
	cache_shown(w);
	/* The store is lost, and a new one begins at epoch 1. */
	arbiter_free(w->arbiter);
	w->arbiter = NULL;
	store_close(w->tricky.memory);
	store_memory_open(&w->tricky.memory);
	assert_int_equal(start(w), -ESTALE);
	assert_contains(w->why.text, "followed up to epoch 3");
}

static void marks_down_and_up(void **state)
{
	struct world *w = *state;
	const struct map_change *change;
	struct map *map;

	start_and_settle(w);
	peer_event(w, 5, KARDIA_EVENT_PEER_DOWN);
	report_event(w, 2, 5);
	drained(w);
	assert_int_equal(board_epoch(w->board), 2);
	report_event(w, 3, 5);
	report_event(w, 4, 5);
	assert_int_equal(board_epoch(w->board), 2);
	drained(w);
	map = shown(w);
	assert_int_equal(map->epoch, 3);
	assert_string_equal(map->decision.reason, "n5 down");
	assert_false(map_find(map, 5)->up);
	assert_int_equal(map_find(map, 5)->cause, MAP_CAUSE_SILENT);
	assert_int_equal(map_find(map, 5)->since_epoch, 3);
	assert_true(map_find(map, 4)->up);
	change = &map->decision.changes[0];
	assert_int_equal(change->n_accusers, 3);
	assert_in_range(change->accusers[0].silent_us, 2000, 2000000);
	assert_true(map->decision.decided_mono_us > 0);
	map_free(map);

	report_event(w, 2, 0);
	report_event(w, 3, 0);
	report_event(w, 4, 0);
	peer_event(w, 5, KARDIA_EVENT_PEER_UP);
	drained(w);
	expect_epoch(w, 4, "n5 up");
}

static void two_at_once_make_one_epoch(void **state)
{
	struct world *w = *state;

	start_and_settle(w);
	w->config.settings.min_down_reporters = 1;
	assert_int_equal(start(w), 0);
	for (uint32_t id = 2; id <= 3; id++)
		peer_event(w, id, KARDIA_EVENT_PEER_UP);
	usleep(WINDOW_US + 1000);
	report_event(w, 2, 5);
	report_event(w, 3, 4);
	drained(w);
	expect_epoch(w, 4, "n4 down, n5 down");
}

/* Let the loop run until @epoch is on show, or for so long. */
static void run_until(struct world *w, uint64_t epoch, uint64_t for_ms)
{
	uint64_t end_ns = clock_mono_ns() + for_ms * 1000000;

	while (board_epoch(w->board) < epoch && clock_mono_ns() < end_ns)
		assert_true(sd_event_run(w->event, 10000) >= 0);
	assert_int_equal(board_epoch(w->board), epoch);
}

static void decides_when_the_window_ends(void **state)
{
	struct world *w = *state;

	start_and_settle(w);
	/* A window that does not end before the evidence is in. */
	w->config.settings.grace_us = 100000;
	assert_int_equal(start(w), 0);
	peer_event(w, 2, KARDIA_EVENT_PEER_UP);
	report_event(w, 2, 5);
	report_event(w, 3, 5);
	drained(w);
	assert_int_equal(board_epoch(w->board), 3);
	run_until(w, 4, 3000);
	expect_epoch(w, 4, "n5 down");
}

static void accuse_n5(struct world *w)
{
	report_event(w, 2, 5);
	report_event(w, 3, 5);
	drained(w);
}

static void tries_again_after_trouble(void **state)
{
	struct world *w = *state;
	size_t bytes;
	char *text;

	start_and_settle(w);
	w->tricky.fail_before = 1;
	accuse_n5(w);
	assert_int_equal(board_epoch(w->board), 2);
	text = status_json(w->status, &bytes);
	assert_contains(text, "\"error\":\"disk trouble\"");
	free(text);
	run_until(w, 3, 3000);
	expect_epoch(w, 3, "n5 down");
	text = status_json(w->status, &bytes);
	assert_null(strstr(text, "disk trouble"));
	free(text);
}

static void finds_what_was_committed_after_all(void **state)
{
	struct world *w = *state;

	start_and_settle(w);
	w->tricky.fail_after = 1;
	accuse_n5(w);
	expect_epoch(w, 3, "n5 down");
	report_event(w, 2, 0);
	report_event(w, 3, 0);
	drained(w);
	expect_epoch(w, 4, "n5 up");
}

/* The store does not even tell what it holds until later. */
static void finds_it_later_too(void **state)
{
	struct world *w = *state;

	start_and_settle(w);
	w->tricky.fail_after = 1;
	w->tricky.fail_loads = 1;
	accuse_n5(w);
	assert_int_equal(board_epoch(w->board), 2);
	/* The next try is refused as stale: by our own commit. */
	run_until(w, 3, 3000);
	expect_epoch(w, 3, "n5 down");
	report_event(w, 2, 0);
	report_event(w, 3, 0);
	drained(w);
	expect_epoch(w, 4, "n5 up");
}

/* Another arbiter takes over behind our back. */
static void depose(struct world *w)
{
	const struct store_claim ours = { 1, 1 };
	struct map *map = shown(w), *next = fixture_next(map, 9);

	store_append(w->tricky.memory, next, &ours, on_memory_done, &w->tricky);
	assert_int_equal(w->tricky.result, 0);
	map_free(map);
	map_free(next);
}

static void decides_nothing_once_deposed(void **state)
{
	struct world *w = *state;
	size_t bytes;
	char *text;

	start_and_settle(w);
	depose(w);
	accuse_n5(w);
	assert_int_equal(board_epoch(w->board), 2);
	text = status_json(w->status, &bytes);
	assert_contains(text, "another arbiter has taken over");
	free(text);
	report_event(w, 4, 5);
	drained(w);
	assert_int_equal(board_epoch(w->board), 2);
}

static void judges_after_a_pending_commit(void **state)
{
	struct world *w = *state;

	start_and_settle(w);
	w->tricky.later = true;
	accuse_n5(w);
	/* Meanwhile n4 fails as well; its accusers wait for the commit. */
	report_event(w, 2, 4);
	report_event(w, 3, 4);
	drained(w);
	tricky_finish(&w->tricky);
	/* Accusations of n5 have gone from the sets: it is up again. */
	tricky_finish(&w->tricky);
	assert_null(w->tricky.done);
	expect_epoch(w, 4, "n4 down, n5 up");
}

static void a_late_takeover_is_one(void **state)
{
	struct world *w = *state;

	w->tricky.later = true;
	assert_int_equal(start(w), 0);
	peer_event(w, 2, KARDIA_EVENT_PEER_UP);
	drained(w);
	tricky_finish(&w->tricky);
	expect_epoch(w, 1, "arbiter n1 takes over, term 1");
	peer_event(w, 2, KARDIA_EVENT_PEER_UP);
	drained(w);
	tricky_finish(&w->tricky);
	expect_epoch(w, 2, "n2 up");
}

static void losing_the_kernel_decides_nothing(void **state)
{
	struct world *w = *state;

	start_and_settle(w);
	report_event(w, 2, 5);
	report_event(w, 3, 5);
	arbiter_listener.lost(w->arbiter, &w->why);
	drained(w);
	assert_int_equal(board_epoch(w->board), 2);
}

#define ON_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_WORLD(takes_over),
		ON_WORLD(follows_the_configuration),
		ON_WORLD(refuses_another_clusters_store),
		ON_WORLD(refuses_a_store_behind_the_cache),
		ON_WORLD(marks_down_and_up),
		ON_WORLD(two_at_once_make_one_epoch),
		ON_WORLD(decides_when_the_window_ends),
		ON_WORLD(tries_again_after_trouble),
		ON_WORLD(finds_what_was_committed_after_all),
		ON_WORLD(finds_it_later_too),
		ON_WORLD(decides_nothing_once_deposed),
		ON_WORLD(judges_after_a_pending_commit),
		ON_WORLD(a_late_takeover_is_one),
		ON_WORLD(losing_the_kernel_decides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
