// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The store of a single arbiter: one SQLite file, in WAL mode and flushed at
 * each commit, one transaction per decision. Opening, creating and checking
 * the file is store_sqlite_open.c's.
 *
 * Tables: acting, one row, who acts; map, a row per epoch with the map's text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/map/store_sqlite.h"

/* What to tell callers about a result of the library. */
static int sqlite_errno(int result)
{
	switch (result & 0xff) {
	case SQLITE_CORRUPT:
		return -EBADMSG;
	case SQLITE_NOTADB:
		return -EMEDIUMTYPE;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	default:
		return -EIO;
	}
}

int sqlite_fail(sqlite3 *db, const char *what, struct why *why)
{
	return why_set(why, sqlite_errno(sqlite3_extended_errcode(db)),
		       "%s: %s: %s", sqlite3_db_filename(db, NULL), what,
		       sqlite3_errmsg(db));
}

static void sqlite_close(struct store *store)
{
	struct sqlite_store *s = sqlite_store(store);
	int i;

	for (i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(s->statements[i]);
	sqlite3_close(s->db);
	free(s);
}

static int decode_row(struct sqlite_store *s, sqlite3_stmt *row,
		      struct map **map, struct why *why)
{
	struct why reason;
	uint64_t epoch = sqlite3_column_int64(row, 0);
	const char *text = (const char *)sqlite3_column_text(row, 1);
	int bytes = sqlite3_column_bytes(row, 1);

	if (map_decode(map, text ? text : "", bytes, &reason))
		return why_set(why, -EBADMSG, "%s: epoch %ju: %.400s",
			       sqlite3_db_filename(s->db, NULL),
			       (uintmax_t)epoch, reason.text);
	if ((*map)->epoch == epoch)
		return 0;
	map_free(*map);
	*map = NULL;
	return why_set(why, -EBADMSG, "%s: epoch %ju holds another epoch's map",
		       sqlite3_db_filename(s->db, NULL), (uintmax_t)epoch);
}

/* Run a query of one row at most, into @map; -ENOENT without a row. */
static int read_map(struct sqlite_store *s, sqlite3_stmt *query,
		    struct map **map, struct why *why)
{
	int ret;

	switch (sqlite3_step(query)) {
	case SQLITE_ROW:
		ret = decode_row(s, query, map, why);
		break;
	case SQLITE_DONE:
		ret = why_set(why, -ENOENT, "no such epoch is stored");
		break;
	default:
		ret = sqlite_fail(s->db, "read", why);
	}
	sqlite3_reset(query);
	return ret;
}

static void sqlite_read(struct store *store, uint64_t epoch,
			store_loaded_fn loaded, void *arg)
{
	struct sqlite_store *s = sqlite_store(store);
	sqlite3_stmt *query = s->statements[STATEMENT_READ];
	struct map *map = NULL;
	struct why why;
	int ret;

	sqlite3_bind_int64(query, 1, epoch);
	ret = read_map(s, query, &map, &why);
	loaded(arg, ret, map, NULL, &why);
}

static int read_claim(struct sqlite_store *s, struct store_claim *claim,
		      struct why *why)
{
	sqlite3_stmt *query = s->statements[STATEMENT_CLAIM];
	int ret = 0;

	if (sqlite3_step(query) == SQLITE_ROW) {
		claim->arbiter_id = sqlite3_column_int64(query, 0);
		claim->term = sqlite3_column_int64(query, 1);
	} else {
		ret = why_set(why, -EBADMSG,
			      "%s: the acting arbiter's row is missing",
			      sqlite3_db_filename(s->db, NULL));
	}
	sqlite3_reset(query);
	return ret;
}

/* A claim without a map, or the reverse, is no store that we wrote. */
static int load(struct sqlite_store *s, struct map **map,
		struct store_claim *claim, struct why *why)
{
	int ret = read_claim(s, claim, why);

	if (ret)
		return ret;
	ret = read_map(s, s->statements[STATEMENT_NEWEST], map, why);
	if (ret == -ENOENT && claim->term)
		return why_set(why, -EBADMSG, "%s: all maps are gone",
			       sqlite3_db_filename(s->db, NULL));
	return ret;
}

static void sqlite_load(struct store *store, store_loaded_fn loaded, void *arg)
{
	struct store_claim claim = { 0 };
	struct map *map = NULL;
	struct why why;
	int ret = load(sqlite_store(store), &map, &claim, &why);

	loaded(arg, ret, map, &claim, &why);
}

/* Run a statement that writes; 1 if it found a row to write, 0 if not. */
static int write_row(struct sqlite_store *s, sqlite3_stmt *statement,
		     struct why *why)
{
	int result = sqlite3_step(statement);
	int ret = sqlite3_changes(s->db);

	if (result != SQLITE_DONE)
		ret = sqlite_fail(s->db, "write", why);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return ret;
}

static int raise_claim(struct sqlite_store *s, const struct map *map,
		       const struct store_claim *holder, struct why *why)
{
	sqlite3_stmt *statement = s->statements[STATEMENT_RAISE_CLAIM];
	int ret;

	sqlite3_bind_int64(statement, 1, map->decision.arbiter_id);
	sqlite3_bind_int64(statement, 2, map->decision.term);
	sqlite3_bind_int64(statement, 3, holder->arbiter_id);
	sqlite3_bind_int64(statement, 4, holder->term);
	ret = write_row(s, statement, why);
	return ret ? ret :
		     why_set(why, -ESTALE, "another arbiter has taken over");
}

static int insert_map(struct sqlite_store *s, const struct map *map,
		      struct why *why)
{
	sqlite3_stmt *statement = s->statements[STATEMENT_INSERT];
	int ret;

	sqlite3_bind_int64(statement, 1, map->epoch);
	sqlite3_bind_blob(statement, 2, map->hash, MAP_HASH_BYTES,
			  SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, map->text, map->text_bytes,
			  SQLITE_STATIC);
	sqlite3_bind_blob(statement, 4, map->prev_hash, MAP_HASH_BYTES,
			  SQLITE_STATIC);
	ret = write_row(s, statement, why);
	return ret ? ret :
		     why_set(why, -ESTALE,
			     "epoch %ju does not follow the newest map",
			     (uintmax_t)map->epoch);
}

static int prune(struct sqlite_store *s, const struct map *map, struct why *why)
{
	sqlite3_stmt *statement = s->statements[STATEMENT_PRUNE];

	sqlite3_bind_int64(statement, 1,
			   (int64_t)map->epoch - STORE_HISTORY_EPOCHS);
	return write_row(s, statement, why);
}

static int run(struct sqlite_store *s, enum sqlite_statement which,
	       struct why *why)
{
	int ret = write_row(s, s->statements[which], why);

	return ret < 0 ? ret : 0;
}

static int commit(struct sqlite_store *s, const struct map *map,
		  const struct store_claim *holder, struct why *why)
{
	struct why ignored;
	int ret = run(s, STATEMENT_BEGIN, why);

	if (ret)
		return ret;
	ret = raise_claim(s, map, holder, why);
	if (ret >= 0)
		ret = insert_map(s, map, why);
	if (ret >= 0)
		ret = prune(s, map, why);
	if (ret >= 0)
		ret = run(s, STATEMENT_COMMIT, why);
	if (ret < 0 && !sqlite3_get_autocommit(s->db))
		run(s, STATEMENT_ROLLBACK, &ignored);
	return ret;
}

static void sqlite_append(struct store *store, const struct map *map,
			  const struct store_claim *holder, store_done_fn done,
			  void *arg)
{
	struct why why;
	int ret = commit(sqlite_store(store), map, holder, &why);

	store_complete(store, map, ret, &why, done, arg);
}

const struct store_ops sqlite_store_ops = {
	.close = sqlite_close,
	.load = sqlite_load,
	.read = sqlite_read,
	.append = sqlite_append,
};
