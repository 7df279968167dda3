#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lint.sh KERNEL...: style and static checks of the tree, tracked or about to
# be. Prints a line per check, below it what is wrong; the last line is
# `N passed, N failed, N skipped`.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 1
build=$(realpath -m "${O:-build}")
passed=0 failed=0 skipped=0
longest=600
# What codespell takes for slips: a parameter, and a deliberate one.
words=mapp,te

# Kbuild would take our own O and CFLAGS for its own.
unset O CFLAGS MAKEFLAGS MFLAGS MAKELEVEL

check() {
	local name=$1 verdict=ok output
	shift

	if output=$("$@" 2>&1); then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		verdict="not ok"
	fi
	echo "$verdict $name"
	[ "$verdict" = ok ] && return
	echo "    ${output//$'\n'/$'\n'    }"
	return 1
}

skip() {
	skipped=$((skipped + 1))
	echo "ok $1 # SKIP $2"
}

# Of the tree's files, those that match a regular expression.
files() {
	git ls-files -co --exclude-standard | grep -E "$1" |
		while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

# Passes what comes in, and fails if anything does.
none() { ! grep .; }

checkpatch() { files "$2" | xargs "$here/checkpatch.sh" "$1"; }

checkpatch_all() {
	local why

	if ! why=$("$here/checkpatch.sh" fetch 2>&1); then
		skip checkpatch "$(tail -n 1 <<<"$why")"
		return
	fi
	check "checkpatch, kernel" checkpatch kernel '^(kmod|uapi)/.*\.[ch]$'
	check "checkpatch, userspace" checkpatch user \
		'^(daemon|lib|tools|selftests/unit)/.*\.[ch]$'
}

format() { files '\.[ch]$' | xargs clang-format --dry-run -Werror; }

# SC2317, unreachable: the drivers' functions are called by name.
shell() {
	{
		files '\.sh$'
		files . | xargs grep -lE '^#!.*[/ ](ba)?sh$' --
	} | grep -vE '\.(rst|md)$' | sort -u | xargs shellcheck -x -e SC2317
}

licence_of() {
	case $1 in
	kmod/* | Kbuild) echo GPL-2.0-only ;;
	uapi/*) echo "GPL-2.0 WITH Linux-syscall-note" ;;
	*) echo GPL-2.0-or-later ;;
	esac
}

# The ABI descriptions' format has no room for it; the rest are mere lists.
licences() {
	local file licence

	files . | grep -vE '^(Documentation/ABI/|deps/debian-|\.gitignore$)' |
		while read -r file; do
			licence=$(licence_of "$file")
			head -n 3 "$file" | grep -qE \
				"SPDX-License-Identifier: $licence( \*/| -->)?$" ||
				echo "$file: not marked $licence"
		done | none
}

spelling() { files . | xargs codespell -q 3 -L "$words"; }

sizes() {
	files '\.[ch]$' | xargs wc -l |
		awk -v max=$longest '$2 != "total" && $1 > max' | none
}

# Alone, and as whatever includes it may be compiled.
uapi() {
	local compile=(-pedantic -Wall -Werror -fsyntax-only -Iuapi)

	gcc -x c -std=c89 "${compile[@]}" - <<<"#include <linux/kardia.h>" &&
		g++ -x c++ "${compile[@]}" - <<<"#include <linux/kardia.h>"
}

userspace() {
	make --no-print-directory O="$build/lint/user" CFLAGS="-O2 -g -Werror" \
		userspace unit-tests
}

# From scratch: of files that were compiled before, no warning would be seen.
module() {
	rm -rf "$2"
	selftests/vm/build-module.sh "$1" "$2"
}

# In the copy that module() made. Warnings are no errors to sparse, lest one in
# the kernel's own headers, which do not concern us, ends the run.
sparse_module() {
	local headers log=$2/sparse.log

	headers=$(selftests/vm/kernel.sh headers "$1") || return
	if ! make -C "$headers" M="$2" C=2 CF=-D__CHECK_ENDIAN__ modules \
		>"$log" 2>&1 || ! grep -q '^  CHECK ' "$log"; then
		cat "$log"
		return 1
	fi
	! grep -E '(warning|error):' "$log" | grep -F "$2/"
}

on_kernel() {
	local version folder

	check "headers of $1" selftests/vm/kernel.sh headers "$1" || return
	version=$(selftests/vm/kernel.sh version "$1")
	folder=$build/lint/kmod-$version
	check "module with W=1 on $1" module "$version" "$folder"
	check "sparse on $1" sparse_module "$version" "$folder"
}

checkpatch_all
check clang-format format
check shellcheck shell
check SPDX licences
check codespell spelling
check "no source over $longest lines" sizes
check "uapi alone, C and C++" uapi
check "userspace without warnings" userspace
for kernel in "$@"; do
	on_kernel "$kernel"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
