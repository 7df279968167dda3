// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the reading of a map that anybody may have written. What a newer
 * kardiad of the same schema adds is covered by the hash and otherwise ignored.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/json_read.h"
#include "daemon/json_write.h"
#include "daemon/map/hash.h"
#include "daemon/map/model.h"
#include "daemon/mem.h"
#include "lib/nl.h"

/* root > decision > changes > change > accusers > accuser > paths, and spare */
#define DEPTH_MAX 16
#define ACCUSATIONS (KARDIA_CAUSE_NEVER_HEARD + 1)

/*
 * A parsed container takes a few hundred bytes for two of text, so the largest
 * map bounds their number: nodes, changes, accusers and their paths.
 */
#define CONTAINERS_MAX \
	(MAP_NODES_MAX + MAP_CHANGES_MAX * (2 + 2 * MAP_ACCUSERS_MAX) + 16)
#define MEMBERS_MAX (16 * CONTAINERS_MAX)

static const char *node_state_name(unsigned int i)
{
	return i ? "up" : "down";
}

static const char *cause_name(unsigned int i)
{
	return map_cause_name(i);
}

static const char *change_name(unsigned int i)
{
	return map_change_name(i);
}

static const char *accusation_name(unsigned int i)
{
	return knl_cause_name(i);
}

static const char *path_name(unsigned int i)
{
	return i ? "back" : "front";
}

static int read_settings(struct map_settings *settings, struct json_read r)
{
	json_read_u32(&r, "interval_us", KARDIA_INTERVAL_US_MIN,
		      KARDIA_INTERVAL_US_MAX, &settings->interval_us);
	json_read_u32(&r, "grace_us",
		      KARDIA_GRACE_INTERVALS_MIN * KARDIA_INTERVAL_US_MIN,
		      KARDIA_GRACE_US_MAX, &settings->grace_us);
	json_read_u32(&r, "min_down_reporters", 1, MAP_NODES_MAX,
		      &settings->min_down_reporters);
	if (settings->grace_us / KARDIA_GRACE_INTERVALS_MIN <
	    settings->interval_us)
		json_read_fail(&r, "grace_us", "below three intervals");
	return r.result;
}

static int read_node(struct map_node *node, struct json_object *object,
		     struct why *why)
{
	struct json_read r = json_read(object, "nodes", why);
	unsigned int up = 0, cause = 0;

	json_read_u32(&r, "id", 1, UINT32_MAX, &node->id);
	json_read_name(&r, "name", node->name, sizeof(node->name));
	json_read_name(&r, "host", node->host, sizeof(node->host));
	json_read_address(&r, "front", false, &node->front);
	json_read_address(&r, "back", true, &node->back);
	json_read_bool(&r, "arbiter", &node->arbiter);
	json_read_choice(&r, "state", node_state_name, 2, &up);
	json_read_choice(&r, "cause", cause_name, MAP_CAUSES, &cause);
	json_read_hex64(&r, "incarnation", &node->incarnation);
	json_read_u64(&r, "since_epoch", 0, MAP_EPOCH_MAX, &node->since_epoch);
	node->up = up;
	node->cause = cause;
	return r.result;
}

static int read_path(struct json_object *item, uint8_t *paths)
{
	const char *text = json_object_get_string(item);
	unsigned int i;

	for (i = 0; text && i < KARDIA_PATHS_MAX; i++)
		if (!strcmp(text, path_name(i))) {
			*paths |= 1 << i;
			return 0;
		}
	return -EBADMSG;
}

static int read_accuser(struct map_accuser *accuser, struct json_object *object,
			struct why *why)
{
	struct json_read r = json_read(object, "accusers", why);
	struct json_object *paths;
	unsigned int cause = 0;
	size_t i, n;

	json_read_u32(&r, "reporter_id", 1, UINT32_MAX, &accuser->id);
	json_read_hex64(&r, "incarnation", &accuser->incarnation);
	json_read_u64(&r, "silent_us", 0, INT64_MAX, &accuser->silent_us);
	json_read_choice(&r, "cause", accusation_name, ACCUSATIONS, &cause);
	json_read_u32(&r, "grace_us", 0, UINT32_MAX, &accuser->grace_us);
	json_read_u32(&r, "own_lateness_us", 0, UINT32_MAX,
		      &accuser->own_lateness_us);
	paths = json_read_array(&r, "paths", KARDIA_PATHS_MAX, &n);
	for (i = 0; i < n; i++)
		if (read_path(json_object_array_get_idx(paths, i),
			      &accuser->paths))
			json_read_fail(&r, "paths", "an unknown word");
	accuser->cause = cause;
	return r.result;
}

static int read_change(struct map_change *change, struct json_object *object,
		       struct why *why)
{
	struct json_read r = json_read(object, "changes", why);
	unsigned int kind = 0, cause = 0;
	struct json_object *accusers;
	size_t i, n;

	json_read_choice(&r, "change", change_name, MAP_CHANGES, &kind);
	json_read_u32(&r, "node_id", kind != MAP_SETTINGS_CHANGED, UINT32_MAX,
		      &change->id);
	if (change->id)
		json_read_name(&r, "node", change->name, sizeof(change->name));
	json_read_choice(&r, "cause", cause_name, MAP_CAUSES, &cause);
	json_read_hex64(&r, "incarnation", &change->incarnation);
	json_read_u32(&r, "accusers_total", 0, MAP_NODES_MAX,
		      &change->n_accusers_total);
	accusers = json_read_array(&r, "accusers", MAP_ACCUSERS_MAX, &n);
	for (i = 0; i < n && !r.result; i++)
		r.result = read_accuser(&change->accusers[i],
					json_object_array_get_idx(accusers, i),
					why);
	change->kind = kind;
	change->cause = cause;
	change->n_accusers = n;
	return r.result;
}

