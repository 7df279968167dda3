# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For the driver of `cluster-run`, on the host: act on machines by number. To
# be sourced; $KARDIA_OUT/vmI is machine I's folder, which the guest sees as
# its $KARDIA_OUT. $RIG_SOCKETS is where the sockets are.
#
#	vm_freeze I, vm_thaw I	stop the machine, and let it go on
#	vm_kill I		cut its power
#	vm_panic I		crash its kernel
#	vm_start I		boot it again, after one of these
#	vm_exec I COMMAND	run a shell command in it, not waited for
#	vm_cut I [front|back|both] [in|out|both]
#	vm_heal I [front|back|both] [in|out|both]	as node_cut, node_heal
#	vm_wait_file I NAME [SECONDS]	until the guest has made the file
#	vm_wait_end I [SECONDS]		until the machine is off
#
# A wait fails when its time is up (default 60 s) or, for a file, when the
# machine ends without it.

vm_here=${BASH_SOURCE[0]%/*}

vm_dir() { echo "$KARDIA_OUT/vm$1"; }

vm_freeze() { "$vm_here/qmp.py" "$RIG_SOCKETS/qmp-$1" stop; }
vm_thaw() { "$vm_here/qmp.py" "$RIG_SOCKETS/qmp-$1" cont; }
vm_exec() { echo "${2@Q}" >"$RIG_SOCKETS/commands-$1.in"; }

vm_launched() { [ -e "$RIG_SOCKETS/pid-$1" ] || ! vm_running "$1"; }
vm_running() { [ ! -e "$(vm_dir "$1")/ended" ]; }

# The file `expected` says that the end is not to be held against the run.
vm_kill() {
	vm_running "$1" || return
	echo killed >"$(vm_dir "$1")/expected"
	kill -9 "$(<"$RIG_SOCKETS/pid-$1")" && vm_wait_end "$1"
}

vm_panic() {
	vm_running "$1" || return
	echo panicked >"$(vm_dir "$1")/expected"
	vm_exec "$1" 'echo c >/proc/sysrq-trigger' && vm_wait_end "$1"
}

# Logs of earlier lives are kept under a number. A machine that ended without
# being told to has failed the run already.
vm_start() {
	local dir life=1 console=console

	dir=$(vm_dir "$1")
	if [ -e "$dir/ended" ]; then
		case $(cat "$dir/expected" 2>/dev/null) in
		panicked) console=crash ;;
		killed) ;;
		*) return 1 ;;
		esac
		while [ -e "$dir/output-$life.log" ]; do
			life=$((life + 1))
		done
		mv "$dir/console.log" "$dir/$console-$life.log"
		mv "$dir/output.log" "$dir/output-$life.log"
		rm -f "$dir"/{ended,expected,status}
	fi
	rm -f "$RIG_SOCKETS"/{front,back,pid}-"$1"
	(
		bash "$dir/qemu.sh" </dev/null >>"$dir/qemu.log" 2>&1
		echo $? >"$dir/ended"
	) 2>/dev/null &
	vm_wait 30 vm_launched "$1"
}

vm_lossy() {
	local verb=$1 network direction

	for network in front back; do
		[[ ${3:-both} =~ ^(both|$network)$ ]] || continue
		for direction in in out; do
			[[ ${4:-both} =~ ^(both|$direction)$ ]] || continue
			$verb "$RIG_SOCKETS/$network-$2.$direction"
		done
	done
}

vm_cut() { vm_lossy touch "$@"; }
vm_heal() { vm_lossy 'rm -f' "$@"; }

vm_wait() {
	local seconds=$1 end=$((SECONDS + $1))

	shift
	until "$@"; do
		if ((SECONDS >= end)); then
			echo "# rig: waited $seconds s in vain: $*" >&2
			return 1
		fi
		sleep 0.1
	done
}

vm_made() { [ -e "$(vm_dir "$1")/$2" ] || ! vm_running "$1"; }
vm_ended() { ! vm_running "$1"; }

vm_wait_end() { vm_wait "${2:-60}" vm_ended "$1"; }

vm_wait_file() {
	vm_wait "${3:-60}" vm_made "$1" "$2" && [ -e "$(vm_dir "$1")/$2" ]
}
