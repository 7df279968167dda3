/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores under test, and their calls with the outcome as a return value. */
#ifndef KARDIA_UNIT_STORE_WORLD_H
#define KARDIA_UNIT_STORE_WORLD_H

#include <arpa/inet.h>
#include <errno.h>

#include "daemon/map/store.h"
#include "fixture.h"

struct fixture {
	char *folder; /* NULL: in memory */
	char path[128];
	struct store *store;
};

struct outcome {
	int result;
	struct map *map;
	struct store_claim claim;
	struct why why;
	unsigned int calls;
};

static inline void open_file(struct fixture *f)
{
	struct why why;

	if (store_sqlite_open(&f->store, f->path, &why))
		fail_msg("%s", why.text);
}

static inline int set_up_file(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->folder = fixture_folder();
	snprintf(f->path, sizeof(f->path), "%s/map.db", f->folder);
	open_file(f);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	store_close(f->store);
	if (f->folder)
		fixture_remove(f->folder);
	free(f);
	return 0;
}

static inline void on_done(void *arg, int result, const struct why *why)
{
	struct outcome *o = arg;

	o->calls++;
	o->result = result;
	if (result)
		o->why = *why;
}

static inline int append(struct store *store, const struct map *map,
			 struct store_claim holder)
{
	struct outcome o = { 0 };

	store_append(store, map, &holder, on_done, &o);
	assert_int_equal(o.calls, 1);
	return o.result;
}

static inline void on_loaded(void *arg, int result, struct map *map,
			     const struct store_claim *claim,
			     const struct why *why)
{
	struct outcome *o = arg;

	on_done(arg, result, why);
	o->map = map;
	if (claim)
		o->claim = *claim;
}

static inline struct outcome load(struct store *store)
{
	struct outcome o = { 0 };

	store_load(store, on_loaded, &o);
	assert_int_equal(o.calls, 1);
	return o;
}

static const struct store_claim nobody;
static const struct store_claim term1 = { 1, 1 };
static const struct store_claim term2 = { 1, 2 };

/* A chain of @n epochs, all of term 1; its last map. */
static inline struct map *fill(struct store *store, unsigned int n)
{
	struct map *map = NULL;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct map *next = fixture_next(map, 1);

		assert_int_equal(append(store, next, map ? term1 : nobody), 0);
		map_free(map);
		map = next;
	}
	return map;
}

static inline void expect_newest(struct store *store, const struct map *map,
				 struct store_claim claim)
{
	struct outcome o = load(store);

	assert_int_equal(o.result, 0);
	assert_int_equal(o.map->epoch, map->epoch);
	assert_string_equal(o.map->text, map->text);
	assert_int_equal(o.claim.arbiter_id, claim.arbiter_id);
	assert_int_equal(o.claim.term, claim.term);
	map_free(o.map);
}

#endif
