#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run tests and add up their results:
#
#	check.sh KERNEL...		all: on this machine, then per kernel
#	ONLY=PATTERN check.sh ...	those whose name matches
#
# Each test prints TAP; all of it is nested into one KTAP document. The last
# line is `N passed, N failed, N skipped`.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
build=${O:-build}
log=$build/check.log
passed=0 failed=0 skipped=0 number=0
mkdir -p "$build"

count() { grep -cE "$1" "$log"; }

# A test that dies, that runs fewer tests than it planned, or none, has failed.
judge() {
	local status=$1 plan results

	local ok skip bad
	ok=$(count '^ok ')
	skip=$(count '^ok .*# SKIP')
	bad=$(count '^not ok ')
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$log" | head -n 1)
	results=$((ok + bad))
	if [ "$bad" = 0 ] && { [ "$status" != 0 ] || [ "$results" = 0 ] ||
		[ "$results" != "${plan:-none}" ]; }; then
		echo "# exit status $status, $results of ${plan:-no} tests ran"
		bad=1
	fi
	passed=$((passed + ok - skip))
	skipped=$((skipped + skip))
	failed=$((failed + bad))
	[ "$bad" = 0 ]
}

run() {
	local name=$1 begin=$SECONDS verdict=ok status
	shift
	[[ $name =~ ${ONLY:-} ]] || return 0
	number=$((number + 1))
	echo "# $name"
	"$@" 2>&1 </dev/null | tee "$log" | sed -u 's/^/    /'
	status=${PIPESTATUS[0]}
	judge "$status" || verdict="not ok"
	echo "$verdict $number $name # $((SECONDS - begin)) s"
}

on_this_machine() {
	local test

	export CMOCKA_MESSAGE_OUTPUT=TAP
	for test in "$build"/unit/test_*; do
		if [ -f "$test" ] && [ -x "$test" ]; then
			run "unit/${test##*/test_}" "$test"
		fi
	done
	for test in selftests/cli/*.sh; do
		run "cli/$(basename "$test" .sh)" "$test"
	done
	run vm/self_test selftests/vm/self_test.sh
}

on_kernel() {
	local kernel=$1 test

	for test in selftests/kmod/*.py selftests/cluster/*.py; do
		run "$(basename "$(dirname "$test")")/$(basename "$test" .py) $kernel" \
			selftests/guest.sh "$kernel" "$test"
	done
}

echo "KTAP version 1"
on_this_machine
for kernel in "$@"; do
	on_kernel "$kernel"
done
run "vms/power_cut ${*: -1}" selftests/vms/power_cut.sh "${@: -1}"
echo "1..$number"
echo "# total time $SECONDS s"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
