// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the first decision of a term, and the checks before it.
 * Committing it is arbiter.c's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/agent/cache.h"
#include "daemon/arbiter/decision.h"
#include "daemon/arbiter/takeover.h"
#include "daemon/clock.h"

static int check_against_cache(const struct map *stored, const struct map *seen,
			       const struct config *config, struct why *why)
{
	uint64_t epoch = stored ? stored->epoch : 0;

	if (seen->epoch < epoch)
		return 0;
	if (seen->epoch == epoch &&
	    !memcmp(seen->hash, stored->hash, MAP_HASH_BYTES))
		return 0;
	return why_set(
		why, -ESTALE,
		"%s, at epoch %" PRIu64
		", is not the store that this node has followed up to epoch %" PRIu64
		": it was lost, or replaced by an older copy; Documentation/configuration.rst tells what to do",
		config->store, epoch, seen->epoch);
}

/* What this node's agent saw last must be in the store's past. */
static int check_store(const struct map *stored, const struct config *config,
		       struct why *why)
{
	struct why ignored;
	struct map *seen;
	int ret;

	if (stored && strcmp(stored->cluster, config->cluster))
		return why_set(why, -EINVAL, "%s is of the cluster '%s'",
			       config->store, stored->cluster);
	if (cache_load(config->state_dir, config->cluster, &seen, &ignored))
		return 0;
	ret = check_against_cache(stored, seen, config, why);
	map_free(seen);
	return ret;
}

int takeover_map(const struct map *stored, const struct store_claim *holder,
		 const struct config *config, struct map **map, struct why *why)
{
	struct author author = {
		.node = config->self,
		.term = holder->term + 1,
		.mono_ns = clock_mono_ns(),
		.wall_us = clock_wall_us(),
	};
	struct map *wanted;
	int ret = check_store(stored, config, why);

	*map = NULL;
	if (ret)
		return ret;
	wanted = config_seed_map(config);
	ret = decision_from_config(stored, wanted, &author, map, why);
	map_free(wanted);
	return ret;
}
