// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent against a server in the same process, without a kernel: what maps
 * it takes and refuses, what it starts from, and how it gets back to an arbiter
 * that was away.
 */
#include <errno.h>
#include <sys/stat.h>

#include "daemon/agent/agent.h"
#include "daemon/agent/cache.h"
#include "http_world.h"

struct fixture {
	struct world *w; /* of the arbiter, n1 */
	struct config_node nodes[3];
	struct config config; /* of the agent, n2 */
	sd_event *event;
	struct kernel *kernel;
	struct board *board;
	struct status *status;
	struct agent *agent;
};

static void set_up_config(struct fixture *f)
{
	struct map *map = fixture_map(3);
	struct config *c = &f->config;
	int i;

	for (i = 0; i < 3; i++)
		f->nodes[i].node = map->nodes[i];
	map_free(map);
	f->nodes[0].node.front = IPV4(127, 0, 0, 1);
	f->nodes[0].node.back = IPV4(127, 0, 0, 2);
	strcpy(c->cluster, "test");
	c->settings = (struct map_settings){ 10000, 50000, 2 };
	c->nodes = f->nodes;
	c->n_nodes = 3;
	c->arbiter = &f->nodes[0].node;
	c->self = &f->nodes[1].node;
	c->listen_port = f->w->params.port;
	snprintf(c->state_dir, sizeof(c->state_dir), "%s/state", f->w->folder);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	curl_global_init(CURL_GLOBAL_DEFAULT);
	f->w = world_new();
	set_up_config(f);
	assert_int_equal(sd_event_new(&f->event), 0);
	f->kernel = kernel_new(f->event);
	f->board = board_new();
	f->status = status_new(&f->config);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	agent_free(f->agent);
	kernel_free(f->kernel);
	sd_event_unref(f->event);
	board_free(f->board);
	status_free(f->status);
	world_free(f->w);
	free(f);
	curl_global_cleanup();
	return 0;
}

static void start(struct fixture *f)
{
	const struct agent_params params = {
		.config = &f->config,
		.event = f->event,
		.kernel = f->kernel,
		.board = f->board,
		.status = f->status,
	};
	struct why why;

	assert_int_equal(agent_new(&f->agent, &params, &why), 0);
	agent_start(f->agent);
}

static void run_for(struct fixture *f, uint64_t ms)
{
	uint64_t end_ms = now_ms() + ms;

	while (now_ms() < end_ms)
		assert_true(sd_event_run(f->event, 5000) >= 0);
}

/* Run until the agent follows @epoch; how long it took. */
static uint64_t run_until(struct fixture *f, uint64_t epoch)
{
	uint64_t start_ms = now_ms();

	while (board_epoch(f->board) != epoch && now_ms() < start_ms + 5000)
		assert_true(sd_event_run(f->event, 5000) >= 0);
	assert_int_equal(board_epoch(f->board), epoch);
	return now_ms() - start_ms;
}

static void expect_status(struct fixture *f, const char *part)
{
	size_t bytes;
	char *text = status_json(f->status, &bytes);

	assert_contains(text, part);
	free(text);
}

/* Wait for the thread that writes. */
static void end_agent(struct fixture *f)
{
	agent_free(f->agent);
	f->agent = NULL;
	/* Its listener must not be called any more. */
	kernel_free(f->kernel);
	f->kernel = kernel_new(f->event);
}

static struct map *cached(struct fixture *f)
{
	struct map *map;
	struct why why;

	if (cache_load(f->config.state_dir, "test", &map, &why))
		fail_msg("%s", why.text);
	return map;
}

static void follows_epoch_by_epoch(void **state)
{
	struct fixture *f = *state;
	struct map *map;
	int i;

	world_start(f->w);
	publish(f->w);
	start(f);
	run_until(f, 1);
	for (i = 2; i <= 10; i++) {
		publish(f->w);
		assert_in_range(run_until(f, i), 0, PROMPT_MS);
	}
	expect_status(f, "\"epoch\":10,\"applied_epoch\":0");
	expect_status(f, "\"arbiter_reachable\":true");
	end_agent(f);
	map = cached(f);
	assert_string_equal(map->text, f->w->map->text);
	map_free(map);
}

static void waits_without_asking_again_and_again(void **state)
{
	struct fixture *f = *state;

	world_start(f->w);
	publish(f->w);
	start(f);
	run_until(f, 1);
	/* Over several holds, each of which ends without news. */
	run_for(f, 2 * HOLD_MS + 500);
	expect_status(f, "\"arbiter_reachable\":true");
	publish(f->w);
	assert_in_range(run_until(f, 2), 0, PROMPT_MS);
}

static void starts_from_the_cache(void **state)
{
	struct fixture *f = *state;

	world_start(f->w);
	publish(f->w);
	publish(f->w);
	start(f);
	run_until(f, 2);
	end_agent(f);
	board_free(f->board);
	f->board = board_new();
	server_stop(f->w->server);
	f->w->server = NULL;

	start(f);
	assert_int_equal(board_epoch(f->board), 2);
	run_for(f, 300);
	expect_status(f, "\"epoch\":2");
	expect_status(f, "\"arbiter_reachable\":false");
	/* It is known at once that the arbiter answers, also without news. */
	world_start(f->w);
	run_for(f, 1100);
	expect_status(f, "\"arbiter_reachable\":true");
	publish(f->w);
	assert_in_range(run_until(f, 3), 0, PROMPT_MS);
}

