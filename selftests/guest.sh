#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# guest.sh KERNEL TEST [ARG]...: run one test in a virtual machine, with the
# module loaded. The test says in a line `# guest: key=value ...` what it
# needs: nodes, mode (default C), shift, timeout (seconds), memory (MB).
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
kernel=$1 test=$2
shift 2
version=$("$top/selftests/vm/kernel.sh" version "$kernel")

read -ra pairs < <(sed -n 's/^# guest: //p' "$test") || true
options=()
for pair in "${pairs[@]}"; do
	options+=("--${pair%%=*}" "${pair#*=}")
done
export KARDIA_MODULE=${O:-$top/build}/kmod/$version/kardia.ko
export KARDIA_BUILD=${O:-$top/build}
exec "$top/selftests/vm/run" --kernel "$kernel" --module "$KARDIA_MODULE" \
	--name "$(basename "${test%.*}")-$kernel" "${options[@]}" \
	-- "$test" "$@"
