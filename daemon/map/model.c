// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the map in memory: allocation, lookup, and what must hold between its
 * nodes. Its text form is encode.c's and decode.c's.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/map/model.h"
#include "daemon/mem.h"

static const char *const cause_names[] = {
	[MAP_CAUSE_NONE] = "none",
	[MAP_CAUSE_NEVER_SEEN] = "never-seen",
	[MAP_CAUSE_SILENT] = "silent",
	[MAP_CAUSE_NEVER_HEARD] = "never-heard",
};

static const char *const change_names[] = {
	[MAP_NODE_UP] = "up",
	[MAP_NODE_DOWN] = "down",
	[MAP_NODE_RESTARTED] = "restarted",
	[MAP_NODE_ADDED] = "added",
	[MAP_NODE_REMOVED] = "removed",
	[MAP_NODE_CHANGED] = "changed",
	[MAP_SETTINGS_CHANGED] = "settings",
};

const char *map_cause_name(enum map_cause cause)
{
	return cause_names[cause];
}

const char *map_change_name(enum map_change_kind kind)
{
	return change_names[kind];
}

void map_hash_hex(const uint8_t *hash, char *hex)
{
	static const char digits[] = "0123456789abcdef";
	int i;

	for (i = 0; i < MAP_HASH_BYTES; i++) {
		*hex++ = digits[hash[i] >> 4];
		*hex++ = digits[hash[i] & 15];
	}
	*hex = '\0';
}

struct map *map_new(unsigned int n_nodes, unsigned int n_changes)
{
	struct map *map = mem_zalloc(1, sizeof(*map));

	map->n_nodes = n_nodes;
	map->nodes = mem_zalloc(n_nodes, sizeof(*map->nodes));
	map->decision.n_changes = n_changes;
	map->decision.changes =
		mem_zalloc(n_changes, sizeof(*map->decision.changes));
	return map;
}

void map_free(struct map *map)
{
	if (!map)
		return;
	free(map->text);
	free(map->decision.changes);
	free(map->nodes);
	free(map);
}

void map_set_text(struct map *map, const char *text, size_t bytes)
{
	free(map->text);
	map->text = mem_dup(text, bytes);
	map->text_bytes = bytes;
}

static int compare_id(const void *key, const void *node)
{
	uint32_t id = *(const uint32_t *)key;
	uint32_t other = ((const struct map_node *)node)->id;

	return (id > other) - (id < other);
}

struct map_node *map_find(const struct map *map, uint32_t id)
{
	return bsearch(&id, map->nodes, map->n_nodes, sizeof(*map->nodes),
		       compare_id);
}

int map_index(const struct map *map, uint32_t id)
{
	const struct map_node *node = map_find(map, id);

	return node ? node - map->nodes : -1;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_names(const struct map *map, struct why *why)
{
	const char **names = mem_zalloc(map->n_nodes, sizeof(*names));
	unsigned int i;
	int ret = 0;

	for (i = 0; i < map->n_nodes; i++)
		names[i] = map->nodes[i].name;
	qsort(names, map->n_nodes, sizeof(*names), compare_names);
	for (i = 1; i < map->n_nodes && !ret; i++)
		if (!strcmp(names[i - 1], names[i]))
			ret = why_set(why, -EINVAL, "two nodes are named %s",
				      names[i]);
	free(names);
	return ret;
}

static int compare_addresses(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct in_addr));
}

static int check_addresses(const struct map *map, struct why *why)
{
	struct in_addr *all = mem_zalloc(2 * map->n_nodes, sizeof(*all));
	char text[INET_ADDRSTRLEN];
	unsigned int i, n = 0;
	int ret = 0;

	for (i = 0; i < map->n_nodes; i++) {
		all[n++] = map->nodes[i].front;
		if (map->nodes[i].back.s_addr)
			all[n++] = map->nodes[i].back;
	}
	qsort(all, n, sizeof(*all), compare_addresses);
	for (i = 1; i < n && !ret; i++) {
		if (all[i - 1].s_addr != all[i].s_addr)
			continue;
		inet_ntop(AF_INET, &all[i], text, sizeof(text));
		ret = why_set(why, -EINVAL, "%s is given twice", text);
	}
	free(all);
	return ret;
}

static int check_ids(const struct map *map, struct why *why)
{
	unsigned int i, arbiters = 0;
	uint32_t last = 0;

	for (i = 0; i < map->n_nodes; i++) {
		if (map->nodes[i].id <= last)
			return why_set(why, -EINVAL,
				       "node ids do not rise: %u follows %u",
				       map->nodes[i].id, last);
		last = map->nodes[i].id;
		arbiters += map->nodes[i].arbiter;
	}
	if (!arbiters)
		return why_set(why, -EINVAL, "no node is an arbiter");
	return 0;
}

int map_check_nodes(const struct map *map, struct why *why)
{
	int ret = check_ids(map, why);

	if (!ret)
		ret = check_names(map, why);
	if (!ret)
		ret = check_addresses(map, why);
	return ret;
}
