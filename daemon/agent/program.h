/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the kernel's configuration what a map says, by the differences only, so
 * that what is right already is not disturbed.
 */
#ifndef KARDIAD_AGENT_PROGRAM_H
#define KARDIAD_AGENT_PROGRAM_H

#include "daemon/map/model.h"
#include "daemon/why.h"
#include "lib/nl.h"

/* The calls into the kernel; program_knl has lib/nl.h's. */
struct program_ops {
	int (*node_get)(struct knl *knl, struct knl_node *node);
	int (*node_set)(struct knl *knl, const struct knl_node_config *config);
	int (*node_del)(struct knl *knl);
	int (*peer_set)(struct knl *knl, const struct knl_peer *peer);
	int (*peer_del)(struct knl *knl, uint32_t id);
	int (*peer_dump)(struct knl *knl,
			 void (*each)(void *arg, const struct knl_peer *peer),
			 void *arg);
};

extern const struct program_ops program_knl;

/**
 * struct program - what the kernel should be
 * @map: nodes, settings, epoch (0: of no map, from the configuration)
 * @self_id: this node
 * @cluster_id: in frames
 * @insecure: unauthenticated frames are accepted
 * @replace: a kernel that is set up as another node may be set up anew
 */
struct program {
	const struct map *map;
	uint32_t self_id;
	uint32_t cluster_id;
	bool insecure;
	bool replace;
};

/**
 * struct program_result - what was found and done
 * @epoch: in force in the kernel
 * @configured: it was idle, or another node, before
 * @peers_set: added or changed
 * @peers_deleted: removed
 */
struct program_result {
	uint64_t epoch;
	bool configured;
	unsigned int peers_set;
	unsigned int peers_deleted;
};

/*
 * A kernel that has a newer map than @program's is left alone. On failure part
 * of the differences may be gone; the next call does the rest. -ENXIO: the map
 * does not have this node. -EBUSY: the kernel is another node. Otherwise what
 * the kernel answered; its own words are knl_error()'s.
 */
int program_kernel(const struct program_ops *ops, struct knl *knl,
		   const struct program *program,
		   struct program_result *result);

#endif
