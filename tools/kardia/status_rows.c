// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges the map's nodes with the kernel's peers; prints nothing.
 */
#include "status_rows.h"

#include "daemon/mem.h"

uint32_t status_self(const struct seen *seen,
		     const struct kardiad_view *kardiad)
{
	return seen->running ? seen->node.id : kardiad->status.node_id;
}

static void count_paths(struct status_row *row, const struct seen *seen)
{
	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++) {
		row->paths += row->peer->path[i].present;
		row->paths_alive += seen_path_alive(seen, row->peer, i);
	}
}

static const struct knl_peer *find_peer(const struct seen *seen, uint32_t id)
{
	const struct seen_peer *entry;

	HASH_FIND(hh, seen->peers, &id, sizeof(id), entry);
	return entry ? &entry->peer : NULL;
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = ((const struct status_row *)a)->id;
	uint32_t y = ((const struct status_row *)b)->id;

	return (x > y) - (x < y);
}

struct status_row *status_rows(const struct seen *seen,
			       const struct kardiad_view *kardiad, size_t *n)
{
	size_t of_map = kardiad->map ? kardiad->map->n_nodes : 0;
	uint32_t self = status_self(seen, kardiad);
	const struct seen_peer *entry;
	struct status_row *rows;

	rows = mem_zalloc(of_map + HASH_COUNT(seen->peers) + 1, sizeof(*rows));
	for (*n = 0; *n < of_map; ++*n) {
		rows[*n].verdict = &kardiad->map->nodes[*n];
		rows[*n].id = rows[*n].verdict->id;
	}
	for (entry = seen->peers; entry; entry = entry->hh.next)
		if (!kardiad->map || !map_find(kardiad->map, entry->id))
			rows[(*n)++].id = entry->id;
	if (self && (!kardiad->map || !map_find(kardiad->map, self)))
		rows[(*n)++].id = self;
	qsort(rows, *n, sizeof(*rows), by_id);
	for (size_t i = 0; i < *n; i++) {
		rows[i].self = rows[i].id == self;
		rows[i].peer = find_peer(seen, rows[i].id);
		if (rows[i].peer)
			count_paths(&rows[i], seen);
	}
	return rows;
}
