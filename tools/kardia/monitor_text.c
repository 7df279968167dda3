// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The monitor's lines for people: time, event number, action, object, and what
 * there is to say of it.
 */
#include <stdio.h>

#include "kardiad.h"
#include "monitor.h"
#include "output.h"

static void print_paths(uint8_t paths)
{
	const char *separator = " on ";

	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++) {
		if (!(paths & 1U << i))
			continue;
		printf("%s%s", separator, seen_path_name(i));
		separator = " and ";
	}
}

static uint8_t silent_paths(const struct seen *seen,
			    const struct knl_peer *peer)
{
	uint8_t paths = 0;

	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++)
		if (peer->path[i].present && !seen_path_alive(seen, peer, i))
			paths |= 1U << i;
	return paths;
}

static void print_down(const struct seen *seen, const struct knl_peer *peer)
{
	char age[OUTPUT_FORM_BYTES], grace[OUTPUT_FORM_BYTES];
	char late[OUTPUT_FORM_BYTES];

	printf(": %s", knl_cause_name(peer->cause));
	if (peer->heard_ns)
		printf(" for %s",
		       output_age(age, sizeof(age),
				  seen_age_ns(seen, peer->heard_ns)));
	print_paths(silent_paths(seen, peer));
	printf(", grace %s, kernel late by %s",
	       output_ns(grace, sizeof(grace), peer->grace_us * 1000ULL),
	       output_ns(late, sizeof(late), peer->own_lateness_ns));
}

static void print_peer(const struct monitor_line *line, const struct seen *seen,
		       const struct map *map)
{
	const struct knl_peer *peer = line->peer;
	char label[OUTPUT_FORM_BYTES];

	printf("peer    %s ",
	       kardiad_label(map, peer->id, label, sizeof(label)));
	if (line->type == KARDIA_EVENT_PEER_GONE) {
		printf("gone");
		return;
	}
	printf("%s", knl_peer_state_name(peer->state));
	if (peer->state == KARDIA_PEER_DOWN)
		print_down(seen, peer);
}

static void print_suspect(const struct seen *seen, const struct map *map,
			  const struct knl_suspect *suspect)
{
	char label[OUTPUT_FORM_BYTES], age[OUTPUT_FORM_BYTES];

	printf(" %s (%s", kardiad_label(map, suspect->id, label, sizeof(label)),
	       knl_cause_name(suspect->cause));
	if (suspect->silent_since_ns)
		printf(" for %s",
		       output_age(age, sizeof(age),
				  seen_age_ns(seen, suspect->silent_since_ns)));
	print_paths(suspect->paths);
	printf(")");
}

static void print_report(const struct monitor_line *line,
			 const struct seen *seen, const struct map *map)
{
	const struct knl_report *report = line->report;
	char label[OUTPUT_FORM_BYTES];

	printf("report  %s accuses",
	       kardiad_label(map, report->reporter, label, sizeof(label)));
	for (unsigned int i = 0; i < report->n_suspects; i++)
		print_suspect(seen, map, &report->suspects[i]);
	if (!report->n_suspects)
		printf(" nobody%s", report->expired ? " (expired)" : "");
	printf(", hears nothing from %u of %u", report->silent,
	       report->watched);
}

static void print_synced(const struct monitor_line *line,
			 const struct seen *seen)
{
	printf("peers %u, reports %u", HASH_COUNT(seen->peers),
	       HASH_COUNT(seen->reports));
	if (line->map_epoch)
		printf(", map epoch %ju", (uintmax_t)line->map_epoch);
	if (!seen->running)
		printf("; the module is idle");
}

static void print_lost(const struct monitor_line *line)
{
	if (line->lost_first)
		printf("events %ju..%ju; everything follows anew",
		       (uintmax_t)line->lost_first, (uintmax_t)line->lost_last);
	else
		printf("an unknown number of events; everything follows anew");
}

bool monitor_print_text(const struct monitor_line *line,
			const struct seen *seen, const struct map *map)
{
	char clock[OUTPUT_FORM_BYTES], seq[OUTPUT_FORM_BYTES] = "-";

	if (line->seq)
		snprintf(seq, sizeof(seq), "#%ju", (uintmax_t)line->seq);
	output_clock(clock, sizeof(clock), seen_wall_us(seen, line->time_ns));
	printf("%s  %-8s  %-6s  ", clock, seq,
	       line->action == MONITOR_LOST ?
		       "LOST" :
		       monitor_action_name(line->action));
	if (line->peer)
		print_peer(line, seen, map);
	else if (line->report)
		print_report(line, seen, map);
	else if (line->action == MONITOR_SYNCED)
		print_synced(line, seen);
	else if (line->action == MONITOR_LOST)
		print_lost(line);
	else if (line->type == KARDIA_EVENT_MAP_APPLIED)
		printf("map     epoch %ju applied", (uintmax_t)line->map_epoch);
	else
		printf("an event of a type unknown to this program");
	putchar('\n');
	return output_flush();
}
