/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * kardia: generic netlink interface of the heartbeat engine.
 *
 * One family, "kardia", with an instance in each network namespace. Setters
 * need CAP_NET_ADMIN in the user namespace that owns the network namespace;
 * getters and the multicast group "events" are open to everyone in it.
 *
 * Times with _NS are CLOCK_MONOTONIC nanoseconds of the answering kernel,
 * 0 for "never". Durations name their unit. Ids and counts are host-endian
 * u32, IPv4 addresses are big-endian u32.
 *
 * Errors common to all commands: -EINVAL with an extended-ack text and the
 * offending attribute for anything missing, mistyped or out of range,
 * -EPERM without the capability, -ENOMEM.
 */
#ifndef _UAPI_LINUX_KARDIA_H
#define _UAPI_LINUX_KARDIA_H

#define KARDIA_GENL_NAME "kardia"
#define KARDIA_GENL_VERSION 1
#define KARDIA_GENL_GROUP_EVENTS "events"

/* RFC 3692 experimental protocol number that beats travel in. */
#define KARDIA_IPPROTO 253

#define KARDIA_PATHS_MAX 2 /* front and back network */
#define KARDIA_REPORT_SUSPECTS_MAX 32
#define KARDIA_INTERVAL_US_MIN 500
#define KARDIA_INTERVAL_US_MAX 60000000
#define KARDIA_GRACE_US_MAX 600000000
#define KARDIA_GRACE_INTERVALS_MIN 3 /* grace >= 3 x interval */

/**
 * enum kardia_cmd - what can be asked
 * @KARDIA_CMD_NODE_SET: configure this node (kardia_attr_node). The first
 *	call needs ID, CLUSTER and INSECURE; later ones change what they carry.
 *	-EBUSY for a different ID or CLUSTER while configured.
 * @KARDIA_CMD_NODE_GET: this node's configuration and counters.
 *	-ENODEV before the first NODE_SET.
 * @KARDIA_CMD_NODE_DEL: forget node, peers and reports; back to idle. -ENODEV.
 * @KARDIA_CMD_PEER_SET: add a peer or change its addresses and role: ID and
 *	at least one PATH with LOCAL and REMOTE. -ENODEV before NODE_SET.
 * @KARDIA_CMD_PEER_DEL: stop watching the peer ID. -ENOENT.
 * @KARDIA_CMD_PEER_GET: one peer by ID (-ENOENT), or a dump of all.
 * @KARDIA_CMD_REPORT_GET: dump of the newest report of each reporter, as kept
 *	by an arbiter node's kernel.
 * @KARDIA_CMD_EVENT: notification only (kardia_attr_event).
 */
enum kardia_cmd {
	KARDIA_CMD_UNSPEC,
	KARDIA_CMD_NODE_SET,
	KARDIA_CMD_NODE_GET,
	KARDIA_CMD_NODE_DEL,
	KARDIA_CMD_PEER_SET,
	KARDIA_CMD_PEER_DEL,
	KARDIA_CMD_PEER_GET,
	KARDIA_CMD_REPORT_GET,
	KARDIA_CMD_EVENT,

	__KARDIA_CMD_MAX
};

#define KARDIA_CMD_MAX (__KARDIA_CMD_MAX - 1)

/**
 * enum kardia_attr_node - this node
 * @KARDIA_A_NODE_PAD: alignment
 * @KARDIA_A_NODE_ID: u32, 1 or more
 * @KARDIA_A_NODE_CLUSTER: u32, frames of other clusters are dropped
 * @KARDIA_A_NODE_INTERVAL_US: u32, gap between beats to one peer on one path
 * @KARDIA_A_NODE_GRACE_US: u32, silence tolerated, >= 3 x interval; each pair
 *	of nodes uses the larger of what both declare
 * @KARDIA_A_NODE_ARBITER: u8, 1: keep the reports that arrive here
 * @KARDIA_A_NODE_INSECURE: flag, "frames are not authenticated" is accepted
 * @KARDIA_A_NODE_MAP_EPOCH: u64, epoch of the cluster map that is in force
 *	here; travels in the beats. Setting it raises a map-applied event
 * @KARDIA_A_NODE_INCARNATION: u64 (get), random, new at each first NODE_SET
 * @KARDIA_A_NODE_EVENT_SEQ: u64 (get), sequence number of the newest event
 * @KARDIA_A_NODE_TIME_NS: u64 (get), now
 * @KARDIA_A_NODE_VERSION: string (get), version of the module
 * @KARDIA_A_NODE_STATS: nest of kardia_attr_stats (get)
 */
