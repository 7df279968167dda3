// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The store for unit tests and simulations: keeps the texts of the newest
 * epochs, and forgets all when closed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/map/store.h"
#include "daemon/mem.h"

struct memory_store {
	struct store store;
	struct store_claim claim;
	uint64_t epoch; /* the newest, 0: none */
	uint8_t hash[MAP_HASH_BYTES];
	char *texts[STORE_HISTORY_EPOCHS]; /* by epoch modulo the size */
};

static struct memory_store *memory(struct store *store)
{
	return (struct memory_store *)store;
}

static void memory_close(struct store *store)
{
	struct memory_store *m = memory(store);
	int i;

	for (i = 0; i < STORE_HISTORY_EPOCHS; i++)
		free(m->texts[i]);
	free(m);
}

static int find(const struct memory_store *m, uint64_t epoch, struct map **map,
		struct why *why)
{
	const char *text;

	if (!epoch || epoch > m->epoch ||
	    epoch + STORE_HISTORY_EPOCHS <= m->epoch)
		return why_set(why, -ENOENT, "epoch %ju is not stored",
			       (uintmax_t)epoch);
	text = m->texts[epoch % STORE_HISTORY_EPOCHS];
	return map_decode(map, text, strlen(text), why);
}

static void memory_read(struct store *store, uint64_t epoch,
			store_loaded_fn loaded, void *arg)
{
	struct map *map = NULL;
	struct why why;
	int ret = find(memory(store), epoch, &map, &why);

	loaded(arg, ret, map, NULL, &why);
}

static void memory_load(struct store *store, store_loaded_fn loaded, void *arg)
{
	struct memory_store *m = memory(store);
	struct map *map = NULL;
	struct why why;
	int ret = find(m, m->epoch, &map, &why);

	loaded(arg, ret, map, &m->claim, &why);
}

static bool is_stale(const struct memory_store *m, const struct map *map,
		     const struct store_claim *holder)
{
	return m->claim.arbiter_id != holder->arbiter_id ||
	       m->claim.term != holder->term || map->epoch != m->epoch + 1 ||
	       memcmp(map->prev_hash, m->hash, sizeof(m->hash));
}

static void memory_append(struct store *store, const struct map *map,
			  const struct store_claim *holder, store_done_fn done,
			  void *arg)
{
	struct memory_store *m = memory(store);
	char **slot = &m->texts[map->epoch % STORE_HISTORY_EPOCHS];
	struct why why;

	if (is_stale(m, map, holder)) {
		why_set(&why, -ESTALE, "another decision came first");
		store_complete(store, map, -ESTALE, &why, done, arg);
		return;
	}
	free(*slot);
	*slot = mem_dup(map->text, map->text_bytes);
	m->epoch = map->epoch;
	memcpy(m->hash, map->hash, sizeof(m->hash));
	m->claim.arbiter_id = map->decision.arbiter_id;
	m->claim.term = map->decision.term;
	store_complete(store, map, 0, NULL, done, arg);
}

static const struct store_ops memory_ops = {
	.close = memory_close,
	.load = memory_load,
	.read = memory_read,
	.append = memory_append,
};

int store_memory_open(struct store **store)
{
	struct memory_store *m = mem_zalloc(1, sizeof(*m));

	m->store.ops = &memory_ops;
	*store = &m->store;
	return 0;
}
