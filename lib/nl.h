/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Client of the kernel's generic netlink family "kardia": requests and dumps
 * on one socket (struct knl), events on another (struct knl_events).
 *
 * Functions return 0 or a negative errno; -ENOENT from an open means that
 * kardia.ko is not loaded. knl_error() then holds the kernel's own words.
 * Times and durations carry their unit; _ns times are CLOCK_MONOTONIC.
 */
#ifndef KARDIA_LIB_NL_H
#define KARDIA_LIB_NL_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/kardia.h>

struct knl;
struct knl_events;

/* What NODE_SET carries; a zero interval, grace or epoch is left out. */
struct knl_node_config {
	uint32_t id;
	uint32_t cluster;
	uint32_t interval_us;
	uint32_t grace_us;
	uint64_t map_epoch;
	bool arbiter;
	bool insecure;
};

struct knl_node {
	uint32_t id;
	uint32_t cluster;
	uint32_t interval_us;
	uint32_t grace_us;
	uint64_t map_epoch;
	uint64_t incarnation;
	uint64_t event_seq;
	uint64_t time_ns;
	uint64_t stats[KARDIA_A_STATS_MAX + 1]; /* by enum kardia_attr_stats */
	bool arbiter;
	bool insecure;
	char version[32];
};

struct knl_path {
	bool present;
	struct in_addr local;
	struct in_addr remote;
	uint64_t heard_ns;
	uint64_t rtt_ns;
	uint64_t tx;
	uint64_t rx;
	uint64_t rx_lost;
};

/* PEER_SET uses id, arbiter, and each present path's two addresses. */
struct knl_peer {
	uint32_t id;
	bool arbiter;
	struct knl_path path[KARDIA_PATHS_MAX];
	enum kardia_peer_state state;
	enum kardia_cause cause;
	uint64_t since_ns;
	uint64_t incarnation;
	uint64_t heard_ns;
	uint64_t deadline_ns;
	uint64_t own_lateness_ns;
	uint32_t interval_us;
	uint32_t grace_us;
	uint64_t map_epoch;
	uint64_t event_seq;
};

struct knl_suspect {
	uint32_t id;
	uint64_t incarnation;
	uint64_t silent_since_ns;
	uint32_t grace_us;
	uint32_t own_lateness_us;
	uint8_t paths;
	enum kardia_cause cause;
};

struct knl_report {
	uint32_t reporter;
	uint64_t incarnation;
	uint64_t set_seq;
	uint64_t received_ns;
	uint64_t expires_ns;
	uint64_t event_seq;
	uint32_t watched;
	uint32_t silent;
	bool expired;
	unsigned int n_suspects;
	struct knl_suspect suspects[KARDIA_REPORT_SUSPECTS_MAX];
};

struct knl_event {
	uint64_t seq;
	enum kardia_event_type type;
	uint64_t time_ns;
	union {
		struct knl_peer peer; /* PEER_DOWN, PEER_UP, PEER_GONE */
		struct knl_report report; /* REPORT */
		uint64_t map_epoch; /* MAP_APPLIED */
	};
};

int knl_open(struct knl **knl);
void knl_close(struct knl *knl);
const char *knl_error(const struct knl *knl);

int knl_node_set(struct knl *knl, const struct knl_node_config *config);
int knl_node_get(struct knl *knl, struct knl_node *node);
int knl_node_del(struct knl *knl);
int knl_peer_set(struct knl *knl, const struct knl_peer *peer);
int knl_peer_del(struct knl *knl, uint32_t id);

/*
 * Call @each for every object of the dump. A dump that a change tore is asked
 * for again, so @each may see an object twice; the later one holds.
 */
int knl_peer_dump(struct knl *knl,
		  void (*each)(void *arg, const struct knl_peer *peer),
		  void *arg);
int knl_report_dump(struct knl *knl,
		    void (*each)(void *arg, const struct knl_report *report),
		    void *arg);

/* Joined to the group when it returns; the descriptor is non-blocking. */
int knl_events_open(struct knl_events **events);
void knl_events_close(struct knl_events *events);
int knl_events_fd(const struct knl_events *events);

/*
 * Read all that is queued, calling @each per event. Returns 0 when drained,
 * -ENOBUFS when the kernel dropped events since the last call (the caller
 * takes a snapshot; the queue has been drained all the same).
 */
int knl_events_read(struct knl_events *events,
		    void (*each)(void *arg, const struct knl_event *event),
		    void *arg);

const char *knl_peer_state_name(enum kardia_peer_state state);
const char *knl_cause_name(enum kardia_cause cause);
const char *knl_event_name(enum kardia_event_type type);
const char *knl_stats_name(enum kardia_attr_stats stat);

#endif
