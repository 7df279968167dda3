#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# checkpatch.sh fetch		the kernel's checkpatch, into $KARDIA_CACHE
# checkpatch.sh kernel FILE...	check what is compiled into the kernel
# checkpatch.sh user FILE...	check what is not
set -euo pipefail
top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
cache=${KARDIA_CACHE:-$top/build/cache}
home=$cache/checkpatch
package=linux-source-6.12

# Types that are not for us, each with its reason.
ignored=(
	# for_each_path(), the tests' tables and a member's name cannot be put
	# in parentheses, and a macro that walks has to repeat its cursor.
	COMPLEX_MACRO MACRO_ARG_REUSE MACRO_ARG_PRECEDENCE
	# Where clang-format breaks a line is its own affair.
	OPEN_ENDED_LINE
	# The kernel-doc above the struct says what a lock protects.
	UNCOMMENTED_DEFINITION
)
ignored_user=(
	# Advice to use what only the kernel has: u32, strscpy(), ARRAY_SIZE(),
	# __printf(), BIT_ULL().
	PREFER_KERNEL_TYPES STRCPY ARRAY_SIZE PREFER_DEFINED_ATTRIBUTE_MACRO
	BIT_MACRO
	# C11's, cmocka's and libcurl's names: _Static_assert, CURLcode.
	CAMELCASE
	# SQL and the tests' JSON: nobody searches a log for these.
	SPLIT_STRING MISSING_SPACE
	# An array of pointers into a struct at hand cannot be static.
	STATIC_CONST_CHAR_ARRAY
)

die() { echo "checkpatch.sh: $*" >&2; exit 1; }

# Unpacked aside and renamed: an interrupted run leaves no half of it. Two
# tars, because the package holds the sources as a tarball.
fetch() {
	local tmp

	[ -d "$home" ] && return
	mkdir -p "$cache"
	tmp=$(mktemp -d "$cache/.tmp.XXXXXX")
	# shellcheck disable=SC2064 # tmp is local
	trap "rm -rf '$tmp'" EXIT
	(cd "$tmp" && apt-get -q -o APT::Sandbox::User=root \
		download "$package") >&2 || die "apt cannot download $package"
	mkdir "$tmp/home"
	dpkg-deb --fsys-tarfile "$tmp"/*.deb |
		tar -xO "./usr/src/$package.tar.xz" |
		tar -xJ -C "$tmp/home" --strip-components=2 \
			"$package/scripts/checkpatch.pl" \
			"$package/scripts/spelling.txt" \
			"$package/scripts/const_structs.checkpatch"
	mv -T "$tmp/home" "$home" 2>/dev/null || [ -d "$home" ]
}

check() {
	local types

	# checkpatch leaves a cache of names in the folder that it runs in.
	trap 'rm -f .checkpatch-camelcase.*' EXIT
	types=$(IFS=,; echo "${ignored[*]}")
	perl "$home/checkpatch.pl" --no-tree --strict --terse --show-types \
		--no-summary --ignore "$types" \
		--typedefsfile <(echo sqlite3_stmt) -f "$@"
}

case ${1:-} in
fetch) fetch ;;
kernel) check "${@:2}" ;;
user)
	ignored+=("${ignored_user[@]}")
	check "${@:2}"
	;;
*) die "usage: checkpatch.sh fetch|kernel|user [FILE...]" ;;
esac
