// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The store on disk over restarts, crashes and damage: what was acknowledged is
 * there, what is not ours is refused, and nothing is taken for an empty store.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <sqlite3.h>

#include "store_world.h"

static void reopen(struct fixture *f)
{
	store_close(f->store);
	open_file(f);
}

static void goes_on_after_a_restart(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 3), *next;

	reopen(f);
	expect_newest(f->store, map, term1);
	next = fixture_next(map, 2);
	assert_int_equal(append(f->store, next, term1), 0);
	reopen(f);
	expect_newest(f->store, next, term2);
	map_free(map);
	map_free(next);
}

static void compares_across_processes(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 1);
	struct map *taken = fixture_next(map, 2), *next;
	struct store *other;
	struct why why;

	assert_int_equal(store_sqlite_open(&other, f->path, &why), 0);
	assert_int_equal(append(other, taken, term1), 0);
	next = fixture_next(map, 1);
	assert_int_equal(append(f->store, next, term1), -ESTALE);
	expect_newest(f->store, taken, term2);
	store_close(other);
	map_free(map);
	map_free(taken);
	map_free(next);
}

/* Commit for ever, and tell of each commit once it is acknowledged. */
static void commit_loop(const char *path, int fd)
{
	struct map *map = NULL;
	struct store *store;
	struct why why;

	if (store_sqlite_open(&store, path, &why))
		_exit(1);
	for (;;) {
		struct map *next = fixture_next(map, 1);
		struct outcome o = { 0 };

		store_append(store, next, map ? &term1 : &nobody, on_done, &o);
		if (o.result || write(fd, &next->epoch, 8) != 8)
			_exit(1);
		map_free(map);
		map = next;
	}
}

/* The newest epoch that the child told of before it was killed. */
static uint64_t acknowledged(int fd)
{
	uint64_t epoch, last = 1;

	while (read(fd, &epoch, 8) == 8)
		last = epoch;
	return last;
}

static uint64_t kill_during_commits(const char *path, unsigned int after_us)
{
	int pipes[2], status;
	uint64_t last;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		close(pipes[0]);
		commit_loop(path, pipes[1]);
	}
	close(pipes[1]);
	/* Not before it is in full swing. */
	assert_int_equal(read(pipes[0], &last, 8), 8);
	usleep(after_us);
	kill(child, SIGKILL);
	last = acknowledged(pipes[0]);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	return last;
}

static void loses_nothing_to_sigkill(void **state)
{
	struct fixture *f = *state;
	unsigned int round;

	for (round = 0; round < 8; round++) {
		char path[160];
		struct store *store;
		struct outcome o;
		struct why why;
		uint64_t last;

		snprintf(path, sizeof(path), "%s/kill%u.db", f->folder, round);
		last = kill_during_commits(path, 20000 + round * 7919);
		assert_int_equal(store_sqlite_open(&store, path, &why), 0);
		o = load(store);
		assert_int_equal(o.result, 0);
		/* The last commit may be there without having been told. */
		assert_in_range(o.map->epoch, last, last + 1);
		map_free(o.map);
		store_close(store);
	}
}

static void refuse_to_open(struct fixture *f, int result, const char *words)
{
	struct store *store = NULL;
	struct why why;

	assert_int_equal(store_sqlite_open(&store, f->path, &why), result);
	assert_null(store);
	assert_contains(why.text, f->path);
	assert_contains(why.text, words);
}

static void close_file(struct fixture *f)
{
	store_close(f->store);
	f->store = NULL;
}

