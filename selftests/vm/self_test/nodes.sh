#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest with three nodes: who reaches whom, under cuts. Prints when, so
# that two runs can be compared.
# shellcheck disable=SC2317 # checks are called by name
# shellcheck source=selftests/vm/cluster.sh
. selftests/vm/cluster.sh

number=0 failed=0

reaches() { node_exec "$1" busybox ping -q -c 1 -W 1 "$2" >/dev/null; }
counted() { node_exec "$1" cat "/sys/class/net/$2/statistics/$3"; }

report() {
	local verdict=ok

	number=$((number + 1))
	"${@:2}" || { verdict='not ok' && failed=1; }
	echo "$verdict $number - $1 # at $(cut -d ' ' -f 1 /proc/uptime)"
}

all_reach() {
	local from to

	for from in 1 2 3; do
		for to in 1 2 3; do
			reaches "$from" "10.1.0.$to" || return
			reaches "$from" "10.2.0.$to" || return
		done
	done
}

# Node 2 hears nothing on the front network, yet is heard.
deaf() {
	local heard sent

	heard=$(counted 2 front rx_packets)
	sent=$(counted 1 front rx_packets)
	! reaches 1 10.1.0.2 && ! reaches 2 10.1.0.1 &&
		reaches 1 10.2.0.2 && reaches 1 10.1.0.3 &&
		[ "$(counted 2 front rx_packets)" = "$heard" ] &&
		[ "$(counted 1 front rx_packets)" -gt "$sent" ]
}

carrier() {
	[ "$(node_exec 2 cat /sys/class/net/front/carrier)" = 1 ] &&
		[ "$(cat /sys/class/net/front-2/carrier)" = 1 ]
}

dead() { ! reaches 1 10.1.0.2 && ! reaches 2 10.2.0.3; }

# 20 sleeps of 5 ms, each one's lateness.
lateness() {
	/usr/bin/python3 -c '
import time
for _ in range(20):
    begin = time.monotonic_ns()
    time.sleep(0.005)
    print("#", time.monotonic_ns() - begin - 5000000)'
}

echo "1..6"
report "all nodes reach each other" all_reach
node_cut 2 front in
report "one direction is cut" deaf
report "the link stays up" carrier
node_cut 2
report "all is cut, also where it was before" dead
node_heal 2
report "all is healed" all_reach
cluster_up 2
report "a cluster can be made anew" reaches 1 10.2.0.2
lateness
exit $failed