enum kardia_attr_node {
	KARDIA_A_NODE_UNSPEC,
	KARDIA_A_NODE_PAD,
	KARDIA_A_NODE_ID,
	KARDIA_A_NODE_CLUSTER,
	KARDIA_A_NODE_INTERVAL_US,
	KARDIA_A_NODE_GRACE_US,
	KARDIA_A_NODE_ARBITER,
	KARDIA_A_NODE_INSECURE,
	KARDIA_A_NODE_MAP_EPOCH,
	KARDIA_A_NODE_INCARNATION,
	KARDIA_A_NODE_EVENT_SEQ,
	KARDIA_A_NODE_TIME_NS,
	KARDIA_A_NODE_VERSION,
	KARDIA_A_NODE_STATS,

	__KARDIA_A_NODE_MAX
};

#define KARDIA_A_NODE_MAX (__KARDIA_A_NODE_MAX - 1)

/**
 * enum kardia_peer_state - what this kernel sees of a peer
 * @KARDIA_PEER_NEW: added, nothing heard yet, first grace still running
 * @KARDIA_PEER_UP: heard within the grace, and it has heard us
 * @KARDIA_PEER_DOWN: silent on every path for longer than the grace
 */
enum kardia_peer_state {
	KARDIA_PEER_NEW,
	KARDIA_PEER_UP,
	KARDIA_PEER_DOWN
};

/**
 * enum kardia_cause - why a peer is down, or suspected by a reporter
 * @KARDIA_CAUSE_NONE: it is not
 * @KARDIA_CAUSE_SILENT: heard before, then nothing for the grace
 * @KARDIA_CAUSE_NEVER_HEARD: nothing since it was configured
 */
enum kardia_cause {
	KARDIA_CAUSE_NONE,
	KARDIA_CAUSE_SILENT,
	KARDIA_CAUSE_NEVER_HEARD
};

/**
 * enum kardia_attr_peer - a peer; all but ID, ARBITER and PATH are get-only
 * @KARDIA_A_PEER_PAD: alignment
 * @KARDIA_A_PEER_ID: u32, node id of the peer
 * @KARDIA_A_PEER_ARBITER: u8, 1: send it our reports
 * @KARDIA_A_PEER_PATH: nest of kardia_attr_path, once per path
 * @KARDIA_A_PEER_STATE: u8, enum kardia_peer_state
 * @KARDIA_A_PEER_CAUSE: u8, enum kardia_cause
 * @KARDIA_A_PEER_SINCE_NS: u64, when the state was entered
 * @KARDIA_A_PEER_INCARNATION: u64, of the life last heard, 0 if none
 * @KARDIA_A_PEER_HEARD_NS: u64, arrival of the newest beat on any path
 * @KARDIA_A_PEER_DEADLINE_NS: u64, when silence turns, or turned, into down
 * @KARDIA_A_PEER_OWN_LATENESS_NS: u64, how late this kernel's own timer was
 *	when it judged last
 * @KARDIA_A_PEER_INTERVAL_US: u32, declared by the peer, 0 if unknown
 * @KARDIA_A_PEER_GRACE_US: u32, in force: the larger of both ends'
 * @KARDIA_A_PEER_MAP_EPOCH: u64, of the map that the peer has applied
 * @KARDIA_A_PEER_EVENT_SEQ: u64, newest event about this peer: apply events
 *	with a larger sequence number on top of this state
 */
