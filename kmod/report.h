/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arbiter's side: the newest set of each reporter, kept until it is
 * replaced, withdrawn or stale.
 */
#ifndef KARDIA_REPORT_H
#define KARDIA_REPORT_H

#include <linux/hrtimer.h>
#include <linux/spinlock.h>

#include "frame.h"

struct kardia_net;

/* No reporter keeps its accusations alive for longer without a refresh. */
#define KARDIA_REPORT_VALID_US_MAX (4U * KARDIA_GRACE_US_MAX)

/**
 * struct kardia_report - a set as it was received
 * @suspicions: the accusations; silent_for_ns as of @received_ns
 * @head: the rest of the report
 */
struct kardia_report {
	struct kardia_report_head head;
	struct kardia_suspicion suspicions[KARDIA_REPORT_SUSPECTS_MAX];
};

/**
 * struct kardia_report_slot - where one reporter's newest set is kept
 * @lock: guards all but @timer; inside no other lock but a peer's
 * @kn: the instance
 * @reporter: node id
 * @incarnation: life of the reporter
 * @received_ns: arrival of the newest copy
 * @expires_ns: void from then on
 * @event_seq: newest event about this slot
 * @expired: emptied for want of a refresh
 * @open: keep reports; else arm no timer, raise no event
 * @report: NULL until the first arrives; then one for good: memory is bounded
 * @timer: lazily watches @expires_ns while there are suspicions; softirq
 */
struct kardia_report_slot {
	spinlock_t lock;
	struct kardia_net *kn;
	u32 reporter;
	u64 incarnation;
	u64 received_ns;
	u64 expires_ns;
	u64 event_seq;
	bool expired;
	bool open;
	struct kardia_report *report;
	struct hrtimer timer;
};

/* Once, before anything else. */
void kardia_report_init(struct kardia_report_slot *slot, struct kardia_net *kn);
void kardia_report_open(struct kardia_report_slot *slot, u32 reporter);
/* Forget all. Sleeps; the slot may be opened again. */
void kardia_report_close(struct kardia_report_slot *slot);

/*
 * Keep the report in @data, decoded into @frame, if it is newer. BH off.
 * -ESTALE: known already; -ENOMEM.
 */
int kardia_report_store(struct kardia_report_slot *slot,
			const struct kardia_frame *frame, const void *data,
			u64 now_ns);

#endif
