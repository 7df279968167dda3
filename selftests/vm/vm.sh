# shellcheck shell=bash disable=SC2034,SC2154 # shared with the caller
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `run` and `cluster-run` share: prepare a guest, start its QEMU, judge
# how it ended. To be sourced, with `top` set to the top of the tree; `memory`,
# `shift_ns` and the RIG_ variables describe the guest.
#
# A guest has a folder: console.log (kernel), output.log (script), status
# (written last by the guest), and what the script left in $KARDIA_OUT.

vm_9p=trans=virtio,version=9p2000.L,msize=262144

# Self-tests, keys and type tables that no test needs: a third of the boot.
vm_skip=jent_mod_init,crypto_kdf108_init,load_system_certificate_list
vm_skip+=,init_encrypted,bpf_tcp_ca_kfunc_init,bpf_dummy_struct_ops_init

# Kernel messages that fail a run, whatever the script said.
vm_splats=(
	'BUG: ' 'Oops: ' 'WARNING: ' 'Call Trace:' 'Kernel panic'
	'general protection fault' 'KASAN: ' 'UBSAN: ' 'refcount_t: '
	'soft lockup' 'hard LOCKUP' 'detected stalls?' 'self-detected stall'
	'INFO: task .* blocked for more than' 'INFO: possible .* detected'
	'possible (circular|recursive) locking' 'inconsistent lock state'
	'suspicious RCU usage' 'sleeping function called' 'while atomic'
	'bad unlock balance' 'DEBUG_LOCKS_WARN' 'kmemleak: .* suspected'
	'unregister_netdevice: waiting' 'list_(add|del) corruption'
	'Objects remaining in' 'page allocation failure'
)

vm_die() {
	echo "${0##*/}: $*" >&2
	exit "${code:-1}"
}

vm_usage() { code=2 vm_die "$1 (see --help)"; }

vm_number() { [[ $2 =~ ^[0-9]+$ ]] || vm_usage "$1 is not a number: $2"; }

