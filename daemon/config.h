/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration file: one for the whole cluster, the same on each node.
 * Documentation/configuration.rst describes it.
 */
#ifndef KARDIAD_CONFIG_H
#define KARDIAD_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/map/model.h"
#include "daemon/why.h"

#define CONFIG_PATH_BYTES 256

struct config_node {
	struct map_node node; /* id, name, host, addresses, arbiter */
	unsigned int line;
};

struct config {
	char cluster[MAP_NAME_BYTES];
	uint32_t cluster_id; /* from the name, see config_cluster_id() */
	struct map_settings settings;
	bool insecure;

	struct config_node *nodes; /* in ascending order of their ids */
	unsigned int n_nodes;
	const struct map_node *self;
	const struct map_node *arbiter;

	char store[CONFIG_PATH_BYTES];
	uint32_t listen_port;

	bool tls; /* the three files below are given */
	char tls_ca[CONFIG_PATH_BYTES];
	char tls_certificate[CONFIG_PATH_BYTES];
	char tls_key[CONFIG_PATH_BYTES];

	char node_name[MAP_NAME_BYTES];
	char socket[CONFIG_PATH_BYTES];
	char state_dir[CONFIG_PATH_BYTES];
	bool realtime;
	uint32_t priority;
};

/* Lines that the checks across keys point at; 0: it was not given. */
struct config_lines {
	unsigned int cluster; /* the section, as are the next two */
	unsigned int tls;
	unsigned int local;
	unsigned int interval;
	unsigned int grace;
	unsigned int min_down_reporters;
	unsigned int insecure;
};

/*
 * Read @path as the node @node_name, or if that is NULL as the one that the
 * file or else the host name tells. Returns 0, or a negative errno with
 * "FILE:LINE: reason" in @why. config_free() is due in either case.
 */
int config_load(struct config *config, const char *path, const char *node_name,
		struct why *why);
void config_free(struct config *config);

/*
 * What no single key can tell: relations between keys and between nodes.
 * Returns the line to blame in @line, 0 for the file as a whole.
 */
int config_check(const struct config *config, const struct config_lines *lines,
		 unsigned int *line, struct why *why);

/* The cluster's id in frames: the first 32 bits of the SHA-256 of its name. */
uint32_t config_cluster_id(const char *name);

/* The map that the file alone describes, at epoch 0 with every node down. */
struct map *config_seed_map(const struct config *config);

#endif
