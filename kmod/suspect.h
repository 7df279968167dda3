/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reporting side: the set of peers that this node accuses, sent whole to
 * every arbiter node.
 */
#ifndef KARDIA_SUSPECT_H
#define KARDIA_SUSPECT_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "frame.h"

struct kardia_net;
struct kardia_peer;

/**
 * struct kardia_suspects - the set
 * @lock: guards the set; inside a peer's lock, outside none
 * @list: of kardia_suspect
 * @count: its length
 * @changed: since the set was last sent
 * @set_sequence: of the newest set sent
 * @farewells: times that an empty set is still to be repeated
 * @running: the refresh timer may be armed
 * @refresh: repeats the set while it, or @farewells, is not empty; softirq
 */
struct kardia_suspects {
	spinlock_t lock;
	struct list_head list;
	unsigned int count;
	bool changed;
	u64 set_sequence;
	unsigned int farewells;
	bool running;
	struct hrtimer refresh;
};

/**
 * struct kardia_suspect - one accusation; guarded by the set's lock
 * @link: in kardia_suspects.list, empty while not accused
 * @silent_since_ns: what silent_for_ns is reckoned from
 * @said: the rest of what the report says
 */
struct kardia_suspect {
	struct list_head link;
	u64 silent_since_ns;
	struct kardia_suspicion said;
};

/* Once, before anything else. */
void kardia_suspects_init(struct kardia_net *kn);
void kardia_suspects_start(struct kardia_net *kn);
/* With no peers left. Sleeps. */
void kardia_suspects_stop(struct kardia_net *kn);

/* With peer->lock: put into the set, or take out. */
void kardia_suspect_add(struct kardia_peer *peer);
void kardia_suspect_del(struct kardia_peer *peer);

/* Send the set if it has changed, and refresh it from here on. No lock held. */
void kardia_suspects_flush(struct kardia_net *kn);

#endif
