// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arithmetic on event numbers, pure.
 */
#include "sequence.h"

bool sequence_take(struct sequence *s, uint64_t seq)
{
	if (s->broken || (s->known && seq <= s->last))
		return false;
	if (s->known && seq != s->last + 1) {
		s->broken = true;
		return false;
	}
	s->known = true;
	s->last = seq;
	return true;
}

void sequence_audit(struct sequence *s, uint64_t newest)
{
	if (s->known && newest > s->last)
		s->broken = true;
}

void sequence_restart(struct sequence *s, bool known, uint64_t newest)
{
	s->known = known;
	s->last = newest;
	s->broken = false;
}
