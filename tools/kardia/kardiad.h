/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the local kardiad knows: the cluster map, and how it gets on itself. */
#ifndef KARDIA_KARDIAD_H
#define KARDIA_KARDIAD_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/map/model.h"
#include "say.h"

#define KARDIAD_ERROR_BYTES 256

/**
 * struct kardiad_status - what kardiad says of itself
 * @node_id: the node it runs as
 * @applied_epoch: of the map that it has put into the kernel, 0 for none
 * @arbiter_reachable: whether the map is fresh
 * @kernel_error: why the kernel is not as the map says, "" if it is
 * @deciding_error: why this node's arbiter decides nothing, "" if it does or
 *	there is none
 */
struct kardiad_status {
	uint32_t node_id;
	uint64_t applied_epoch;
	bool arbiter_reachable;
	char kernel_error[KARDIAD_ERROR_BYTES];
	char deciding_error[KARDIAD_ERROR_BYTES];
};

/**
 * struct kardiad_view - its answers
 * @trouble: why one is missing
 * @map: NULL without
 * @has_status: @status was asked for and is there
 * @status: zeros without
 */
struct kardiad_view {
	struct trouble trouble;
	struct map *map;
	bool has_status;
	struct kardiad_status status;
};

enum kardiad_question {
	KARDIAD_MAP,
	KARDIAD_MAP_AND_STATUS,
};

/* kardiad_view_free() is due whatever happened. */
void kardiad_view_read(struct kardiad_view *view, const struct cli *cli,
		       enum kardiad_question question);
void kardiad_view_free(struct kardiad_view *view);

/* The node's name; NULL if @map is NULL or does not have it. */
const char *kardiad_name(const struct map *map, uint32_t id);

/* The same, or "id 7" in @buf. */
const char *kardiad_label(const struct map *map, uint32_t id, char *buf,
			  size_t size);

#endif
