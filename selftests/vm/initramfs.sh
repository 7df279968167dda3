#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build the part of the initramfs that depends on the kernel only: a static
# busybox, and the modules that init loads, unpacked, in load order.
#
#	initramfs.sh VERSION ROOT	prints the path of the archive
#
# ROOT is what `kernel.sh root` says. Archives are kept in $KARDIA_CACHE under
# a hash of their inputs.

set -euo pipefail
shopt -s inherit_errexit

top=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
cache=${KARDIA_CACHE:-$top/build/cache}
version=$1
root=$2

# What a kernel lacks or has built in is skipped.
modules=(
	virtio_pci virtio_console 9p 9pnet_virtio overlay
	virtio_net veth bridge
	sch_netem sch_ingress sch_tbf cls_matchall cls_u32 cls_flower
	act_gact act_mirred
)

# The files of all modules, each after what it depends on.
load_order() {
	local module

	for module in "${modules[@]}"; do
		modprobe -d "$root" -S "$version" -C /dev/null \
			--show-depends "$module" 2>/dev/null || true
	done | sed -n 's/^insmod \(.*[^ ]\) *$/\1/p' | awk '!seen[$0]++'
}

unpack() {
	case $1 in
	*.xz) xz -dc "$1" ;;
	*) cat "$1" ;;
	esac
}

fill() {
	local path name

	mkdir -p "$1/rig/modules"
	cp "$(command -v busybox)" "$1/rig/busybox"
	while read -r path; do
		name=$(basename "${path%.xz}")
		unpack "$path" >"$1/rig/modules/$name"
		strip -g "$1/rig/modules/$name"
		echo "$name" >>"$1/rig/modules/order"
	done
}

order=$(load_order)
hash=$({
	cat "$0" "$(command -v busybox)" - <<<"$order"
	stat -c %Y "$root/lib/modules/$version/modules.dep"
} | sha256sum)
archive=$cache/initramfs-$version-${hash:0:12}.cpio
if [ ! -e "$archive" ]; then
	mkdir -p "$cache"
	tmp=$(mktemp -d "$cache/.tmp.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	fill "$tmp/tree" <<<"$order"
	(cd "$tmp/tree" && find . | LC_ALL=C sort |
		cpio -o -H newc --reproducible --quiet) >"$tmp/cpio"
	rm -f "$cache/initramfs-$version"-*.cpio
	mv "$tmp/cpio" "$archive"
fi
echo "$archive"
