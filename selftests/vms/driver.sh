#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Power cut, freeze and panic of a whole machine, seen from the others' maps.
# Grace is 2 s: these machines run in wall time on a busy host.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=selftests/vm/driver.sh
. "$top/selftests/vm/driver.sh"

number=0 failed=0

check() {
	local name=$1 verdict=ok

	shift
	number=$((number + 1))
	"$@" || { verdict="not ok" && failed=1; }
	echo "$verdict $number - $name"
}

all_see() {
	local name=$1 i

	for i in "${@:2}"; do
		vm_wait_file "$i" "$name" 90 || return
	done
}

power_cut() { vm_kill 3 && all_see n3-down 1 2; }
power_back() { vm_start 3 && all_see all-up 1 2 3; }
freeze() { vm_freeze 3 && all_see n3-down 1 2; }
thaw() { vm_thaw 3 && all_see all-up 1 2 3; }
panic() { vm_panic 3 && all_see n3-down 1 2; }
nobody_accused() { [ ! -e "$(vm_dir "$1")/accused" ]; }
others_stayed_up() { [ -e "$(vm_dir 1)/n2-up" ] && [ -e "$(vm_dir 2)/n1-up" ]; }

echo "TAP version 13"
echo "1..9"
check "three machines come up" all_see all-up 1 2 3
rm -f "$(vm_dir 3)/accused"
check "a power cut is found" power_cut
check "the machine returns" power_back
rm -f "$(vm_dir 3)/accused"
check "a frozen machine is found" freeze
check "it returns when it is thawed" thaw
check "the thawed machine has accused nobody" nobody_accused 3
check "a panic is found" panic
check "it returns after the panic" power_back
check "the others have been up all along" others_stayed_up
exit $failed
