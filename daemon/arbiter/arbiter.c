// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the course of a decision: evidence, policy, next map, commit, show. From
 * the event to the commit nothing is logged and nothing waits but for the
 * store. What the first decision of a term says is takeover.c's.
 *
 * The store may complete later, so one commit is pending at a time; what comes
 * in meanwhile is judged after it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/arbiter/arbiter.h"
#include "daemon/arbiter/decision.h"
#include "daemon/arbiter/intake.h"
#include "daemon/arbiter/takeover.h"
#include "daemon/clock.h"
#include "daemon/log.h"
#include "daemon/mem.h"

/* After the store had trouble. */
#define RETRY_NS 1000000000ULL

/* Reports are refreshed within the grace: time for each to come again. */
#define COLLECT_GRACES 4

enum phase {
	TAKING_OVER,
	ACTING,
	DEPOSED, /* decides nothing any more */
};

struct arbiter {
	const struct config *config;
	struct kernel *kernel;
	struct store *store;
	struct board *board;
	struct status *status;
	sd_event_source *timer;
	enum phase phase;
	struct policy *policy;
	struct intake intake;
	struct store_claim claim; /* ours */
	struct store_claim holder; /* who acted before */
	struct map *map; /* the newest that is committed */
	struct map *pending; /* on its way into the store */
	struct log_state trouble;
	struct why store_why; /* of the last failure */
	int start_result; /* of taking over */
	struct why start_why;
};

