#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 200
# needs: bpf jq python3
# uses: schedstat
#
# What the scheduler did during calls (--sched), beside what the kernel counted
# for the thread itself: a call whose CPU is wanted by another process, one that
# sleeps, one that only runs. Shares are compared, no times.
. tests/bpf/lib.sh
need_bpf

# traced NAME LATENCY_RULE OPTIONS... -- COMMAND...: what the program says in truth.json
traced() {
	t_name=$1
	XPT_FAKE_LATENCY="$2"
	export XPT_FAKE_LATENCY
	shift 2
	trace "$t_name" "$@"
	unset XPT_FAKE_LATENCY
	grep '^{"calls"' "$T/$t_name/summary" >"$T/$t_name/truth.json"
	jq -c --slurpfile truth "$T/$t_name/truth.json" \
		'def of_sync: [.[]? | select(.function == "cuCtxSynchronize")][0];
		(.functions | of_sync) as $all | (.off_cpu | of_sync) as $row
		| { truth: $truth[0], row: ($row != null),
		    got: ($row // { calls: $all.calls, time_ns: $all.time_ns, cpu_ns: $all.time_ns,
			  runq_ns: 0, blocked_ns: 0, waited: 0, voluntary: 0, involuntary: 0 }),
		    told: ([.verdict[]? | select(.kind == "cpu_wait")] | length) }' \
		"$T/$t_name/report.json" >"$T/$t_name/both.json"
}

# agree NAME JQ: both.json as input
agree() {
	a_dir=$1
	shift
	if jq -e "$2" "$T/$a_dir/both.json" >/dev/null; then
		ok "$1"
	else
		not_ok "$1" "$(cat "$T/$a_dir/both.json")"
	fi
}

# The program looks before the first and behind the last call: the CPU may be taken away between
# two calls as well, which lasts at most as long as the thread was outside of calls. What a
# hypervisor takes, some ms at a time, one side may count as waiting and the other as running.
near='def near(a; b; all): (a - b | fabs) <= 0.1 * b + 0.05 * all;
	def within(a; b; all): ([.truth.wall_ns - .got.time_ns, 0] | max) as $outside
		| near(a; b; all) or (a < b and near(a; [b - $outside, a] | max; all));'
same_as_kernel() {
	agree "$1" "$1_calls" '.got.calls == .truth.calls'
	if [ "$(jq .truth.runq_ns "$T/$1/both.json")" = -1 ]; then
		echo "skip $1_runq: this kernel keeps no schedstat"
	else
		agree "$1" "$1_runq" "$near within(.got.runq_ns; .truth.runq_ns; .truth.wall_ns)"
		agree "$1" "$1_cpu" "$near within(.got.cpu_ns; .truth.cpu_ns; .truth.wall_ns)"
		# A quarter is beyond the finding's threshold, an eighth clearly below it.
		agree "$1" "$1_finding" 'if .truth.runq_ns > .truth.wall_ns / 4 then .told == 1
			elif .truth.runq_ns < .truth.wall_ns / 8 then .told == 0 else true end'
	fi
	agree "$1" "$1_voluntary" "$near near(.got.voluntary; .truth.voluntary; 50)"
	agree "$1" "$1_involuntary" "$near near(.got.involuntary; .truth.involuntary; 150)"
}

fn=cuCtxSynchronize
cpu=$(taskset -cp $$ | sed 's/.*[ :,-]//')
traced taken "$fn=10ms!" --sched -- taskset -c "$cpu" "$W/waits" --threads 1 --iterations 60
same_as_kernel taken
agree taken taken_waits '.got.runq_ns > .got.blocked_ns and .got.waited > 0.25'
# Events say the same as the exact sums: each is rounded down by less than 1/65536.
events=$(jq -s '[.[] | select(.name == "cuCtxSynchronize") | .sched.runq_us // 0] | add * 1000' "$T/taken/t.jsonl")
agree taken taken_events "(.got.runq_ns - $events | fabs) <= .got.runq_ns / 60000 + 60"

traced asleep "$fn=10ms" --sched -- "$W/waits" --iterations 60
same_as_kernel asleep
agree asleep asleep_sleeps '.got.voluntary >= 60 and .got.blocked_ns > 0.9 * 60 * 10000000'

traced runs "$fn=10ms!" --sched -- "$W/waits" --iterations 40
same_as_kernel runs
agree runs runs_without_sleep '.got.blocked_ns < 0.05 * .got.time_ns'

# Sums are exact where there are no events, and where they are lost.
traced counters "$fn=10ms!" --sched --counters -- taskset -c "$cpu" "$W/waits" --threads 1 --iterations 40
same_as_kernel counters

# Off: nothing of it.
traced off "$fn=1ms!" -- "$W/waits" --iterations 20
agree off off_nothing '.row == false and .told == 0'
is off_lines "" "$(grep -c '"sched":' "$T/off/t.jsonl" | grep -v '^0$')"

# Where a thread is that does not come back for a while.
traced hang "$fn@3=3s" --sched --hang 500ms -- "$W/waits" --iterations 3
is hang_asleep "asleep 1" "$(jq -r 'select(.in_flight and .name == "cuCtxSynchronize")
	| "\(.cpu) \(.sched.voluntary)"' "$T/hang/t.jsonl" | sort -u)"
exit $failed
