/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arbiter's rules as a pure state machine: inputs carry what was seen, and
 * policy_decide() tells which nodes the map should change. It does no I/O,
 * reads no clock, and allocates nothing once it exists; the same inputs give
 * the same decisions.
 *
 * A node that is up in the map goes down when reporters of min_down_reporters
 * different hosts accuse it. An accusation counts if
 *  - its reporter is up in the map, and on another host than the accused,
 *  - its reporter hears somebody: one that hears nobody is itself cut off,
 *  - it names no other life of the accused than the one that this arbiter
 *    hears now. A life is random, so that only hearing a newer one proves an
 *    accusation to be about an older.
 * A node that is down goes up when this arbiter's kernel has it up, which
 * proves both directions, and fewer hosts than that accuse it. Here those count
 * as well that are down in the map but heard by this arbiter: else two that
 * accuse each other would go down and up for ever. A node that is up in another
 * life than the map knows has restarted.
 *
 * Nobody goes down during the collection window after policy_start(), nor
 * while this arbiter hears no other node at all.
 */
#ifndef KARDIAD_ARBITER_POLICY_H
#define KARDIAD_ARBITER_POLICY_H

#include <stdint.h>

#include "daemon/map/model.h"
#include "lib/nl.h"

struct policy;

/* @changes are valid until the next call of policy_decide(). */
struct policy_decision {
	unsigned int n_changes;
	const struct map_change *changes;
};

/* For the arbiter on node @self_id. */
struct policy *policy_new(uint32_t self_id);
void policy_free(struct policy *policy);

/*
 * The map in force; it has to live until the next one is set. What is known
 * about nodes that are in both is kept.
 */
void policy_set_map(struct policy *policy, const struct map *map);

/* Nobody goes down until @collect_ns from @now_ns. */
void policy_start(struct policy *policy, uint64_t now_ns, uint64_t collect_ns);

/* Forget all evidence: a snapshot follows, or there is none to be had. */
void policy_forget(struct policy *policy);

/* This kernel's own life: the evidence that the arbiter's node is up. */
void policy_self(struct policy *policy, uint64_t incarnation);

/* A peer's state from a dump or an event; older ones than known are ignored. */
void policy_peer(struct policy *policy, const struct knl_peer *peer);

/* No longer a peer, by event @event_seq. */
void policy_peer_gone(struct policy *policy, uint32_t id, uint64_t event_seq);

/* A reporter's newest set, likewise. */
void policy_report(struct policy *policy, const struct knl_report *report);

/* What has to change in the map; NULL if nothing has. */
const struct policy_decision *policy_decide(struct policy *policy,
					    uint64_t now_ns);

/* When to call policy_decide() without a new input; 0: not at all. */
uint64_t policy_wake_ns(const struct policy *policy);

#endif
