#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Print the headers to build for: the running kernel's if it can load modules,
# else the newest that are installed.
running=/lib/modules/$(uname -r)/build
if [ -e /proc/modules ] && [ -d "$running/" ]; then
	echo "$running"
	exit
fi
for path in /lib/modules/*/build/; do
	[ -d "$path" ] && echo "${path%/}"
done | grep -v -e '-rt-' | sort -V | tail -n 1
