/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the map lives: the narrow interface in front of an engine. A decision
 * is one transaction that compares what it was based on, so that a deposed
 * arbiter or a fault becomes a refused decision, never two maps of one epoch.
 *
 * Errors:
 * -ENOENT      no such epoch; from store_load(): nothing was ever committed
 * -ESTALE      the compare failed: another arbiter acts, or a newer epoch is
 *              there; nothing was written
 * -EBADMSG     damaged: what is stored is not a chain of maps
 * -EMEDIUMTYPE not a kardia store, or one of a newer version
 * others       the engine's trouble (-EIO, -ENOSPC, -EBUSY, ...)
 *
 * An append that ends in anything but 0 or -ESTALE has an unknown outcome:
 * store_load() tells it, by the hash of the newest map.
 *
 * Calls end by a callback, with an engine in this process before they return,
 * with one across a network later. One call at a time.
 */
#ifndef KARDIAD_MAP_STORE_H
#define KARDIAD_MAP_STORE_H

#include <stdint.h>

#include "daemon/map/model.h"
#include "daemon/why.h"

/* Epochs that store_read() can still tell. */
#define STORE_HISTORY_EPOCHS 1000

/* Who acts; {0, 0} before the first. Each takeover raises the term. */
struct store_claim {
	uint32_t arbiter_id;
	uint64_t term;
};

struct store;

/* @why is only set on failure, and valid during the call. */
typedef void (*store_done_fn)(void *arg, int result, const struct why *why);

/* @map is the callee's to free; NULL on failure. */
typedef void (*store_loaded_fn)(void *arg, int result, struct map *map,
				const struct store_claim *claim,
				const struct why *why);

typedef void (*store_commit_fn)(void *arg, const struct map *map);

int store_sqlite_open(struct store **store, const char *path, struct why *why);
int store_memory_open(struct store **store);
void store_close(struct store *store);

/* The newest map, and who acts: also told with -ENOENT. */
void store_load(struct store *store, store_loaded_fn loaded, void *arg);

/* The map of @epoch; no claim is told. */
void store_read(struct store *store, uint64_t epoch, store_loaded_fn loaded,
		void *arg);

/*
 * Commit the sealed @map if the newest is the one that it was built on (epoch
 * one less, hash its prev_hash) and @holder is who acts; the claim becomes the
 * one in the map's decision. @map stays the caller's, and has to live until
 * @done is called.
 */
void store_append(struct store *store, const struct map *map,
		  const struct store_claim *holder, store_done_fn done,
		  void *arg);

/* Call @fn for each map that is committed from now on, in order of epochs. */
void store_watch(struct store *store, store_commit_fn fn, void *arg);

/* For implementations. */
struct store_ops {
	void (*close)(struct store *store);
	void (*load)(struct store *store, store_loaded_fn loaded, void *arg);
	void (*read)(struct store *store, uint64_t epoch,
		     store_loaded_fn loaded, void *arg);
	void (*append)(struct store *store, const struct map *map,
		       const struct store_claim *holder, store_done_fn done,
		       void *arg);
};

struct store {
	const struct store_ops *ops;
	store_commit_fn committed;
	void *committed_arg;
};

/* Tell the watcher of @map, then the author of the append. */
void store_complete(struct store *store, const struct map *map, int result,
		    const struct why *why, store_done_fn done, void *arg);

#endif
