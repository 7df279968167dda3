/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event numbers: which event is next, which is old, and what was lost. */
#ifndef KARDIA_SEQUENCE_H
#define KARDIA_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct sequence - where a stream of events stands
 * @known: @last is; an idle module does not tell
 * @last: newest event that was taken, or that a snapshot contains
 * @broken: events after @last were lost: a snapshot is due
 */
struct sequence {
	bool known;
	uint64_t last;
	bool broken;
};

/* Whether to take the event @seq; a gap before it breaks the sequence. */
bool sequence_take(struct sequence *s, uint64_t seq);

/*
 * The kernel's newest event was @newest, and all that was queued since has been
 * taken. If that did not bring us there, the sequence is broken.
 */
void sequence_audit(struct sequence *s, uint64_t newest);

/* A snapshot holds all events up to @newest, if that is known. */
void sequence_restart(struct sequence *s, bool known, uint64_t newest);

#endif
