/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the monitor tells, and the two forms that it takes. */
#ifndef KARDIA_MONITOR_H
#define KARDIA_MONITOR_H

#include "seen.h"

struct map;

enum monitor_action {
	MONITOR_EXISTS, /* part of a snapshot */
	MONITOR_SYNCED, /* end of the snapshot */
	MONITOR_CHANGE, /* an event */
	MONITOR_LOST, /* events that cannot be told */
};

/**
 * struct monitor_line - one line
 * @action: what it is
 * @seq: event number, 0 for none
 * @time_ns: when, by the kernel's clock
 * @type: of the event, KARDIA_EVENT_UNSPEC for none
 * @peer: with EXISTS or a peer event, else NULL
 * @report: with EXISTS or a report event, else NULL
 * @map_epoch: with SYNCED, 0 for none, or MAP_APPLIED
 * @lost_first: with LOST, 0 if it is not known
 * @lost_last: with LOST
 */
struct monitor_line {
	enum monitor_action action;
	uint64_t seq;
	uint64_t time_ns;
	enum kardia_event_type type;
	const struct knl_peer *peer;
	const struct knl_report *report;
	uint64_t map_epoch;
	uint64_t lost_first;
	uint64_t lost_last;
};

/* Print and flush @line; ages are as of seen->now_ns. False: not written. */
typedef bool (*monitor_print_fn)(const struct monitor_line *line,
				 const struct seen *seen,
				 const struct map *map);

bool monitor_print_text(const struct monitor_line *line,
			const struct seen *seen, const struct map *map);
bool monitor_print_json(const struct monitor_line *line,
			const struct seen *seen, const struct map *map);

const char *monitor_action_name(enum monitor_action action);

#endif
