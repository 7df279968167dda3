// SPDX-License-Identifier: GPL-2.0-only
/*
 * kardia.ko: a heartbeat engine for storage clusters. Loading and unloading;
 * the order matters. The netlink family comes last and goes first, so that no
 * command finds half a module.
 */
#include <linux/module.h>

#include "kick.h"
#include "net.h"
#include "netlink.h"
#include "sysfs.h"

static int __init kardia_init(void)
{
	int err;

	err = kardia_sysfs_init();
	if (err)
		return err;
	kardia_kick_init();
	err = kardia_net_init();
	if (err)
		goto out_sysfs;
	err = kardia_netlink_init();
	if (err)
		goto out_net;
	pr_info("kardia: " KARDIA_VERSION " loaded\n");
	return 0;

out_net:
	kardia_net_exit();
out_sysfs:
	kardia_sysfs_exit();
	return err;
}

static void __exit kardia_exit(void)
{
	kardia_netlink_exit();
	kardia_net_exit();
	kardia_kick_exit();
	kardia_sysfs_exit();
}

module_init(kardia_init);
module_exit(kardia_exit);

MODULE_DESCRIPTION("Heartbeat engine for storage clusters");
MODULE_AUTHOR("The kardia developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(KARDIA_VERSION);
MODULE_ALIAS_GENL_FAMILY(KARDIA_GENL_NAME);
