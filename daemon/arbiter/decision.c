// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the step from one epoch to the next. What should change is decided
 * elsewhere; nothing is committed here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/arbiter/decision.h"

/* Epoch, chain and author; nodes and changes are the caller's to fill. */
static struct map *follow(const struct map *base, unsigned int n_nodes,
			  unsigned int n_changes, const struct author *author)
{
	struct map *next = map_new(n_nodes, n_changes);
	struct map_decision *decision = &next->decision;

	next->epoch = 1;
	if (base) {
		next->epoch = base->epoch + 1;
		memcpy(next->prev_hash, base->hash, MAP_HASH_BYTES);
	}
	strcpy(decision->arbiter, author->node->name);
	decision->arbiter_id = author->node->id;
	decision->term = author->term;
	decision->decided_at_us = author->wall_us;
	decision->decided_mono_us = author->mono_ns / 1000;
	return next;
}

static void apply(struct map *map, const struct map_change *change)
{
	struct map_node *node = map_find(map, change->id);

	node->up = change->kind != MAP_NODE_DOWN;
	node->cause = change->cause;
	node->incarnation = change->incarnation;
	node->since_epoch = map->epoch;
}

/* "n4 down, n5 down", cut where there is no more room. */
static void describe(struct map_decision *decision)
{
	char *text = decision->reason;
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < decision->n_changes; i++) {
		const struct map_change *change = &decision->changes[i];

		if (used + sizeof(change->name) + 24 > MAP_REASON_BYTES) {
			snprintf(text + used, MAP_REASON_BYTES - used,
				 " and %u more", decision->n_changes - i);
			return;
		}
		used += snprintf(text + used, MAP_REASON_BYTES - used,
				 "%s%s %s", i ? ", " : "", change->name,
				 map_change_name(change->kind));
	}
}

int decision_from_policy(const struct map *base,
			 const struct policy_decision *decision,
			 const struct author *author, struct map **nextp,
			 struct why *why)
{
	struct map *next =
		follow(base, base->n_nodes, decision->n_changes, author);
	unsigned int i;
	int ret;

	strcpy(next->cluster, base->cluster);
	next->settings = base->settings;
	memcpy(next->nodes, base->nodes, base->n_nodes * sizeof(*base->nodes));
	for (i = 0; i < decision->n_changes; i++) {
		next->decision.changes[i] = decision->changes[i];
		apply(next, &decision->changes[i]);
	}
	describe(&next->decision);
	ret = map_seal(next, why);
	if (ret) {
		map_free(next);
		next = NULL;
	}
	*nextp = next;
	return ret;
}

static void note(struct map *map, enum map_change_kind kind,
		 const struct map_node *node)
{
	struct map_change *change =
		&map->decision.changes[map->decision.n_changes++];

	change->kind = kind;
	if (!node)
		return;
	change->id = node->id;
	strcpy(change->name, node->name);
	change->cause = node->cause;
	change->incarnation = node->incarnation;
}

static bool same_place(const struct map_node *a, const struct map_node *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->host, b->host) &&
	       a->front.s_addr == b->front.s_addr &&
	       a->back.s_addr == b->back.s_addr && a->arbiter == b->arbiter;
}

/* A node as the file wants it, in the state that the map knows. */
static void merge_node(struct map *next, struct map_node *node,
		       const struct map *base)
{
	const struct map_node *known = base ? map_find(base, node->id) : NULL;

	if (!known) {
		node->since_epoch = next->epoch;
		note(next, MAP_NODE_ADDED, node);
		return;
	}
	node->up = known->up;
	node->cause = known->cause;
	node->incarnation = known->incarnation;
	node->since_epoch = known->since_epoch;
	if (!same_place(node, known))
		note(next, MAP_NODE_CHANGED, node);
}

static void note_removed(struct map *next, const struct map *base)
{
	unsigned int i;

	for (i = 0; i < base->n_nodes; i++)
		if (!map_find(next, base->nodes[i].id))
			note(next, MAP_NODE_REMOVED, &base->nodes[i]);
}

int decision_from_config(const struct map *base, const struct map *wanted,
			 const struct author *author, struct map **nextp,
			 struct why *why)
{
	unsigned int n_known = base ? base->n_nodes : 0;
	struct map *next = follow(base, wanted->n_nodes,
				  wanted->n_nodes + n_known + 1, author);
	unsigned int i;
	int ret;

	strcpy(next->cluster, wanted->cluster);
	next->settings = wanted->settings;
	memcpy(next->nodes, wanted->nodes,
	       wanted->n_nodes * sizeof(*wanted->nodes));
	next->decision.n_changes = 0;
	for (i = 0; i < next->n_nodes; i++)
		merge_node(next, &next->nodes[i], base);
	if (base) {
		note_removed(next, base);
		if (memcmp(&base->settings, &next->settings,
			   sizeof(base->settings)))
			note(next, MAP_SETTINGS_CHANGED, NULL);
	}
	snprintf(next->decision.reason, MAP_REASON_BYTES,
		 "arbiter %s takes over, term %" PRIu64, author->node->name,
		 author->term);
	ret = map_seal(next, why);
	if (ret) {
		map_free(next);
		next = NULL;
	}
	*nextp = next;
	return ret;
}
