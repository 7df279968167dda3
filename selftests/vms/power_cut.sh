#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# power_cut.sh KERNEL: three machines, one of which fails in several ways.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
kernel=$1
build=${O:-$top/build}
version=$("$top/selftests/vm/kernel.sh" version "$kernel")
exec "$top/selftests/vm/cluster-run" --vms 3 --kernel "$kernel" \
	--module "$build/kmod/$version/kardia.ko" --name "power-cut-$kernel" \
	--timeout 600 --driver "$top/selftests/vms/driver.sh" \
	-- "$top/selftests/vms/node.py"
