#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq python3
#
# attach --all: every process of the machine at once, those of other tests too.
. tests/bpf/lib.sh
need_bpf

# Every process at once; each that made calls has an end, others are not mentioned.
attach all --all -v
wait_for in_place "$T/all/stderr"
start all "$W/worker"
wait $pid
start all "$E/late_dlopen" --delay 0
wait $pid
kill -INT $tracer
wait $tracer
is all_status 0 $?
"$XPT" report --json "$T/all/t.xtr" >"$T/all/report.json"
# Others may use the machine, too: only the calls of these two are compared.
check agree all --mine "$T/all"
is all_calls "$(jq -s 'map([.calls[]] | add) | add' "$T/all/truth")" "$(jq -r --slurpfile t "$T/all/truth" \
	'.pid as $p | select(any($t[]; .pid == $p)) | .name' "$T/all/t.jsonl" | wc -l)"
is all_leak_at_exit "ended with 10 blocks" \
	"$(field all '.memory_notes[].text' | grep '^worker' | grep -o 'ended with 10 blocks')"

# Totals only, and one user of the GPU, whom nobody had named: the summary and the report do.
mkdir -p "$T/one"
"$XPT" attach --all --counters -v -o "$T/one/t.xtr" >"$T/one/summary" 2>"$T/one/stderr" &
tracer=$!
wait_for in_place "$T/one/stderr"
start one "$W/worker"
one=$pid
wait $one
kill -INT $tracer
wait $tracer
is one_status 0 $?
"$XPT" report --json "$T/one/t.xtr" >"$T/one/report.json"
is one_calls "$(jq -s 'map(.calls | add) | add' "$T/one/truth")" "$(jq --argjson p "$one" \
	'.processes[]? | select(.pid == $p and (.label | test("^worker"))) | .calls' "$T/one/report.json")"
holds one_summary grep -Eq "worker.*$one|$one.*worker" "$T/one/summary"
"$XPT" report "$T/one/t.xtr" >"$T/one/text"
holds one_report grep -Eq "worker.*$one|$one.*worker" "$T/one/text"
exit $failed