static int read_decision(struct map_decision *decision, struct json_read r)
{
	struct json_object *changes;
	size_t i, n;

	json_read_name(&r, "arbiter", decision->arbiter,
		       sizeof(decision->arbiter));
	json_read_u32(&r, "arbiter_id", 1, UINT32_MAX, &decision->arbiter_id);
	json_read_u64(&r, "term", 1, INT64_MAX, &decision->term);
	json_read_text(&r, "reason", decision->reason,
		       sizeof(decision->reason));
	json_read_u64(&r, "decided_at_us", 0, INT64_MAX,
		      &decision->decided_at_us);
	json_read_u64(&r, "decided_mono_us", 0, INT64_MAX,
		      &decision->decided_mono_us);
	changes = json_read_array(&r, "changes", decision->n_changes, &n);
	for (i = 0; i < n && !r.result; i++)
		r.result = read_change(&decision->changes[i],
				       json_object_array_get_idx(changes, i),
				       r.why);
	return r.result;
}

static int check_schema(struct json_read *r)
{
	char schema[32] = "";

	json_read_text(r, "schema", schema, sizeof(schema));
	if (strcmp(schema, MAP_SCHEMA))
		json_read_fail(r, "schema", "not " MAP_SCHEMA);
	return r->result;
}

/* Decodes everything but the hash; the counts are those of @map. */
static int read_map(struct map *map, struct json_object *root, struct why *why)
{
	struct json_read r = json_read(root, "map", why);
	struct json_object *nodes;
	unsigned int i;
	size_t n;

	json_read_name(&r, "cluster", map->cluster, sizeof(map->cluster));
	json_read_u64(&r, "epoch", 1, MAP_EPOCH_MAX, &map->epoch);
	json_read_hex(&r, "prev_hash", map->prev_hash, MAP_HASH_BYTES);
	json_read_hex(&r, "hash", map->hash, MAP_HASH_BYTES);
	if (read_settings(&map->settings, json_read_child(&r, "settings")))
		return -EBADMSG;
	nodes = json_read_array(&r, "nodes", map->n_nodes, &n);
	for (i = 0; i < n; i++)
		if (read_node(&map->nodes[i],
			      json_object_array_get_idx(nodes, i), why))
			return -EBADMSG;
	if (map_check_nodes(map, why))
		return -EBADMSG;
	return read_decision(&map->decision, json_read_child(&r, "decision"));
}

/* Allocate for what @root holds, within the limits. */
static struct map *new_map(struct json_object *root, struct why *why)
{
	struct json_read r = json_read(root, "map", why);
	struct json_read decision;
	size_t n_nodes, n_changes;

	if (check_schema(&r))
		return NULL;
	json_read_array(&r, "nodes", MAP_NODES_MAX, &n_nodes);
	decision = json_read_child(&r, "decision");
	json_read_array(&decision, "changes", MAP_CHANGES_MAX, &n_changes);
	return decision.result ? NULL : map_new(n_nodes, n_changes);
}

/* Removes the member "hash" from @root: what is left is what was hashed. */
static int check_hash(const struct map *map, struct json_object *root,
		      struct why *why)
{
	uint8_t hash[MAP_HASH_BYTES];
	const char *text;
	size_t bytes;

	json_object_object_del(root, "hash");
	text = json_text(root, &bytes);
	map_hash(text, bytes, hash);
	if (memcmp(hash, map->hash, sizeof(hash)))
		return why_set(why, -EBADMSG, "the hash does not match");
	return 0;
}

/* Before json-c allocates for it. */
static bool is_too_large(const char *text, size_t bytes)
{
	unsigned int containers = 0, members = 0;
	size_t i;

	if (bytes > MAP_TEXT_BYTES_MAX)
		return true;
	for (i = 0; i < bytes; i++) {
		containers += text[i] == '{' || text[i] == '[';
		members += text[i] == ',';
	}
	return containers > CONTAINERS_MAX || members > MEMBERS_MAX;
}

static struct json_object *parse(const char *text, size_t bytes,
				 struct why *why)
{
	struct json_tokener *tokener;
	struct json_object *root;

	if (is_too_large(text, bytes)) {
		why_set(why, -EBADMSG, "larger than any map");
		return NULL;
	}
	tokener = json_tokener_new_ex(DEPTH_MAX);
	if (!tokener)
		mem_exhausted();
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
						JSON_TOKENER_VALIDATE_UTF8);
	root = json_tokener_parse_ex(tokener, text, bytes);
	if (!root || json_tokener_get_parse_end(tokener) != bytes) {
		why_set(why, -EBADMSG, "not one JSON document");
		json_object_put(root);
		root = NULL;
	}
	json_tokener_free(tokener);
	return root;
}

int map_decode(struct map **mapp, const char *text, size_t bytes,
	       struct why *why)
{
	struct json_object *root = parse(text, bytes, why);
	struct map *map = NULL;
	int ret = -EBADMSG;

	*mapp = NULL;
	if (!root)
		return -EBADMSG;
	map = new_map(root, why);
	if (map && !read_map(map, root, why) && !check_hash(map, root, why)) {
		map_set_text(map, text, bytes);
		*mapp = map;
		map = NULL;
		ret = 0;
	}
	map_free(map);
	json_object_put(root);
	return ret;
}
