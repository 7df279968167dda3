// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns what /v1/status tells. Decides nothing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/clock.h"
#include "daemon/json_write.h"
#include "daemon/mem.h"
#include "daemon/realtime.h"
#include "daemon/status.h"
#include "lib/version.h"

#define ERROR_BYTES 256

/* What changes, so that it can be copied under the lock. */
struct facts {
	uint64_t epoch;
	uint64_t applied_epoch;
	bool reachable;
	uint64_t reachable_since_us;
	char reachable_error[ERROR_BYTES];
	char kernel_error[ERROR_BYTES];
	uint64_t term;
	char arbiter_error[ERROR_BYTES];
};

struct status {
	const struct config *config;
	uint64_t started_us;
	pthread_mutex_t lock; /* guards facts */
	struct facts facts;
};

struct status *status_new(const struct config *config)
{
	struct status *status = mem_zalloc(1, sizeof(*status));

	status->config = config;
	status->started_us = clock_wall_us();
	status->facts.reachable_since_us = status->started_us;
	realtime_mutex_init(&status->lock);
	status_set_kernel(status, "not looked at yet");
	return status;
}

void status_free(struct status *status)
{
	if (!status)
		return;
	pthread_mutex_destroy(&status->lock);
	free(status);
}

void status_set_epochs(struct status *status, uint64_t epoch,
		       uint64_t applied_epoch)
{
	pthread_mutex_lock(&status->lock);
	status->facts.epoch = epoch;
	status->facts.applied_epoch = applied_epoch;
	pthread_mutex_unlock(&status->lock);
}

static void set_error(struct status *status, char *field, const char *error)
{
	pthread_mutex_lock(&status->lock);
	snprintf(field, ERROR_BYTES, "%s", error ? error : "");
	pthread_mutex_unlock(&status->lock);
}

void status_set_reachable(struct status *status, bool reachable,
			  const char *error)
{
	pthread_mutex_lock(&status->lock);
	if (status->facts.reachable != reachable) {
		status->facts.reachable = reachable;
		status->facts.reachable_since_us = clock_wall_us();
	}
	pthread_mutex_unlock(&status->lock);
	set_error(status, status->facts.reachable_error, error);
}

void status_set_kernel(struct status *status, const char *error)
{
	set_error(status, status->facts.kernel_error, error);
}

void status_set_arbiter(struct status *status, uint64_t term, const char *error)
{
	pthread_mutex_lock(&status->lock);
	status->facts.term = term;
	pthread_mutex_unlock(&status->lock);
	set_error(status, status->facts.arbiter_error, error);
}

static void add_identity(struct json_object *root, const struct status *status)
{
	const struct config *config = status->config;
	struct json_object *roles;

	json_add_text(root, "version", KARDIA_VERSION);
	json_add_u64(root, "pid", getpid());
	json_add_time(root, "started", status->started_us);
	json_add_text(root, "cluster", config->cluster);
	json_add_u64(root, "cluster_id", config->cluster_id);
	json_add_text(root, "node", config->self->name);
	json_add_u64(root, "node_id", config->self->id);
	roles = json_add_array(root, "roles");
	json_append_text(roles, "agent");
	if (config->self->arbiter)
		json_append_text(roles, "arbiter");
}

static const char *error_or_null(const char *error)
{
	return *error ? error : NULL;
}

static void add_health(struct json_object *root, const char *key,
		       const char *error)
{
	struct json_object *o = json_add_object(root, key);

	json_add_bool(o, "ok", !*error);
	json_add_text(o, "error", error_or_null(error));
}

static void add_deciding(struct json_object *root, const struct facts *facts)
{
	struct json_object *o = json_add_object(root, "deciding");

	json_add_u64(o, "term", facts->term);
	json_add_text(o, "error", error_or_null(facts->arbiter_error));
}

char *status_json(struct status *status, size_t *bytes)
{
	struct json_object *root = json_object_new_object();
	struct facts facts;
	const char *text;
	char *copy;

	if (!root)
		mem_exhausted();
	pthread_mutex_lock(&status->lock);
	facts = status->facts;
	pthread_mutex_unlock(&status->lock);

	json_add_text(root, "schema", "kardia.status/1");
	json_add_time(root, "generated", clock_wall_us());
	add_identity(root, status);
	json_add_u64(root, "epoch", facts.epoch);
	json_add_u64(root, "applied_epoch", facts.applied_epoch);
	json_add_text(root, "arbiter", status->config->arbiter->name);
	json_add_bool(root, "arbiter_reachable", facts.reachable);
	json_add_time(root, "arbiter_since", facts.reachable_since_us);
	json_add_text(root, "arbiter_error",
		      error_or_null(facts.reachable_error));
	add_health(root, "kernel", facts.kernel_error);
	if (status->config->self->arbiter)
		add_deciding(root, &facts);
	else
		json_add_text(root, "deciding", NULL);
	text = json_text(root, bytes);
	copy = mem_dup(text, *bytes);
	json_object_put(root);
	return copy;
}
