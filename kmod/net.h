/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instance: one per network namespace, idle until a node is configured.
 */
#ifndef KARDIA_NET_H
#define KARDIA_NET_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <net/net_namespace.h>

#include "report.h"
#include "stats.h"
#include "suspect.h"

#define KARDIA_PEER_HASH_BITS 8

/**
 * struct kardia_net - kardia in one network namespace
 * @net: the namespace; outlives us
 * @config: serialises configuration: everything marked "config" below
 * @running: a node is configured (config; lockless readers may lag)
 * @id: node id (config; constant while running)
 * @cluster: cluster id (config; constant while running)
 * @incarnation: this life (config; constant while running)
 * @arbiter: keep others' reports (config, READ_ONCE elsewhere)
 * @interval_us: gap between beats (config, READ_ONCE elsewhere)
 * @grace_us: own declared grace (config, READ_ONCE elsewhere)
 * @map_epoch: applied map (config, READ_ONCE elsewhere)
 * @socket: owns the protocol number, receives (config)
 * @data_ready: the socket's own callback, put back before release (config)
 * @peers: by node id (config; RCU readers)
 * @n_peers: entries of @peers (config, READ_ONCE elsewhere)
 * @sequence_floor: no frame of this life carried a larger sequence number to a
 *	peer that has been removed; those added start above it (config)
 * @generation: rises with each change of @peers (config, READ_ONCE elsewhere)
 * @event_lock: orders events; taken last, in any context
 * @event_seq: of the newest event (@event_lock)
 * @suspects: whom this node accuses
 * @self_report: this node's own set, kept like any reporter's if an arbiter
 * @stats: per-CPU counters
 */
struct kardia_net {
	struct net *net;
	struct mutex config;
	bool running;
	u32 id;
	u32 cluster;
	u64 incarnation;
	bool arbiter;
	u32 interval_us;
	u32 grace_us;
	u64 map_epoch;
	struct socket *socket;
	void (*data_ready)(struct sock *sk);
	DECLARE_HASHTABLE(peers, KARDIA_PEER_HASH_BITS);
	unsigned int n_peers;
	u64 sequence_floor;
	unsigned int generation;
	spinlock_t event_lock;
	u64 event_seq;
	struct kardia_suspects suspects;
	struct kardia_report_slot self_report;
	struct kardia_stats __percpu *stats;
};

/**
 * struct kardia_node_config - what a node is configured with
 * @id: node id
 * @cluster: cluster id
 * @interval_us: gap between beats
 * @grace_us: declared grace
 * @map_epoch: applied map
 * @arbiter: keep others' reports
 */
struct kardia_node_config {
	u32 id;
	u32 cluster;
	u32 interval_us;
	u32 grace_us;
	u64 map_epoch;
	bool arbiter;
};

struct kardia_net *kardia_net(const struct net *net);

/* Start with, or change to, @config. Needs kn->config. -errno of sockets. */
int kardia_net_configure(struct kardia_net *kn,
			 const struct kardia_node_config *config);
/* Back to idle. Needs kn->config. May sleep. */
void kardia_net_stop(struct kardia_net *kn);

u64 kardia_net_stat(const struct kardia_net *kn, unsigned int stat);

int kardia_net_init(void);
void kardia_net_exit(void);

#endif
