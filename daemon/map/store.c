// SPDX-License-Identifier: GPL-2.0-or-later
/* Owns the dispatch to an engine, and what holds for all of them. */
#include <errno.h>

#include "daemon/map/store.h"

void store_close(struct store *store)
{
	if (store)
		store->ops->close(store);
}

void store_load(struct store *store, store_loaded_fn loaded, void *arg)
{
	store->ops->load(store, loaded, arg);
}

void store_read(struct store *store, uint64_t epoch, store_loaded_fn loaded,
		void *arg)
{
	store->ops->read(store, epoch, loaded, arg);
}

/* A takeover raises the term; within a term the arbiter stays the same. */
static bool may_follow(const struct map_decision *decision,
		       const struct store_claim *holder)
{
	if (decision->term == holder->term)
		return decision->arbiter_id == holder->arbiter_id;
	return decision->term > holder->term;
}

void store_append(struct store *store, const struct map *map,
		  const struct store_claim *holder, store_done_fn done,
		  void *arg)
{
	struct why why;

	if (may_follow(&map->decision, holder)) {
		store->ops->append(store, map, holder, done, arg);
		return;
	}
	why_set(&why, -ESTALE, "term %ju does not follow term %ju",
		(uintmax_t)map->decision.term, (uintmax_t)holder->term);
	done(arg, -ESTALE, &why);
}

void store_watch(struct store *store, store_commit_fn fn, void *arg)
{
	store->committed = fn;
	store->committed_arg = arg;
}

void store_complete(struct store *store, const struct map *map, int result,
		    const struct why *why, store_done_fn done, void *arg)
{
	if (!result && store->committed)
		store->committed(store->committed_arg, map);
	done(arg, result, why);
}
