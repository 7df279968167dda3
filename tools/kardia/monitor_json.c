// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The monitor's lines as JSON objects, with the same keys in each.
 */
#include <stdio.h>

#include "daemon/clock.h"
#include "kardiad.h"
#include "monitor.h"
#include "peer_json.h"

static const char *object_name(const struct monitor_line *line)
{
	if (line->peer)
		return "peer";
	if (line->report)
		return "report";
	return line->type == KARDIA_EVENT_MAP_APPLIED ? "map" : NULL;
}

static void add_at(struct json_object *o, uint64_t wall_us)
{
	char iso[CLOCK_ISO_BYTES];

	json_add_text(o, "at", clock_iso(wall_us, iso));
	json_add_u64(o, "at_us", wall_us);
}

/* A peer that is gone has an id and no state. */
static void add_peer(struct json_object *o, const struct monitor_line *line,
		     const struct seen *seen, const struct map *map)
{
	if (line->peer && line->type != KARDIA_EVENT_PEER_GONE)
		peer_json(json_add_object(o, "peer"), seen, map, line->peer);
	else
		json_add_null(o, "peer");
}

static void add_report(struct json_object *o, const struct monitor_line *line,
		       const struct seen *seen, const struct map *map)
{
	if (line->report)
		report_json(json_add_object(o, "report"), seen, map,
			    line->report);
	else
		json_add_null(o, "report");
}

bool monitor_print_json(const struct monitor_line *line,
			const struct seen *seen, const struct map *map)
{
	struct json_object *o = json_document("kardia.event/1");
	uint32_t id = line->peer   ? line->peer->id :
		      line->report ? line->report->reporter :
				     0;
	const char *type = NULL;

	if (line->action == MONITOR_CHANGE)
		type = knl_event_name(line->type);
	json_add_text(o, "action", monitor_action_name(line->action));
	json_add_text(o, "object", object_name(line));
	json_add_text(o, "type", type);
	json_maybe_u64(o, "seq", line->seq, line->seq);
	json_add_u64(o, "time_ns", line->time_ns);
	add_at(o, seen_wall_us(seen, line->time_ns));
	json_add_text(o, "node", kardiad_name(map, id));
	json_maybe_u64(o, "node_id", id, id);
	json_maybe_u64(o, "map_epoch", line->map_epoch, line->map_epoch);
	json_maybe_u64(o, "lost_first_seq", line->lost_first, line->lost_first);
	json_maybe_u64(o, "lost_last_seq", line->lost_first, line->lost_last);
	add_peer(o, line, seen, map);
	add_report(o, line, seen, map);
	return json_emit(o);
}