# vm_target NAME OUT COMMAND [ARG]...: sets name, out and the array command.
# What an earlier run left in the default folder goes.
vm_target() {
	name=$1 out=$2 command=("${@:3}")
	[ $# -gt 2 ] || vm_usage "which command?"
	if [[ $3 == */* ]]; then
		command[0]=$(realpath -e "$3") || exit 2
		[ -x "$3" ] || vm_usage "not executable: $3"
	fi
	[ -n "$name" ] || name=$(basename "$3" .sh)
	[[ $name =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]] ||
		vm_usage "bad name: $name"
	[ -n "$out" ] || rm -rf "${top:?}/build/vm/$name"
	out=$(realpath -m "${out:-$top/build/vm/$name}")
}

# Sets vm_version, vm_image, vm_modules and vm_initramfs for a kernel's name.
vm_kernel() {
	local here=$top/selftests/vm

	vm_version=$("$here/kernel.sh" version "$1") || exit
	vm_modules=$("$here/kernel.sh" root "$vm_version") || exit
	vm_image=$("$here/kernel.sh" image "$vm_version") || exit
	vm_initramfs=$("$here/initramfs.sh" "$vm_version" "$vm_modules") ||
		exit
}

# vm_env COMMAND...: the variables that init and guest.sh source. What the
# caller has in KARDIA_*, CI and V reaches the script.
vm_env() {
	local name

	cat <<-END
	RIG_TOP=${top@Q}
	RIG_ROOT=$RIG_ROOT
	RIG_9P=$vm_9p
	RIG_MODULES=${vm_modules@Q}
	RIG_HOSTNAME=$RIG_HOSTNAME
	RIG_NODES=$RIG_NODES
	RIG_MODULE=${RIG_MODULE@Q}
	RIG_SEED=$RIG_SEED
	END
	for name in $(compgen -e); do
		[[ $name =~ ^(KARDIA_.*|CI|V)$ ]] || continue
		echo "export $name=${!name@Q}"
	done
	echo "set -- ${*@Q}"
}

# What differs from run to run goes into an archive of its own, as small and
# as alike as can be: in mode A its size and content move the guest's clock.
vm_own_files() {
	local tree=$1/tree

	shift
	mkdir -p "$tree/rig"
	cp "$top/selftests/vm/init" "$tree/init"
	vm_env "$@" >"$tree/rig/env"
	touch -d @0 "$tree"/{init,rig,rig/env}
	(cd "$tree" && printf '%s\n' init rig rig/env |
		cpio -o -H newc --quiet --reproducible)
	rm -r "$tree"
}

# vm_folder DIR COMMAND...: a folder without old logs, with the initramfs.
vm_folder() {
	local dir=$1

	mkdir -p "$dir" || return
	rm -f "$dir"/{console,output,qemu,dmesg}*.log "$dir"/{status,ended}
	touch "$dir/output.log"
	{
		cat "$vm_initramfs" && vm_own_files "$@" || return
		[ "$RIG_ROOT" = 9p ] ||
			"$top/selftests/vm/ramroot.sh" "$2" "$RIG_MODULE"
	} >"$dir/initrd"
}

# A port to a file of the host: written at once, so that no guest ever waits.
vm_port() {
	qemu+=(-chardev "file,id=$2,path=$3"
		-device "virtserialport,nr=$1,chardev=$2")
}

vm_share() {
	qemu+=(-fsdev "local,id=$1,path=$2,security_model=none${3-}"
		-device "virtio-9p-pci,fsdev=$1,mount_tag=$1")
}

# The kernel's command line. Crashes end QEMU at once.
vm_boot() {
	echo "console=ttyS0 loglevel=5 panic=-1 oops=panic net.ifnames=0"
	echo "tsc=reliable mitigations=off initcall_blacklist=$vm_skip"
	[ "$1" = A ] || return 0
	echo "nokaslr norandmaps"
	echo "random.trust_cpu=off random.trust_bootloader=off"
}

# vm_qemu DIR MODE: fills the array `qemu` with the command line.
vm_qemu() {
	local dir=$1 mode=$2 boot

	boot=$(vm_boot "$mode")
	qemu=(qemu-system-x86_64 -nodefaults -no-user-config -display none
		-no-reboot -kernel "$vm_image" -initrd "$dir/initrd"
		-append "${boot//$'\n'/ }" -m "$memory"
		-serial "file:$dir/console.log"
		-device "virtio-serial-pci,ioeventfd=off")
	vm_port 1 output "$dir/output.log"
	vm_port 2 status "$dir/status"
	case $mode in
	A)
		qemu+=(-accel "tcg,thread=single" -smp 1 -cpu "qemu64,+rdtscp"
			-icount "shift=$shift_ns,sleep=off"
			-rtc "clock=vm,base=2026-01-01")
		vm_port 3 results "$dir/results.tar"
		return
		;;
	C) qemu+=(-accel "tcg,thread=multi" -smp 2 -cpu max) ;;
	D) qemu+=(-accel "tcg,thread=multi" -smp 1 -cpu max) ;;
	esac
	vm_share root / ,readonly=on,multidevs=remap
	vm_share out "$dir"
}

# Shows the kernel's log around the first splat; fails if there is none.
vm_show_splat() {
	local log first pattern

	pattern=$(IFS='|' && echo "${vm_splats[*]}")
	for log in "$1"/console*.log "$1/dmesg.log"; do
		[ -e "$log" ] || continue
		first=$(grep -m 1 -nE "$pattern" "$log") || continue
		first=${first%%:*}
		tr -d '\r' <"$log" | sed -n "$((first > 5 ? first - 5 : 1)),\
$((first + 80))s/^/# kernel: /p"
		return 0
	done
	return 1
}

vm_show_tail() {
	[ ! -e "$1" ] || tail -n "$2" "$1" | tr -d '\r' | sed "s/^/# $3: /"
}

vm_reached_user_space() { grep -q '^rig: user space' "$1/console.log"; }

# vm_judge DIR QEMU_STATUS: says what went wrong; returns the script's status,
# 124 on time-out, 1 for any failure of the machine.
vm_judge() {
	local dir=$1 status

	status=$(sed -n 's/^exit \([0-9]*\)$/\1/p' "$dir/status" 2>/dev/null)
	if vm_show_splat "$dir"; then
		echo "# rig: the kernel complained; see $dir/console.log"
		[ "$2" = 124 ] && return 124
		return 1
	elif [ "$2" = 124 ]; then
		vm_show_tail "$dir/console.log" 20 kernel
		echo "# rig: time limit reached; see $dir"
		return 124
	elif [ -z "$status" ]; then
		vm_show_tail "$dir/console.log" 20 kernel
		vm_show_tail "$dir/qemu.log" 5 qemu
		echo "# rig: the guest ended without a status; see $dir"
		return 1
	fi
	return "$status"
}
