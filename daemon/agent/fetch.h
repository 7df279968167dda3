/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One HTTP request for the map at a time, on the event loop. */
#ifndef KARDIAD_AGENT_FETCH_H
#define KARDIAD_AGENT_FETCH_H

#include <netinet/in.h>
#include <stdint.h>

#include <systemd/sd-event.h>

#include "daemon/why.h"

struct fetch;

/* Files for mutual TLS; without them it is plain HTTP. */
struct fetch_tls {
	const char *ca;
	const char *certificate;
	const char *key;
};

/**
 * struct fetch_target - where to ask
 * @name: of the arbiter's node; its certificate has to carry it
 * @address: one of its addresses
 * @port: TCP port
 */
struct fetch_target {
	const char *name;
	struct in_addr address;
	uint32_t port;
};

/**
 * struct fetch_result - how a request ended
 * @status: HTTP status, 0: no answer
 * @body: valid during the call
 * @bytes: its length
 * @why: set if @status is 0
 */
struct fetch_result {
	long status;
	const char *body;
	size_t bytes;
	struct why why;
};

/* May start the next request. */
typedef void (*fetch_done_fn)(void *arg, const struct fetch_result *result);

/* @tls may be NULL. curl_global_init() is the caller's. */
int fetch_new(struct fetch **fetch, sd_event *event,
	      const struct fetch_tls *tls, fetch_done_fn done, void *arg,
	      struct why *why);
void fetch_free(struct fetch *fetch);

/*
 * Ask @target for a map newer than epoch @since, which it may take its time to
 * answer. A request in progress is dropped without a word. Returns 0 or -EIO.
 */
int fetch_start(struct fetch *fetch, const struct fetch_target *target,
		uint64_t since);

#endif
