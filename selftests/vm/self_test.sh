#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rig's own test: self_test.sh [KERNEL]. Whatever a guest does to look
# well, the rig must tell; so most of these runs are meant to fail.

# shellcheck disable=SC2317 # checks are called by name

set -u
cd "$(dirname "$0")/../.." || exit
kernel=${1:-6.12}
work=build/vm/self_test
tests=10 number=0 failed=0 begin=$SECONDS
mkdir -p $work

rig() {
	local name=$1

	shift
	begin=$SECONDS
	selftests/vm/run --kernel "$kernel" --name "$name" \
		--out "$work/$name" "$@" >"$work/$name.tap" 2>&1
	echo $? >"$work/$name.exit"
}

# report WHAT CHECK...: a test with the time since the last boot began.
report() {
	local what=$1 verdict=ok

	shift
	number=$((number + 1))
	if ! "$@"; then
		verdict='not ok'
		failed=$((failed + 1))
		echo "# failed: $*"
	fi
	echo "$verdict $number - $what # $((SECONDS - begin)) s"
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

exited() { [ "$(<"$work/$1.exit")" = "$2" ]; }
printed() { grep -qE "$2" "$work/$1.tap"; }
fails_with() { exited "$1" "$2" && printed "$1" "$3"; }

brought_back() {
	exited back 7 && printed back '^ok 1 - seven$' &&
		[ "$(<$work/back/file)" = seven ]
}

same_output() { cmp "$work/nodes1.tap" "$work/nodes2.tap"; }

echo TAP version 13
echo "1..$tests"

# shellcheck disable=SC2016 # expanded in the guest
KARDIA_WORD=seven rig back bash -c \
	'echo "ok 1 - $KARDIA_WORD"
	echo $KARDIA_WORD >$KARDIA_OUT/file; exit 7'
report "output, status and a file come back" brought_back

rig panic bash -c 'echo c >/proc/sysrq-trigger; sleep 60'
report "a panic fails, its log shown" \
	fails_with panic 1 '^# kernel: .*sysrq triggered crash'

rig splat bash -c 'echo "WARNING: CPU: 0 at self_test" >/dev/kmsg'
report "a warning fails a script that passed" \
	fails_with splat 1 '^# kernel: .*at self_test'

rig gone bash -c 'echo o >/proc/sysrq-trigger; sleep 60'
report "a machine that goes off by itself fails" \
	fails_with gone 1 'without a status'

rig hang --timeout 12 sleep infinity
report "a hang meets the time limit" fails_with hang 124 'time limit'

copied=$(selftests/vm/ramroot.sh | cksum)
rig nodes1 --name nodes --mode A --nodes 3 selftests/vm/self_test/nodes.sh
sed -n 's/^\(not \)\?ok .*/# in the guest: &/p' $work/nodes1.tap
report "nodes reach each other, cuts are one-way and silent" exited nodes1 0
rig nodes2 --name nodes --mode A --nodes 3 selftests/vm/self_test/nodes.sh
if [ "$copied" = "$(selftests/vm/ramroot.sh | cksum)" ]; then
	report "virtual time repeats to the nanosecond" same_output
else
	skip "virtual time repeats" "the source was changed meanwhile"
fi

begin=$SECONDS
selftests/vm/cluster-run --kernel "$kernel" --vms 2 --out $work/vms \
	--driver selftests/vm/self_test/vms.sh \
	-- selftests/vm/self_test/ready.sh >$work/vms.tap 2>&1
echo $? >$work/vms.exit
sed -n 's/^\(not \)\?ok .*/# with two machines: &/p' $work/vms.tap
report "machines reach each other until one is killed" exited vms 0

begin=$SECONDS
selftests/vm/run --mode B true >$work/usage.tap 2>&1
echo $? >$work/usage.exit
report "bad usage is refused" fails_with usage 2 'no such mode'
selftests/vm/kernel.sh version 5.99 >$work/usage.tap 2>&1
echo $? >$work/usage.exit
report "an unknown kernel is refused" fails_with usage 1 'no kernel 5.99'

[ $failed = 0 ]
