#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The demo in a virtual machine in virtual time: an instruction takes 1 ns,
# whatever the host is doing.
set -euo pipefail
cd "$(dirname "$0")/../.."
echo "Booting Debian's Linux $(selftests/vm/kernel.sh version 6.12) in QEMU," \
	"without KVM, in virtual time."
exec selftests/guest.sh 6.12 selftests/demo/demo.py
