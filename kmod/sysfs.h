/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/kernel/kardia: defaults for nodes that are configured without. */
#ifndef KARDIA_SYSFS_H
#define KARDIA_SYSFS_H

#include <linux/types.h>

void kardia_defaults(u32 *interval_us, u32 *grace_us);

int kardia_sysfs_init(void);
void kardia_sysfs_exit(void);

#endif