enum kardia_attr_peer {
	KARDIA_A_PEER_UNSPEC,
	KARDIA_A_PEER_PAD,
	KARDIA_A_PEER_ID,
	KARDIA_A_PEER_ARBITER,
	KARDIA_A_PEER_PATH,
	KARDIA_A_PEER_STATE,
	KARDIA_A_PEER_CAUSE,
	KARDIA_A_PEER_SINCE_NS,
	KARDIA_A_PEER_INCARNATION,
	KARDIA_A_PEER_HEARD_NS,
	KARDIA_A_PEER_DEADLINE_NS,
	KARDIA_A_PEER_OWN_LATENESS_NS,
	KARDIA_A_PEER_INTERVAL_US,
	KARDIA_A_PEER_GRACE_US,
	KARDIA_A_PEER_MAP_EPOCH,
	KARDIA_A_PEER_EVENT_SEQ,

	__KARDIA_A_PEER_MAX
};

#define KARDIA_A_PEER_MAX (__KARDIA_A_PEER_MAX - 1)

/**
 * enum kardia_attr_path - one network to a peer; from HEARD_NS on get-only
 * @KARDIA_A_PATH_PAD: alignment
 * @KARDIA_A_PATH_INDEX: u8, 0 front, 1 back
 * @KARDIA_A_PATH_LOCAL: be32, our IPv4 address there
 * @KARDIA_A_PATH_REMOTE: be32, the peer's IPv4 address there
 * @KARDIA_A_PATH_HEARD_NS: u64, arrival of the newest beat on this path
 * @KARDIA_A_PATH_RTT_NS: u64, newest round trip (hold time taken off), 0: none
 * @KARDIA_A_PATH_TX: u64, beats sent
 * @KARDIA_A_PATH_RX: u64, beats accepted
 * @KARDIA_A_PATH_RX_LOST: u64, sequence numbers that never arrived; jumps when
 *	the peer removes us and adds us again
 */
enum kardia_attr_path {
	KARDIA_A_PATH_UNSPEC,
	KARDIA_A_PATH_PAD,
	KARDIA_A_PATH_INDEX,
	KARDIA_A_PATH_LOCAL,
	KARDIA_A_PATH_REMOTE,
	KARDIA_A_PATH_HEARD_NS,
	KARDIA_A_PATH_RTT_NS,
	KARDIA_A_PATH_TX,
	KARDIA_A_PATH_RX,
	KARDIA_A_PATH_RX_LOST,

	__KARDIA_A_PATH_MAX
};

#define KARDIA_A_PATH_MAX (__KARDIA_A_PATH_MAX - 1)

/**
 * enum kardia_attr_report - the newest set of suspicions of one reporter, as
 *	an arbiter node's kernel keeps it. No SUSPECT: it accuses nobody (now).
 * @KARDIA_A_REPORT_PAD: alignment
 * @KARDIA_A_REPORT_REPORTER: u32, node id
 * @KARDIA_A_REPORT_INCARNATION: u64, life of the reporter
 * @KARDIA_A_REPORT_SET_SEQ: u64, number of the set within that life
 * @KARDIA_A_REPORT_RECEIVED_NS: u64, arrival of the newest copy
 * @KARDIA_A_REPORT_EXPIRES_NS: u64, when it is void unless refreshed
 * @KARDIA_A_REPORT_EXPIRED: flag, it is void: emptied for want of a refresh
 * @KARDIA_A_REPORT_WATCHED: u32, peers that the reporter watches
 * @KARDIA_A_REPORT_SILENT: u32, of these it hears nothing from so many; may
 *	exceed the number of SUSPECT nests
 * @KARDIA_A_REPORT_SUSPECT: nest of kardia_attr_suspect, once per suspect
 * @KARDIA_A_REPORT_EVENT_SEQ: u64, newest event about this report
 */
enum kardia_attr_report {
	KARDIA_A_REPORT_UNSPEC,
	KARDIA_A_REPORT_PAD,
	KARDIA_A_REPORT_REPORTER,
	KARDIA_A_REPORT_INCARNATION,
	KARDIA_A_REPORT_SET_SEQ,
	KARDIA_A_REPORT_RECEIVED_NS,
	KARDIA_A_REPORT_EXPIRES_NS,
	KARDIA_A_REPORT_EXPIRED,
	KARDIA_A_REPORT_WATCHED,
	KARDIA_A_REPORT_SILENT,
	KARDIA_A_REPORT_SUSPECT,
	KARDIA_A_REPORT_EVENT_SEQ,

