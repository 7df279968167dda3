#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line without the module: usage, missing and hostile daemons,
# exit codes, the form of its output. KARDIA names the program to test.

set -u
here=$(dirname "$(readlink -f "$0")")
kardia=${KARDIA:-$here/../../build/kardia}
tmp=$(mktemp -d)
sock=$tmp/kardiad.sock
fake=
count=0
failures=0

stop_fake() {
	[ -n "$fake" ] || return 0
	kill "$fake"
	wait "$fake" 2>/dev/null
	fake=
}
trap 'stop_fake; rm -rf "$tmp"' EXIT

# start_fake MODE
start_fake() {
	stop_fake
	: >"$tmp/ready"
	"$here/fake_kardiad.py" "$sock" "$1" >"$tmp/ready" &
	fake=$!
	for _ in $(seq 100); do
		grep -q ready "$tmp/ready" && return
		sleep 0.05
	done
	echo "Bail out! the fake daemon did not start"
	exit 1
}

# run ARGUMENT...: fills $out, $err and $code
run() {
	"$kardia" --socket="$sock" "$@" >"$tmp/out" 2>"$tmp/err"
	code=$?
	out=$(cat "$tmp/out")
	err=$(cat "$tmp/err")
}

# Assertions; the test that they belong to is ended by `done_test NAME`.
good=1
complain() {
	good=0
	echo "# line ${BASH_LINENO[1]}: $1"
	echo "#   exit $code; stdout:"
	head -n 20 "$tmp/out" | sed 's/^/#     /'
	echo "#   stderr:"
	head -n 20 "$tmp/err" | sed 's/^/#     /'
}
exits() { [ "$code" = "$1" ] || complain "exit code is not $1"; }
says() { [[ $err == *"$1"* ]] || complain "stderr lacks: $1"; }
shows() { [[ $out == *"$1"* ]] || complain "stdout lacks: $1"; }
is_silent() { [ -z "$out" ] || complain "stdout is not empty"; }
is_quiet() { [ -z "$err" ] || complain "stderr is not empty"; }
# json FILTER: jq's filter is true of stdout, which is one document
json() {
	jq -se "length == 1 and (.[0] | $1)" "$tmp/out" >/dev/null 2>&1 ||
		complain "not so: $1"
}
is_plain() {
	LC_ALL=C grep -q '[^[:print:][:space:]]' "$tmp/out" "$tmp/err" &&
		complain "an unprintable byte in the output"
}
done_test() {
	count=$((count + 1))
	if [ "$good" = 1 ]; then
		echo "ok $count - $1"
	else
		failures=$((failures + 1))
		echo "not ok $count - $1"
	fi
	good=1
}
skip_test() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

echo "TAP version 13"

# --- usage

for option in -h --help help; do
	run "$option"
	exits 0
	is_quiet
	for word in status 'peer list' map monitor --json --timeout=DUR \
		'Exit status'; do
		shows "$word"
	done
done
done_test "help on stdout"

for object in status peer map monitor help; do
	run help "$object"
	exits 0
	shows "Usage: kardia [OPTION...] $object"
	topic=$out
	run "$object" --help
	[ "$out" = "$topic" ] || complain "--help differs from help $object"
done
run help stauts
exits 2
done_test "help for each object"

run -V
exits 0
shows "kardia "
done_test "version"

run stauts
exits 2
is_silent
says "did you mean 'status'?"
run peer lst
exits 2
says "did you mean 'list'?"
run zzzzzzzz
exits 2
says "see 'kardia help'"
run ''
exits 2
done_test "unknown words are refused with the nearest"

run m
exits 2
says "'map'"
says "'monitor'"
done_test "ambiguous prefixes are refused"

run peer list extra
exits 2
says "'extra'"
run 1 2 3 4 5 6 7 8 9 10 11 12
exits 2
run status --duration=3s
exits 2
says "only for 'monitor'"
run --jsno
exits 2
says "did you mean '--json'?"
run -x
exits 2
says "'-x'"
run --json=yes
exits 2
says "no argument"
run --timeout
exits 2
says "needs an argument"
done_test "wrong options and arguments are refused"

run --timeout=5
exits 2
says "did you mean 5s?"
for bad in '' x 0s 1us 25h -1s 5sec 99999999999999999999s; do
	run --timeout="$bad"
	exits 2
	is_silent
done
run --socket=
exits 2
run --socket="$(printf 'x%.0s' {1..200})"
exits 2
done_test "bad values are refused, a missing unit with a hint"

run $'\e[31mred'
exits 2
is_plain
done_test "arguments cannot steer the terminal"

# --- daemon missing

run map
exits 5
is_silent
says "kardiad is not running"
run map -j
exits 5
is_silent
done_test "map without daemon"

