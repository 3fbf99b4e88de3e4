#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3
#
# What the analyses of memory, launches, waits, copies and graphs say, compared with
# what the programs did; each finding with a program that deserves it, and with one
# that is nearly like it and must be left alone.
. tests/bpf/lib.sh
need_bpf

# finding NAME KIND yes|no: that a finding of that kind is there, or none
finding() {
	is "${1}_$2" "$3" "$(field "$1" "if any(.verdict[]?; .kind == \"$2\") then \"yes\" else \"no\" end")"
}

truth_of() { # DIR JQ_EXPRESSION: of the one line of truth
	jq -r "$2" "$T/$1/truth"
}

# A kernel takes no time, a launch 20 us of CPU: what waits, waits for no work.
host_bound="XPT_FAKE_KERNEL_TIME=100ns XPT_FAKE_LATENCY=cuLaunchKernel=20us!"

compare contexts -- "$W/contexts"
compare grow -- "$E/grow"
compare cache -- "$E/grow" --async
XPT_FAKE_MEM=1G compare fragment -- "$E/fragment"
XPT_FAKE_MEM=1G compare in_one_piece -- "$E/fragment" --async
XPT_FAKE_MEM=1G compare really_full -- "$E/fragment" --oom
compare double_free -- "$E/leak"

finding grow memory_growth yes
finding cache memory_growth no
finding fragment fragmentation yes
finding in_one_piece fragmentation no
finding really_full fragmentation no
finding double_free double_free yes
finding contexts double_free no

# The last point of the series is what is left; so is what the process table says.
is grow_series "$(truth_of grow .leaked_bytes)" \
	"$(field grow '[.memory_over_time[] | select(.kind == "device")][-1].bytes')"
is grow_left "$(truth_of grow .leaked_bytes)" \
	"$(field grow '.memory_processes[0] | select(.device == 0).not_freed_bytes')"
is grow_bounded true "$(field grow '(.memory_over_time | length) <= 512')"
is grow_amount true "$(field grow ".memory_growth[0] | .grown_bytes <= $(truth_of grow .leaked_bytes) \
	and .grown_bytes >= $(truth_of grow .leaked_bytes) / 2 and .low <= .rate and .rate <= .high")"
is grow_full true "$(field grow '.memory_growth[0].full_in_ns > 0')"
is leak_ages "$(truth_of grow .leaked_count)" "$(field grow '[.leaks[] | .younger_1ms + .younger_10ms +
	.younger_100ms + .younger_1s + .younger_10s + .younger_100s + .older] | add')"
is no_room "$(truth_of fragment '.errors.cuMemAlloc_v2["2"]')" \
	"$(field fragment '.failed_allocations[0].calls')"
is freed_twice "freed before 1" "$(field double_free '.failed_frees[0] | "\(.reason) \(.calls)"')"

habit() { # NAME ENVIRONMENT NUMBER OPTION...
	h=$1 env=$2 n=$3
	shift 3
	compare "$h" -- $before_others env $env "$W/habits" --threads "$n" "$@"
}

habit waits "$host_bound" 1 --iterations 900
habit series "$host_bound" 1 --iterations 900 --async
habit rests XPT_FAKE_KERNEL_TIME=5us 4 --iterations 50 --delay 8
habit works XPT_FAKE_KERNEL_TIME=5us 4 --iterations 50 --async
habit small XPT_FAKE_LATENCY=cuMemcpyHtoD_v2=10us! 2 --iterations 4000
habit small_between XPT_FAKE_LATENCY=cuMemcpyHtoD_v2=10us! 2 --iterations 4000 --async
habit graphs XPT_FAKE_LATENCY=cuGraphInstantiateWithFlags=200us! 3 --iterations 100
habit graphs_kept XPT_FAKE_LATENCY=cuGraphInstantiateWithFlags=200us! 3 --iterations 100 --async
finding waits sync_every_launch yes
finding series sync_every_launch no
finding rests idle_gaps yes
finding works idle_gaps no
finding small small_copies yes
finding small_between small_copies no
finding graphs graph_storm yes
finding graphs_kept graph_storm no

is waits_calls "$(truth_of waits .calls.cuStreamSynchronize)" "$(field waits '.sync[0].calls')"
is waits_gaps "$(($(truth_of waits .launches) - 1))" \
	"$(field waits '.gaps[] | select(.streams == "all").launches')"
is rests_times 50 "$(field rests '.idle[0].idles + 1')"
is rests_time true "$(field rests '.idle[0] | .idle_ns >= 49 * 8000000 and .long_ns <= .idle_ns')"
is graphs_made "100 100 1" "$(field graphs '.graphs[0] | "\(.instantiated) \(.launches) \(.launches_each)"')"
is graphs_each 7.69 "$(field graphs_kept '.graphs[0].launches_each * 100 | floor / 100')"
is small_sizes "$(truth_of small .copied.HtoD)" \
	"$(field small '[.copy_sizes[] | select(.direction == "HtoD").bytes] | add')"

compare storm -- $before_others env $host_bound "$E/launch_storm" --iterations 5
compare storm_device -- $before_others env XPT_FAKE_KERNEL_TIME=50us "$E/launch_storm" --iterations 5
compare storm_graph -- env XPT_FAKE_KERNEL_TIME=1us "$E/launch_storm" --iterations 20 --async
finding storm launch_bound yes
finding storm_device launch_bound no
finding storm_graph launch_bound no
finding storm_graph graph_storm no
is storm_kernel "$(truth_of storm .launches)" "$(field storm '[.launch_shapes[].launches] | add')"

compare pageable -- "$E/copy_bound" --iterations 20
compare pinned -- "$E/copy_bound" --iterations 20 --async
finding pageable pageable_copies yes
finding pinned pageable_copies no
is pageable_bytes "$(truth_of pageable '.copied | .HtoD + .DtoH')" \
	"$(field pageable '[.copies[] | select(.host == "pageable").bytes] | add')"
is pinned_bytes "$(truth_of pinned '.copied | .HtoD + .DtoH')" \
	"$(field pinned '[.copies[] | select(.host == "pinned").bytes] | add')"

# A program without fault: not a word.
for w in series works graphs_kept storm_graph pinned; do
	is "${w}_silence" "" "$(field "$w" '.verdict[]?.kind')"
done
exit $failed
