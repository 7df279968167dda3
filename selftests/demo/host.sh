#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# host.sh MODULE: the demo in namespaces of this machine, in real time.
set -euo pipefail
cd "$(dirname "$0")/../.."
module=$1
# shellcheck source=selftests/vm/cluster.sh
. selftests/vm/cluster.sh

if [ "$(id -u)" != 0 ]; then
	echo "make demo HOST=1 needs root: it loads kardia.ko" >&2
	exit 1
fi
if [ ! -e /proc/modules ]; then
	echo "this kernel loads no modules: try make demo" >&2
	exit 1
fi
if [ -e /sys/module/kardia ]; then
	echo "kardia is loaded already: not touching a node in use" >&2
	exit 1
fi

finish() {
	cluster_down
	rmmod kardia
	rm -rf "$state"
}
modprobe -a veth bridge sch_ingress cls_flower act_gact
insmod "$module"
state=$(mktemp -d)
trap finish EXIT
cluster_up 5
KARDIA_STATE=$state KARDIA_OUT=$state selftests/demo/demo.py
