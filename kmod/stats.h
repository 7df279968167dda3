/* SPDX-License-Identifier: GPL-2.0-only */
/* Per-CPU counters of an instance, indexed by enum kardia_attr_stats. */
#ifndef KARDIA_STATS_H
#define KARDIA_STATS_H

#include <linux/percpu.h>
#include <linux/kardia.h>

/**
 * struct kardia_stats - one CPU's share of the counters
 * @count: by enum kardia_attr_stats; written by its own CPU only
 */
struct kardia_stats {
	u64 count[KARDIA_A_STATS_MAX + 1];
};

#define kardia_count(kn, stat) \
	this_cpu_inc((kn)->stats->count[KARDIA_A_STATS_##stat])
#define kardia_count_add(kn, stat, n) \
	this_cpu_add((kn)->stats->count[KARDIA_A_STATS_##stat], n)

#endif
