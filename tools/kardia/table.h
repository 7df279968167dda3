/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables and trees on standard output. Cells are escaped; without memory the
 * program ends. Columns too wide for a terminal are left to wrap, never cut.
 */
#ifndef KARDIA_TABLE_H
#define KARDIA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct libscols_line;
struct libscols_table;

struct table_column {
	const char *name;
	bool right; /* numbers */
	bool tree;
};

struct libscols_table *table_new(const struct table_column *columns, size_t n,
				 bool no_header);

/* A new row, under @parent in a tree. */
struct libscols_line *table_row(struct libscols_table *table,
				struct libscols_line *parent);

/* printf() into a cell. */
void table_cell(struct libscols_line *row, size_t column, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* Print and free. */
void table_print(struct libscols_table *table);

#endif
