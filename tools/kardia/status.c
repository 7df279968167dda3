// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "kardia status": the cluster on one screen. VERDICT is the arbiter's, SEEN
 * this kernel's; they are never mixed, and either is shown without the other.
 */
#include "status.h"

#include <stdio.h>

#include "command.h"
#include "output.h"
#include "table.h"

enum {
	COL_NODE,
	COL_ID,
	COL_VERDICT,
	COL_SEEN,
	COL_SINCE,
	COL_PATHS,
	COL_RTT,
	COL_LAST_BEAT,
	N_COLS,
};

static const struct table_column columns[N_COLS] = {
	[COL_NODE] = { .name = "NODE" },
	[COL_ID] = { .name = "ID", .right = true },
	[COL_VERDICT] = { .name = "VERDICT" },
	[COL_SEEN] = { .name = "SEEN" },
	[COL_SINCE] = { .name = "SINCE", .right = true },
	[COL_PATHS] = { .name = "PATHS", .right = true },
	[COL_RTT] = { .name = "RTT", .right = true },
	[COL_LAST_BEAT] = { .name = "LAST-BEAT", .right = true },
};

static void print_cluster(const struct map *map)
{
	unsigned int up = 0;

	if (!map) {
		printf("cluster  no verdicts\n");
		return;
	}
	for (unsigned int i = 0; i < map->n_nodes; i++)
		up += map->nodes[i].up;
	printf("cluster  %s   epoch %ju   %u up, %u down\n", map->cluster,
	       (uintmax_t)map->epoch, up, map->n_nodes - up);
}

static void print_arbiter(const struct kardiad_view *kardiad)
{
	if (!kardiad->map)
		return;
	printf("arbiter  %s   term %ju   ", kardiad->map->decision.arbiter,
	       (uintmax_t)kardiad->map->decision.term);
	if (!kardiad->has_status)
		printf("reachability unknown\n");
	else if (kardiad->status.arbiter_reachable)
		printf("reachable\n");
	else
		printf("NOT REACHABLE: verdicts may be old\n");
}

static void print_kernel(const struct seen *seen)
{
	char interval[OUTPUT_FORM_BYTES], grace[OUTPUT_FORM_BYTES];
	char version[4 * sizeof(seen->node.version)];

	if (seen->trouble.exit != EXIT_DONE) {
		printf("kardia.ko not reachable\n");
		return;
	}
	if (!seen->running) {
		printf("kardia.ko idle: no node is configured\n");
		return;
	}
	output_ns(interval, sizeof(interval), seen->node.interval_us * 1000ULL);
	output_ns(grace, sizeof(grace), seen->node.grace_us * 1000ULL);
	output_escape(version, sizeof(version), seen->node.version);
	printf("kardia.ko %s   interval %s   grace %s   map epoch %ju%s\n",
	       version, interval, grace, (uintmax_t)seen->node.map_epoch,
	       seen->node.insecure ? "   INSECURE" : "");
}

static void print_self(const struct seen *seen,
		       const struct kardiad_view *kardiad)
{
	uint32_t self = status_self(seen, kardiad);
	const char *name = kardiad_name(kardiad->map, self);

	printf("self     ");
	if (name)
		printf("%s (id %u)   ", name, self);
	else if (self)
		printf("id %u   ", self);
	print_kernel(seen);
}

/* What kardiad could not do. */
static void print_warnings(const struct kardiad_status *status)
{
	char text[4 * KARDIAD_ERROR_BYTES];

	if (*status->kernel_error)
		printf("warning  the kernel is not as the map says: %s\n",
		       output_escape(text, sizeof(text), status->kernel_error));
	if (*status->deciding_error)
		printf("warning  this arbiter decides nothing: %s\n",
		       output_escape(text, sizeof(text),
				     status->deciding_error));
}

