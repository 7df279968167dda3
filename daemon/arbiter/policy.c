// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the evidence and the rules that turn it into changes of the map; see
 * policy.h for the rules. Knows no store, no netlink socket and no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/arbiter/policy.h"
#include "daemon/mem.h"

/*
 * What is known about one node of the map, at the node's index in it: as a
 * peer of this kernel, and as a reporter.
 */
struct witness {
	uint32_t id;
	unsigned int host; /* index of the first node of its host */
	bool heard; /* this kernel has it up */
	uint64_t incarnation; /* of the life that was heard last */
	uint64_t peer_seq;
	uint64_t report_seq;
	uint32_t watched;
	uint32_t silent;
	unsigned int n_suspects;
	struct knl_suspect suspects[KARDIA_REPORT_SUSPECTS_MAX];
};

struct policy {
	uint32_t self_id;
	const struct map *map;
	uint64_t start_ns; /* nobody goes down before */
	uint64_t wake_ns;

	struct witness *witnesses; /* as many as the map has nodes */
	struct witness *spare; /* for the next map */
	unsigned int n_witnesses;

	/* Scratch of policy_decide(). */
	unsigned int *accusations; /* that count, by accused */
	unsigned int *host_marks; /* by host: last pass that counted it */
	unsigned int mark;
	struct map_change *changes;
	struct policy_decision decision;
};

struct policy *policy_new(uint32_t self_id)
{
	struct policy *p = mem_zalloc(1, sizeof(*p));

	p->self_id = self_id;
	p->witnesses = mem_zalloc(MAP_NODES_MAX, sizeof(*p->witnesses));
	p->spare = mem_zalloc(MAP_NODES_MAX, sizeof(*p->spare));
	p->accusations = mem_zalloc(MAP_NODES_MAX, sizeof(*p->accusations));
	p->host_marks = mem_zalloc(MAP_NODES_MAX, sizeof(*p->host_marks));
	p->changes = mem_zalloc(MAP_NODES_MAX, sizeof(*p->changes));
	p->decision.changes = p->changes;
	return p;
}

void policy_free(struct policy *p)
{
	if (!p)
		return;
	free(p->witnesses);
	free(p->spare);
	free(p->accusations);
	free(p->host_marks);
	free(p->changes);
	free(p);
}

static struct witness *find(struct policy *p, uint32_t id)
{
	int i = p->map ? map_index(p->map, id) : -1;

	return i < 0 ? NULL : &p->witnesses[i];
}

static unsigned int first_of_host(const struct map *map, unsigned int node)
{
	unsigned int i;

	for (i = 0; i < node; i++)
		if (!strcmp(map->nodes[i].host, map->nodes[node].host))
			break;
	return i;
}

static bool same_nodes(const struct map *a, const struct map *b)
{
	unsigned int i;

	if (!a || a->n_nodes != b->n_nodes)
		return false;
	for (i = 0; i < a->n_nodes; i++)
		if (a->nodes[i].id != b->nodes[i].id ||
		    strcmp(a->nodes[i].host, b->nodes[i].host))
			return false;
	return true;
}

void policy_set_map(struct policy *p, const struct map *map)
{
	struct witness *old = p->witnesses;
	unsigned int i;

	if (same_nodes(p->map, map)) {
		p->map = map;
		return;
	}
	for (i = 0; i < map->n_nodes; i++) {
		const struct witness *known = find(p, map->nodes[i].id);

		p->spare[i] = known ? *known :
				      (struct witness){
					      .id = map->nodes[i].id,
				      };
		p->spare[i].host = first_of_host(map, i);
	}
	p->witnesses = p->spare;
	p->spare = old;
	p->n_witnesses = map->n_nodes;
	p->map = map;
}

void policy_start(struct policy *p, uint64_t now_ns, uint64_t collect_ns)
{
	p->start_ns = now_ns + collect_ns;
}

void policy_forget(struct policy *p)
{
	unsigned int i;

	for (i = 0; i < p->n_witnesses; i++)
		p->witnesses[i] = (struct witness){
			.id = p->witnesses[i].id,
			.host = p->witnesses[i].host,
		};
}

