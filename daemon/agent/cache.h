/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The newest map on disk, for a start while no arbiter answers. Written by a
 * thread of its own: a slow disk delays no verdict and no map.
 */
#ifndef KARDIAD_AGENT_CACHE_H
#define KARDIAD_AGENT_CACHE_H

#include "daemon/map/model.h"
#include "daemon/why.h"

struct cache;

/*
 * Read the map in @state_dir. -ENOENT: there is none; -EBADMSG: it is damaged,
 * or of another cluster.
 */
int cache_load(const char *state_dir, const char *cluster, struct map **map,
	       struct why *why);

int cache_new(struct cache **cache, const char *state_dir, struct why *why);

/* Write @map, in the background; a newer one replaces one that waits. */
void cache_save(struct cache *cache, const struct map *map);

/* Write what waits, and end the thread. */
void cache_free(struct cache *cache);

#endif
