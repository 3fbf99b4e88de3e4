#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf jq python3
#
# A process in which a tool has changed a stub's slot: calls of that function no
# longer reach the place to which its probe was moved. The probe goes back to the
# symbol, for all processes, and in none of them a call is seen twice.
. tests/bpf/lib.sh
need_bpf

count() { # FILE FUNCTION PID
	jq -s --arg f "$2" --argjson p "$3" \
		'map(select(.name == $f and .pid == $p)) | length' "$T/$1.jsonl"
}

losses() { # NAME LOSS
	"$XPT" report --json "$T/$1.xtr" | jq ".losses[]? | select(.loss == \"$2\") | .count"
}

# attached NAME PIDS: with all their libraries mapped; then they may go on
attached() {
	for p in $(echo "$2" | tr , ' '); do
		wait_for grep -q libcuda "/proc/$p/maps"
	done
	sleep 0.5
	"$XPT" attach -v --no-summary -p "$2" -o "$T/$1.xtr" -o "$T/$1.jsonl" \
		>"$T/$1.live" 2>"$T/$1.err" &
	tracer=$!
	wait_for in_place "$T/$1.err"
	sleep 1
	: >"$T/$1.go"
}

"$XPT" list -v --lib "$B/fake/libcuda.so.1" cuMemFree_v2 >"$T/list"
holds has_a_stub grep -q stub "$T/list"

# --- changed before xputrace comes, the library not known yet ---------------------------
"$W/slots" 1 20 1000 "$T/first.go" >"$T/first.out" &
pid=$!
attached first $pid
wait $pid $tracer
is first_replaced "replaced 20" "$(cat "$T/first.out")"
is first_alloc 20 "$(count first cuMemAlloc_v2 $pid)"
is first_free 20 "$(count first cuMemFree_v2 $pid)"
is first_not_moved "" "$(losses first relinked)"

# --- the library is known from a process whose slots are as they were ---------------------
"$W/slots" 0 20 1000 "$T/both.go" >"$T/intact.out" &
intact=$!
"$W/slots" 1 20 1000 "$T/both.go" >"$T/changed.out" &
changed=$!
attached both $intact,$changed
wait $intact $changed $tracer
is both_replaced "replaced 0 replaced 20" "$(cat "$T/intact.out" "$T/changed.out" | xargs)"
for who in $intact $changed; do
	for f in cuMemAlloc_v2 cuMemFree_v2; do
		is "both_${f}_$([ $who = $intact ] && echo intact || echo changed)" 20 "$(count both $f $who)"
	done
done
is both_moved 1 "$(losses both relinked)"
is both_cut "" "$(losses both cut_longjmp)"
is both_said 1 "$(grep -c 'changed the slots of 1 functions' "$T/both.err")"

# --- run: the probes are there before the slot is filled, and the tool comes after ---------
for kind in session perf; do
	"$XPT" run --attach $kind --no-file --no-summary -q -- true 2>/dev/null || continue
	"$XPT" run --as-root --attach $kind -q --no-summary -o "$T/$kind.xtr" -o "$T/$kind.jsonl" -- \
		"$W/slots" 1 20 4000 >"$T/$kind.out" 2>"$T/$kind.err"
	is run_${kind}_alloc 20 "$(grep -c '"cuMemAlloc_v2"' "$T/$kind.jsonl")"
	is run_${kind}_free 20 "$(grep -c '"cuMemFree_v2"' "$T/$kind.jsonl")"
	is run_${kind}_moved 1 "$(losses $kind relinked)"
done
# Nothing of the kind where nobody has changed anything.
"$XPT" run --as-root -q --no-summary -o "$T/plain.xtr" -o "$T/plain.jsonl" -- \
	"$W/slots" 0 20 300 >"$T/plain.out" 2>"$T/plain.err"
is plain_free 20 "$(grep -c '"cuMemFree_v2"' "$T/plain.jsonl")"
is plain_not_moved "" "$(losses plain relinked)"
exit $failed
