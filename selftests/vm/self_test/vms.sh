#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Driver of two machines: reach each other, freeze, cut, power cut, reboot.
# shellcheck disable=SC2317 # checks are called by name
# shellcheck source=selftests/vm/driver.sh
. selftests/vm/driver.sh

number=0 failed=0

# reaches NETWORK: vm1 asks vm2, and leaves what came of it.
reaches() {
	rm -f "$KARDIA_OUT/vm1/ping"
	vm_exec 1 "busybox ping -q -c 1 -W 1 10.$1.0.2 >/run/ping 2>&1
		echo \$? >\$KARDIA_OUT/new; mv \$KARDIA_OUT/{new,ping}" || return
	vm_wait_file 1 ping && [ "$(<"$KARDIA_OUT/vm1/ping")" = 0 ]
}

report() {
	local verdict=ok

	number=$((number + 1))
	"${@:2}" || { verdict='not ok' && failed=1; }
	echo "$verdict $number - $1"
}

both() { reaches 1 && reaches 2; }
none() { ! reaches 1; }
back() { none && reaches 2; }

echo "1..5"
vm_wait_file 1 ready && vm_wait_file 2 ready || exit
report "both networks work" both
vm_cut 2 front in
report "one network is cut" back
vm_heal 2
vm_freeze 2
report "a frozen machine does not answer" none
vm_thaw 2
report "a thawed one does" both
vm_kill 2
report "a killed one does not" none
exit $failed
