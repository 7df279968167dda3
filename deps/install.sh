#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Install the packages of deps/debian-12 that this machine lacks.
set -euo pipefail
cd "$(dirname "$0")"

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=()
while read -r package; do
	installed "$package" || missing+=("$package")
done < <(sed 's/#.*//' debian-12 | grep -v '^[[:space:]]*$')

[ ${#missing[@]} = 0 ] && exit 0
echo "missing packages: ${missing[*]}"
if [ "$(id -u)" != 0 ]; then
	echo "run 'make deps' as root to install them" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q install -y --no-install-recommends "${missing[@]}"
