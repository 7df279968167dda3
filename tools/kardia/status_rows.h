/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts and sightings side by side: one row for each node of either. */
#ifndef KARDIA_STATUS_ROWS_H
#define KARDIA_STATUS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kardiad.h"
#include "seen.h"

/**
 * struct status_row - what both planes know of a node
 * @id: node id
 * @self: it is this node
 * @verdict: its entry in the map, NULL without
 * @peer: its entry in the kernel, NULL without
 * @paths: networks to it that the kernel watches
 * @paths_alive: of these, heard within the grace
 */
struct status_row {
	uint32_t id;
	bool self;
	const struct map_node *verdict;
	const struct knl_peer *peer;
	unsigned int paths;
	unsigned int paths_alive;
};

/* In ascending order of the ids, to be freed. */
struct status_row *status_rows(const struct seen *seen,
			       const struct kardiad_view *kardiad, size_t *n);

/* 0 if neither plane tells. */
uint32_t status_self(const struct seen *seen,
		     const struct kardiad_view *kardiad);

#endif
