// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the configuration as a whole: defaults, which node this is, paths for
 * it. The form of the file is config_parse.c's, the rules between keys are
 * config_check.c's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/config.h"
#include "daemon/config_parse.h"
#include "daemon/map/hash.h"
#include "daemon/mem.h"

static void set_defaults(struct config *config)
{
	memset(config, 0, sizeof(*config));
	config->settings.interval_us = 100000;
	config->settings.min_down_reporters = 2;
	config->realtime = true;
	config->priority = 60;
	config->listen_port = 7890;
	strcpy(config->store, "/var/lib/kardia/map.db");
	strcpy(config->socket, "/run/kardia/kardiad.sock");
	strcpy(config->state_dir, "/var/lib/kardia");
}

static int compare_nodes(const void *a, const void *b)
{
	uint32_t ida = ((const struct config_node *)a)->node.id;
	uint32_t idb = ((const struct config_node *)b)->node.id;

	return (ida > idb) - (ida < idb);
}

/* What follows from the keys that were given. */
static void complete(struct config *config)
{
	unsigned int i;

	if (!config->settings.grace_us)
		config->settings.grace_us = 5 * config->settings.interval_us;
	config->tls = *config->tls_ca;
	config->cluster_id = config_cluster_id(config->cluster);
	if (config->n_nodes)
		qsort(config->nodes, config->n_nodes, sizeof(*config->nodes),
		      compare_nodes);
	for (i = 0; i < config->n_nodes; i++) {
		struct map_node *node = &config->nodes[i].node;

		if (!*node->host)
			strcpy(node->host, node->name);
		if (node->arbiter)
			config->arbiter = node;
	}
}

/* Which of the nodes are we? */
static int find_self(struct config *config, const char *given, struct why *why)
{
	unsigned int i;

	if (given)
		snprintf(config->node_name, MAP_NAME_BYTES, "%s", given);
	else if (!*config->node_name)
		gethostname(config->node_name, MAP_NAME_BYTES - 1);
	for (i = 0; i < config->n_nodes; i++)
		if (!strcmp(config->nodes[i].node.name, config->node_name))
			config->self = &config->nodes[i].node;
	if (!config->self)
		return why_set(
			why, -EINVAL,
			"this node, '%s', has no [node %s] section; another name is given by --node or by node = in [local]",
			config->node_name, config->node_name);
	return 0;
}

/* Replace %n by the node's name and %% by %, so that one file serves many. */
static int expand(char *path, const char *node_name, struct why *why)
{
	char out[CONFIG_PATH_BYTES] = "";
	size_t used = 0;
	const char *c;

	for (c = path; *c && used < sizeof(out); c++) {
		if (*c != '%')
			used += snprintf(out + used, sizeof(out) - used, "%c",
					 *c);
		else if (*++c == 'n')
			used += snprintf(out + used, sizeof(out) - used, "%s",
					 node_name);
		else if (*c == '%')
			used += snprintf(out + used, sizeof(out) - used, "%%");
		else
			return why_set(why, -EINVAL,
				       "'%s': only %%n and %%%% are known",
				       path);
	}
	if (used >= sizeof(out))
		return why_set(why, -EINVAL, "'%s' is too long for %s", path,
			       node_name);
	strcpy(path, out);
	return 0;
}

static int expand_paths(struct config *config, struct why *why)
{
	char *paths[] = { config->store,	   config->socket,
			  config->state_dir,	   config->tls_ca,
			  config->tls_certificate, config->tls_key };
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (expand(paths[i], config->self->name, why))
			return -EINVAL;
	return 0;
}

static int load(struct config *config, FILE *file, const char *node_name,
		unsigned int *line, struct why *why)
{
	struct config_lines lines = { 0 };
	int ret = config_parse(config, file, &lines, line, why);

	if (ret)
		return ret;
	complete(config);
	ret = config_check(config, &lines, line, why);
	if (ret)
		return ret;
	*line = lines.local;
	ret = find_self(config, node_name, why);
	return ret ? ret : expand_paths(config, why);
}

int config_load(struct config *config, const char *path, const char *node_name,
		struct why *why)
{
	struct why reason = { "" };
	unsigned int line = 0;
	FILE *file;
	int ret;

	set_defaults(config);
	file = fopen(path, "re");
	if (!file)
		return why_set(why, -errno, "%s: %s", path, strerror(errno));
	ret = load(config, file, node_name, &line, &reason);
	fclose(file);
	if (!ret)
		return 0;
	if (line)
		return why_set(why, ret, "%s:%u: %.400s", path, line,
			       reason.text);
	return why_set(why, ret, "%s: %.400s", path, reason.text);
}

void config_free(struct config *config)
{
	free(config->nodes);
	config->nodes = NULL;
}

uint32_t config_cluster_id(const char *name)
{
	uint8_t hash[MAP_HASH_BYTES];

	map_hash(name, strlen(name), hash);
	return (uint32_t)hash[0] << 24 | hash[1] << 16 | hash[2] << 8 | hash[3];
}

struct map *config_seed_map(const struct config *config)
{
	struct map *map = map_new(config->n_nodes, 0);
	unsigned int i;

	strcpy(map->cluster, config->cluster);
	map->settings = config->settings;
	for (i = 0; i < config->n_nodes; i++) {
		map->nodes[i] = config->nodes[i].node;
		map->nodes[i].cause = MAP_CAUSE_NEVER_SEEN;
	}
	return map;
}
