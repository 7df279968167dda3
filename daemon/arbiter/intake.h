/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Brings what this node's kernel sees, and what it was told, to the policy. */
#ifndef KARDIAD_ARBITER_INTAKE_H
#define KARDIAD_ARBITER_INTAKE_H

#include "daemon/arbiter/policy.h"
#include "daemon/why.h"

struct intake {
	struct policy *policy;
	uint64_t incarnation; /* of the kernel that was heard last, 0: none */
	uint64_t collect_ns; /* collection window of a new kernel */
};

/*
 * Replace all evidence by the kernel's dumps. A kernel of another life than
 * before has reports to collect first, so that its window begins at @now_ns.
 * On failure there is no evidence.
 */
int intake_snapshot(struct intake *intake, struct knl *knl, uint64_t now_ns);

/* There is no kernel to hear from. */
void intake_lost(struct intake *intake);

void intake_event(struct intake *intake, const struct knl_event *event);

#endif
