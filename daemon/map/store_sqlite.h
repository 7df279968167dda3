/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two files of the SQLite store. */
#ifndef KARDIAD_MAP_STORE_SQLITE_H
#define KARDIAD_MAP_STORE_SQLITE_H

#include <sqlite3.h>

#include "daemon/map/store.h"

enum sqlite_statement {
	STATEMENT_BEGIN,
	STATEMENT_COMMIT,
	STATEMENT_ROLLBACK,
	STATEMENT_CLAIM,
	STATEMENT_NEWEST,
	STATEMENT_READ,
	STATEMENT_RAISE_CLAIM,
	STATEMENT_INSERT,
	STATEMENT_PRUNE,
	STATEMENTS
};

struct sqlite_store {
	struct store store;
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENTS];
};

static inline struct sqlite_store *sqlite_store(struct store *store)
{
	return (struct sqlite_store *)store;
}

extern const struct store_ops sqlite_store_ops;

/* "FILE: @what: the library's words" and the errno that fits them. */
int sqlite_fail(sqlite3 *db, const char *what, struct why *why);

#endif
