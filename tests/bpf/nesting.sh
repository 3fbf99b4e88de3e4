#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
#
# A runtime call and the driver calls inside it: one operation, shown as one
# inside the other, counted once in every total and in every sum over the file.
. tests/bpf/lib.sh
need_bpf

compare nested --only cudart -- "$E/runtime_train" --leak --iterations 8 --bytes 4M
lines=$T/nested/t.jsonl
allocations=$(jq .allocations "$T/nested/truth")
frees=$(jq .frees "$T/nested/truth")
launches=$(jq .launches "$T/nested/truth")

count() { # JQ_CONDITION
	jq -c "select($1)" "$lines" | wc -l
}

is runtime_is_outer 9 "$(count '.name == "cudaMalloc" and .depth == 0')"
is driver_is_inner 9 "$(count '.name == "cuMemAlloc_v2" and .depth == 1')"
is type_of_outer userspace "$(jq -r 'select(.name == "cudaMalloc") | .type' "$lines" | sort -u)"
is type_of_inner memory "$(jq -r 'select(.name == "cuMemAlloc_v2") | .type' "$lines" | sort -u)"
is memory_once $((allocations + frees)) "$(count '.type == "memory"')"
is bytes_once "$(jq .allocated_bytes "$T/nested/truth")" \
	"$(jq 'select(.type == "memory")' "$lines" | jq -s 'map(.size) | add')"
is launches_once "$launches" "$(count '.type == "kernel"')"
is copies_once "$(jq '[.copies[]] | add' "$T/nested/truth")" "$(count '.type == "transfer"')"
is operation_once "$allocations" "$(field nested '.operations[] | select(.operation == "alloc") | .calls')"
is leak_by_outer cudaMalloc "$(field nested '.leaks[].function')"
is calls_are_outer "$(jq '[.calls[]] | add' "$T/nested/truth")" "$(field nested .summary.calls)"
# The block of statistics: calls that the program made, and all that were seen.
is cuda_calls_are_outer "$(jq '[.calls[]] | add' "$T/nested/truth")" "$(field nested .statistics.cuda_api_calls)"
is all_calls_with_nested "$(field nested '.summary | .calls + .nested_calls')" "$(field nested .statistics.total_calls)"
# A function that the user named is the program's: what it calls is the program's call, and no library's.
for option in probe hook; do
	trace $option --$option "call:$E/runtime_train:main" --probe "uprobe:$E/runtime_train:truth_call" -- \
		"$E/runtime_train" --iterations 4 || not_ok in_named "exit status $status"
	is in_named_cuda "$(jq '[.calls[]] | add' "$T/$option/truth")" "$(field $option .statistics.cuda_api_calls)"
	is in_named_all "$(field $option '.summary | .calls + .nested_calls')" "$(field $option .statistics.total_calls)"
	is in_named_outermost 1 "$(field $option .summary.calls)"
	is in_named_points true "$(field $option '.summary.points > 0')"
done
# Inside means inside in time, too.
is inner_in_outer 9 "$(jq -rs '[.[] | select(.depth == 0 and .name == "cudaMalloc")] as $outer
		| [.[] | select(.name == "cuMemAlloc_v2")] as $inner
		| [range($outer | length) | select($inner[.].ts >= $outer[.].ts
			and $inner[.].duration_us <= $outer[.].duration_us)] | length' "$lines")"

# The live table: the inner call below the outer one, behind an angle.
LC_ALL=C.UTF-8 "$XPT" run --as-root --log - --no-file -- "$E/runtime_train" --iterations 1 >"$T/live" 2>/dev/null
is live_indented "cudaMalloc, then its cuMemAlloc_v2" "$(awk '/^Summary/ { exit }
	$2 == "cudaMalloc" { outer = NR }
	$2 == "└" && $3 == "cuMemAlloc_v2" && outer && !said++ { print "cudaMalloc, then its cuMemAlloc_v2" }' "$T/live")"
is live_width "" "$(awk '/^Summary/ { exit } !/^#/ { gsub(/└/, "-"); if (length($0) > 80) print }' "$T/live")"
LC_ALL=C "$XPT" run --as-root --log - --no-file --raw -- "$E/runtime_train" --iterations 1 >"$T/raw" 2>/dev/null
is raw_level 1 "$(awk '/^Summary/ { exit } $2 == ">cuMemAlloc_v2" || ($2 == ">" && $3 == "cuMemAlloc_v2")' "$T/raw" | wc -l)"

# Only one of the two layers traced: that one is the operation.
trace driver_only -d cuda -- "$E/runtime_train" --iterations 3
is driver_only_type memory "$(jq -r 'select(.class == "alloc") | .type' "$T/driver_only/t.jsonl" | sort -u)"
is driver_only_depth 0 "$(jq -r .depth "$T/driver_only/t.jsonl" | sort -u)"
trace runtime_only -d cudart -- "$E/runtime_train" --iterations 3
is runtime_only_type memory "$(jq -r 'select(.class == "alloc") | .type' "$T/runtime_only/t.jsonl" | sort -u)"
is same_bytes "$(jq 'select(.type == "memory")' "$T/driver_only/t.jsonl" | jq -s 'map(.size) | add')" \
	"$(jq 'select(.type == "memory")' "$T/runtime_only/t.jsonl" | jq -s 'map(.size) | add')"
exit $failed
