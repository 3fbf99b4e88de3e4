#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
#
# A recording says what the trace said: report is the summary that was printed,
# convert the JSON lines, replay the live table, to the byte. And the questions
# that people ask a file with jq have the right answers.
. tests/bpf/lib.sh
need_bpf

# round NAME COMMAND...: one trace with everything, then the same from the file.
round() {
	name=$1
	shift
	d=$T/$name
	mkdir -p "$d"
	XPT_TRUTH=$d/truth "$XPT" run --as-root --log - -o "$d/t.xtr" -o "$d/t.jsonl" -o "$d/t.json" -- "$@" >"$d/live" 2>/dev/null
	sed -n '/^Summary$/,$p' "$d/live" >"$d/summary"
	"$XPT" report "$d/t.xtr" >"$d/report" || not_ok "${name}_report" "exit status $?"
	"$XPT" replay "$d/t.xtr" >"$d/replay" || not_ok "${name}_replay" "exit status $?"
	"$XPT" convert "$d/t.xtr" -o "$d/again.jsonl" -o "$d/again.xtr" -o "$d/again.json" || not_ok "${name}_convert" "exit status $?"
	holds "${name}_report_is_summary" cmp "$d/summary" "$d/report"
	holds "${name}_replay_is_live" cmp "$d/live" "$d/replay"
	holds "${name}_convert_is_jsonl" cmp "$d/t.jsonl" "$d/again.jsonl"
	# Calls that never returned stand at the end, in an order that their addresses in memory decide.
	sed 's/,$//' "$d/t.json" | sort >"$d/live_json"
	sed 's/,$//' "$d/again.json" | sort >"$d/again_json"
	holds "${name}_convert_is_chrome" cmp "$d/live_json" "$d/again_json"
	holds "${name}_copy_says_the_same" sh -c "\"$XPT\" report \"$d/again.xtr\" | cmp - \"$d/report\""
	holds "${name}_not_empty" test -s "$d/t.jsonl" -a -s "$d/summary"
}

round train "$E/train" --leak --iterations 20 --bytes 16M
round error "$E/error" --oom
round runtime "$E/runtime_train" --leak --iterations 5 --bytes 4M
round fork "$E/fork" --leak
round threads "$E/threads" --threads 16 --iterations 20
round hang "$E/hang" --seconds 1
round thread_exit "$W/thread_exit"
round exec "$W/exec_in_call"

# -q prints the summary alone, and that is the report.
"$XPT" run --as-root -q --log - -o "$T/q.xtr" -- "$E/late_dlopen" --delay 0 >"$T/q.live" 2>/dev/null
"$XPT" report "$T/q.xtr" >"$T/q.report"
holds quiet_is_report cmp "$T/q.live" "$T/q.report"
"$XPT" run --as-root --json -o "$T/j.xtr" -- "$E/late_dlopen" --delay 0 >"$T/j.live" 2>/dev/null
"$XPT" report --json "$T/j.xtr" >"$T/j.report"
holds json_is_report cmp "$T/j.live" "$T/j.report"
"$XPT" run --as-root -q --phases -o "$T/p.xtr" -o "$T/p.jsonl" -- "$E/hang" --seconds 1 >/dev/null 2>&1
"$XPT" convert --phases "$T/p.xtr" -o "$T/p2.jsonl"
holds phases_are_the_same cmp "$T/p.jsonl" "$T/p2.jsonl"
is phases_begin_without_end 1 "$(jq -rs '([.[] | select(.phase == "B")] | length)
	- ([.[] | select(.phase == "E")] | length)' "$T/p.jsonl")"

# The questions of the field, against the truth.
for name in train runtime; do
	lines=$T/$name/t.jsonl truth=$T/$name/truth
	n=$(wc -l <"$lines")
	memory=$(jq '.allocations + .frees' "$truth")
	kernel=$(jq .launches "$truth")
	transfer=$(jq '[.copies[]] | add' "$truth")
	is "${name}_types" "kernel $kernel memory $memory transfer $transfer userspace $((n - kernel - memory - transfer))" \
		"$(jq -r .type "$lines" | sort | uniq -c | awk '{ printf "%s%s %s", sep, $2, $1; sep = " " }')"
	jq 'select(.duration_us)|{name,duration_us}' "$lines" |
		jq -s 'sort_by(.duration_us)|reverse|.[0:10]' >"$T/top"
	is "${name}_top_ten" 10 "$(jq length "$T/top")"
	"$XPT" report --json "$T/$name/t.xtr" >"$T/$name/report.json"
	is "${name}_slowest" "$(field $name '.slowest[0] | "\(.function) \(.duration_ns)"')" \
		"$(jq -r '.[0] | "\(.name) \(.duration_us * 1000 | round)"' "$T/top")"
	is "${name}_allocated" "$(jq .allocated_bytes "$truth")" \
		"$(jq 'select(.type=="memory")' "$lines" | jq -s 'map(.size)|add')"
	is "${name}_copied" "$(jq '[.copied[]] | add' "$truth")" \
		"$(jq 'select(.type=="transfer")' "$lines" | jq -s 'map(.size)|add')"
	is "${name}_launches" "$kernel" \
		"$(jq -c 'select(.type=="kernel" and .name=="cuLaunchKernel")' "$lines" | wc -l)"
done
is launch_config "256 1 1 256 1 1" "$(jq -r 'select(.name == "cuLaunchKernel" and .args.gridDimX == 256) | .args
	| "\(.gridDimX) \(.gridDimY) \(.gridDimZ) \(.blockDimX) \(.blockDimY) \(.blockDimZ)"' "$T/train/t.jsonl" | sort -u)"
# What was freed is what was handed out.
is pointers_pair "$(jq .frees "$T/train/truth")" "$(jq -rs '[.[] | select(.class == "alloc") | .ptr] as $a
	| [.[] | select(.class == "free") | .args.dptr | select(. as $p | $a | index($p))] | length' "$T/train/t.jsonl")"
is ids_ascend true "$(jq -s '[.[].event_id] | . == (sort | unique)' "$T/threads/t.jsonl")"
exit $failed
