#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
#
# Options that leave calls out of the events: what was asked for comes and
# nothing else, failed calls come always, events and what was left out make up
# the exact totals. Alone, together, and with values at the ends of their range.
. tests/bpf/lib.sh
need_bpf

# Every 500th call fails.
faults=
for i in $(seq 500 500 20000); do
	faults=$faults,cuMemGetInfo_v2@$i=999
done

# storm NAME OPTION...: 20000 calls, 40 of them failed; then its lines and totals agree.
storm() {
	s_name=$1
	shift
	XPT_FAKE_FAULT=${faults#,}
	export XPT_FAKE_FAULT
	trace "$s_name" --ring 64M -f 'cuMemGetInfo*' "$@" -- "$W/storm" --iterations 20000 ||
		not_ok "$s_name" "exit status $status"
	unset XPT_FAKE_FAULT
	check left "${s_name}_left" "$T/$s_name"
	is "${s_name}_failed" 40 "$(lines "$s_name" .failed)"
}

lines() { # DIR CONDITION: how many calls fulfil it
	jq -r "select(.type != \"loss\" and ($2)) | .tid" "$T/$1/t.jsonl" | wc -l
}

between() { # NAME LOW HIGH VALUE
	holds "$1_$4" [ "$4" -ge "$2" -a "$4" -le "$3" ]
}

storm errors_only --errors-only
is errors_only_rest 0 "$(lines errors_only '.failed | not')"
# Neither an answer (NOT_READY) nor a failure that tells nothing alone is an error, in lines and in the table.
XPT_FAKE_FAULT=cuMemGetInfo_v2@3=600,cuMemGetInfo_v2@5=999
export XPT_FAKE_FAULT
trace answers --errors-only -- "$W/storm" --iterations 9 || not_ok answers "exit status $status"
unset XPT_FAKE_FAULT
is answers_lines CUDA_ERROR_UNKNOWN "$(jq -r 'select(.phase == "X").result' "$T/answers/t.jsonl")"
"$XPT" replay --raw "$T/answers/t.xtr" >"$T/answers/table"
is answers_table CUDA_ERROR_UNKNOWN "$(awk '$2 == "cuMemGetInfo_v2" { print $NF }' "$T/answers/table")"
is answers_left_out "1 0" "$(grep -c '^# left out so far: .* left out as asked$' "$T/answers/table") $(grep -c 'lost so far' \
	"$T/answers/table")"
# The failures that a runtime provokes on purpose are in the exact table of these, and are no lines.
XPT_FAKE_FAULT=cuMemGetInfo_v2@3=600,cuDeviceGetAttribute=1
export XPT_FAKE_FAULT
trace probing --errors-only -- "$W/truth" probing || not_ok probing "exit status $status"
unset XPT_FAKE_FAULT
is probing_lines "" "$(jq -r 'select(.failed == false) | .name' "$T/probing/t.jsonl" | sort -u | paste -sd,)"
is probing_no_lines 0 "$(grep -c cuGetProcAddress_v2 "$T/probing/t.jsonl")"
is probing_counted "cuGetProcAddress_v2 500 3" "$(field probing '.expected_errors[]? | select(.function == "cuGetProcAddress_v2") |
	"\(.function) \(.code) \(.calls)"')"
# Functions that a pattern leaves out have no probe; the others are all there.
trace excluded -f '!cuMemGetInfo*' -- "$W/storm" --iterations 9 || not_ok excluded "exit status $status"
is excluded_not_there 0 "$(lines excluded '.name == "cuMemGetInfo_v2"')"
holds excluded_others [ "$(lines excluded '.name == "cuCtxCreate_v2"')" = 1 ]
storm long --min-duration 10s
is long_rest 0 "$(lines long '.failed | not')"
storm any_length --min-duration 0
is any_length_all 20000 "$(lines any_length true)"
storm some_length --min-duration 500ns
is some_length_short 0 "$(lines some_length '(.failed | not) and .duration_us < 0.5')"
storm sample_1 --sample 1
is sample_1_all 20000 "$(lines sample_1 true)"
storm sample_5 --sample 5
between sample_5_rest 2100 2900 "$(lines sample_5 '.failed | not')"
storm sample_most --sample 1E
between sample_most_rest 0 1 "$(lines sample_most '.failed | not')"
storm sample_errors --sample 2 --errors-only
is sample_errors_rest 0 "$(lines sample_errors '.failed | not')"
storm no_size --min-size 1
is no_size_rest 0 "$(lines no_size '.failed | not')"

# Sizes: what is kept is as large as asked for; 0 keeps all.
trace all -- "$E/train" || not_ok all "exit status $status"
trace size_0 --min-size 0 -- "$E/train" || not_ok size_0 "exit status $status"
is size_0_all "$(lines all true)" "$(lines size_0 true)"
big='((.size // 0) >= 1048576)'
trace large --min-size 1M --min-duration 0 -- "$E/train" || not_ok large "exit status $status"
is large_kept "$(lines all "$big")" "$(lines large "$big")"
is large_judged 1 "$(field large ".memory_notes[]?.text" | grep -c "not judged")"
check left large_left "$T/large"

# A rate: at most N a second and function and N at once, never more.
seconds() { # DIR: from the first call to the last, rounded up
	jq -s '[.[] | select(.type != "loss") | .ts] | (max - min) | ceil' "$T/$1/t.jsonl"
}
storm rate --rate 100/s
between rate_rest 100 $((100 * ($(seconds rate) + 1))) "$(lines rate '.failed | not')"
storm rate_once --rate 1
between rate_once_rest 1 $(($(seconds rate_once) + 1)) "$(lines rate_once '.failed | not')"
storm rate_high --rate 1M/s
is rate_high_all 20000 "$(lines rate_high true)"
trace rate_threads --rate 200 -- "$W/storm" --iterations 5000 --threads 8 || not_ok rate_threads "exit status $status"
check left rate_threads_left "$T/rate_threads"
between rate_threads_rest 200 $((200 * ($(seconds rate_threads) + 1))) \
	"$(lines rate_threads '.name == "cuMemGetInfo_v2"')"
# Two buckets, not one: another function is not left out with the flooded one.
is rate_others "$(field rate_threads '[.functions[] | select(.function == "cuCtxSetCurrent") | .calls] | add')" \
	"$(lines rate_threads '.name == "cuCtxSetCurrent"')"

for bad in --rate=0 --rate=2M --rate=5/m --rate=0.5 --rate= --sample=x --min-size=-1 --min-duration=5d; do
	"$XPT" run --no-file -q "$bad" -- true 2>"$T/stderr"
	is "refused_$bad" 2 $?
done
exit $failed
