/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this node's kernel sees: one reading of kardia.ko. */
#ifndef KARDIA_SEEN_H
#define KARDIA_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include <uthash.h>

#include "lib/nl.h"
#include "say.h"

/* In hash tables by node id, in ascending order of the ids. */
struct seen_peer {
	uint32_t id;
	struct knl_peer peer;
	UT_hash_handle hh;
};

struct seen_report {
	uint32_t reporter;
	struct knl_report report;
	UT_hash_handle hh;
};

/**
 * struct seen - a reading
 * @trouble: why there is none; then all else is empty
 * @running: a node is configured; else the module is idle and all else empty
 * @node: this node
 * @now_ns: the kernel's clock at the reading
 * @wall_offset_us: add it to the kernel's time for the wall clock's
 * @peers: by id
 * @reports: by reporter, of an arbiter node
 */
struct seen {
	struct trouble trouble;
	bool running;
	struct knl_node node;
	uint64_t now_ns;
	int64_t wall_offset_us;
	struct seen_peer *peers;
	struct seen_report *reports;
};

/* Open, read and close. seen_free() is due whatever happened. */
void seen_read(struct seen *seen);
void seen_free(struct seen *seen);

/* The same into an empty @seen, by a socket that stays open: negative errno. */
int seen_read_from(struct seen *seen, struct knl *knl);

/* What a failed call on the module means for people. */
void seen_trouble(struct trouble *trouble, int err, const char *detail);

/* Wall clock of a kernel time in us, 0 for 0: never. */
uint64_t seen_wall_us(const struct seen *seen, uint64_t ns);

/* How long ago, 0 for never; never negative. */
uint64_t seen_age_ns(const struct seen *seen, uint64_t ns);

/* Whether the path has been heard within the peer's grace. */
bool seen_path_alive(const struct seen *seen, const struct knl_peer *peer,
		     unsigned int path);

const char *seen_path_name(unsigned int path);

#endif
