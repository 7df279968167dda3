/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several tests of the daemon need: cmocka, maps, folders, files. */
#ifndef KARDIA_UNIT_FIXTURE_H
#define KARDIA_UNIT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/map/model.h"

#define IPV4(a, b, c, d)   \
	((struct in_addr){ \
		htonl((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d)) })

/*
 * Nodes n1 to nN with ids from 1, one per host h1 to hN, n1 the arbiter, on
 * 10.1.0.ID and 10.2.0.ID. Not sealed; epoch 0, all down.
 */
static inline struct map *fixture_map(unsigned int n)
{
	struct map *map = map_new(n, 0);
	unsigned int i;

	strcpy(map->cluster, "test");
	map->settings = (struct map_settings){ 10000, 50000, 2 };
	for (i = 0; i < n; i++) {
		struct map_node *node = &map->nodes[i];

		node->id = i + 1;
		snprintf(node->name, sizeof(node->name), "n%u", i + 1);
		snprintf(node->host, sizeof(node->host), "h%u", i + 1);
		node->front = IPV4(10, 1, (i + 1) >> 8, (i + 1) & 255);
		node->back = IPV4(10, 2, (i + 1) >> 8, (i + 1) & 255);
		node->cause = MAP_CAUSE_NEVER_SEEN;
	}
	map->nodes[0].arbiter = true;
	strcpy(map->decision.arbiter, "n1");
	map->decision.arbiter_id = 1;
	map->decision.term = 1;
	map->decision.decided_at_us = 1;
	return map;
}

/* The next epoch of a chain: a map built on @base, which may be NULL. */
static inline struct map *fixture_next(const struct map *base, uint64_t term)
{
	struct map *map = fixture_map(base ? base->n_nodes : 3);
	struct why why;

	map->epoch = 1;
	if (base) {
		map->epoch = base->epoch + 1;
		memcpy(map->prev_hash, base->hash, MAP_HASH_BYTES);
	}
	map->decision.term = term;
	assert_int_equal(map_seal(map, &why), 0);
	return map;
}

/* A new folder, for fixture_remove(). */
static inline char *fixture_folder(void)
{
	char *path = strdup("/tmp/kardia-test-XXXXXX");

	assert_non_null(path);
	assert_non_null(mkdtemp(path));
	return path;
}

static inline void fixture_remove(char *folder)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	assert_int_equal(system(command), 0);
	free(folder);
}

static inline void fixture_write(const char *path, const void *data,
				 size_t bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static inline void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

#endif
