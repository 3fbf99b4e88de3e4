#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3
#
# --budget: the function that costs most is counted only while it does, others
# and failed calls are sent as before, totals stay exact, and the output says
# what was done. Without need nothing is done. What tracing cost is told for
# each function and each process.
. tests/bpf/lib.sh
need_bpf

switches() { # DIR FUNCTION: to which modes it went
	field "$1" "[.budget[]? | select(.function == \"$2\") | .to] | join(\" \")"
}

lost() { # DIR NAME
	field "$1" "[.losses[]? | select(.loss == \"$2\") | .count] | add // 0"
}

# A flood under a budget that it exceeds many times over; every 50,000th call fails.
XPT_FAKE_FAULT=cuMemGetInfo_v2@100000=999,cuMemGetInfo_v2@150000=999
export XPT_FAKE_FAULT
with="--ring 16M --budget 0.5%"
trace flood $with -- "$W/storm" --iterations 200000 --launches 50 || not_ok flood "exit status $status"
unset XPT_FAKE_FAULT
check left flood_left "$T/flood"
check order flood_order "$T/flood"
is flood_first "errors" "$(switches flood cuMemGetInfo_v2 | cut -d' ' -f1)"
holds flood_counted [ "$(lost flood budget)" -gt 50000 ]
is flood_failed 2 "$(jq -r 'select(.failed) | .tid' "$T/flood/t.jsonl" | wc -l)"
is flood_others "" "$(switches flood cuCtxSetCurrent)"
is flood_from events "$(field flood '.budget[0].from')"
is flood_budget 0.005 "$(field flood '.budget[0].budget')"
is flood_above true "$(field flood '.budget[0].cost > .budget[0].budget')"
# Counting 50,000 calls a second costs more than that as well.
holds flood_honest [ -n "$(switches flood '(all)')" ]
is flood_live 1 "$("$XPT" replay "$T/flood/t.xtr" 2>&1 |
	grep -c '^# tracing costs .*: cuMemGetInfo_v2 from events to errors$')"

# Where every call fails errors are the flood.
XPT_FAKE_FAULT=cuMemGetInfo_v2@1+=999
export XPT_FAKE_FAULT
trace failing $with -- "$W/storm" --iterations 150000 --launches 50 || not_ok failing "exit status $status"
unset XPT_FAKE_FAULT
is failing_to counters "$(switches failing cuMemGetInfo_v2 | cut -d' ' -f1)"
is failing_errors 150000 "$(field failing '[.errors[] | .calls] | add')"

# It comes back: a flood that ends, and the same function called now and then.
cat <<-'END' >"$T/then_quiet.sh"
	"$1" --iterations 120000 --launches 100
	"$1" --iterations 8000 --launches 1
END
trace back --ring 16M --budget 12% -- $before_others sh "$T/then_quiet.sh" "$W/storm" || not_ok back "exit status $status"
check left back_left "$T/back"
is back_modes "errors events" "$(switches back cuMemGetInfo_v2)"

# Enough for all.
trace rich --budget 100% -- "$E/train" || not_ok rich "exit status $status"
is rich_budget null "$(field rich .budget)"
is rich_losses null "$(field rich .losses)"
check left rich_left "$T/rich"

# What it cost: calls are exact, single costs add up to what is told of all.
trace cost -- sh -c "$W/storm --iterations 20000 & $E/train; wait" || not_ok cost "exit status $status"
is cost_calls "$(field cost '.overhead.traced_calls')" "$(field cost '[.overhead_processes[].calls] | add')"
is cost_processes 2 "$(field cost '.overhead_processes | length')"
is cost_sent true "$(field cost '[.overhead_functions[] | .sent == .calls] | all')"
is cost_sum true "$(field cost '([.overhead_processes[].total_ns] | add) as $sum | .overhead.total_cost_ns |
	. > 0 and . >= $sum * 0.99 and . <= $sum * 1.01')"
is cost_dearest cuMemGetInfo_v2 "$(field cost '.overhead_functions[0].function')"
trace cost_counters --counters -- "$W/storm" --iterations 2000 || not_ok cost_counters "exit status $status"
is cost_counters_sent 0 "$(field cost_counters '[.overhead_functions[].sent] | add')"

for bad in 0 0% 101% 1 x%; do
	"$XPT" run --no-file -q --budget "$bad" -- true 2>"$T/stderr"
	is "refused_$bad" 2 $?
done
"$XPT" run --no-file -q --budget 1% --counters -- true 2>"$T/stderr"
is refused_with_counters 2 $?
exit $failed
