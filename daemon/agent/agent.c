// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the map in force on this node: from the cache or the configuration at
 * the start, then from the arbiter. How the kernel is made to follow it is
 * program.c's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/agent/agent.h"
#include "daemon/agent/cache.h"
#include "daemon/agent/fetch.h"
#include "daemon/agent/follow.h"
#include "daemon/agent/program.h"
#include "daemon/log.h"
#include "daemon/mem.h"

struct agent {
	const struct config *config;
	struct kernel *kernel;
	struct board *board;
	struct status *status;
	struct cache *cache;
	struct follow *follow;
	struct map *map; /* epoch 0: there is none yet, this is the seed */
	uint64_t kernel_epoch;
	bool synced; /* the kernel has been ours */
	struct log_state kernel_trouble;
};

/* The newest epoch that was in force here. */
static uint64_t highest_epoch(const struct agent *a)
{
	return a->kernel_epoch > a->map->epoch ? a->kernel_epoch :
						 a->map->epoch;
}

static void tell_status(struct agent *a)
{
	status_set_epochs(a->status, highest_epoch(a), a->kernel_epoch);
}

static void explain(struct agent *a, int err, struct why *why)
{
	if (err == -ENXIO)
		why_set(why, err, "epoch %" PRIu64 " does not have this node",
			a->map->epoch);
	else if (err == -EBUSY)
		why_set(why, err, "it is set up as another node");
	else
		kernel_explain(a->kernel, err, why);
}

static void programmed(struct agent *a, const struct program_result *result)
{
	a->synced = true;
	a->kernel_epoch = result->epoch;
	status_set_kernel(a->status, NULL);
	log_state(&a->kernel_trouble, "kernel", "");
	if (result->configured)
		log_notice("set up the kernel as node %s, id %u",
			   a->config->self->name, a->config->self->id);
	if (result->peers_set || result->peers_deleted)
		log_notice("%u peers set, %u deleted", result->peers_set,
			   result->peers_deleted);
}

static void program(struct agent *a, struct knl *knl)
{
	const struct program wanted = {
		.map = a->map,
		.self_id = a->config->self->id,
		.cluster_id = a->config->cluster_id,
		.insecure = a->config->insecure,
		.replace = !a->synced,
	};
	struct program_result result;
	struct why why;
	int ret = program_kernel(&program_knl, knl, &wanted, &result);

	if (!ret) {
		programmed(a, &result);
		return;
	}
	explain(a, ret, &why);
	status_set_kernel(a->status, why.text);
	log_state(&a->kernel_trouble, "kernel", why.text);
}

static void sync_kernel(void *arg)
{
	struct agent *a = arg;
	struct knl *knl = kernel_knl(a->kernel);

	if (knl)
		program(a, knl);
	tell_status(a);
}

static void on_lost(void *arg, const struct why *why)
{
	struct agent *a = arg;

	status_set_kernel(a->status, why->text);
	a->kernel_epoch = 0;
	tell_status(a);
}

/* The arbiter can be reached again: no need to wait for anything. */
static void on_event(void *arg, const struct knl_event *event)
{
	struct agent *a = arg;

	if (event->type == KARDIA_EVENT_PEER_UP &&
	    event->peer.id == a->config->arbiter->id)
		follow_now(a->follow);
}

static const struct kernel_listener listener = {
	.reset = sync_kernel,
	.event = on_event,
	.tick = sync_kernel,
	.lost = on_lost,
};

/* Is @next the map to go on with? */
static int check_next(const struct agent *a, const struct map *next,
		      struct why *why)
{
	if (strcmp(next->cluster, a->config->cluster))
		return why_set(why, -EBADMSG, "it is of the cluster '%s'",
			       next->cluster);
	if (next->epoch < highest_epoch(a))
		return why_set(
			why, -EBADMSG,
			"epoch %" PRIu64 " after epoch %" PRIu64
			" was in force here: maps do not go back, was the store replaced?",
			next->epoch, highest_epoch(a));
	if (next->epoch == a->map->epoch &&
	    memcmp(next->hash, a->map->hash, MAP_HASH_BYTES))
		return why_set(why, -EBADMSG,
			       "another epoch %" PRIu64 " than ours",
			       next->epoch);
	if (next->epoch == a->map->epoch)
		return why_set(why, -EALREADY, "nothing new in its answer");
	if (next->epoch == a->map->epoch + 1 && a->map->epoch &&
	    memcmp(next->prev_hash, a->map->hash, MAP_HASH_BYTES))
		return why_set(why, -EBADMSG,
			       "epoch %" PRIu64 " was not built on ours",
			       next->epoch);
	return 0;
}

static int on_map(void *arg, const char *text, size_t bytes, struct why *why)
{
	struct agent *a = arg;
	struct map *next;
	uint64_t before = a->map->epoch;
	int ret = map_decode(&next, text, bytes, why);

	if (ret)
		return ret;
	ret = check_next(a, next, why);
	if (ret) {
		map_free(next);
		return ret;
	}
	map_free(a->map);
	a->map = next;
	/* The kernel first, then people, the disk and the log. */
	sync_kernel(a);
	board_publish(a->board, next);
	cache_save(a->cache, next);
	log_info("took epoch %" PRIu64 " after %" PRIu64 ": %s", next->epoch,
		 before, next->decision.reason);
	return 0;
}

static uint64_t newest_epoch(void *arg)
{
	const struct agent *a = arg;

	return a->map->epoch;
}

static const struct follow_ops follow_ops = {
	.newest_epoch = newest_epoch,
	.take = on_map,
};

static void load_map(struct agent *a)
{
	struct why why;
	int ret = cache_load(a->config->state_dir, a->config->cluster, &a->map,
			     &why);

	if (!ret) {
		board_publish(a->board, a->map);
		return;
	}
	if (ret != -ENOENT)
		log_warn("the cached map is not used: %s", why.text);
	a->map = config_seed_map(a->config);
}

int agent_new(struct agent **agent, const struct agent_params *params,
	      struct why *why)
{
	struct agent *a = mem_zalloc(1, sizeof(*a));
	int ret;

	a->config = params->config;
	a->kernel = params->kernel;
	a->board = params->board;
	a->status = params->status;
	load_map(a);
	tell_status(a);
	ret = cache_new(&a->cache, a->config->state_dir, why);
	if (!ret)
		ret = follow_new(&a->follow, params->event, a->config,
				 a->status, &follow_ops, a, why);
	if (ret) {
		agent_free(a);
		return ret;
	}
	kernel_listen(a->kernel, &listener, a);
	*agent = a;
	return 0;
}

void agent_start(struct agent *a)
{
	follow_now(a->follow);
}

void agent_free(struct agent *a)
{
	if (!a)
		return;
	follow_free(a->follow);
	cache_free(a->cache);
	map_free(a->map);
	free(a);
}
