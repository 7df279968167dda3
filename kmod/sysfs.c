// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/kardia: the defaults that a node takes when NODE_SET names no
 * interval or grace. Host-wide; a running node keeps what it has.
 */
#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>

#include <linux/kardia.h>

#include "sysfs.h"

static DEFINE_MUTEX(lock);
static u32 interval_default_us = 100000;
static u32 grace_default_us = 500000;
static struct kobject *kobject;

void kardia_defaults(u32 *interval_us, u32 *grace_us)
{
	mutex_lock(&lock);
	*interval_us = interval_default_us;
	*grace_us = grace_default_us;
	mutex_unlock(&lock);
}

static bool sane(u32 interval_us, u32 grace_us)
{
	return interval_us >= KARDIA_INTERVAL_US_MIN &&
	       interval_us <= KARDIA_INTERVAL_US_MAX &&
	       grace_us <= KARDIA_GRACE_US_MAX &&
	       grace_us / KARDIA_GRACE_INTERVALS_MIN >= interval_us;
}

/* Set the default @target to what @buf says, if it suits the other one. */
static ssize_t store(u32 *target, const char *buf, size_t count)
{
	u32 interval_us, grace_us, value;
	int err;

	err = kstrtou32(buf, 0, &value);
	if (err)
		return err;
	mutex_lock(&lock);
	interval_us = target == &interval_default_us ? value :
						       interval_default_us;
	grace_us = target == &grace_default_us ? value : grace_default_us;
	if (sane(interval_us, grace_us))
		WRITE_ONCE(*target, value);
	else
		err = -EINVAL;
	mutex_unlock(&lock);
	return err ?: count;
}

static ssize_t interval_us_show(struct kobject *kobj,
				struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(interval_default_us));
}

static ssize_t interval_us_store(struct kobject *kobj,
				 struct kobj_attribute *attr, const char *buf,
				 size_t count)
{
	return store(&interval_default_us, buf, count);
}

static ssize_t grace_us_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(grace_default_us));
}

static ssize_t grace_us_store(struct kobject *kobj, struct kobj_attribute *attr,
			      const char *buf, size_t count)
{
	return store(&grace_default_us, buf, count);
}

static struct kobj_attribute interval_us = __ATTR_RW(interval_us);
static struct kobj_attribute grace_us = __ATTR_RW(grace_us);

static const struct attribute *attributes[] = {
	&interval_us.attr,
	&grace_us.attr,
	NULL,
};

int kardia_sysfs_init(void)
{
	int err;

	kobject = kobject_create_and_add("kardia", kernel_kobj);
	if (!kobject)
		return -ENOMEM;
	err = sysfs_create_files(kobject, attributes);
	if (err)
		kobject_put(kobject);
	return err;
}

void kardia_sysfs_exit(void)
{
	kobject_put(kobject);
}