: >"$sock"
run map
exits 5
says "kardiad is not running"
rm "$sock"
done_test "map with a file in place of the socket"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	start_fake up
	chmod 755 "$tmp"
	chmod 600 "$sock"
	setpriv --reuid 65534 --clear-groups "$kardia" --socket="$sock" \
		map >"$tmp/out" 2>"$tmp/err"
	code=$?
	err=$(cat "$tmp/err")
	exits 4
	says "no permission"
	stop_fake
	done_test "map without permission"
else
	skip_test "map without permission" "needs root and setpriv"
fi

# --- daemon there, well and otherwise

start_fake up
run map
exits 0
is_quiet
shows "epoch 7"
shows "host host-b"
shows "all are up"
run ma sh
exits 0
done_test "map, all up"

run map -j
exits 0
is_quiet
json '.schema == "kardia.map/1" and .epoch == 7 and (.nodes | length) == 3'
jq -jc 'del(.hash)' "$tmp/out" | sha256sum | cut -d' ' -f1 >"$tmp/hash"
[ "$(cat "$tmp/hash")" = "$(jq -r .hash "$tmp/out")" ] ||
	complain "the hash does not match the document"
done_test "map -j is the map as it was sealed"

start_fake down
run map
exits 0
shows "n3 down (silent), accused by 2:"
shows "n1: silent for 51.2ms on front and back, grace 50ms"
shows "itself late by 12us"
shows "and 1 more"
done_test "map names the accusers"

run map --no-header
[[ $out != *NAME* ]] || complain "there is a header"
done_test "no header"

run map >/dev/full
"$kardia" --socket="$sock" map >/dev/full 2>"$tmp/err"
code=$?
err=$(cat "$tmp/err")
exits 1
says "writing standard output"
"$kardia" --socket="$sock" map -j >/dev/full 2>"$tmp/err"
code=$?
exits 1
"$kardia" -h >&- 2>"$tmp/err"
code=$?
exits 1
done_test "failed writes are told"

http_proxy=http://127.0.0.1:9 all_proxy=http://127.0.0.1:9 run map
exits 0
done_test "proxies of the environment are not asked"

start_fake no-map
run map
exits 1
is_silent
says "kardiad says: there is no map here yet"
done_test "daemon without a map"

for mode in bad-hash garbage empty deep huge bad-error; do
	start_fake "$mode"
	run map
	exits 1
	is_silent
	is_plain
	says "kardiad"
	run map -j
	exits 1
	is_silent
	run status
	is_plain
done
done_test "hostile answers are refused"

start_fake steering
LC_ALL=C run map
exits 0
is_plain
shows '\xc2\x9b31m'
done_test "text from the network cannot steer the terminal"

start_fake hang
begin=$(date +%s%N)
run map --timeout=300ms
took_ms=$((($(date +%s%N) - begin) / 1000000))
exits 6
says "within 300ms"
[ "$took_ms" -lt 2000 ] || complain "it took $took_ms ms"
run status --timeout=300ms
says "within 300ms"
done_test "a hanging daemon is left after the time limit"
stop_fake

# --- without the module

if grep -qs '^kardia ' /proc/modules; then
	for name in "status without either" "status without module" \
		"the same keys in every state" "peer without module" \
		"monitor without module"; do
		skip_test "$name" "kardia.ko is loaded here"
	done
else
	rm -f "$sock"
	run
	exits 5
	says "kardia.ko is not loaded"
	says "no verdicts: kardiad is not running"
	run status -j
	exits 5
	json '.schema == "kardia.overview/1" and .nodes == []'
	json '.kernel.error.code == "module-not-loaded"'
	json '.daemon.error.code == "daemon-not-running"'
	done_test "status without either"

	start_fake down
	run status
	exits 5
	says "kardia.ko is not loaded"
	shows "NOT REACHABLE"
	shows "2 up, 1 down"
	[[ $out =~ n3\ +3\ +down ]] || complain "no verdict on n3"
	[[ $out =~ n2\ +2\ +up\ +\(self\) ]] || complain "n2 is not self"
	done_test "status without module"

	run status -j
	exits 5
	json '[.nodes[].verdict] == ["up", "up", "down"]'
	json '.arbiter_reachable == false and .node == "n2"'
	for state in up down no-map; do
		start_fake "$state"
		run status -j
		jq -c '(.kernel | keys), (.daemon | keys), keys,
		       (.kernel.stats | keys)' "$tmp/out" >"$tmp/keys-$state"
		cmp -s "$tmp/keys-up" "$tmp/keys-$state" ||
			complain "keys differ in state $state"
	done
	start_fake down
	run status -j
	json '[.nodes[] | keys] | unique | length == 1'
	done_test "the same keys in every state"

	run peer
	exits 5
	is_silent
	says "kardia.ko is not loaded"
	run peer -j
	exits 5
	json '.schema == "kardia.peer/1" and .peers == []'
	done_test "peer without module"

	run monitor --duration=1s
	exits 5
	says "kardia.ko is not loaded"
	done_test "monitor without module"
fi

echo "1..$count"
[ "$failures" = 0 ]
