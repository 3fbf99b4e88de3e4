#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# Histograms of recordings: what stands in them, which functions a pattern means,
# that every call is in one slot, and what happens to wrong words and cut files.
. tests/cli.lib
LC_ALL=C
export LC_ALL PYTHONDONTWRITEBYTECODE=1
rec=tests/replay/train.xtr

gives hist 0 "" "$XPT" hist cuMemAlloc_v2 $rec
is hist_text "cuMemAlloc_v2
  23 calls, 38.4 us; mean 1.67 us, p50 1.07 us, p99 8.23 us, max 8.23 us
  tracing adds 1.71 us to a call: a good part of these times is not their own
       above      up to      calls
      512 ns    1.02 us          9  ########################################
     1.02 us    2.05 us         10  ############################################
     2.05 us    4.10 us          3  #############
     4.10 us    8.19 us          0
     8.19 us    16.4 us          1  ####" "$(cat "$T/out")"
gives base_name 0 "" "$XPT" hist cuMemAlloc $rec
is base_name_text "cuMemAlloc_v2" "$(head -n 1 "$T/out")"
"$XPT" hist 'cu*' --all $rec >"$T/all"
is width 0 "$(awk 'length > 80' "$T/all" | wc -l)"
# The same totals as the report's, every call in one slot, most time first.
"$XPT" hist 'cu*' --json $rec >"$T/h.json"
"$XPT" report --json $rec >"$T/r.json"
is as_report true "$(jq -n --slurpfile h "$T/h.json" --slurpfile r "$T/r.json" '
	[$r[0].functions[] | select(.function | startswith("cu"))
		| [.function, .calls, .time_ns, .mean_ns, .p50_ns, .p99_ns, .max_ns, .below_cost]] as $want
	| [$h[0].functions[] | [.function, .calls, .time_ns, .mean_ns, .p50_ns, .p99_ns, .max_ns, .below_cost]] as $have
	| ($want | length) > 5 and $want == $have')"
is below_cost "1 0" "$(jq -r '[.functions[] | select(.function == "cuMemAlloc_v2", .function == "cuMemFree_v2").below_cost] |
	sort | reverse | join(" ")' "$T/h.json")"
is all_in_slots true "$(jq '[.functions[] | .calls == ([.histogram[].calls] | add)] | all' "$T/h.json")"
is slots true "$(jq '[.functions[].histogram[] | .up_to_ns == .above_ns * 2 or .above_ns == 0] | all' "$T/h.json")"
is exact true "$(jq .exact "$T/h.json")"

# Without counters the calls are taken, and that is said.
tests/replay/make_xtr.py steps "$T/steps.xtr"
is steps "cuMemAlloc_v2
  1 call, 2.00 ms; mean 2.00 ms, p50 2.00 ms, p99 2.00 ms, max 2.00 ms
       above      up to      calls
     1.05 ms    2.10 ms          1  ############################################

From the calls that were read: without the exact counters of a trace's end." \
	"$("$XPT" hist 'cuMemAlloc*' "$T/steps.xtr")"
is steps_json "false 5 5" "$("$XPT" hist '*' --json "$T/steps.xtr" | jq -r '
	"\(.exact) \(.functions | length) \([.functions[].histogram[].calls] | add)"')"

# A file that was cut: what comes before. Names of any kind, more than ten of them.
head -c $(($(wc -c <$rec) - 100)) $rec >"$T/cut.xtr"
gives cut 1 "ends in the middle of a block" "$XPT" hist 'cu*' --json "$T/cut.xtr"
is cut_json "false 0" "$(jq -r '"\(.exact) \(.functions | length)"' "$T/out")"
tests/replay/make_xtr.py hostile "$T/hostile.xtr"
"$XPT" hist '*' "$T/hostile.xtr" >"$T/hostile"
is hostile_first 10 "$(grep -c '^  3 calls' "$T/hostile")"
is hostile_more 1 "$(grep -c '^6 more functions with less time; --all shows them$' "$T/hostile")"
is hostile_width 0 "$(awk 'length > 80' "$T/hostile" | wc -l)"
is hostile_clean 0 "$(LC_ALL=C tr -d '\n\040-\176' <"$T/hostile" | wc -c)"
is hostile_all "16 16" "$("$XPT" hist '*' --all "$T/hostile.xtr" | grep -c '^  3 calls') $("$XPT" hist '*' --json "$T/hostile.xtr" |
	jq '.functions | length')"

# Patterns of layers: which functions they mean, by their mean times.
tests/replay/make_xtr.py kernel "$T/kernel.xtr"
means() { "$XPT" hist "$1" --json "$T/kernel.xtr" 2>/dev/null | jq -r '[.functions[].mean_ns / 1000] | sort | join(" ")'; }
is any_schedule "1 2 4" "$(means schedule)"
is one_module "2" "$(means kernel:nvidia:schedule)"
is all_of_module "2 3" "$(means 'kernel:nvidia:*')"
is both_modules "2 4" "$(means 'kernel:nvidia*:sched*')"
is any_module "2 4" "$(means 'kernel:schedule')"
is not_of_kernel "" "$(means 'kernel:nvidia:ioctl*')"
is as_ioctl "5" "$(means 'ioctl:*PREEMPT')"
is requests "ioctl:RM_CONTROL:PREEMPT schedule preempt schedule" "$("$XPT" report --json "$T/kernel.xtr" |
	jq -r '[.scheduler[].function] | join(" ")')"

is from_pipe 23 "$(sh -c 'cat "$1" | "$2" hist cuMemAlloc_v2 --json -' sh $rec "$XPT" | jq '.functions[0].calls')"
gives none 1 "no call of a function that matches 'cuMemAlocc_v2': did you mean cuMemAlloc_v2" "$XPT" hist cuMemAlocc_v2 $rec
gives no_kernel 1 "no call of a function" "$XPT" hist 'kernel:nvidia:*' $rec
gives no_kernel_at_all 1 "no call of a function" "$XPT" hist 'kernel:*' $rec
gives no_pattern 2 "which functions" "$XPT" hist
gives no_file 2 "of what" "$XPT" hist 'cu*'
gives no_command 2 "which command" "$XPT" hist 'cu*' --
gives two_files 2 "unexpected 'x'" "$XPT" hist 'cu*' $rec x
gives both 2 "not both" "$XPT" hist 'cu*' -p 1 -- true
gives device_of_file 2 "is for -p and commands" "$XPT" hist 'cu*' --device 1:3 $rec
gives missing 1 "cannot read" "$XPT" hist 'cu*' "$T/nowhere.xtr"
exit $failed
