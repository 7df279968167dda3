/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the next epoch: from the policy's changes, or from the configuration
 * file when an arbiter takes over. The maps are sealed and the caller's.
 */
#ifndef KARDIAD_ARBITER_DECISION_H
#define KARDIAD_ARBITER_DECISION_H

#include "daemon/arbiter/policy.h"
#include "daemon/map/store.h"

/* Who decides, and when. */
struct author {
	const struct map_node *node;
	uint64_t term;
	uint64_t mono_ns;
	uint64_t wall_us;
};

int decision_from_policy(const struct map *base,
			 const struct policy_decision *decision,
			 const struct author *author, struct map **next,
			 struct why *why);

/*
 * The first decision of a term. @base is the newest map, NULL in a new store;
 * @wanted is config_seed_map()'s. What the file says of nodes and settings
 * wins, what the map says of their state stays.
 */
int decision_from_config(const struct map *base, const struct map *wanted,
			 const struct author *author, struct map **next,
			 struct why *why);

#endif