	__KARDIA_A_REPORT_MAX
};

#define KARDIA_A_REPORT_MAX (__KARDIA_A_REPORT_MAX - 1)

/**
 * enum kardia_attr_suspect - one accusation
 * @KARDIA_A_SUSPECT_PAD: alignment
 * @KARDIA_A_SUSPECT_ID: u32, the accused node
 * @KARDIA_A_SUSPECT_INCARNATION: u64, its life that fell silent, 0: never heard
 * @KARDIA_A_SUSPECT_SILENT_SINCE_NS: u64, in the arbiter kernel's clock
 * @KARDIA_A_SUSPECT_PATHS: u8, bit per path that is silent
 * @KARDIA_A_SUSPECT_CAUSE: u8, enum kardia_cause
 * @KARDIA_A_SUSPECT_GRACE_US: u32, the grace that the reporter applied
 * @KARDIA_A_SUSPECT_OWN_LATENESS_US: u32, how late the reporter itself was
 */
enum kardia_attr_suspect {
	KARDIA_A_SUSPECT_UNSPEC,
	KARDIA_A_SUSPECT_PAD,
	KARDIA_A_SUSPECT_ID,
	KARDIA_A_SUSPECT_INCARNATION,
	KARDIA_A_SUSPECT_SILENT_SINCE_NS,
	KARDIA_A_SUSPECT_PATHS,
	KARDIA_A_SUSPECT_CAUSE,
	KARDIA_A_SUSPECT_GRACE_US,
	KARDIA_A_SUSPECT_OWN_LATENESS_US,

	__KARDIA_A_SUSPECT_MAX
};

#define KARDIA_A_SUSPECT_MAX (__KARDIA_A_SUSPECT_MAX - 1)

/**
 * enum kardia_event_type - what happened
 * @KARDIA_EVENT_PEER_DOWN: carries PEER
 * @KARDIA_EVENT_PEER_UP: carries PEER
 * @KARDIA_EVENT_PEER_GONE: no longer watched; PEER holds its ID
 * @KARDIA_EVENT_REPORT: a reporter's set changed or expired; carries REPORT.
 *	A mere refresh raises no event
 * @KARDIA_EVENT_MAP_APPLIED: carries MAP_EPOCH
 */
enum kardia_event_type {
	KARDIA_EVENT_UNSPEC,
	KARDIA_EVENT_PEER_DOWN,
	KARDIA_EVENT_PEER_UP,
	KARDIA_EVENT_PEER_GONE,
	KARDIA_EVENT_REPORT,
	KARDIA_EVENT_MAP_APPLIED,

	__KARDIA_EVENT_MAX
};

#define KARDIA_EVENT_MAX (__KARDIA_EVENT_MAX - 1)

/**
 * enum kardia_attr_event - a notification
 * @KARDIA_A_EVENT_PAD: alignment
 * @KARDIA_A_EVENT_SEQ: u64, rises by one per event of this namespace; a gap
 *	means that events were lost: dump again
 * @KARDIA_A_EVENT_TYPE: u32, enum kardia_event_type
 * @KARDIA_A_EVENT_TIME_NS: u64, when the kernel raised it
 * @KARDIA_A_EVENT_PEER: nest of kardia_attr_peer
 * @KARDIA_A_EVENT_REPORT: nest of kardia_attr_report
 * @KARDIA_A_EVENT_MAP_EPOCH: u64
 */
enum kardia_attr_event {
	KARDIA_A_EVENT_UNSPEC,
	KARDIA_A_EVENT_PAD,
	KARDIA_A_EVENT_SEQ,
	KARDIA_A_EVENT_TYPE,
	KARDIA_A_EVENT_TIME_NS,
	KARDIA_A_EVENT_PEER,
	KARDIA_A_EVENT_REPORT,
	KARDIA_A_EVENT_MAP_EPOCH,

	__KARDIA_A_EVENT_MAX
};

#define KARDIA_A_EVENT_MAX (__KARDIA_A_EVENT_MAX - 1)

