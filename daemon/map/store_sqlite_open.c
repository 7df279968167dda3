// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owns the file of the SQLite store: making a new one, and refusing one that is
 * not ours or is damaged.
 *
 * A new file is built under another name and renamed when it is whole. So a
 * file that is empty or has no tables was never ours, and is refused rather
 * than taken for an empty store.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/file.h"
#include "daemon/map/store_sqlite.h"
#include "daemon/mem.h"

#define APPLICATION_ID 0x6b726469 /* "krdi" */
#define SCHEMA_VERSION 1

/* Another process that writes at this moment is a mistake, or a short one. */
#define BUSY_TIMEOUT_MS 50

static const char create_sql[] =
	"BEGIN;"
	"CREATE TABLE acting (one INTEGER PRIMARY KEY CHECK (one = 1),"
	" arbiter_id INTEGER NOT NULL, term INTEGER NOT NULL) STRICT;"
	"INSERT INTO acting VALUES (1, 0, 0);"
	"CREATE TABLE map (epoch INTEGER PRIMARY KEY,"
	" hash BLOB NOT NULL CHECK (length(hash) = 32),"
	" text TEXT NOT NULL) STRICT;"
	"COMMIT;";

static const char *const statements_sql[STATEMENTS] = {
	[STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
	[STATEMENT_COMMIT] = "COMMIT",
	[STATEMENT_ROLLBACK] = "ROLLBACK",
	[STATEMENT_CLAIM] = "SELECT arbiter_id, term FROM acting",
	[STATEMENT_NEWEST] = "SELECT epoch, text FROM map"
			     " ORDER BY epoch DESC LIMIT 1",
	[STATEMENT_READ] = "SELECT epoch, text FROM map WHERE epoch = ?1",
	[STATEMENT_RAISE_CLAIM] = "UPDATE acting SET arbiter_id = ?1, term = ?2"
				  " WHERE arbiter_id = ?3 AND term = ?4",
	[STATEMENT_INSERT] =
		"INSERT INTO map SELECT ?1, ?2, ?3"
		" WHERE ifnull((SELECT max(epoch) FROM map), 0) = ?1 - 1"
		" AND ifnull((SELECT hash FROM map WHERE epoch = ?1 - 1),"
		" zeroblob(32)) = ?4",
	[STATEMENT_PRUNE] = "DELETE FROM map WHERE epoch <= ?1",
};

static int execute(sqlite3 *db, const char *sql, struct why *why)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return sqlite_fail(db, "open", why);
	return 0;
}

static int query_int(sqlite3 *db, const char *sql, int64_t *value,
		     struct why *why)
{
	sqlite3_stmt *query = NULL;
	int ret = -EIO;

	if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK &&
	    sqlite3_step(query) == SQLITE_ROW) {
		*value = sqlite3_column_int64(query, 0);
		ret = 0;
	} else {
		ret = sqlite_fail(db, "open", why);
	}
	sqlite3_finalize(query);
	return ret;
}

static int open_db(const char *path, int flags, sqlite3 **db, struct why *why)
{
	int ret = 0;

	if (sqlite3_open_v2(path, db, flags | SQLITE_OPEN_READWRITE, NULL) !=
	    SQLITE_OK)
		ret = why_set(why, -EIO, "%s: %s", path, sqlite3_errmsg(*db));
	if (ret) {
		sqlite3_close(*db);
		*db = NULL;
		return ret;
	}
	sqlite3_busy_timeout(*db, BUSY_TIMEOUT_MS);
	return 0;
}

static int fill_new(const char *path, struct why *why)
{
	char pragmas[128];
	sqlite3 *db;
	int ret = open_db(path, SQLITE_OPEN_CREATE, &db, why);

	if (ret)
		return ret;
	snprintf(pragmas, sizeof(pragmas),
		 "PRAGMA synchronous = FULL; PRAGMA application_id = %d;"
		 "PRAGMA user_version = %d;",
		 APPLICATION_ID, SCHEMA_VERSION);
	ret = execute(db, pragmas, why);
	if (!ret)
		ret = execute(db, create_sql, why);
	if (sqlite3_close(db) != SQLITE_OK && !ret)
		ret = why_set(why, -EIO, "%s: cannot be closed", path);
	return ret;
}

static int create(const char *path, struct why *why)
{
	char new_path[PATH_MAX];
	int ret;

	/* A log without its file is a loss, and would spoil the new file. */
	snprintf(new_path, sizeof(new_path), "%s-wal", path);
	if (!access(new_path, F_OK))
		return why_set(why, -EBADMSG, "%s is missing, but not its %s",
			       path, new_path);
	snprintf(new_path, sizeof(new_path), "%s.new", path);
	unlink(new_path);
	ret = fill_new(new_path, why);
	if (ret)
		return ret;
	if (rename(new_path, path))
		return why_set(why, -errno, "%s: %s", path, strerror(errno));
	ret = file_sync_parent(path);
	if (ret)
		return why_set(why, ret, "%s: %s", path, strerror(-ret));
	return 0;
}

static int check_identity(sqlite3 *db, const char *path, struct why *why)
{
	int64_t id, version;
	int ret = query_int(db, "PRAGMA application_id", &id, why);

	if (!ret)
		ret = query_int(db, "PRAGMA user_version", &version, why);
	if (ret)
		return ret;
	if (id != APPLICATION_ID)
		return why_set(why, -EMEDIUMTYPE, "%s: not a kardia store",
			       path);
	if (version != SCHEMA_VERSION)
		return why_set(why, -EMEDIUMTYPE,
			       "%s: written by a newer kardiad (schema %jd)",
			       path, (intmax_t)version);
	return 0;
}

static int check_integrity(sqlite3 *db, const char *path, struct why *why)
{
	sqlite3_stmt *query = NULL;
	const char *result = NULL;
	int ret = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &query, NULL) ==
		    SQLITE_OK &&
	    sqlite3_step(query) == SQLITE_ROW)
		result = (const char *)sqlite3_column_text(query, 0);
	if (!result || strcmp(result, "ok"))
		ret = why_set(why, -EBADMSG, "%s: damaged: %s", path,
			      result ? result : sqlite3_errmsg(db));
	sqlite3_finalize(query);
	return ret;
}

static int prepare(struct sqlite_store *s, struct why *why)
{
	int i;

	for (i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v3(s->db, statements_sql[i], -1,
				       SQLITE_PREPARE_PERSISTENT,
				       &s->statements[i], NULL) != SQLITE_OK)
			return sqlite_fail(s->db, "open", why);
	return 0;
}

static int set_up(struct sqlite_store *s, const char *path, struct why *why)
{
	int ret = open_db(path, 0, &s->db, why);

	if (!ret)
		ret = check_identity(s->db, path, why);
	if (!ret)
		ret = check_integrity(s->db, path, why);
	if (!ret)
		ret = execute(s->db,
			      "PRAGMA journal_mode = WAL;"
			      "PRAGMA synchronous = FULL;",
			      why);
	return ret ? ret : prepare(s, why);
}

int store_sqlite_open(struct store **store, const char *path, struct why *why)
{
	struct sqlite_store *s;
	int ret = 0;

	if (access(path, F_OK))
		ret = create(path, why);
	if (ret)
		return ret;
	s = mem_zalloc(1, sizeof(*s));
	s->store.ops = &sqlite_store_ops;
	ret = set_up(s, path, why);
	if (ret) {
		store_close(&s->store);
		return ret;
	}
	*store = &s->store;
	return 0;
}
