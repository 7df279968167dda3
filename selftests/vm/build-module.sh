#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# build-module.sh VERSION FOLDER: build kardia.ko for a kernel, in FOLDER.
# Kbuild writes beside the sources, so each kernel gets a copy of them. Any
# warning fails the build.
set -euo pipefail
# Kbuild would take our own make's O and CFLAGS for its own.
unset O CFLAGS MAKEFLAGS MFLAGS MAKELEVEL
version=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)

mkdir -p "$folder/lib"
cp -r -u -p "$top/Kbuild" "$top/kmod" "$top/uapi" "$folder/"
cp -u -p "$top/lib/version.h" "$folder/lib/"
headers=$("$top/selftests/vm/kernel.sh" headers "$version")
log=$folder/build.log
if ! make -C "$headers" M="$folder" W=1 KCFLAGS=-Werror modules \
	>"$log" 2>&1; then
	cat "$log"
	exit 1
fi
if grep -q 'warning:' "$log"; then
	cat "$log"
	rm -f "$folder/kardia.ko"
	exit 1
fi
