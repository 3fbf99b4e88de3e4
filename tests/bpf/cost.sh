#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# alone
# needs: bpf jq python3
#
# The cost of a call that a summary states is the one that the program pays: by
# getrusage(2) of the same program, untraced and traced in turns, on the machine
# as it is and beside busy loops, for each kind of probe. Who measures it is seen by nobody.
. tests/bpf/lib.sh
need_bpf

library=libcuda.so.1
loops=

begin_load() { # NUMBER of busy loops
	for _ in $(seq "$1"); do
		(while :; do :; done) &
		loops="$loops $!"
	done
}

end_load() {
	# shellcheck disable=SC2086 # a list
	[ -z "$loops" ] || kill $loops 2>/dev/null
	loops=
}
trap end_load EXIT

# measure NAME RUNS [OPTION...]: ratios of the stated cost to what the program paid, into $T/NAME.
# Untraced is where nothing was traced yet, for probes may outlast xputrace by a moment. The
# program calls for a while: at times all costs half as much again, by what runs beside it.
measure() {
	name=$1
	runs=$2
	shift 2
	: >"$T/$name"
	for _ in $(seq "$runs"); do
		fresh || return
		$program 20ms >"$T/without" || return
		# shellcheck disable=SC2086 # words
		"$XPT" run --as-root -q --no-file --json "$@" -- $program 500ms >"$T/report.json" 2>"$T/with" || return
		jq -r --arg u "$(cat "$T/without")" --arg w "$(grep -x '[0-9.]*' "$T/with")" '
			(.overhead.call_cost_ns // 0) as $stated
			| (($w | tonumber) - ($u | tonumber)) as $paid
			| "\($stated / $paid * 1000 | round) \($paid | round) \($stated)"' \
			"$T/report.json" >>"$T/$name"
	done
	echo "note $name: stated / paid, thousandths: $(cut -d' ' -f1 "$T/$name" | sort -n | tr '\n' ' ')"
}

between() { # LOW VALUE HIGH
	[ -n "$2" ] && [ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

# All but one are near, and none is far off: one run may meet what its twins do not, or say that
# the cost is not known (0 here, and no part of the median). The program pays up to a half more
# while something runs on the other thread of its core.
judge() { # NAME
	cut -d' ' -f1 "$T/$1" | sort -n | grep -vx 0 >"$T/known"
	middle=$(sed -n "$((($(wc -l <"$T/known") + 1) / 2))p" "$T/known")
	near=$(awk '$1 >= 550 && $1 <= 1700' "$T/known" | wc -l)
	holds "$1_middle" between 700 "$middle" 1400
	holds "$1_near" [ "$near" -ge $((runs - 1)) ]
	is "$1_far" 0 "$(awk '$1 < 300 || $1 > 3000' "$T/known" | wc -l)"
}

# A library, or a program, without probes: another file each time.
fresh() {
	rm -f "$T/lib/$library" "$T/spend_unwound"
	cp "$B/fake/$library" "$T/lib/" && cp "$T/unwound" "$T/spend_unwound"
}

mkdir "$T/lib"
LD_LIBRARY_PATH=$T/lib
g++ -O2 -rdynamic -o "$T/unwound" tests/bpf/workloads/spend_unwound.cc 2>"$T/cc" ||
	{ not_ok unwound "$(head -n 1 "$T/cc")"; exit 1; }
fresh
program="$W/spend $library"
measure idle 8
judge idle
measure counters 6 --counters
judge counters
begin_load 6
measure busy 8
judge busy
measure busy_stepped 4 --sites=symbol
judge busy_stepped
end_load

# A function that exceptions pass through: its return is seen at a single-stepped `ret`.
program=$T/spend_unwound
measure returns 4 --probe 'call:spend_unwound:guarded'
judge returns
is returns_kind "guarded return instructions" \
	"$(jq -r '.overhead_functions[] | "\(.function) \(.probe)"' "$T/report.json")"
LD_LIBRARY_PATH=$B/fake

# A trace that lasts: it is measured meanwhile, and nobody sees by whom.
"$XPT" run --as-root -q -v -o "$T/long.xtr" -- sh -c 'for i in 1 2 3 4 5 6; do "$0" "$@"; sleep 0.3; done' \
	"$W/spend" $library 2000 >"$T/long" 2>"$T/long.err" || not_ok long "exit status $?"
"$XPT" report --json "$T/long.xtr" >"$T/long.json"
rounds=$(sed -n 's/.* in \([0-9]*\) rounds).*/\1/p' "$T/long.err" | tail -n 1)
holds long_meanwhile [ "${rounds:-0}" -gt 12 ]
is long_calls 18000 "$(jq '.summary.calls' "$T/long.json")"
is long_processes spend "$(jq -r '.processes[].process' "$T/long.json" | sort -u | tr '\n' ' ' | sed 's/ $//')"
is long_lost null "$(jq -c .losses "$T/long.json")"

# Whoever waits for the last process does not wait for ours.
measures() { # by the name of its child
	pgrep -x -P $tracer xputrace-cost >/dev/null
}
"$W/spend" $library 2000000000 >"$T/paid" 2>&1 &
pid=$!
"$XPT" attach -q --rate 100 -o "$T/attach.xtr" -p $pid >"$T/attach" 2>&1 &
tracer=$!
holds attach_measures wait_for measures
kill $pid
wait $pid 2>/dev/null
wait_for sh -c "! kill -0 $tracer 2>/dev/null"
holds attach_ends sh -c "! kill -0 $tracer 2>/dev/null"
holds attach_tells grep -q 'For each call' "$T/attach"
exit $failed
