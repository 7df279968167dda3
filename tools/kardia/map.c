// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "kardia map": the nodes by host, and the decision that made this epoch. In
 * JSON the map is printed as the arbiter sealed it, byte for byte, so that its
 * hash can be checked.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "daemon/clock.h"
#include "daemon/mem.h"
#include "kardiad.h"
#include "lib/nl.h"
#include "output.h"
#include "seen.h"
#include "table.h"

enum {
	COL_NAME,
	COL_ID,
	COL_STATE,
	COL_CAUSE,
	COL_SINCE,
	COL_ROLE,
	COL_FRONT,
	COL_BACK,
	COL_INCARNATION,
	N_COLS,
};

static const struct table_column columns[N_COLS] = {
	[COL_NAME] = { .name = "NAME", .tree = true },
	[COL_ID] = { .name = "ID", .right = true },
	[COL_STATE] = { .name = "STATE" },
	[COL_CAUSE] = { .name = "CAUSE" },
	[COL_SINCE] = { .name = "SINCE-EPOCH", .right = true },
	[COL_ROLE] = { .name = "ROLE" },
	[COL_FRONT] = { .name = "FRONT" },
	[COL_BACK] = { .name = "BACK" },
	[COL_INCARNATION] = { .name = "INCARNATION" },
};

static void print_head(const struct map *map)
{
	const struct map_settings *set = &map->settings;
	char interval[OUTPUT_FORM_BYTES], grace[OUTPUT_FORM_BYTES];
	char hash[MAP_HASH_HEX_BYTES];

	map_hash_hex(map->hash, hash);
	output_ns(interval, sizeof(interval), set->interval_us * 1000ULL);
	output_ns(grace, sizeof(grace), set->grace_us * 1000ULL);
	printf("epoch %ju   hash %s\n", (uintmax_t)map->epoch, hash);
	printf("interval %s   grace %s   min_down_reporters %u\n\n", interval,
	       grace, set->min_down_reporters);
}

static void fill_address(struct libscols_line *line, size_t column,
			 struct in_addr address)
{
	char text[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &address, text, sizeof(text));
	table_cell(line, column, "%s", address.s_addr ? text : "-");
}

static void fill_node(struct libscols_line *line, const struct map_node *node)
{
	table_cell(line, COL_NAME, "%s", node->name);
	table_cell(line, COL_ID, "%u", node->id);
	table_cell(line, COL_STATE, "%s", node->up ? "up" : "down");
	table_cell(line, COL_CAUSE, "%s",
		   node->cause ? map_cause_name(node->cause) : "-");
	table_cell(line, COL_SINCE, "%ju", (uintmax_t)node->since_epoch);
	table_cell(line, COL_ROLE, "%s", node->arbiter ? "arbiter" : "-");
	fill_address(line, COL_FRONT, node->front);
	fill_address(line, COL_BACK, node->back);
	if (node->incarnation)
		table_cell(line, COL_INCARNATION, "%016jx",
			   (uintmax_t)node->incarnation);
	else
		table_cell(line, COL_INCARNATION, "-");
}

static int by_host_then_id(const void *a, const void *b)
{
	const struct map_node *x = *(const struct map_node *const *)a;
	const struct map_node *y = *(const struct map_node *const *)b;
	int order = strcmp(x->host, y->host);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

static const struct map_node **sort_by_host(const struct map *map)
{
	const struct map_node **nodes =
		mem_zalloc(map->n_nodes, sizeof(*nodes));

	for (unsigned int i = 0; i < map->n_nodes; i++)
		nodes[i] = &map->nodes[i];
	qsort(nodes, map->n_nodes, sizeof(*nodes), by_host_then_id);
	return nodes;
}

static void print_tree(const struct cli *cli, const struct map *map)
{
	struct libscols_table *table =
		table_new(columns, N_COLS, cli->no_header);
	const struct map_node **nodes = sort_by_host(map);
	struct libscols_line *root = table_row(table, NULL);
	struct libscols_line *host = NULL;

	table_cell(root, COL_NAME, "%s", map->cluster);
	for (unsigned int i = 0; i < map->n_nodes; i++) {
		if (!i || strcmp(nodes[i]->host, nodes[i - 1]->host)) {
			host = table_row(table, root);
			table_cell(host, COL_NAME, "host %s", nodes[i]->host);
		}
		fill_node(table_row(table, host), nodes[i]);
	}
	free(nodes);
	table_print(table);
}

static void print_accuser(const struct map *map,
			  const struct map_accuser *accuser)
{
	char label[OUTPUT_FORM_BYTES], silent[OUTPUT_FORM_BYTES];
	char grace[OUTPUT_FORM_BYTES], late[OUTPUT_FORM_BYTES];
	const char *separator = "";

	printf("    %s: %s for %s on ",
	       kardiad_label(map, accuser->id, label, sizeof(label)),
	       knl_cause_name(accuser->cause),
	       output_age(silent, sizeof(silent), accuser->silent_us * 1000));
	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++) {
		if (!(accuser->paths & 1U << i))
			continue;
		printf("%s%s", separator, seen_path_name(i));
		separator = " and ";
	}
	printf(", grace %s, itself late by %s\n",
	       output_ns(grace, sizeof(grace), accuser->grace_us * 1000ULL),
	       output_age(late, sizeof(late),
			  accuser->own_lateness_us * 1000ULL));
}

static void print_change(const struct map *map, const struct map_change *change)
{
	printf("  %s %s", change->id ? change->name : "cluster",
	       map_change_name(change->kind));
	if (change->cause)
		printf(" (%s)", map_cause_name(change->cause));
	if (change->n_accusers_total)
		printf(", accused by %u:", change->n_accusers_total);
	putchar('\n');
	for (unsigned int i = 0; i < change->n_accusers; i++)
		print_accuser(map, &change->accusers[i]);
	if (change->n_accusers < change->n_accusers_total)
		printf("    and %u more\n",
		       change->n_accusers_total - change->n_accusers);
}

static void print_decision(const struct map *map)
{
	const struct map_decision *decision = &map->decision;
	char reason[4 * MAP_REASON_BYTES];
	char at[CLOCK_ISO_BYTES];

	printf("\nepoch %ju decided by %s (term %ju) at %s\n",
	       (uintmax_t)map->epoch, decision->arbiter,
	       (uintmax_t)decision->term,
	       clock_iso(decision->decided_at_us, at));
	printf("  reason: %s\n",
	       output_escape(reason, sizeof(reason), decision->reason));
	for (unsigned int i = 0; i < decision->n_changes; i++)
		print_change(map, &decision->changes[i]);
}

static void print_text(const struct cli *cli, const struct map *map)
{
	print_head(map);
	print_tree(cli, map);
	print_decision(map);
}

int map_show_run(const struct cli *cli)
{
	struct kardiad_view kardiad;

	kardiad_view_read(&kardiad, cli, KARDIAD_MAP);
	if (kardiad.map && cli->json)
		puts(kardiad.map->text);
	else if (kardiad.map)
		print_text(cli, kardiad.map);
	else
		say("no map: %s", kardiad.trouble.text);
	kardiad_view_free(&kardiad);
	return kardiad.trouble.exit;
}
