/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How this kardiad gets on: written by the loop, read by threads that serve.
 * Its text is schema kardia.status/1, see Documentation/http.rst.
 */
#ifndef KARDIAD_STATUS_H
#define KARDIAD_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/config.h"

struct status;

/* @config has to live as long. */
struct status *status_new(const struct config *config);
void status_free(struct status *status);

/* Epoch of the newest map known, 0: none; and of the kernel's. */
void status_set_epochs(struct status *status, uint64_t epoch,
		       uint64_t applied_epoch);
/* Whether the arbiter answers, and what is wrong with its answer, or NULL. */
void status_set_reachable(struct status *status, bool reachable,
			  const char *error);
/* The kernel does what the map says, or else why not. */
void status_set_kernel(struct status *status, const char *error);
/* This node's arbiter role: its term, and why it decides nothing, or NULL. */
void status_set_arbiter(struct status *status, uint64_t term,
			const char *error);

/* For the caller to free. */
char *status_json(struct status *status, size_t *bytes);

#endif
