// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns when and where the arbiter is asked, and whether it counts as reachable.
 * What an answer is worth is agent.c's.
 *
 * A request for news may be held for long, which tells nothing. So the arbiter
 * is asked for its map whatever it is at first, and after any trouble: the
 * answer comes at once, and shows that both are on one chain.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/agent/fetch.h"
#include "daemon/agent/follow.h"
#include "daemon/clock.h"
#include "daemon/log.h"
#include "daemon/mem.h"

/* Between rounds over all addresses; doubles up to the last. */
#define BACKOFF_MIN_US 100000
#define BACKOFF_MAX_US 1000000

/* No server that holds requests says sooner that there is no news. */
#define HELD_MIN_NS 100000000ULL

struct follow {
	const struct config *config;
	struct status *status;
	const struct follow_ops *ops;
	void *arg;
	struct fetch *fetch;
	sd_event_source *retry;
	struct in_addr addresses[KARDIA_PATHS_MAX];
	unsigned int n_addresses;
	unsigned int address; /* to ask next */
	unsigned int failures; /* in a row */
	bool verified; /* its newest map is ours */
	uint64_t backoff_us;
	uint64_t asked_ns;
	struct log_state trouble;
};

static void retry_after(struct follow *f, uint64_t us)
{
	sd_event_source_set_time_relative(f->retry, us);
	sd_event_source_set_enabled(f->retry, SD_EVENT_ONESHOT);
}

static void ask(struct follow *f)
{
	struct fetch_target target = {
		.name = f->config->arbiter->name,
		.address = f->addresses[f->address],
		.port = f->config->listen_port,
	};
	uint64_t since = f->verified ? f->ops->newest_epoch(f->arg) : 0;

	f->asked_ns = clock_mono_ns();
	sd_event_source_set_enabled(f->retry, SD_EVENT_OFF);
	if (fetch_start(f->fetch, &target, since))
		retry_after(f, BACKOFF_MAX_US);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	ask(arg);
	return 0;
}

/* @reason: what is wrong, or "". */
static void set_reachable(struct follow *f, bool reachable, const char *reason)
{
	f->verified = !*reason;
	status_set_reachable(f->status, reachable, reason);
	log_state(&f->trouble, "arbiter", reason);
}

static void succeed(struct follow *f)
{
	f->failures = 0;
	f->backoff_us = BACKOFF_MIN_US;
	set_reachable(f, true, "");
	ask(f);
}

/* The next address at once; after the last, the first one after a while. */
static void fail(struct follow *f, const char *reason)
{
	f->address = (f->address + 1) % f->n_addresses;
	if (++f->failures < f->n_addresses) {
		ask(f);
		return;
	}
	set_reachable(f, false, reason);
	retry_after(f, f->backoff_us);
	if (f->backoff_us < BACKOFF_MAX_US)
		f->backoff_us *= 2;
}

/* It answers, with something that is of no use. */
static void refuse(struct follow *f, const char *reason)
{
	set_reachable(f, true, reason);
	retry_after(f, BACKOFF_MAX_US);
}

static void take(struct follow *f, const struct fetch_result *result)
{
	struct why why;
	int ret = f->ops->take(f->arg, result->body, result->bytes, &why);

	/* What we have already is no answer to a request for news. */
	if (!ret || (ret == -EALREADY && !f->verified))
		succeed(f);
	else
		refuse(f, why.text);
}

static void on_done(void *arg, const struct fetch_result *result)
{
	struct follow *f = arg;
	struct why why;

	switch (result->status) {
	case 0:
		fail(f, result->why.text);
		break;
	case 200:
		take(f, result);
		break;
	case 204:
		if (clock_mono_ns() - f->asked_ns >= HELD_MIN_NS)
			succeed(f);
		else
			refuse(f, "does not hold requests");
		break;
	default:
		why_set(&why, 0, "answers with HTTP status %ld",
			result->status);
		fail(f, why.text);
	}
}

static void find_addresses(struct follow *f)
{
	const struct map_node *self = f->config->self;
	const struct map_node *arbiter = f->config->arbiter;

	f->addresses[f->n_addresses++] = arbiter->front;
	if (arbiter->back.s_addr && self->back.s_addr)
		f->addresses[f->n_addresses++] = arbiter->back;
}

int follow_new(struct follow **follow, sd_event *event,
	       const struct config *config, struct status *status,
	       const struct follow_ops *ops, void *arg, struct why *why)
{
	struct fetch_tls tls = {
		.ca = config->tls_ca,
		.certificate = config->tls_certificate,
		.key = config->tls_key,
	};
	struct follow *f = mem_zalloc(1, sizeof(*f));
	int ret;

	f->config = config;
	f->status = status;
	f->ops = ops;
	f->arg = arg;
	f->backoff_us = BACKOFF_MIN_US;
	find_addresses(f);
	ret = fetch_new(&f->fetch, event, config->tls ? &tls : NULL, on_done, f,
			why);
	if (!ret)
		ret = sd_event_add_time_relative(
			event, &f->retry, CLOCK_MONOTONIC, 0, 1, on_retry, f);
	if (ret < 0) {
		follow_free(f);
		return ret;
	}
	sd_event_source_set_enabled(f->retry, SD_EVENT_OFF);
	*follow = f;
	return 0;
}

void follow_now(struct follow *f)
{
	f->address = 0;
	f->failures = 0;
	f->backoff_us = BACKOFF_MIN_US;
	ask(f);
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	sd_event_source_disable_unref(f->retry);
	fetch_free(f->fetch);
	free(f);
}
