/* SPDX-License-Identifier: GPL-2.0-only */
/* Events: numbered, stamped and multicast, in the order they are raised. */
#ifndef KARDIA_EVENT_H
#define KARDIA_EVENT_H

#include <linux/types.h>

#include <linux/kardia.h>

struct kardia_net;
struct kardia_peer;
struct kardia_report_slot;

/* With peer->lock. Sets the peer's event_seq. */
void kardia_event_peer(struct kardia_peer *peer, enum kardia_event_type type,
		       u64 now_ns);
/* With slot->lock. Sets the slot's event_seq. */
void kardia_event_report(struct kardia_report_slot *slot, u64 now_ns);
/* With the config mutex. */
void kardia_event_map_applied(struct kardia_net *kn);

/* No event is sent from here on: the family is about to go. Sleeps. */
void kardia_event_close(void);

/* Sequence number of the newest event. */
u64 kardia_event_seq(struct kardia_net *kn);

#endif
