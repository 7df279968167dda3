// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the comparison of the kernel with a map, and the order of the calls that
 * make them alike: the node, its peers, and last the epoch, which tells the
 * world that the rest is in force.
 */
#include <errno.h>
#include <stdlib.h>

#include "daemon/agent/program.h"
#include "daemon/mem.h"

const struct program_ops program_knl = {
	.node_get = knl_node_get,
	.node_set = knl_node_set,
	.node_del = knl_node_del,
	.peer_set = knl_peer_set,
	.peer_del = knl_peer_del,
	.peer_dump = knl_peer_dump,
};

struct sync {
	const struct program_ops *ops;
	struct knl *knl;
	const struct program *program;
	const struct map_node *self;
	struct program_result *result;
	struct knl_peer *have; /* by index of the map; id 0: not there */
	uint32_t *extra; /* peers that the map does not have */
	unsigned int n_extra;
};

static struct knl_node_config wanted_node(const struct sync *s)
{
	const struct map *map = s->program->map;

	return (struct knl_node_config){
		.id = s->program->self_id,
		.cluster = s->program->cluster_id,
		.interval_us = map->settings.interval_us,
		.grace_us = map->settings.grace_us,
		.arbiter = s->self->arbiter,
		.insecure = s->program->insecure,
	};
}

static bool same_node(const struct knl_node *node,
		      const struct knl_node_config *want)
{
	return node->interval_us == want->interval_us &&
	       node->grace_us == want->grace_us &&
	       node->arbiter == want->arbiter;
}

static bool is_other_node(const struct sync *s, const struct knl_node *node)
{
	return node->id != s->program->self_id ||
	       node->cluster != s->program->cluster_id;
}

/* After this the kernel is this node; *node is what it was before, or zeros. */
static int sync_node(struct sync *s, struct knl_node *node)
{
	struct knl_node_config want = wanted_node(s);
	int ret = s->ops->node_get(s->knl, node);

	if (!ret && is_other_node(s, node)) {
		if (!s->program->replace)
			return -EBUSY;
		ret = s->ops->node_del(s->knl);
		if (!ret)
			ret = -ENODEV;
	}
	if (ret == -ENODEV) {
		*node = (struct knl_node){ 0 };
		s->result->configured = true;
		return s->ops->node_set(s->knl, &want);
	}
	if (ret || node->map_epoch > s->program->map->epoch)
		return ret;
	return same_node(node, &want) ? 0 : s->ops->node_set(s->knl, &want);
}

static void collect(void *arg, const struct knl_peer *peer)
{
	struct sync *s = arg;
	int i = map_index(s->program->map, peer->id);

	if (i >= 0 && peer->id != s->program->self_id)
		s->have[i] = *peer;
	else if (s->n_extra < MAP_NODES_MAX)
		s->extra[s->n_extra++] = peer->id;
}

static void want_path(struct knl_path *path, struct in_addr local,
		      struct in_addr remote)
{
	path->present = local.s_addr && remote.s_addr;
	path->local = local;
	path->remote = remote;
}

static bool same_path(const struct knl_path *a, const struct knl_path *b)
{
	if (!a->present || !b->present)
		return a->present == b->present;
	return a->local.s_addr == b->local.s_addr &&
	       a->remote.s_addr == b->remote.s_addr;
}

static int sync_peer(struct sync *s, const struct map_node *node,
		     const struct knl_peer *have)
{
	struct knl_peer want = { .id = node->id, .arbiter = node->arbiter };

	want_path(&want.path[0], s->self->front, node->front);
	want_path(&want.path[1], s->self->back, node->back);
	if (have->id && have->arbiter == want.arbiter &&
	    same_path(&have->path[0], &want.path[0]) &&
	    same_path(&have->path[1], &want.path[1]))
		return 0;
	s->result->peers_set++;
	return s->ops->peer_set(s->knl, &want);
}

static int delete_extra(struct sync *s)
{
	unsigned int i;
	int ret;

	for (i = 0; i < s->n_extra; i++) {
		/* A dump may tell a peer twice. */
		ret = s->ops->peer_del(s->knl, s->extra[i]);
		if (ret && ret != -ENOENT)
			return ret;
		s->result->peers_deleted += !ret;
	}
	return 0;
}

static int sync_peers(struct sync *s)
{
	const struct map *map = s->program->map;
	int ret = s->ops->peer_dump(s->knl, collect, s);
	unsigned int i;

	/* Old peers go first: a new one may have the address of an old one. */
	if (!ret)
		ret = delete_extra(s);
	for (i = 0; i < map->n_nodes && !ret; i++)
		if (map->nodes[i].id != s->program->self_id)
			ret = sync_peer(s, &map->nodes[i], &s->have[i]);
	return ret;
}

static int sync_epoch(struct sync *s)
{
	struct knl_node_config want = wanted_node(s);
	int ret;

	want.map_epoch = s->program->map->epoch;
	ret = s->ops->node_set(s->knl, &want);
	if (!ret)
		s->result->epoch = want.map_epoch;
	return ret;
}

static int sync(struct sync *s)
{
	uint64_t epoch = s->program->map->epoch;
	struct knl_node node;
	int ret = sync_node(s, &node);

	if (ret)
		return ret;
	s->result->epoch = node.map_epoch;
	if (node.map_epoch > epoch)
		return 0;
	ret = sync_peers(s);
	return ret || node.map_epoch == epoch ? ret : sync_epoch(s);
}

int program_kernel(const struct program_ops *ops, struct knl *knl,
		   const struct program *program, struct program_result *result)
{
	struct sync s = {
		.ops = ops,
		.knl = knl,
		.program = program,
		.self = map_find(program->map, program->self_id),
		.result = result,
	};
	int ret;

	*result = (struct program_result){ 0 };
	if (!s.self)
		return -ENXIO;
	s.have = mem_zalloc(program->map->n_nodes, sizeof(*s.have));
	s.extra = mem_zalloc(MAP_NODES_MAX, sizeof(*s.extra));
	ret = sync(&s);
	free(s.have);
	free(s.extra);
	return ret;
}