/* Another chain that has come as far as ours while we were away. */
static void finds_a_fork_when_it_comes_back(void **state)
{
	struct fixture *f = *state;
	struct map *fork;
	struct why why;

	world_start(f->w);
	publish(f->w);
	start(f);
	run_until(f, 1);
	server_stop(f->w->server);
	f->w->server = NULL;
	run_for(f, 250);
	fork = fixture_next(NULL, 7);
	assert_int_equal(map_seal(fork, &why), 0);
	board_publish(f->w->params.arbiter_map, fork);
	world_start(f->w);
	run_for(f, 2500);
	expect_status(f, "\"arbiter_error\":\"another epoch 1 than ours\"");
	map_free(fork);
}

static void write_cache(struct fixture *f, const char *text, size_t bytes)
{
	char path[300];

	mkdir(f->config.state_dir, 0755);
	snprintf(path, sizeof(path), "%s/map.json", f->config.state_dir);
	fixture_write(path, text, bytes);
}

static void does_without_a_cache_that_is_damaged(void **state)
{
	struct fixture *f = *state;

	write_cache(f, "{\"schema\":\"kardia.map/1\"", 24);
	start(f);
	assert_int_equal(board_epoch(f->board), 0);
	world_start(f->w);
	publish(f->w);
	run_until(f, 1);
}

static void jumps_over_missed_epochs(void **state)
{
	struct fixture *f = *state;
	int i;

	world_start(f->w);
	publish(f->w);
	start(f);
	run_until(f, 1);
	end_agent(f);
	for (i = 0; i < 6; i++)
		publish(f->w);
	start(f);
	run_until(f, 7);
}

/* What the arbiter shows is @map, as if it were its next. */
static void show(struct fixture *f, struct map *map)
{
	struct why why;

	assert_int_equal(map_seal(map, &why), 0);
	board_publish(f->w->params.arbiter_map, map);
	map_free(map);
}

static void refuses_maps_that_do_not_follow(void **state)
{
	struct fixture *f = *state;
	struct map *first, *map;

	world_start(f->w);
	publish(f->w);
	first = fixture_next(NULL, 1);
	publish(f->w);
	publish(f->w);
	start(f);
	run_until(f, 3);

	/* An epoch that goes back. */
	board_publish(f->w->params.arbiter_map, first);
	run_for(f, 200);
	assert_int_equal(board_epoch(f->board), 3);
	/* The next epoch, of another chain. */
	map = fixture_next(f->w->map, 1);
	map->prev_hash[0] ^= 1;
	show(f, map);
	run_for(f, 1200);
	assert_int_equal(board_epoch(f->board), 3);
	/* Our epoch, with another content. */
	map = fixture_next(first, 1);
	map->epoch = 3;
	show(f, map);
	run_for(f, 1200);
	assert_int_equal(board_epoch(f->board), 3);
	/* Another cluster's. */
	map = fixture_next(f->w->map, 1);
	strcpy(map->cluster, "other");
	show(f, map);
	run_for(f, 1200);
	assert_int_equal(board_epoch(f->board), 3);
	/* The right one is taken all the same. */
	publish(f->w);
	assert_in_range(run_until(f, 4), 0, 1000 + PROMPT_MS);
	map_free(first);
}

static void comes_back_to_a_restarted_arbiter(void **state)
{
	struct fixture *f = *state;
	int i;

	world_start(f->w);
	publish(f->w);
	start(f);
	run_until(f, 1);
	for (i = 2; i < 5; i++) {
		server_stop(f->w->server);
		f->w->server = NULL;
		run_for(f, 250);
		expect_status(f, "\"arbiter_reachable\":false");
		world_start(f->w);
		publish(f->w);
		assert_in_range(run_until(f, i), 0, 1000 + PROMPT_MS);
		expect_status(f, "\"arbiter_reachable\":true");
	}
}

static void takes_the_other_network(void **state)
{
	struct fixture *f = *state;

	/* Nobody listens on the front address. */
	f->w->params.addresses[0] = IPV4(127, 0, 0, 2);
	world_start(f->w);
	publish(f->w);
	start(f);
	assert_in_range(run_until(f, 1), 0, PROMPT_MS);
	expect_status(f, "\"arbiter_reachable\":true");
	publish(f->w);
	assert_in_range(run_until(f, 2), 0, PROMPT_MS);
}

#define WITH_AGENT(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_AGENT(follows_epoch_by_epoch),
		WITH_AGENT(waits_without_asking_again_and_again),
		WITH_AGENT(starts_from_the_cache),
		WITH_AGENT(finds_a_fork_when_it_comes_back),
		WITH_AGENT(does_without_a_cache_that_is_damaged),
		WITH_AGENT(jumps_over_missed_epochs),
		WITH_AGENT(refuses_maps_that_do_not_follow),
		WITH_AGENT(comes_back_to_a_restarted_arbiter),
		WITH_AGENT(takes_the_other_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
