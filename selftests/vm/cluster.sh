# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A cluster of nodes in one kernel: each node a network namespace with a
# cable to each of two networks. To be sourced, by root; works in a guest of
# the rig and on a host alike.
#
#	     br-front 10.1.0.0/24              br-back 10.2.0.0/24
#	  front-1 |      | front-2          back-1 |      | back-2    ports
#	          |      |                         |      |
#	   front .1      .2 front           back .1      .2 back     in n1, n2
#
#	cluster_up N		make nodes n1 ... nN
#	cluster_down		remove what cluster_up made
#	node_exec I COMMAND...	run a command in node I
#	node_cut I [front|back|both] [in|out|both]
#				lose what node I would receive (in) or sends
#				(out), at the bridge: its link stays up
#	node_heal I [front|back|both] [in|out|both]

cluster_state=/run/kardia-cluster
cluster_networks=(front back)

# The commands for ip, to be run by one process: in a guest, processes are
# what takes time. Nothing but what the nodes send is to be on the wires: no
# IPv6 addresses, no multicast queries, no spanning tree.
cluster_bridge() {
	cat <<-END
	link add br-$1 type bridge stp_state 0 forward_delay 0 mcast_snooping 0
	link set br-$1 addrgenmode none
	link set br-$1 up
	END
}

# cluster_cable I NETWORK NUMBER: the addresses tell who is who in captures.
cluster_cable() {
	local mac

	mac=02:00:0a:0$3:00:$(printf '%02x' "$1")
	cat <<-END
	link add $2-$1 type veth peer name $2 netns n$1 address $mac
	link set $2-$1 addrgenmode none
	link set $2-$1 master br-$2
	link set $2-$1 up
	END
}

# Inside the node.
cluster_card() {
	cat <<-END
	link set $2 addrgenmode none
	addr add 10.$3.0.$1/24 dev $2
	link set $2 up
	END
}

cluster_node() {
	{
		echo "link set lo up"
		cluster_card "$1" front 1
		cluster_card "$1" back 2
	} | ip -n "n$1" -batch -
}

cluster_build() {
	local i

	{
		cluster_bridge front
		cluster_bridge back
		for ((i = 1; i <= $1; i++)); do
			echo "netns add n$i"
			cluster_cable "$i" front 1
			cluster_cable "$i" back 2
		done
	} | ip -batch - || return
	for ((i = 1; i <= $1; i++)); do
		cluster_node "$i" || return
		printf 'qdisc add dev %s clsact\n' "front-$i" "back-$i"
	done | tc -batch -
}

# Refuses to take over what it has not made.
cluster_free() {
	local path

	for path in /proc/sys/net/ipv4/conf/br-{front,back} \
		$(seq -f '/run/netns/n%.0f' "$1"); do
		if [ -e "$path" ]; then
			echo "cluster_up: $path is in the way" >&2
			return 1
		fi
	done
}

cluster_up() {
	if ! [[ $1 =~ ^[0-9]+$ ]] || (($1 < 1 || $1 > 254)); then
		echo "cluster_up: 1 to 254 nodes, not '$1'" >&2
		return 2
	fi
	cluster_down
	cluster_free "$1" || return
	# Noted first, so that a cluster made by half is removed as well.
	echo "$1" >$cluster_state
	cluster_build "$1"
}

# A namespace lives on while a process is in it: those are ended first.
cluster_down() {
	local count i

	[ -e $cluster_state ] || return 0
	count=$(<$cluster_state)
	for ((i = 1; i <= count; i++)); do
		ip netns pids "n$i" 2>/dev/null | xargs -r kill -9
	done
	{
		for ((i = 1; i <= count; i++)); do
			printf 'link del %s-%d\n' front "$i" back "$i"
			echo "netns del n$i"
		done
		printf 'link del %s\n' br-front br-back
	} | ip -force -batch - 2>/dev/null
	rm -f $cluster_state
}

node_exec() {
	local node=n$1

	shift
	ip netns exec "$node" "$@"
}

# What node I sends enters the bridge's port; what it receives leaves there.
node_filters() {
	local verb=$1 action=$2 i=$3 network direction

	for network in "${cluster_networks[@]}"; do
		[[ $4 == both || $4 == "$network" ]] || continue
		for direction in in:egress out:ingress; do
			[[ $5 == both || $5 == "${direction%:*}" ]] || continue
			echo "filter $verb dev $network-$i" \
				"${direction#*:} pref 1 handle 1 protocol all" \
				"flower $action"
		done
	done
}

node_arguments() {
	if [[ ! ${2-both} =~ ^(front|back|both)$ ||
		! ${3-both} =~ ^(in|out|both)$ ]]; then
		echo "node_cut: I [front|back|both] [in|out|both]" >&2
		return 2
	elif [ ! -e "/proc/sys/net/ipv4/conf/front-$1" ]; then
		echo "node_cut: no node $1" >&2
		return 1
	fi
}

# All in one tc, so that nothing comes between the first and the last filter.
node_cut() {
	node_arguments "$@" || return
	node_filters replace 'action drop' "$1" "${2-both}" "${3-both}" |
		tc -batch -
}

# Healing what is not cut is no error.
node_heal() {
	node_arguments "$@" || return
	node_filters del '' "$1" "${2-both}" "${3-both}" |
		tc -force -batch - 2>/dev/null
	return 0
}
