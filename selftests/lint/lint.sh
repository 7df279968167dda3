#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# lint.sh KERNEL...: style and static checks of the tree.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${O:-build}
passed=0 failed=0

check() {
	local name=$1

	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $name"
	else
		failed=$((failed + 1))
		echo "not ok $name"
	fi
}

format() { git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror; }

shell() {
	git ls-files | xargs grep -lE '^#!/bin/(ba)?sh|shellcheck shell=' -- |
		grep -vE '\.(rst|md)$' | xargs shellcheck -x
}

sparse_kernel() {
	local version folder log

	version=$(selftests/vm/kernel.sh version "$1") || return
	folder=$build/lint/$version
	log=$build/lint/$version.log
	rm -rf "$folder"
	mkdir -p "$folder/lib"
	cp -r Kbuild kmod uapi "$folder/"
	cp lib/version.h "$folder/lib/"
	make -C "$(selftests/vm/kernel.sh headers "$version")" \
		M="$(realpath "$folder")" W=1 C=2 CF=-D__CHECK_ENDIAN__ \
		modules >"$log" 2>&1 || { cat "$log" && return 1; }
	! grep -E '(warning|error):' "$log"
}

licences() {
	! git ls-files '*.c' '*.h' '*.sh' '*.py' Makefile Kbuild |
		xargs grep -L SPDX-License-Identifier | grep .
}

check "clang-format" format
check "shellcheck" shell
check "SPDX" licences
for kernel in "$@"; do
	check "sparse and W=1 on $kernel" sparse_kernel "$kernel"
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
