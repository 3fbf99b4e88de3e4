#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
# uses: kernel>=6.13
#
# Leaving a busy program: probes go one by one while its threads call on. No
# call may be taken for one that was left by longjmp, or pile up because its
# return is no longer seen; and the program goes on unharmed.
. tests/bpf/lib.sh
need_bpf

XPT_TRUTH=$T/truth.json "$E/threads" --threads 8 --seconds 280 --iterations 100000000 >"$T/out" 2>&1 &
program=$!
trap 'kill $program 2>/dev/null' EXIT
all_call() { # its eight threads are there
	[ "$(ls "/proc/$program/task" | wc -l)" -gt 8 ]
}
wait_for all_call
for kind in session multi; do
	if ! "$XPT" doctor | grep -q "^ok  *uprobe $kind"; then
		echo "skip detach_$kind: not here"
		continue
	fi
	lost=
	for round in 1 2 3; do
		rm -f "$T/calls.jsonl"
		"$XPT" attach -p $program --attach $kind -o "$T/calls.jsonl" --json \
			>"$T/$kind.$round.json" 2>"$T/err" &
		tracer=$!
		wait_for test -s "$T/calls.jsonl"
		kill -INT $tracer
		wait $tracer
		lost="$lost$(jq -r '.losses[]? | select(.loss == "cut_longjmp" or .loss == "depth_full" or
			.loss == "cut_fork") | "\(.loss) \(.count);"' "$T/$kind.$round.json")"
	done
	is "detach_$kind" "" "$lost"
	holds "detach_${kind}_saw_calls" jq -se 'map(.summary.calls > 0) | all' "$T/$kind".*.json
done
holds detach_unharmed kill -0 $program
exit $failed
