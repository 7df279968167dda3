#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Write a copy of the host's tools and of this tree to stdout, as cpio: the
# root of guests in virtual time. With the host's files under them, each read
# would wait for the host, and virtual time would run ahead meanwhile.
#
# The tools are what the packages below hold, without documentation, as far as
# they are installed; KARDIA_PACKAGES adds to them. This half is kept in
# $KARDIA_CACHE. The other half is the tree with the programs and modules in
# build/, the libraries that these are linked to, and files named as arguments.

set -euo pipefail
shopt -s inherit_errexit

top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
cache=${KARDIA_CACHE:-$top/build/cache}

packages=(
	base-files base-passwd bash coreutils dash diffutils findutils grep
	gawk hostname mawk sed tar util-linux mount login procps kmod
	iproute2 iputils-ping iputils-arping ethtool tcpdump netbase
	busybox-static debianutils jq sqlite3 curl strace psmisc bsdutils
	libc-bin perl-base
	python3-minimal python3.11-minimal libpython3.11-minimal
	libpython3.11-stdlib
)

packages_installed() {
	# shellcheck disable=SC2086 # a list of names
	{ dpkg-query -W \
		-f '${db:Status-Status} ${binary:Package} ${Version}\n' \
		"${packages[@]}" ${KARDIA_PACKAGES-} 2>/dev/null || true; } |
		sed -n 's/^installed //p'
}

# Package lists still name /bin and /lib, which are links into /usr by now.
files_of_packages() {
	cut -d ' ' -f 1 | xargs dpkg -L |
		sed -E 's,^/((s?bin|lib(64)?)/),/usr/\1,' |
		grep -vE '^/usr/share/(bash-completion|doc|man|info|locale)/'
}

files_beside_packages() {
	find /usr/lib/python3.* -path '*__pycache__*'
	printf '%s\n' /usr/bin/{awk,which} /etc/alternatives/{awk,which}
	echo /lib64
	printf '/etc/%s\n' ld.so.cache passwd group nsswitch.conf hosts
}

# Whatever of the files named on stdin is no program makes ldd complain.
libraries() {
	{ grep -E '/s?bin/|\.so(\.|$)|/build/' |
		xargs -d '\n' ldd 2>/dev/null || true; } |
		sed -nE 's,.*[[:space:]](/[^ ]+) \(0x.*,\1,p' |
		sed -E 's,^/(lib(64)?/),/usr/\1,' | sort -u
}

with_libraries() {
	tee >(libraries | tee >(xargs -r readlink -f))
}

with_parents() {
	awk '/^\// {
		for (path = $0; path; sub(/\/[^\/]*$/, "", path))
			if (!seen[path]++)
				print substr(path, 2)
	}' | LC_ALL=C sort
}

pack() { (cd / && cpio -o -H newc --quiet --reproducible); }

tools() {
	local installed hash archive

	installed=$(packages_installed)
	hash=$(cat "$0" - <<<"$installed" | sha256sum)
	archive=$cache/tools-${hash:0:12}.cpio
	if [ ! -e "$archive" ]; then
		mkdir -p "$cache"
		tmp=$(mktemp "$cache/.tmp.XXXXXX")
		trap 'rm -f "$tmp"' EXIT
		{
			files_of_packages <<<"$installed"
			files_beside_packages
		} | with_libraries | with_parents | pack >"$tmp"
		rm -f "$cache"/tools-*.cpio
		mv "$tmp" "$archive"
	fi
	cat "$archive"
}

# Logs and caches stay behind: they change from run to run, and the size of
# the archive moves the guest's clock by nanoseconds.
tree() {
	local build=${KARDIA_BUILD:-$top/build}

	mkdir -p "$build"
	{
		find "$top" \( -name .git -o -name __pycache__ -o \
			-path "$build" \) -prune -o -print
		find "$build" \( -path "$cache" -o -path "$build/vm" \) -prune \
			-o -type f \( -perm -u+x -o -name '*.ko' \) -print
		printf '%s\n' "$@"
	} | with_libraries | with_parents | pack
}

tools
tree "$@"
