// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of others, as an arbiter node's kernel keeps them: one slot per
 * reporter, the newest set wins, a set that is not refreshed in time empties
 * itself. Only a change of what is said raises an event.
 */
#include <linux/slab.h>

#include "compat.h"
#include "event.h"
#include "net.h"

static void arm(struct kardia_report_slot *slot)
{
	lockdep_assert_held(&slot->lock);
	if (!slot->open || !slot->report->head.count)
		return;
	/* Lazy: a timer that fires too early finds the new expiry itself. */
	if (hrtimer_is_queued(&slot->timer) &&
	    hrtimer_get_expires_ns(&slot->timer) <= slot->expires_ns)
		return;
	hrtimer_start(&slot->timer, ns_to_ktime(slot->expires_ns),
		      HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart expiry_timer(struct hrtimer *timer)
{
	struct kardia_report_slot *slot =
		container_of(timer, struct kardia_report_slot, timer);
	u64 now_ns = ktime_get_ns();

	spin_lock(&slot->lock);
	if (slot->open && now_ns >= slot->expires_ns &&
	    slot->report->head.count) {
		slot->report->head.count = 0;
		slot->report->head.silent = 0;
		slot->expired = true;
		kardia_event_report(slot, now_ns);
	}
	arm(slot);
	spin_unlock(&slot->lock);
	return HRTIMER_NORESTART;
}

void kardia_report_init(struct kardia_report_slot *slot, struct kardia_net *kn)
{
	memset(slot, 0, sizeof(*slot));
	spin_lock_init(&slot->lock);
	slot->kn = kn;
	hrtimer_setup(&slot->timer, expiry_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

void kardia_report_open(struct kardia_report_slot *slot, u32 reporter)
{
	spin_lock_bh(&slot->lock);
	slot->reporter = reporter;
	slot->incarnation = 0;
	slot->event_seq = 0;
	slot->expired = false;
	slot->open = true;
	spin_unlock_bh(&slot->lock);
}

void kardia_report_close(struct kardia_report_slot *slot)
{
	struct kardia_report *report;

	spin_lock_bh(&slot->lock);
	slot->open = false;
	spin_unlock_bh(&slot->lock);
	hrtimer_cancel(&slot->timer);

	spin_lock_bh(&slot->lock);
	report = slot->report;
	slot->report = NULL;
	spin_unlock_bh(&slot->lock);
	kfree(report);
}

static bool same_accusation(const struct kardia_suspicion *a,
			    const struct kardia_suspicion *b)
{
	return a->node == b->node && a->incarnation == b->incarnation &&
	       a->cause == b->cause && a->paths == b->paths;
}

/* Take over what @data says; true if it says something else than before. */
static bool replace(struct kardia_report *report,
		    const struct kardia_report_head *head, const void *data)
{
	bool changed = report->head.count != head->count ||
		       report->head.silent != head->silent;
	struct kardia_suspicion suspicion;
	unsigned int i;

	for (i = 0; i < head->count; i++) {
		kardia_frame_get_suspicion(data, i, &suspicion);
		if (!same_accusation(&report->suspicions[i], &suspicion))
			changed = true;
		report->suspicions[i] = suspicion;
	}
	report->head = *head;
	return changed;
}

static int store(struct kardia_report_slot *slot,
		 const struct kardia_frame *frame, const void *data, u64 now_ns)
{
	u32 valid_us =
		min_t(u32, frame->report.valid_us, KARDIA_REPORT_VALID_US_MAX);
	bool changed;

	lockdep_assert_held(&slot->lock);
	if (!slot->open)
		return -ESTALE;
	if (!slot->report) {
		slot->report = kzalloc(sizeof(*slot->report), GFP_ATOMIC);
		if (!slot->report)
			return -ENOMEM;
	}
	/* Each set comes once per path. */
	if (slot->incarnation == frame->source_incarnation &&
	    frame->report.set_sequence <= slot->report->head.set_sequence)
		return -ESTALE;

	changed = replace(slot->report, &frame->report, data);
	slot->incarnation = frame->source_incarnation;
	slot->received_ns = now_ns;
	slot->expires_ns = now_ns + (u64)valid_us * NSEC_PER_USEC;
	slot->expired = false;
	if (changed)
		kardia_event_report(slot, now_ns);
	arm(slot);
	return 0;
}

int kardia_report_store(struct kardia_report_slot *slot,
			const struct kardia_frame *frame, const void *data,
			u64 now_ns)
{
	int err;

	spin_lock(&slot->lock);
	err = store(slot, frame, data, now_ns);
	spin_unlock(&slot->lock);
	return err;
}
