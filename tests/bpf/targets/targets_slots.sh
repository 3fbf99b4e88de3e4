#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
#
# A process in which a tool has changed a stub's slot: calls no longer reach the
# library's implementation. The probe is on the stub itself, so each of them is seen
# once, as those of other processes are, and no probe moves while they run.
. tests/bpf/lib.sh
need_bpf

count() { # FILE FUNCTION PID
	jq -s --arg f "$2" --argjson p "$3" \
		'map(select(.name == $f and .pid == $p)) | length' "$T/$1.jsonl"
}

losses() { # NAME
	"$XPT" report --json "$T/$1.xtr" | jq -c '[.losses[]?.loss]'
}

# One process with changed slots and one without, before the library is known.
"$W/slots" 0 20 "$T/both.go" >"$T/intact.out" &
intact=$!
"$W/slots" 1 20 "$T/both.go" >"$T/changed.out" &
changed=$!
wait_for test -e "$T/both.go.0" -a -e "$T/both.go.1"
"$XPT" attach -v --no-summary -p $intact,$changed -o "$T/both.xtr" -o "$T/both.jsonl" >"$T/both.live" 2>"$T/both.err" &
tracer=$!
wait_for in_place "$T/both.err"
: >"$T/both.go"
wait $intact $changed $tracer
is both_replaced "replaced 0 replaced 20" "$(cat "$T/intact.out" "$T/changed.out" | xargs)"
for who in $intact $changed; do
	for f in cuMemAlloc_v2 cuMemFree_v2; do
		is "both_${f}_$([ $who = $intact ] && echo intact || echo changed)" 20 "$(count both $f $who)"
	done
done
is both_losses "[]" "$(losses both)"

# run: the probes are there before the slot is filled, and the tool comes after.
for kind in session multi perf; do
	"$XPT" run --attach $kind --no-file --no-summary -q -- true 2>/dev/null || continue
	"$XPT" run --as-root --attach $kind -q --no-summary -o "$T/$kind.xtr" -o "$T/$kind.jsonl" -- \
		"$W/slots" 1 20 >"$T/$kind.out" 2>"$T/$kind.err"
	is run_${kind}_replaced "replaced 20" "$(cat "$T/$kind.out")"
	is run_${kind}_alloc 20 "$(grep -c '"cuMemAlloc_v2"' "$T/$kind.jsonl")"
	is run_${kind}_free 20 "$(grep -c '"cuMemFree_v2"' "$T/$kind.jsonl")"
	is run_${kind}_losses "[]" "$(losses $kind)"
done
exit $failed
