// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words for the numbers of <linux/kardia.h>, for output and logs. A number
 * that a newer kernel may send and we do not know reads "unknown".
 */
#include "lib/nl.h"

#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const peer_states[] = {
	[KARDIA_PEER_NEW] = "new",
	[KARDIA_PEER_UP] = "up",
	[KARDIA_PEER_DOWN] = "down",
};

static const char *const causes[] = {
	[KARDIA_CAUSE_NONE] = "none",
	[KARDIA_CAUSE_SILENT] = "silent",
	[KARDIA_CAUSE_NEVER_HEARD] = "never-heard",
};

static const char *const events[KARDIA_EVENT_MAX + 1] = {
	[KARDIA_EVENT_PEER_DOWN] = "peer-down",
	[KARDIA_EVENT_PEER_UP] = "peer-up",
	[KARDIA_EVENT_PEER_GONE] = "peer-gone",
	[KARDIA_EVENT_REPORT] = "report",
	[KARDIA_EVENT_MAP_APPLIED] = "map-applied",
};

static const char *const stats[KARDIA_A_STATS_MAX + 1] = {
	[KARDIA_A_STATS_TX_BEATS] = "tx_beats",
	[KARDIA_A_STATS_TX_REPORTS] = "tx_reports",
	[KARDIA_A_STATS_TX_NO_ROUTE] = "tx_no_route",
	[KARDIA_A_STATS_TX_NO_MEMORY] = "tx_no_memory",
	[KARDIA_A_STATS_TX_DROPPED] = "tx_dropped",
	[KARDIA_A_STATS_TX_MISSED] = "tx_missed",
	[KARDIA_A_STATS_RX_BEATS] = "rx_beats",
	[KARDIA_A_STATS_RX_REPORTS] = "rx_reports",
	[KARDIA_A_STATS_RX_LENGTH] = "rx_length",
	[KARDIA_A_STATS_RX_MAGIC] = "rx_magic",
	[KARDIA_A_STATS_RX_VERSION] = "rx_version",
	[KARDIA_A_STATS_RX_TYPE] = "rx_type",
	[KARDIA_A_STATS_RX_FIELD] = "rx_field",
	[KARDIA_A_STATS_RX_TTL] = "rx_ttl",
	[KARDIA_A_STATS_RX_CLUSTER] = "rx_cluster",
	[KARDIA_A_STATS_RX_DESTINATION] = "rx_destination",
	[KARDIA_A_STATS_RX_UNKNOWN_PEER] = "rx_unknown_peer",
	[KARDIA_A_STATS_RX_ADDRESS] = "rx_address",
	[KARDIA_A_STATS_RX_INCARNATION] = "rx_incarnation",
	[KARDIA_A_STATS_RX_SEQUENCE] = "rx_sequence",
	[KARDIA_A_STATS_RX_NOT_ARBITER] = "rx_not_arbiter",
	[KARDIA_A_STATS_RX_NO_MEMORY] = "rx_no_memory",
	[KARDIA_A_STATS_RX_OVERFLOW] = "rx_overflow",
	[KARDIA_A_STATS_EVENTS_LOST] = "events_lost",
};

static const char *name_of(const char *const names[], size_t n, size_t i)
{
	return i < n && names[i] ? names[i] : "unknown";
}

const char *knl_peer_state_name(enum kardia_peer_state state)
{
	return name_of(peer_states, ARRAY_SIZE(peer_states), state);
}

const char *knl_cause_name(enum kardia_cause cause)
{
	return name_of(causes, ARRAY_SIZE(causes), cause);
}

const char *knl_event_name(enum kardia_event_type type)
{
	return name_of(events, ARRAY_SIZE(events), type);
}

const char *knl_stats_name(enum kardia_attr_stats stat)
{
	return name_of(stats, ARRAY_SIZE(stats), stat);
}
