#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# First process of a guest once its root is in place: set the machine up, run
# the script, bring its results and its status to the host, power off.
#
# Ports lead to the host: what the script prints, its status, its results as a
# tar stream (mode A) and commands from the host (mode D). The status is
# written last and only here, so that no crash can look like a pass.

set -u

port_output=/dev/vport0p1
port_status=/dev/vport0p2
port_results=/dev/vport0p3
port_commands=/dev/vport0p4

# shellcheck source=/dev/null
. /run/rig/env
export PATH=/usr/bin:/usr/sbin:/bin:/sbin HOME=/root TERM=dumb LANG=C.UTF-8
export PYTHONUNBUFFERED=1 KARDIA_OUT=/run/rig/out

mount_all() {
	mkdir -p /dev/pts /dev/shm $KARDIA_OUT
	mount -t devpts devpts /dev/pts
	mount -t tmpfs shm /dev/shm
	mount -t cgroup2 cgroup /sys/fs/cgroup
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
	if [ "$RIG_ROOT" = 9p ]; then
		mount -t 9p -o "$RIG_9P" out $KARDIA_OUT
	fi
}

# In mode D the host gave each network's card a telling address.
network() {
	local name card

	ip link set lo up
	for name in front:1 back:2; do
		card=$(grep -l "52:54:00:00:0${name#*:}" \
			/sys/class/net/*/address) || continue
		card=$(basename "${card%/address}")
		sysctl -qw "net.ipv6.conf.$card.disable_ipv6=1"
		ip link set "$card" name "${name%:*}"
		ip addr add "10.${name#*:}.0.$KARDIA_NODE/24" \
			dev "${name%:*}"
		ip link set "${name%:*}" up
	done
}

# RNDADDENTROPY: the same random numbers in each run, without a second's wait
# for the kernel's own.
seed_random() {
	PERL_INTERNAL_RAND_SEED=1 PERL_HASH_SEED=0 perl -e '
		open(F, ">", "/dev/random") or die;
		ioctl(F, 0x40085203, pack("iia32", 256, 32, $ARGV[0])) or die
	' "$RIG_SEED"
}

setup() {
	if [ "$RIG_ROOT" = ram ]; then
		seed_random || return
	fi
	echo "$RIG_HOSTNAME" >/proc/sys/kernel/hostname
	mount_all && network || return
	if [ -n "$RIG_MODULE" ]; then
		insmod "$RIG_MODULE" || return
	fi
	if [ "$RIG_NODES" -gt 0 ]; then
		# shellcheck source=selftests/vm/cluster.sh
		. selftests/vm/cluster.sh
		cluster_up "$RIG_NODES" || return
	fi
	# In virtual time let the kernel finish what it put off until now.
	[ "$RIG_ROOT" = 9p ] || sleep 1
}

# Each line is one quoted word, a shell command.
obey() {
	local line

	while read -r line; do
		eval "bash -c $line" &
	done <$port_commands
}

# All but this process and the one that carries the output.
kill_leftovers() {
	local dir

	for dir in /proc/[0-9]*; do
		case ${dir#/proc/} in
		1 | "$carrier") ;;
		*) kill -9 "${dir#/proc/}" 2>/dev/null ;;
		esac
	done
}

until [ -e $port_output ] && [ -e $port_status ]; do sleep 0.01; done
mkfifo /run/rig/output
cat /run/rig/output >$port_output &
carrier=$!
exec </dev/null >/run/rig/output 2>&1

cd "$RIG_TOP" || exit
if setup; then
	if [ -e $port_commands ]; then
		obey &
	fi
	setsid -w "$@"
	status=$?
else
	echo "# rig: the guest could not be set up"
	status=1
fi

exec >/dev/console 2>&1
kill_leftovers
wait "$carrier"
dmesg >$KARDIA_OUT/dmesg.log
[ "$RIG_ROOT" = 9p ] || tar -C $KARDIA_OUT -cf - . >$port_results
echo "exit $status" >$port_status
echo o >/proc/sysrq-trigger
sleep infinity