void policy_self(struct policy *p, uint64_t incarnation)
{
	struct witness *self = find(p, p->self_id);

	if (!self)
		return;
	self->heard = true;
	self->incarnation = incarnation;
}

void policy_peer(struct policy *p, const struct knl_peer *peer)
{
	struct witness *w = find(p, peer->id);

	if (!w || peer->event_seq < w->peer_seq)
		return;
	w->peer_seq = peer->event_seq;
	w->heard = peer->state == KARDIA_PEER_UP;
	if (peer->incarnation)
		w->incarnation = peer->incarnation;
}

void policy_peer_gone(struct policy *p, uint32_t id, uint64_t event_seq)
{
	struct witness *w = find(p, id);

	if (!w || event_seq < w->peer_seq)
		return;
	w->peer_seq = event_seq;
	w->heard = false;
	w->incarnation = 0;
}

void policy_report(struct policy *p, const struct knl_report *report)
{
	struct witness *w = find(p, report->reporter);

	if (!w || report->event_seq < w->report_seq)
		return;
	w->report_seq = report->event_seq;
	w->watched = report->watched;
	w->silent = report->silent;
	w->n_suspects = report->expired ? 0 : report->n_suspects;
	memcpy(w->suspects, report->suspects,
	       w->n_suspects * sizeof(w->suspects[0]));
}

/* What accusations are wanted for: to bring a node down, or keep it there. */
enum purpose {
	TO_BRING_DOWN,
	TO_KEEP_DOWN,
};

/* Do this node's accusations serve that purpose at all? */
static bool is_reliable(const struct policy *p, const struct witness *reporter,
			enum purpose purpose)
{
	bool up = p->map->nodes[reporter - p->witnesses].up;

	if (!up && (purpose == TO_BRING_DOWN || !reporter->heard))
		return false;
	return !reporter->watched || reporter->silent < reporter->watched;
}

static bool counts(const struct witness *reporter,
		   const struct witness *accused,
		   const struct knl_suspect *suspect)
{
	if (reporter->host == accused->host)
		return false;
	return !suspect->incarnation || !accused->heard ||
	       suspect->incarnation == accused->incarnation;
}

/*
 * A first pass over all sets, so that only the accused are looked at closer;
 * for the wider of the two purposes.
 */
static void tally(struct policy *p)
{
	unsigned int i, k;

	memset(p->accusations, 0, p->n_witnesses * sizeof(*p->accusations));
	for (i = 0; i < p->n_witnesses; i++) {
		const struct witness *reporter = &p->witnesses[i];

		if (!reporter->n_suspects ||
		    !is_reliable(p, reporter, TO_KEEP_DOWN))
			continue;
		for (k = 0; k < reporter->n_suspects; k++) {
			struct witness *accused =
				find(p, reporter->suspects[k].id);

			if (accused &&
			    counts(reporter, accused, &reporter->suspects[k]))
				p->accusations[accused - p->witnesses]++;
		}
	}
}

/* The accusation of @accused by @reporter that counts; NULL: there is none. */
static const struct knl_suspect *accusation(const struct policy *p,
					    const struct witness *reporter,
					    const struct witness *accused,
					    enum purpose purpose)
{
	unsigned int k;

	if (!reporter->n_suspects || !is_reliable(p, reporter, purpose))
		return NULL;
	for (k = 0; k < reporter->n_suspects; k++)
		if (reporter->suspects[k].id == accused->id &&
		    counts(reporter, accused, &reporter->suspects[k]))
			return &reporter->suspects[k];
	return NULL;
}

/* Different hosts that accuse the node at @index. */
static unsigned int count_hosts(struct policy *p, unsigned int index,
				enum purpose purpose)
{
	unsigned int i, hosts = 0;

	if (p->accusations[index] < p->map->settings.min_down_reporters)
		return 0;
	p->mark++;
	for (i = 0; i < p->n_witnesses; i++) {
		const struct witness *reporter = &p->witnesses[i];

		if (!accusation(p, reporter, &p->witnesses[index], purpose) ||
		    p->host_marks[reporter->host] == p->mark)
			continue;
		p->host_marks[reporter->host] = p->mark;
		hosts++;
	}
	return hosts;
}

