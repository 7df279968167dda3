#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Find a Debian kernel by a short name, and fetch it if it is not installed.
#
#	kernel.sh version NAME	full version, such as 6.1.0-57-amd64
#	kernel.sh headers NAME	folder to build modules against (KDIR)
#	kernel.sh image NAME	what QEMU boots (fetched when needed)
#	kernel.sh root NAME	the folder whose lib/modules/VERSION holds the
#				modules (fetched when needed); / if installed
#
# NAME is X.Y, X.Y-rt or a full version. The newest headers installed decide
# the version, because kardia.ko is built against them; without headers it is
# the newest image that apt offers. Kernels are kept in $KARDIA_CACHE/kernel.

set -euo pipefail
shopt -s inherit_errexit

top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
cache=${KARDIA_CACHE:-$top/build/cache}

die() { echo "kernel.sh: $*" >&2; exit "${code:-1}"; }
usage() { code=2 die "usage: kernel.sh version|headers|image|root NAME"; }

# A Debian version ends in its ABI, so that no cloud or dbg flavour matches.
pattern() {
	local release=${1%-rt} flavour=amd64

	[[ $release =~ ^[0-9]+\.[0-9]+$ ]] || die "no such kernel: $1"
	[ "$release" = "$1" ] || flavour=rt-amd64
	echo "^${release//./\\.}\.[0-9]+([-+][0-9a-z]*[0-9])?-$flavour\$"
}

headers_installed() {
	local path

	for path in /lib/modules/*/build/; do
		[ -d "$path" ] && basename "${path%/build/}"
	done
	for path in /usr/src/linux-headers-*/; do
		[ -d "$path" ] && basename "${path##*/linux-headers-}"
	done
	return 0
}

images_offered() {
	apt-cache search --names-only '^linux-image-' |
		sed -n 's/^linux-image-\([^ ]*\) .*/\1/p'
}

newest() { grep -E "$1" | sort -V | tail -n 1; }

resolve() {
	local want version

	if [[ $1 =~ ^[0-9].*-amd64$ ]]; then
		echo "$1"
		return
	fi
	want=$(pattern "$1")
	version=$(headers_installed | newest "$want") ||
		version=$(images_offered | newest "$want") ||
		die "no kernel $1 installed or offered by apt (apt-get update?)"
	echo "$version"
}

headers() {
	local path

	for path in "/lib/modules/$1/build" "/usr/src/linux-headers-$1"; do
		[ -d "$path" ] && echo "$path" && return
	done
	die "no headers of $1 installed: apt-get install linux-headers-$1"
}

make_tmp() {
	mkdir -p "$1"
	tmp=$(mktemp -d "$1/.tmp.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
}

# Unpacked aside and renamed: an interrupted run leaves no half kernel.
fetch() {
	local version=$1 home=$cache/kernel/$1

	[ -d "$home" ] && return
	make_tmp "$cache/kernel"
	(cd "$tmp" && apt-get -q -o APT::Sandbox::User=root \
		download "linux-image-$version") >&2 ||
		die "apt cannot download linux-image-$version"
	dpkg -x "$tmp"/*.deb "$tmp/root"
	depmod -b "$tmp/root" "$version"
	mv -T "$tmp/root" "$home" 2>/dev/null || [ -d "$home" ]
}

root() {
	if [ -e "/boot/vmlinuz-$1" ] && [ -e "/lib/modules/$1/modules.dep" ]
	then
		echo /
	else
		fetch "$1"
		echo "$cache/kernel/$1"
	fi
}

field() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }

# The kernel proper, unpacked here because a guest takes seconds for it. Where
# it is in the file is told by the boot protocol's header; its length counts
# four bytes behind it.
image() {
	local version=${1##*/vmlinuz-} start length unpack out

	start=$((($(field "$1" 0x1f1 1) + 1) * 512 + $(field "$1" 0x248 4)))
	length=$(($(field "$1" 0x24c 4) - 4))
	case $(field "$1" "$start" 4) in
	$((0xfd2fb528))) unpack=zstd ;;
	$((0x587a37fd))) unpack=xz ;;
	*) echo "$1" && return ;;
	esac
	out=$cache/vmlinux-$version-$(stat -c %Y "$1")
	if [ ! -e "$out" ]; then
		make_tmp "$cache"
		dd if="$1" iflag=skip_bytes,count_bytes bs=64K status=none \
			skip="$start" count="$length" |
			"$unpack" -dcq >"$tmp/vmlinux"
		rm -f "$cache/vmlinux-$version"-*
		mv "$tmp/vmlinux" "$out"
	fi
	echo "$out"
}

[ $# = 2 ] || usage
version=$(resolve "$2")
case $1 in
version) echo "$version" ;;
headers) headers "$version" ;;
root) root "$version" ;;
image)
	root=$(root "$version")
	image "${root%/}/boot/vmlinuz-$version"
	;;
*) usage ;;
esac
