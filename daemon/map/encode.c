// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the text of a map: schema kardia.map/1, compact JSON with its keys in
 * this order. The hash is that of the text without the member "hash", which
 * comes last. Keys are the same whatever the state.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/json_write.h"
#include "daemon/map/hash.h"
#include "daemon/map/model.h"
#include "daemon/mem.h"
#include "lib/nl.h"

static void add_hash(struct json_object *object, const char *key,
		     const uint8_t *hash)
{
	char hex[MAP_HASH_HEX_BYTES];

	map_hash_hex(hash, hex);
	json_add_text(object, key, hex);
}

static void add_settings(struct json_object *root,
			 const struct map_settings *settings)
{
	struct json_object *o = json_add_object(root, "settings");

	json_add_u64(o, "interval_us", settings->interval_us);
	json_add_u64(o, "grace_us", settings->grace_us);
	json_add_u64(o, "min_down_reporters", settings->min_down_reporters);
}

static void add_node(struct json_object *nodes, const struct map_node *node)
{
	struct json_object *o = json_append_object(nodes);

	json_add_u64(o, "id", node->id);
	json_add_text(o, "name", node->name);
	json_add_text(o, "host", node->host);
	json_add_address(o, "front", node->front);
	json_add_address(o, "back", node->back);
	json_add_bool(o, "arbiter", node->arbiter);
	json_add_text(o, "state", node->up ? "up" : "down");
	json_add_text(o, "cause", map_cause_name(node->cause));
	json_add_hex64(o, "incarnation", node->incarnation);
	json_add_u64(o, "since_epoch", node->since_epoch);
}

static void add_paths(struct json_object *accuser, uint8_t paths)
{
	static const char *const names[KARDIA_PATHS_MAX] = { "front", "back" };
	struct json_object *array = json_add_array(accuser, "paths");
	int i;

	for (i = 0; i < KARDIA_PATHS_MAX; i++)
		if (paths & (1 << i))
			json_append_text(array, names[i]);
}

static void add_accuser(struct json_object *accusers, const struct map *map,
			const struct map_accuser *accuser)
{
	const struct map_node *reporter = map_find(map, accuser->id);
	struct json_object *o = json_append_object(accusers);

	json_add_text(o, "reporter", reporter ? reporter->name : NULL);
	json_add_u64(o, "reporter_id", accuser->id);
	json_add_hex64(o, "incarnation", accuser->incarnation);
	json_add_u64(o, "silent_us", accuser->silent_us);
	add_paths(o, accuser->paths);
	json_add_text(o, "cause", knl_cause_name(accuser->cause));
	json_add_u64(o, "grace_us", accuser->grace_us);
	json_add_u64(o, "own_lateness_us", accuser->own_lateness_us);
}

static void add_change(struct json_object *changes, const struct map *map,
		       const struct map_change *change)
{
	struct json_object *o = json_append_object(changes);
	struct json_object *accusers;
	unsigned int i;

	json_add_text(o, "change", map_change_name(change->kind));
	json_add_text(o, "node", change->id ? change->name : NULL);
	json_add_u64(o, "node_id", change->id);
	json_add_text(o, "cause", map_cause_name(change->cause));
	json_add_hex64(o, "incarnation", change->incarnation);
	json_add_u64(o, "accusers_total", change->n_accusers_total);
	accusers = json_add_array(o, "accusers");
	for (i = 0; i < change->n_accusers; i++)
		add_accuser(accusers, map, &change->accusers[i]);
}

static void add_decision(struct json_object *root, const struct map *map)
{
	const struct map_decision *decision = &map->decision;
	struct json_object *o = json_add_object(root, "decision");
	struct json_object *changes;
	unsigned int i;

	json_add_text(o, "arbiter", decision->arbiter);
	json_add_u64(o, "arbiter_id", decision->arbiter_id);
	json_add_u64(o, "term", decision->term);
	json_add_text(o, "reason", decision->reason);
	json_add_time(o, "decided", decision->decided_at_us);
	json_add_u64(o, "decided_mono_us", decision->decided_mono_us);
	changes = json_add_array(o, "changes");
	for (i = 0; i < decision->n_changes; i++)
		add_change(changes, map, &decision->changes[i]);
}

static struct json_object *map_json(const struct map *map)
{
	struct json_object *root = json_object_new_object();
	struct json_object *nodes;
	unsigned int i;

	if (!root)
		mem_exhausted();
	json_add_text(root, "schema", MAP_SCHEMA);
	json_add_text(root, "cluster", map->cluster);
	json_add_u64(root, "epoch", map->epoch);
	add_settings(root, &map->settings);
	nodes = json_add_array(root, "nodes");
	for (i = 0; i < map->n_nodes; i++)
		add_node(nodes, &map->nodes[i]);
	add_decision(root, map);
	add_hash(root, "prev_hash", map->prev_hash);
	return root;
}

int map_seal(struct map *map, struct why *why)
{
	struct json_object *root = map_json(map);
	const char *text;
	size_t bytes;
	int ret = 0;

	text = json_text(root, &bytes);
	map_hash(text, bytes, map->hash);
	add_hash(root, "hash", map->hash);
	text = json_text(root, &bytes);
	if (bytes > MAP_TEXT_BYTES_MAX)
		ret = why_set(why, -E2BIG, "the map's text has %zu bytes",
			      bytes);
	else
		map_set_text(map, text, bytes);
	json_object_put(root);
	return ret;
}