/* What was dropped or lost: nothing in a healthy cluster, and no line then. */
static void print_losses(const struct seen *seen)
{
	const char *separator = "losses   ";

	for (unsigned int i = KARDIA_A_STATS_PAD + 1; i <= KARDIA_A_STATS_MAX;
	     i++) {
		if (i == KARDIA_A_STATS_TX_BEATS ||
		    i == KARDIA_A_STATS_TX_REPORTS ||
		    i == KARDIA_A_STATS_RX_BEATS ||
		    i == KARDIA_A_STATS_RX_REPORTS || !seen->node.stats[i])
			continue;
		printf("%s%s %ju", separator, knl_stats_name(i),
		       (uintmax_t)seen->node.stats[i]);
		separator = ", ";
	}
	if (*separator == ',')
		putchar('\n');
}

static void fill_rtt(struct libscols_line *line, const struct knl_peer *peer)
{
	char text[KARDIA_PATHS_MAX * OUTPUT_FORM_BYTES] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < KARDIA_PATHS_MAX; i++) {
		char form[OUTPUT_FORM_BYTES];

		if (!peer->path[i].present)
			continue;
		output_ns(form, sizeof(form), peer->path[i].rtt_ns);
		used += snprintf(text + used, sizeof(text) - used, "%s%s",
				 used ? "/" : "", form);
	}
	table_cell(line, COL_RTT, "%s", text);
}

static void fill_seen(struct libscols_line *line, const struct status_row *row,
		      const struct seen *seen)
{
	const struct knl_peer *peer = row->peer;
	char form[OUTPUT_FORM_BYTES];

	table_cell(line, COL_SEEN, "%s", knl_peer_state_name(peer->state));
	output_age(form, sizeof(form), seen_age_ns(seen, peer->since_ns));
	table_cell(line, COL_SINCE, "%s", form);
	table_cell(line, COL_PATHS, "%u/%u", row->paths_alive, row->paths);
	fill_rtt(line, peer);
	output_age(form, sizeof(form), seen_age_ns(seen, peer->heard_ns));
	table_cell(line, COL_LAST_BEAT, "%s", peer->heard_ns ? form : "never");
}

static void fill_unseen(struct libscols_line *line,
			const struct status_row *row)
{
	table_cell(line, COL_SEEN, "%s", row->self ? "(self)" : "-");
	for (size_t i = COL_SINCE; i < N_COLS; i++)
		table_cell(line, i, "-");
}

static void print_rows(const struct cli *cli, const struct seen *seen,
		       const struct status_row *rows, size_t n)
{
	struct libscols_table *table =
		table_new(columns, N_COLS, cli->no_header);

	for (size_t i = 0; i < n; i++) {
		struct libscols_line *line = table_row(table, NULL);
		const struct map_node *node = rows[i].verdict;

		table_cell(line, COL_NODE, "%s", node ? node->name : "-");
		table_cell(line, COL_ID, "%u", rows[i].id);
		table_cell(line, COL_VERDICT, "%s",
			   !node    ? "-" :
			   node->up ? "up" :
				      "down");
		if (rows[i].peer)
			fill_seen(line, &rows[i], seen);
		else
			fill_unseen(line, &rows[i]);
	}
	table_print(table);
}

static void print_text(const struct cli *cli, const struct seen *seen,
		       const struct kardiad_view *kardiad)
{
	struct status_row *rows;
	size_t n;

	print_cluster(kardiad->map);
	print_arbiter(kardiad);
	print_self(seen, kardiad);
	print_losses(seen);
	print_warnings(&kardiad->status);
	rows = status_rows(seen, kardiad, &n);
	if (n) {
		putchar('\n');
		print_rows(cli, seen, rows, n);
	}
	free(rows);
}

int status_run(const struct cli *cli)
{
	struct seen seen;
	struct kardiad_view kardiad;
	int exit_code;

	seen_read(&seen);
	kardiad_view_read(&kardiad, cli, KARDIAD_MAP_AND_STATUS);
	if (cli->json)
		json_emit(status_document(&seen, &kardiad));
	else
		print_text(cli, &seen, &kardiad);
	if (seen.trouble.exit != EXIT_DONE)
		say("nothing seen: %s", seen.trouble.text);
	if (kardiad.trouble.exit != EXIT_DONE)
		say("no verdicts: %s", kardiad.trouble.text);
	exit_code = seen.trouble.exit != EXIT_DONE ? seen.trouble.exit :
						     kardiad.trouble.exit;
	kardiad_view_free(&kardiad);
	seen_free(&seen);
	return exit_code;
}