/* Keep the longest silences, in falling order. */
static void add_accuser(struct map_change *change,
			const struct map_accuser *accuser)
{
	unsigned int i = change->n_accusers;

	change->n_accusers_total++;
	if (i < MAP_ACCUSERS_MAX)
		change->n_accusers++;
	else if (change->accusers[--i].silent_us >= accuser->silent_us)
		return;
	for (; i && change->accusers[i - 1].silent_us < accuser->silent_us; i--)
		change->accusers[i] = change->accusers[i - 1];
	change->accusers[i] = *accuser;
}

static void name_accusers(struct policy *p, unsigned int index,
			  struct map_change *change, uint64_t now_ns)
{
	unsigned int i;

	for (i = 0; i < p->n_witnesses; i++) {
		const struct knl_suspect *s = accusation(p, &p->witnesses[i],
							 &p->witnesses[index],
							 TO_BRING_DOWN);
		struct map_accuser accuser;

		if (!s)
			continue;
		accuser = (struct map_accuser){
			.id = p->witnesses[i].id,
			.incarnation = s->incarnation,
			.grace_us = s->grace_us,
			.own_lateness_us = s->own_lateness_us,
			.paths = s->paths,
			.cause = s->cause,
		};
		if (now_ns > s->silent_since_ns)
			accuser.silent_us =
				(now_ns - s->silent_since_ns) / 1000;
		add_accuser(change, &accuser);
	}
}

static struct map_change *add_change(struct policy *p, unsigned int index,
				     enum map_change_kind kind,
				     uint64_t incarnation)
{
	struct map_change *change = &p->changes[p->decision.n_changes++];

	memset(change, 0, sizeof(*change));
	change->kind = kind;
	change->id = p->witnesses[index].id;
	change->incarnation = incarnation;
	strcpy(change->name, p->map->nodes[index].name);
	return change;
}

static void add_down(struct policy *p, unsigned int index, uint64_t now_ns)
{
	struct map_change *change = add_change(
		p, index, MAP_NODE_DOWN, p->map->nodes[index].incarnation);

	name_accusers(p, index, change, now_ns);
	change->cause = change->accusers[0].cause == KARDIA_CAUSE_NEVER_HEARD ?
				MAP_CAUSE_NEVER_HEARD :
				MAP_CAUSE_SILENT;
}

/* Does this arbiter hear any other node? */
static bool hears_somebody(const struct policy *p)
{
	unsigned int i;

	for (i = 0; i < p->n_witnesses; i++)
		if (p->witnesses[i].heard && p->witnesses[i].id != p->self_id)
			return true;
	return false;
}

static bool is_accused(struct policy *p, unsigned int index,
		       enum purpose purpose)
{
	return count_hosts(p, index, purpose) >=
	       p->map->settings.min_down_reporters;
}

static void judge_up(struct policy *p, unsigned int index, uint64_t now_ns)
{
	const struct witness *w = &p->witnesses[index];

	if (!is_accused(p, index, TO_BRING_DOWN)) {
		if (w->heard &&
		    w->incarnation != p->map->nodes[index].incarnation)
			add_change(p, index, MAP_NODE_RESTARTED,
				   w->incarnation);
		return;
	}
	if (now_ns < p->start_ns)
		p->wake_ns = p->start_ns;
	else if (hears_somebody(p))
		add_down(p, index, now_ns);
}

static void judge_down(struct policy *p, unsigned int index)
{
	const struct witness *w = &p->witnesses[index];

	if (w->heard && !is_accused(p, index, TO_KEEP_DOWN))
		add_change(p, index, MAP_NODE_UP, w->incarnation);
}

const struct policy_decision *policy_decide(struct policy *p, uint64_t now_ns)
{
	unsigned int i;

	p->decision.n_changes = 0;
	p->wake_ns = 0;
	if (!p->map)
		return NULL;
	tally(p);
	for (i = 0; i < p->n_witnesses; i++)
		if (p->map->nodes[i].up)
			judge_up(p, i, now_ns);
		else
			judge_down(p, i);
	return p->decision.n_changes ? &p->decision : NULL;
}

uint64_t policy_wake_ns(const struct policy *p)
{
	return p->wake_ns;
}
