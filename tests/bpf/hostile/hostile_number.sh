#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 user chosen_pid
#
# The number of a stranger's process that made many calls and has just ended is given to another user's program: none of
# the first one's calls are counted for the second one, neither in the summary nor in metrics.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_number
cat >"$T/as.py" <<'END'
# as.py NUMBER USER TRUTH COMMAND...: runs it as that process. 3: the number is taken.
import os, sys
number, user, truth = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
for _ in range(200):
    with open("/proc/sys/kernel/ns_last_pid", "w") as f:
        f.write(str(number - 1))
    child = os.fork()
    if not child:
        if os.getpid() != number:
            os._exit(9)
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        os.environ["XPT_TRUTH"] = truth
        os.execvp(sys.argv[4], sys.argv[4:])
    if child == number:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os.waitpid(child, 0)
sys.exit(3)
END
# The kernel gives numbers in a row: one that nobody gets by chance meanwhile lies half the range ahead.
last=$(cat /proc/sys/kernel/ns_last_pid)
number=$((last > 16000 ? last - 12000 : last + 12000))
for who in stranger second; do
	cp "$W/storm" "$T/$who"
	: >"$T/$who.truth"
	chmod 666 "$T/$who.truth"
done
begin number --metrics "$T/m.prom"
: >"$T/early.truth"; chmod 666 "$T/early.truth"
# The library has its probes from the beginning of these.
seen() {
	XPT_TRUTH=$T/early.truth "$W/storm" --iterations 1 >/dev/null 2>&1
	grep -q '"comm":"storm"' "$T/number/t.jsonl"
}
wait_for seen
python3 "$T/as.py" $number $U "$T/stranger.truth" "$T/stranger" --iterations 20000 >/dev/null 2>&1
stranger_status=$?
python3 "$T/as.py" $number 65533 "$T/second.truth" "$T/second" --iterations 50 >/dev/null 2>&1
second_status=$?
if [ $stranger_status = 3 ] || [ $second_status = 3 ]; then
	echo "skip hostile_number: others took the number $number"
	kill -INT $tracer
	wait $tracer
	exit 0
fi
is statuses "0 0" "$stranger_status $second_status"
in_metrics() { # COMM FUNCTION
	grep "^xputrace_calls_total{process=\"$1\"" "$T/m.prom" | grep -F "function=\"$2\"" | sed 's/.*} //' | add_up
}
function=cuMemGetInfo_v2
end number
for who in stranger second; do
	n=$(jq ".calls.$function" "$T/$who.truth")
	is "${who}_metrics" "$n" "$(in_metrics $who $function)"
	is "${who}_calls" "$(jq '[.calls[]] | add' "$T/$who.truth")" \
		"$(jq --arg who $who '[.processes[] | select(.process == $who) | .calls] | add' "$T/number/report.json")"
done
exit $failed
