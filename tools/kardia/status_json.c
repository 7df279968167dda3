// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "kardia status" in JSON. The keys are the same whichever of module and
 * daemon is missing.
 */
#include "status.h"

#include "peer_json.h"

static void add_cluster(struct json_object *o,
			const struct kardiad_view *kardiad)
{
	const struct map *map = kardiad->map;
	char hash[MAP_HASH_HEX_BYTES];

	if (map)
		map_hash_hex(map->hash, hash);
	json_add_text(o, "cluster", map ? map->cluster : NULL);
	json_maybe_u64(o, "epoch", map, map ? map->epoch : 0);
	json_add_text(o, "hash", map ? hash : NULL);
	json_add_text(o, "arbiter", map ? map->decision.arbiter : NULL);
	json_maybe_u64(o, "term", map, map ? map->decision.term : 0);
	json_maybe_bool(o, "arbiter_reachable", kardiad->has_status,
			kardiad->status.arbiter_reachable);
}

static void stats_json(struct json_object *o, const struct seen *seen)
{
	for (unsigned int i = KARDIA_A_STATS_PAD + 1; i <= KARDIA_A_STATS_MAX;
	     i++)
		json_maybe_u64(o, knl_stats_name(i), seen->running,
			       seen->node.stats[i]);
}

static void kernel_json(struct json_object *o, const struct seen *seen)
{
	const struct knl_node *node = &seen->node;
	bool known = seen->running;

	json_add_trouble(o, "error", &seen->trouble);
	json_maybe_bool(o, "running", seen->trouble.exit == EXIT_DONE,
			seen->running);
	json_add_text(o, "version", known ? node->version : NULL);
	json_maybe_u64(o, "cluster_id", known, node->cluster);
	json_maybe_hex64(o, "incarnation", known, node->incarnation);
	json_maybe_u64(o, "interval_us", known, node->interval_us);
	json_maybe_u64(o, "grace_us", known, node->grace_us);
	json_maybe_u64(o, "map_epoch", known, node->map_epoch);
	json_maybe_u64(o, "event_seq", known, node->event_seq);
	json_maybe_bool(o, "arbiter", known, node->arbiter);
	json_maybe_bool(o, "insecure", known, node->insecure);
	stats_json(json_add_object(o, "stats"), seen);
}

static const char *text_or_null(const char *text)
{
	return *text ? text : NULL;
}

static void daemon_json(struct json_object *o,
			const struct kardiad_view *kardiad)
{
	const struct kardiad_status *status = &kardiad->status;

	json_add_trouble(o, "error", &kardiad->trouble);
	json_maybe_u64(o, "applied_epoch", kardiad->has_status,
		       status->applied_epoch);
	json_add_text(o, "kernel_error", text_or_null(status->kernel_error));
	json_add_text(o, "deciding_error",
		      text_or_null(status->deciding_error));
}

static void row_json(struct json_object *o, const struct status_row *row,
		     const struct seen *seen, const struct map *map)
{
	const struct map_node *node = row->verdict;

	json_add_text(o, "node", node ? node->name : NULL);
	json_add_u64(o, "node_id", row->id);
	json_add_bool(o, "self", row->self);
	json_add_text(o, "verdict", !node ? NULL : node->up ? "up" : "down");
	json_add_text(o, "verdict_cause",
		      node ? map_cause_name(node->cause) : NULL);
	json_maybe_u64(o, "verdict_since_epoch", node,
		       node ? node->since_epoch : 0);
	json_add_text(o, "seen",
		      row->peer ? knl_peer_state_name(row->peer->state) : NULL);
	json_maybe_u64(o, "paths_total", row->peer, row->paths);
	json_maybe_u64(o, "paths_alive", row->peer, row->paths_alive);
	if (row->peer)
		peer_json(json_add_object(o, "peer"), seen, map, row->peer);
	else
		json_add_null(o, "peer");
}

struct json_object *status_document(const struct seen *seen,
				    const struct kardiad_view *kardiad)
{
	struct json_object *document = json_document("kardia.overview/1");
	uint32_t self = status_self(seen, kardiad);
	struct json_object *nodes;
	struct status_row *rows;
	size_t n;

	add_cluster(document, kardiad);
	json_add_text(document, "node", kardiad_name(kardiad->map, self));
	json_maybe_u64(document, "node_id", self, self);
	kernel_json(json_add_object(document, "kernel"), seen);
	daemon_json(json_add_object(document, "daemon"), kardiad);
	nodes = json_add_array(document, "nodes");
	rows = status_rows(seen, kardiad, &n);
	for (size_t i = 0; i < n; i++)
		row_json(json_append_object(nodes), &rows[i], seen,
			 kardiad->map);
	free(rows);
	return document;
}