/**
 * enum kardia_attr_stats - counters since NODE_SET, all u64
 * @KARDIA_A_STATS_PAD: alignment
 * @KARDIA_A_STATS_TX_BEATS: beats handed to the stack
 * @KARDIA_A_STATS_TX_REPORTS: reports handed to the stack
 * @KARDIA_A_STATS_TX_NO_ROUTE: not sent: no route from the local address
 * @KARDIA_A_STATS_TX_NO_MEMORY: not sent: no memory
 * @KARDIA_A_STATS_TX_DROPPED: refused by the stack (queue, filter)
 * @KARDIA_A_STATS_TX_MISSED: intervals that passed without a send: we were late
 * @KARDIA_A_STATS_RX_BEATS: beats accepted
 * @KARDIA_A_STATS_RX_REPORTS: reports accepted
 * @KARDIA_A_STATS_RX_LENGTH: dropped: shorter or longer than its type
 * @KARDIA_A_STATS_RX_MAGIC: dropped: not a kardia frame
 * @KARDIA_A_STATS_RX_VERSION: dropped: unknown version
 * @KARDIA_A_STATS_RX_TYPE: dropped: unknown type
 * @KARDIA_A_STATS_RX_FIELD: dropped: a field out of range
 * @KARDIA_A_STATS_RX_TTL: dropped: came through a router (TTL below 255)
 * @KARDIA_A_STATS_RX_CLUSTER: dropped: another cluster's
 * @KARDIA_A_STATS_RX_DESTINATION: dropped: meant for another node
 * @KARDIA_A_STATS_RX_UNKNOWN_PEER: dropped: sender is not configured
 * @KARDIA_A_STATS_RX_ADDRESS: dropped: not the address of that peer's path
 * @KARDIA_A_STATS_RX_INCARNATION: dropped: an earlier life of the peer, or
 *	meant for an earlier life of ours
 * @KARDIA_A_STATS_RX_SEQUENCE: dropped: not newer than what is known
 * @KARDIA_A_STATS_RX_NOT_ARBITER: dropped: a report, and this is no arbiter
 * @KARDIA_A_STATS_RX_NO_MEMORY: dropped: no memory to keep it
 * @KARDIA_A_STATS_RX_OVERFLOW: dropped by the socket: receive buffer full
 * @KARDIA_A_STATS_EVENTS_LOST: events that found no memory
 */
enum kardia_attr_stats {
	KARDIA_A_STATS_UNSPEC,
	KARDIA_A_STATS_PAD,
	KARDIA_A_STATS_TX_BEATS,
	KARDIA_A_STATS_TX_REPORTS,
	KARDIA_A_STATS_TX_NO_ROUTE,
	KARDIA_A_STATS_TX_NO_MEMORY,
	KARDIA_A_STATS_TX_DROPPED,
	KARDIA_A_STATS_TX_MISSED,
	KARDIA_A_STATS_RX_BEATS,
	KARDIA_A_STATS_RX_REPORTS,
	KARDIA_A_STATS_RX_LENGTH,
	KARDIA_A_STATS_RX_MAGIC,
	KARDIA_A_STATS_RX_VERSION,
	KARDIA_A_STATS_RX_TYPE,
	KARDIA_A_STATS_RX_FIELD,
	KARDIA_A_STATS_RX_TTL,
	KARDIA_A_STATS_RX_CLUSTER,
	KARDIA_A_STATS_RX_DESTINATION,
	KARDIA_A_STATS_RX_UNKNOWN_PEER,
	KARDIA_A_STATS_RX_ADDRESS,
	KARDIA_A_STATS_RX_INCARNATION,
	KARDIA_A_STATS_RX_SEQUENCE,
	KARDIA_A_STATS_RX_NOT_ARBITER,
	KARDIA_A_STATS_RX_NO_MEMORY,
	KARDIA_A_STATS_RX_OVERFLOW,
	KARDIA_A_STATS_EVENTS_LOST,

	__KARDIA_A_STATS_MAX
};

#define KARDIA_A_STATS_MAX (__KARDIA_A_STATS_MAX - 1)

#endif /* _UAPI_LINUX_KARDIA_H */
