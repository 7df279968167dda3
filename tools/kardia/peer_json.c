// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Peers, paths, reports and suspects in JSON.
 */
#include "peer_json.h"

#include "kardiad.h"

/* Times, counts and identities that are 0 stand for "none". */
static void add_if_any(struct json_object *o, const char *key, uint64_t value)
{
	json_maybe_u64(o, key, value, value);
}

static void add_age(struct json_object *o, const char *key,
		    const struct seen *seen, uint64_t ns)
{
	json_maybe_u64(o, key, ns, seen_age_ns(seen, ns) / 1000);
}

static void add_paths(struct json_object *o, uint8_t paths)
{
	struct json_object *array = json_add_array(o, "paths");

	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++)
		if (paths & 1U << i)
			json_append_text(array, seen_path_name(i));
}

static void path_json(struct json_object *o, const struct seen *seen,
		      const struct knl_peer *peer, unsigned int i)
{
	const struct knl_path *path = &peer->path[i];

	json_add_text(o, "path", seen_path_name(i));
	json_add_bool(o, "alive", seen_path_alive(seen, peer, i));
	json_add_address(o, "local", path->local);
	json_add_address(o, "remote", path->remote);
	add_age(o, "heard_age_us", seen, path->heard_ns);
	add_if_any(o, "rtt_ns", path->rtt_ns);
	json_add_u64(o, "tx", path->tx);
	json_add_u64(o, "rx", path->rx);
	json_add_u64(o, "rx_lost", path->rx_lost);
}

void peer_json(struct json_object *o, const struct seen *seen,
	       const struct map *map, const struct knl_peer *peer)
{
	struct json_object *paths;

	json_add_text(o, "node", kardiad_name(map, peer->id));
	json_add_u64(o, "node_id", peer->id);
	json_add_bool(o, "arbiter", peer->arbiter);
	json_add_text(o, "state", knl_peer_state_name(peer->state));
	json_add_text(o, "cause", knl_cause_name(peer->cause));
	json_add_time(o, "since", seen_wall_us(seen, peer->since_ns));
	add_if_any(o, "since_ns", peer->since_ns);
	add_if_any(o, "heard_ns", peer->heard_ns);
	add_age(o, "heard_age_us", seen, peer->heard_ns);
	add_if_any(o, "deadline_ns", peer->deadline_ns);
	json_add_u64(o, "own_lateness_ns", peer->own_lateness_ns);
	add_if_any(o, "interval_us", peer->interval_us);
	add_if_any(o, "grace_us", peer->grace_us);
	add_if_any(o, "map_epoch", peer->map_epoch);
	json_maybe_hex64(o, "incarnation", peer->incarnation,
			 peer->incarnation);
	json_add_u64(o, "event_seq", peer->event_seq);
	paths = json_add_array(o, "paths");
	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++)
		if (peer->path[i].present)
			path_json(json_append_object(paths), seen, peer, i);
}

static void suspect_json(struct json_object *o, const struct seen *seen,
			 const struct map *map,
			 const struct knl_suspect *suspect)
{
	json_add_text(o, "node", kardiad_name(map, suspect->id));
	json_add_u64(o, "node_id", suspect->id);
	json_add_text(o, "cause", knl_cause_name(suspect->cause));
	json_add_time(o, "silent_since",
		      seen_wall_us(seen, suspect->silent_since_ns));
	add_if_any(o, "silent_since_ns", suspect->silent_since_ns);
	json_add_u64(o, "grace_us", suspect->grace_us);
	json_add_u64(o, "own_lateness_us", suspect->own_lateness_us);
	json_maybe_hex64(o, "incarnation", suspect->incarnation,
			 suspect->incarnation);
	add_paths(o, suspect->paths);
}

void report_json(struct json_object *o, const struct seen *seen,
		 const struct map *map, const struct knl_report *report)
{
	struct json_object *suspects;

	json_add_text(o, "reporter", kardiad_name(map, report->reporter));
	json_add_u64(o, "reporter_id", report->reporter);
	json_maybe_hex64(o, "incarnation", report->incarnation,
			 report->incarnation);
	json_add_u64(o, "set_seq", report->set_seq);
	json_add_time(o, "received", seen_wall_us(seen, report->received_ns));
	add_if_any(o, "received_ns", report->received_ns);
	add_if_any(o, "expires_ns", report->expires_ns);
	json_add_bool(o, "expired", report->expired);
	json_add_u64(o, "watched", report->watched);
	json_add_u64(o, "silent", report->silent);
	json_add_u64(o, "event_seq", report->event_seq);
	suspects = json_add_array(o, "suspects");
	for (unsigned int i = 0; i < report->n_suspects; i++)
		suspect_json(json_append_object(suspects), seen, map,
			     &report->suspects[i]);
}
