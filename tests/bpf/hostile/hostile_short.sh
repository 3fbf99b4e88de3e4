#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# alone
# needs: bpf jq user
#
# Processes that have ended before xputrace reads of them: /proc has nothing of them any more. The reader is stopped while
# a stranger's 100 processes make 60,000 calls, which fill his share of a file, and a third user's 20 processes make 5
# calls each. The stranger's calls are cut and counted as his, and of the third user's none is missing.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_short
export XPT_TRUTH=
function=cuDriverGetVersion
library=$B/fake/libcuda.so.1
begin short --metrics "$T/m.prom" --max-size 300K
seen() {
	"$T/hostile" short "$library" 1 1 >/dev/null
	grep -q "\"$function\"" "$T/short/t.jsonl"
}
wait_for seen
kill -STOP $tracer
as_stranger "$T/hostile" short "$library" 100 600 >"$T/stranger.pids"
stranger_status=$?
setpriv --reuid 65533 --clear-groups "$T/hostile" short "$library" 20 5 >"$T/known.pids"
known_status=$?
kill -CONT $tracer
end short
is statuses "0 0 0" "$stranger_status $known_status $o_status"

# of_known FILE: how many calls of the third user's processes are in JSON lines
of_known() {
	jq -n --slurpfile pids "$T/known.pids" '($pids | map({(tostring): true}) | add) as $known
		| reduce (inputs | select(.name) | .pid | tostring | select($known[.])) as $p (0; . + 1)' "$1"
}
is file 100 "$(of_known "$T/short/t.jsonl")"
"$XPT" convert "$T/short/t.xtr" -o "$T/short/of_recording.jsonl" 2>/dev/null
is recording 100 "$(of_known "$T/short/of_recording.jsonl")"
holds told grep -q "t.xtr: [0-9]* calls of user $U .*were not written" "$T/short/stderr"

of_user() { # USER
	grep '^xputrace_calls_total{process="short' "$T/m.prom" | grep "user=\"$1\"" | grep -F "function=\"$function\"" |
		sed 's/.*} //' | add_up
}
is metrics_stranger 60000 "$(of_user $U)"
is metrics_known 100 "$(of_user 65533)"
is metrics_root "" "$(grep '^xputrace_calls_total{process="short[1-9]' "$T/m.prom" | grep -v 'user="6553[34]"')"
exit $failed
