// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "kardia peer": each peer and path, as this node's kernel sees them.
 */
#include <arpa/inet.h>

#include "command.h"
#include "json.h"
#include "kardiad.h"
#include "seen.h"
#include "output.h"
#include "peer_json.h"
#include "table.h"

enum {
	COL_NODE,
	COL_ID,
	COL_PATH,
	COL_STATE,
	COL_CAUSE,
	COL_LOCAL,
	COL_REMOTE,
	COL_HEARD,
	COL_RTT,
	COL_TX,
	COL_RX,
	COL_LOST,
	COL_INTERVAL,
	COL_GRACE,
	COL_INCARNATION,
	N_COLS,
};

static const struct table_column columns[N_COLS] = {
	[COL_NODE] = { .name = "NODE" },
	[COL_ID] = { .name = "ID", .right = true },
	[COL_PATH] = { .name = "PATH" },
	[COL_STATE] = { .name = "STATE" },
	[COL_CAUSE] = { .name = "CAUSE" },
	[COL_LOCAL] = { .name = "LOCAL" },
	[COL_REMOTE] = { .name = "REMOTE" },
	[COL_HEARD] = { .name = "HEARD", .right = true },
	[COL_RTT] = { .name = "RTT", .right = true },
	[COL_TX] = { .name = "TX", .right = true },
	[COL_RX] = { .name = "RX", .right = true },
	[COL_LOST] = { .name = "LOST", .right = true },
	[COL_INTERVAL] = { .name = "INTERVAL", .right = true },
	[COL_GRACE] = { .name = "GRACE", .right = true },
	[COL_INCARNATION] = { .name = "INCARNATION" },
};

struct list {
	const struct seen *seen;
	const struct map *map;
	struct libscols_table *table;
};

static void fill_peer(const struct list *list, struct libscols_line *row,
		      const struct knl_peer *peer)
{
	const char *name = kardiad_name(list->map, peer->id);
	char form[OUTPUT_FORM_BYTES];

	table_cell(row, COL_NODE, "%s", name ? name : "-");
	table_cell(row, COL_ID, "%u", peer->id);
	table_cell(row, COL_STATE, "%s", knl_peer_state_name(peer->state));
	table_cell(row, COL_CAUSE, "%s",
		   peer->cause ? knl_cause_name(peer->cause) : "-");
	output_ns(form, sizeof(form), peer->interval_us * 1000ULL);
	table_cell(row, COL_INTERVAL, "%s", form);
	output_ns(form, sizeof(form), peer->grace_us * 1000ULL);
	table_cell(row, COL_GRACE, "%s", form);
	if (peer->incarnation)
		table_cell(row, COL_INCARNATION, "%016jx",
			   (uintmax_t)peer->incarnation);
	else
		table_cell(row, COL_INCARNATION, "-");
}

static void fill_path(const struct list *list, struct libscols_line *row,
		      const struct knl_path *path)
{
	char form[OUTPUT_FORM_BYTES];
	char address[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &path->local, address, sizeof(address));
	table_cell(row, COL_LOCAL, "%s", address);
	inet_ntop(AF_INET, &path->remote, address, sizeof(address));
	table_cell(row, COL_REMOTE, "%s", address);
	output_age(form, sizeof(form), seen_age_ns(list->seen, path->heard_ns));
	table_cell(row, COL_HEARD, "%s", path->heard_ns ? form : "never");
	table_cell(row, COL_RTT, "%s",
		   output_ns(form, sizeof(form), path->rtt_ns));
	table_cell(row, COL_TX, "%ju", (uintmax_t)path->tx);
	table_cell(row, COL_RX, "%ju", (uintmax_t)path->rx);
	table_cell(row, COL_LOST, "%ju", (uintmax_t)path->rx_lost);
}

static void list_peer(const struct list *list, const struct knl_peer *peer)
{
	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++) {
		struct libscols_line *row;

		if (!peer->path[i].present)
			continue;
		row = table_row(list->table, NULL);
		fill_peer(list, row, peer);
		table_cell(row, COL_PATH, "%s", seen_path_name(i));
		fill_path(list, row, &peer->path[i]);
	}
}

static void print_text(const struct cli *cli, const struct seen *seen,
		       const struct map *map)
{
	const struct seen_peer *entry;
	struct list list = {
		.seen = seen,
		.map = map,
		.table = table_new(columns, N_COLS, cli->no_header),
	};

	for (entry = seen->peers; entry; entry = entry->hh.next)
		list_peer(&list, &entry->peer);
	table_print(list.table);
}

static void print_json(const struct seen *seen, const struct map *map)
{
	struct json_object *document = json_document("kardia.peer/1");
	struct json_object *peers = json_add_array(document, "peers");
	const struct seen_peer *entry;

	for (entry = seen->peers; entry; entry = entry->hh.next)
		peer_json(json_append_object(peers), seen, map, &entry->peer);
	json_add_trouble(document, "error", &seen->trouble);
	json_emit(document);
}

int peer_list_run(const struct cli *cli)
{
	struct seen seen;
	struct kardiad_view kardiad;
	int exit_code;

	seen_read(&seen);
	kardiad_view_read(&kardiad, cli, KARDIAD_MAP);
	if (cli->json)
		print_json(&seen, kardiad.map);
	else if (seen.running)
		print_text(cli, &seen, kardiad.map);
	if (seen.trouble.exit != EXIT_DONE)
		say("%s", seen.trouble.text);
	else if (!seen.running)
		say("kardia.ko is idle: no node is configured");
	else if (kardiad.trouble.exit != EXIT_DONE)
		say("no names: %s", kardiad.trouble.text);
	exit_code = seen.trouble.exit;
	kardiad_view_free(&kardiad);
	seen_free(&seen);
	return exit_code;
}