/* Wake at @ns, of CLOCK_MONOTONIC; 0: not. */
static void set_timer(struct arbiter *a, uint64_t ns)
{
	sd_event_source_set_time(a->timer, (ns + 999) / 1000);
	sd_event_source_set_enabled(a->timer,
				    ns ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

static void on_commit(void *arg, const struct map *map)
{
	struct arbiter *a = arg;

	board_publish(a->board, map);
}

static void in_force(struct arbiter *a, struct map *map)
{
	struct map *old = a->map;

	a->map = map;
	policy_set_map(a->policy, map);
	/* The store told nobody of a commit that seemed to fail. */
	if (board_epoch(a->board) < map->epoch)
		board_publish(a->board, map);
	map_free(old);
}

static void depose(struct arbiter *a, const char *reason)
{
	a->phase = DEPOSED;
	set_timer(a, 0);
	status_set_arbiter(a->status, a->claim.term, reason);
	log_err("arbiter: decides nothing any more: %s", reason);
}

static void trouble(struct arbiter *a, const char *reason)
{
	set_timer(a, clock_mono_ns() + RETRY_NS);
	status_set_arbiter(a->status, a->claim.term, reason);
	log_state(&a->trouble, "arbiter: commit", reason);
}

static void decide(struct arbiter *a);

/* @map has been committed, by us. */
static void committed(struct arbiter *a, struct map *map)
{
	uint64_t took_us;

	in_force(a, map);
	took_us = clock_mono_ns() / 1000 - map->decision.decided_mono_us;
	status_set_arbiter(a->status, a->claim.term, NULL);
	log_state(&a->trouble, "arbiter: commit", "");
	log_notice("epoch %" PRIu64 ": %s (committed within %" PRIu64 " us)",
		   map->epoch, map->decision.reason, took_us);
	/* What came in meanwhile. */
	decide(a);
}

/*
 * What the store holds after a commit that failed, or whose outcome is not
 * known. Under our claim, a newer map than ours is one that we committed.
 */
static void on_found(void *arg, int result, struct map *map,
		     const struct store_claim *claim, const struct why *why)
{
	struct arbiter *a = arg;

	map_free(a->pending);
	a->pending = NULL;
	if (result) {
		trouble(a, why->text);
	} else if (claim->arbiter_id != a->claim.arbiter_id ||
		   claim->term != a->claim.term) {
		depose(a, "another arbiter has taken over");
	} else if (map->epoch <= a->map->epoch) {
		trouble(a, a->store_why.text);
	} else {
		committed(a, map);
		map = NULL;
	}
	map_free(map);
}

static void on_done(void *arg, int result, const struct why *why)
{
	struct arbiter *a = arg;
	struct map *next = a->pending;

	if (result) {
		a->store_why = *why;
		store_load(a->store, on_found, a);
		return;
	}
	a->pending = NULL;
	committed(a, next);
}

static void commit(struct arbiter *a, const struct policy_decision *decision,
		   uint64_t now_ns)
{
	struct author author = {
		.node = a->config->self,
		.term = a->claim.term,
		.mono_ns = now_ns,
		.wall_us = clock_wall_us(),
	};
	struct why why;

	if (decision_from_policy(a->map, decision, &author, &a->pending, &why))
		trouble(a, why.text);
	else
		store_append(a->store, a->pending, &a->claim, on_done, a);
}

/* Judge what is known now, unless a commit is on its way. */
static void decide(struct arbiter *a)
{
	const struct policy_decision *decision;
	uint64_t now_ns = clock_mono_ns();

	if (a->pending || a->phase != ACTING)
		return;
	decision = policy_decide(a->policy, now_ns);
	if (decision)
		commit(a, decision, now_ns);
	else
		set_timer(a, policy_wake_ns(a->policy));
}

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	decide(arg);
	return 0;
}

static void on_reset(void *arg)
{
	struct arbiter *a = arg;

	intake_snapshot(&a->intake, kernel_knl(a->kernel), clock_mono_ns());
	decide(a);
}

static void on_lost(void *arg, const struct why *why)
{
	struct arbiter *a = arg;

	(void)why;
	intake_lost(&a->intake);
}

static void on_event(void *arg, const struct knl_event *event)
{
	struct arbiter *a = arg;

	intake_event(&a->intake, event);
}

static void on_drained(void *arg)
{
	decide(arg);
}

const struct kernel_listener arbiter_listener = {
	.reset = on_reset,
	.event = on_event,
	.drained = on_drained,
	.lost = on_lost,
};

static void begin_acting(struct arbiter *a, struct map *map)
{
	a->phase = ACTING;
	a->intake.collect_ns =
		COLLECT_GRACES * 1000ULL * map->settings.grace_us;
	policy_start(a->policy, clock_mono_ns(), a->intake.collect_ns);
	committed(a, map);
	/* Evidence that came before the map was known found no place. */
	if (a->kernel && kernel_knl(a->kernel))
		on_reset(a);
}

/* Nothing to act on: main() tells, or the status. */
static void fail_takeover(struct arbiter *a, int result, const struct why *why)
{
	a->phase = DEPOSED;
	a->start_result = result;
	a->start_why = *why;
	status_set_arbiter(a->status, a->claim.term, why->text);
}

static void on_taken_over(void *arg, int result, const struct why *why)
{
	struct arbiter *a = arg;
	struct map *map = a->pending;

	a->pending = NULL;
	if (!result) {
		begin_acting(a, map);
		return;
	}
	map_free(map);
	fail_takeover(a, result, why);
}

/* What is stored is known: commit the first decision of our term. */
static void on_loaded(void *arg, int result, struct map *stored,
		      const struct store_claim *claim, const struct why *why)
{
	struct arbiter *a = arg;
	struct why reason;

	if (result && result != -ENOENT) {
		fail_takeover(a, result, why);
		return;
	}
	a->holder = *claim;
	a->claim.arbiter_id = a->config->self->id;
	a->claim.term = claim->term + 1;
	result = takeover_map(stored, claim, a->config, &a->pending, &reason);
	map_free(stored);
	if (result)
		fail_takeover(a, result, &reason);
	else
		store_append(a->store, a->pending, &a->holder, on_taken_over,
			     a);
}

static int set_up(struct arbiter *a, sd_event *event, struct why *why)
{
	int ret = sd_event_add_time(event, &a->timer, CLOCK_MONOTONIC, 0, 1,
				    on_timer, a);

	if (ret < 0)
		return why_set(why, ret, "event loop: %s", strerror(-ret));
	set_timer(a, 0);
	a->policy = policy_new(a->config->self->id);
	a->intake.policy = a->policy;
	store_watch(a->store, on_commit, a);
	store_load(a->store, on_loaded, a);
	*why = a->start_why;
	return a->start_result;
}

int arbiter_new(struct arbiter **arbiter, const struct arbiter_params *params,
		struct why *why)
{
	struct arbiter *a = mem_zalloc(1, sizeof(*a));
	int ret;

	a->config = params->config;
	a->kernel = params->kernel;
	a->store = params->store;
	a->board = params->board;
	a->status = params->status;
	ret = set_up(a, params->event, why);
	if (ret) {
		arbiter_free(a);
		return ret;
	}
	if (a->kernel)
		kernel_listen(a->kernel, &arbiter_listener, a);
	*arbiter = a;
	return 0;
}

void arbiter_free(struct arbiter *a)
{
	if (!a)
		return;
	sd_event_source_disable_unref(a->timer);
	policy_free(a->policy);
	map_free(a->pending);
	map_free(a->map);
	free(a);
}
