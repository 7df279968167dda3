/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cluster map: which nodes there are, which of them are up, and the
 * decision that made this epoch. A map that has been sealed or decoded carries
 * its canonical text and never changes again; the next epoch is a copy.
 */
#ifndef KARDIAD_MAP_MODEL_H
#define KARDIAD_MAP_MODEL_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/kardia.h>

#include "daemon/why.h"

#define MAP_SCHEMA "kardia.map/1"
#define MAP_NAME_BYTES 64
#define MAP_REASON_BYTES 192
#define MAP_HASH_BYTES 32
#define MAP_HASH_HEX_BYTES (2 * MAP_HASH_BYTES + 1)

#define MAP_NODES_MAX 1024
#define MAP_CHANGES_MAX (MAP_NODES_MAX * 2 + 1)
#define MAP_ACCUSERS_MAX 16 /* named for one change; all are counted */
#define MAP_EPOCH_MAX (1ULL << 53) /* what a JSON number holds exactly */
#define MAP_TEXT_BYTES_MAX (8U << 20)

enum map_cause {
	MAP_CAUSE_NONE, /* the node is up */
	MAP_CAUSE_NEVER_SEEN, /* down since it was added to the map */
	MAP_CAUSE_SILENT,
	MAP_CAUSE_NEVER_HEARD, /* by those who accuse it */
	MAP_CAUSES
};

struct map_settings {
	uint32_t interval_us;
	uint32_t grace_us;
	uint32_t min_down_reporters;
};

/**
 * struct map_node - one node of the cluster
 * @id: 1 or more
 * @name: unique
 * @host: failure domain: reporters are counted once per host
 * @front: address on the front network
 * @back: address on the back network, or 0
 * @arbiter: it runs the arbiter role
 * @up: the verdict
 * @cause: why it is down
 * @incarnation: of its life when it was last up, 0 before the first
 * @since_epoch: when @up or @incarnation changed last
 */
struct map_node {
	uint32_t id;
	char name[MAP_NAME_BYTES];
	char host[MAP_NAME_BYTES];
	struct in_addr front;
	struct in_addr back;
	bool arbiter;
	bool up;
	enum map_cause cause;
	uint64_t incarnation;
	uint64_t since_epoch;
};

/**
 * struct map_accuser - a report that a verdict stands on
 * @id: node id of the reporter
 * @incarnation: life of the accused that it names, 0: never heard
 * @silent_us: how long the accused had been silent at the decision
 * @grace_us: grace that the reporter applied
 * @own_lateness_us: how late the reporter itself was
 * @paths: bit per silent path
 * @cause: why it accuses
 */
struct map_accuser {
	uint32_t id;
	uint64_t incarnation;
	uint64_t silent_us;
	uint32_t grace_us;
	uint32_t own_lateness_us;
	uint8_t paths;
	enum kardia_cause cause;
};

enum map_change_kind {
	MAP_NODE_UP,
	MAP_NODE_DOWN,
	MAP_NODE_RESTARTED, /* up, in another life than before */
	MAP_NODE_ADDED,
	MAP_NODE_REMOVED,
	MAP_NODE_CHANGED, /* name, host, addresses or role */
	MAP_SETTINGS_CHANGED, /* of no node */
	MAP_CHANGES
};

/**
 * struct map_change - one difference between an epoch and the one before
 * @kind: what happened
 * @id: the node; 0 for MAP_SETTINGS_CHANGED
 * @name: of the node
 * @incarnation: the life that came up or went down
 * @cause: for MAP_NODE_DOWN
 * @n_accusers_total: reporters that accused it and counted
 * @n_accusers: of these, named here: the longest silences
 * @accusers: by falling silence
 */
struct map_change {
	enum map_change_kind kind;
	uint32_t id;
	char name[MAP_NAME_BYTES];
	uint64_t incarnation;
	enum map_cause cause;
	unsigned int n_accusers_total;
	unsigned int n_accusers;
	struct map_accuser accusers[MAP_ACCUSERS_MAX];
};

/**
 * struct map_decision - who made an epoch, when and why
 * @arbiter: name of the acting arbiter
 * @arbiter_id: its node id
 * @term: its term
 * @reason: for people
 * @decided_at_us: wall clock, for people; no rule reads it
 * @decided_mono_us: CLOCK_MONOTONIC of the arbiter, as in kernel events
 * @n_changes: may be 0
 * @changes: what differs from the epoch before
 */
struct map_decision {
	char arbiter[MAP_NAME_BYTES];
	uint32_t arbiter_id;
	uint64_t term;
	char reason[MAP_REASON_BYTES];
	uint64_t decided_at_us;
	uint64_t decided_mono_us;
	unsigned int n_changes;
	struct map_change *changes;
};

struct map {
	char cluster[MAP_NAME_BYTES];
	uint64_t epoch;
	struct map_settings settings;
	unsigned int n_nodes;
	struct map_node *nodes; /* in ascending order of their ids */
	struct map_decision decision;
	uint8_t prev_hash[MAP_HASH_BYTES]; /* zeros in epoch 1 */
	uint8_t hash[MAP_HASH_BYTES];
	char *text; /* NULL until sealed */
	size_t text_bytes;
};

/* A map with room for so many nodes and changes; aborts without memory. */
struct map *map_new(unsigned int n_nodes, unsigned int n_changes);
void map_free(struct map *map);

/* NULL if there is none. */
struct map_node *map_find(const struct map *map, uint32_t id);
/* Position in @nodes, -1 if there is none. */
int map_index(const struct map *map, uint32_t id);

/* Sorted by id, names and addresses unique, an arbiter: 0 or -EINVAL. */
int map_check_nodes(const struct map *map, struct why *why);

/* For encode.c and decode.c: give @map a copy of its text. */
void map_set_text(struct map *map, const char *text, size_t bytes);

/* Compute hash and text. -E2BIG: longer than MAP_TEXT_BYTES_MAX. */
int map_seal(struct map *map, struct why *why);

/*
 * Parse and check a map that anybody may have sent: form, limits, hash.
 * Returns 0, or -EBADMSG with the reason.
 */
int map_decode(struct map **map, const char *text, size_t bytes,
	       struct why *why);

const char *map_cause_name(enum map_cause cause);
const char *map_change_name(enum map_change_kind kind);
void map_hash_hex(const uint8_t *hash, char *hex);

#endif
