/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How an arbiter begins to act. */
#ifndef KARDIAD_ARBITER_TAKEOVER_H
#define KARDIAD_ARBITER_TAKEOVER_H

#include "daemon/config.h"
#include "daemon/map/store.h"

/*
 * The first decision of a term: its nodes and settings are the configuration's.
 * @stored is the newest map, NULL in a new store; @holder is who acted. The
 * sealed map is the caller's, to be committed.
 *
 * Refused if the store is of another cluster, or behind what this node has
 * seen: epochs must not be given out twice.
 */
int takeover_map(const struct map *stored, const struct store_claim *holder,
		 const struct config *config, struct map **map,
		 struct why *why);

#endif
