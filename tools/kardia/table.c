// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables by libsmartcols, as the tools of util-linux print them.
 */
#include "table.h"

#include <libsmartcols.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "say.h"

#define CELL_BYTES 256

static void *need(void *memory)
{
	if (memory)
		return memory;
	say("no memory");
	exit(EXIT_FAILED);
}

struct libscols_table *table_new(const struct table_column *columns, size_t n,
				 bool no_header)
{
	struct libscols_table *table = need(scols_new_table());

	scols_table_enable_noheadings(table, no_header);
	if (scols_table_set_column_separator(table, "  "))
		need(NULL);
	for (size_t i = 0; i < n; i++) {
		int flags = (columns[i].right ? SCOLS_FL_RIGHT : 0) |
			    (columns[i].tree ? SCOLS_FL_TREE : 0);

		need(scols_table_new_column(table, columns[i].name, 0, flags));
	}
	return table;
}

struct libscols_line *table_row(struct libscols_table *table,
				struct libscols_line *parent)
{
	return need(scols_table_new_line(table, parent));
}

void table_cell(struct libscols_line *row, size_t column, const char *format,
		...)
{
	char text[CELL_BYTES], escaped[4 * CELL_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	output_escape(escaped, sizeof(escaped), text);
	if (scols_line_set_data(row, column, escaped))
		need(NULL);
}

void table_print(struct libscols_table *table)
{
	scols_print_table(table);
	scols_unref_table(table);
}
