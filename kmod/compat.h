/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Newest kernel API names, supplied on older kernels. Kbuild probes the
 * headers and defines KARDIA_HAVE_*; no other file looks at versions.
 */
#ifndef KARDIA_COMPAT_H
#define KARDIA_COMPAT_H

#include <linux/hrtimer.h>

#ifndef KARDIA_HAVE_HRTIMER_SETUP /* before 6.13 */
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#endif