static void execute(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void refuses_other_files(void **state)
{
	struct fixture *f = *state;
	char text[8192];

	close_file(f);
	fixture_write(f->path, "", 0);
	refuse_to_open(f, -EMEDIUMTYPE, "not a kardia store");
	memset(text, 'x', sizeof(text));
	fixture_write(f->path, text, sizeof(text));
	refuse_to_open(f, -EMEDIUMTYPE, "not a database");
	unlink(f->path);
	execute(f->path, "CREATE TABLE map (epoch INTEGER)");
	refuse_to_open(f, -EMEDIUMTYPE, "not a kardia store");
}

static void refuses_a_newer_schema(void **state)
{
	struct fixture *f = *state;

	close_file(f);
	execute(f->path, "PRAGMA user_version = 2");
	refuse_to_open(f, -EMEDIUMTYPE, "newer kardiad");
}

static void refuses_damage(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	map_free(fill(f->store, 50));
	close_file(f);
	assert_int_equal(stat(f->path, &st), 0);
	assert_true(st.st_size > 20000);
	assert_int_equal(truncate(f->path, st.st_size / 2), 0);
	refuse_to_open(f, -EBADMSG, "malformed");
	assert_int_equal(truncate(f->path, 50), 0);
	refuse_to_open(f, -EMEDIUMTYPE, "not a kardia store");
}

static void refuses_a_spoiled_page(void **state)
{
	struct fixture *f = *state;
	char junk[4096];
	int fd;

	map_free(fill(f->store, 50));
	close_file(f);
	memset(junk, 0x5a, sizeof(junk));
	fd = open(f->path, O_WRONLY);
	assert_int_equal(pwrite(fd, junk, sizeof(junk), 2 * 4096), 4096);
	close(fd);
	refuse_to_open(f, -EBADMSG, "damaged");
}

static void refuses_changed_maps(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 3);
	struct outcome o;

	map_free(map);
	execute(f->path, "UPDATE map SET text = replace(text, 'n3', 'n4')"
			 " WHERE epoch = 3");
	o = load(f->store);
	assert_int_equal(o.result, -EBADMSG);
	assert_null(o.map);
	assert_contains(o.why.text, "epoch 3");

	execute(f->path, "UPDATE map SET text = (SELECT text FROM map"
			 " WHERE epoch = 2) WHERE epoch = 3");
	o = load(f->store);
	assert_int_equal(o.result, -EBADMSG);
	assert_contains(o.why.text, "another epoch's map");

	execute(f->path, "DELETE FROM map");
	o = load(f->store);
	assert_int_equal(o.result, -EBADMSG);
	assert_contains(o.why.text, "all maps are gone");
}

static void refuses_a_lost_file_with_its_log(void **state)
{
	struct fixture *f = *state;
	char wal[160];

	close_file(f);
	unlink(f->path);
	snprintf(wal, sizeof(wal), "%s-wal", f->path);
	fixture_write(wal, "x", 1);
	refuse_to_open(f, -EBADMSG, "is missing, but not its");
}

static void survives_a_start_cut_short(void **state)
{
	struct fixture *f = *state;
	char new_path[160];

	close_file(f);
	unlink(f->path);
	snprintf(new_path, sizeof(new_path), "%s.new", f->path);
	fixture_write(new_path, "half", 4);
	open_file(f);
	assert_int_equal(load(f->store).result, -ENOENT);
}

static void tells_trouble_and_writes_nothing(void **state)
{
	struct fixture *f = *state;
	struct map *map = fill(f->store, 1);
	struct map *next = fixture_next(map, 1);
	sqlite3 *db;

	/* Somebody else holds the write lock. */
	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(append(f->store, next, term1), -EBUSY);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
	expect_newest(f->store, map, term1);
	assert_int_equal(append(f->store, next, term1), 0);
	map_free(map);
	map_free(next);
}

#define ON_FILE(test) \
	cmocka_unit_test_setup_teardown(test, set_up_file, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILE(goes_on_after_a_restart),
		ON_FILE(compares_across_processes),
		ON_FILE(loses_nothing_to_sigkill),
		ON_FILE(refuses_other_files),
		ON_FILE(refuses_a_newer_schema),
		ON_FILE(refuses_damage),
		ON_FILE(refuses_a_spoiled_page),
		ON_FILE(refuses_changed_maps),
		ON_FILE(refuses_a_lost_file_with_its_log),
		ON_FILE(survives_a_start_cut_short),
		ON_FILE(tells_trouble_and_writes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
