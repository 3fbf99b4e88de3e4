#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq
# uses: promtool
#
# --metrics: while programs run, and when they have ended, the counters are what the programs counted themselves; each
# page is whole, no counter falls; a file that cannot be written is an error before anything begins.
. tests/bpf/lib.sh
need_bpf

# value METRIC LABEL...: the sum of its lines that have all of these.
value() {
	v_lines=$(grep "^xputrace_$1{" "$T/m.prom")
	shift
	for v_label in "$@"; do
		v_lines=$(echo "$v_lines" | grep -F "$v_label")
	done
	echo "$v_lines" | sed 's/.*} //' | add_up
}
calls_are() { # N FUNCTION
	[ "$(value calls_total 'process="metrics-storm"' "function=\"$2\"")" = "$1" ]
}

# The trace sees all processes: these have a name that no other test's programs have.
cp "$W/storm" "$T/metrics-storm"
# Two programs of one name, one after the other.
"$XPT" attach --all --counters -q -v --json --no-file --metrics "$T/m.prom" >"$T/summary" 2>"$T/stderr" &
tracer=$!
wait_for in_place "$T/stderr"
holds first_page grep -q '^xputrace_info{version="' "$T/m.prom"
for i in 1 2; do
	XPT_TRUTH=$T/truth.$i "$T/metrics-storm" --iterations 500 >/dev/null 2>&1
done
function=$(jq -r '.calls | to_entries | max_by(.value).key' "$T/truth.1")
n=$(jq -s --arg f "$function" 'map(.calls[$f]) | add' "$T/truth.1" "$T/truth.2")
holds ended wait_for calls_are "$n" "$function"

# One that runs on: its calls are there before it ends.
cp "$W/storm" "$T/runner"
"$T/runner" --launches 1 --seconds 300 --iterations 1000000 >/dev/null 2>&1 &
runner=$!
has_runner() {
	[ "$(value calls_total 'process="runner"' "function=\"$function\"")" -ge 1 ]
}
holds running wait_for has_runner
kill $runner
wait $runner 2>/dev/null

# Pages are whole, and counters never fall.
: >"$T/falls"
last=0
(
	"$T/metrics-storm" --iterations 20000 --threads 4 >/dev/null 2>&1
	: >"$T/over"
) &
until [ -e "$T/over" ]; do
	cp "$T/m.prom" "$T/copy.prom" && tail -n 1 "$T/copy.prom" | grep -q ' [0-9.]*$' || echo "torn" >>"$T/falls"
	now=$(value calls_total 'process="metrics-storm"' "function=\"$function\"")
	[ "$now" -ge "$last" ] || echo "$last $now" >>"$T/falls"
	last=$now
done
wait $!
is never_falls "" "$(cat "$T/falls")"
kill -INT $tracer
wait $tracer
is status 0 $?
is losses 0 "$(value lost_total 'loss="counters_full"')"
# The metrics count a nested call and a point as calls of their functions; the programs of other tests make such calls.
is same_as_summary "$(jq '.summary | .calls + .nested_calls + .points' "$T/summary")" "$(value calls_total 'domain=')"
if command -v promtool >/dev/null; then
	is promtool "" "$(promtool check metrics <"$T/m.prom" 2>&1 | grep -v 'no help text')"
fi

# Errors by name, as the report has them.
"$XPT" run --as-root -q --no-summary -o "$T/e.xtr" --metrics "$T/m.prom" -- "$E/error" --oom >/dev/null 2>&1
"$XPT" report --json "$T/e.xtr" | jq -r '.errors | group_by(.error)[] | "\(.[0].error) \(map(.calls) | add)"' >"$T/errors"
holds errors_told test -s "$T/errors"
while read -r error n; do
	is "errors_$error" "$n" "$(value call_errors_total "error=\"$error\"")"
done <"$T/errors"

# What cannot be kept is said before the command runs; a file that was not there goes if nothing is traced.
"$XPT" run --as-root -q --no-file --metrics "$T/no/such/m.prom" -- sh -c ": >'$T/ran'" >/dev/null 2>"$T/err"
is missing_folder 1 $?
holds missing_folder_said grep -q 'cannot keep metrics in .*/no/such/m.prom' "$T/err"
"$XPT" run --as-root -q --no-file --metrics /dev/null -- sh -c ": >'$T/ran'" >/dev/null 2>"$T/err"
is device 1 $?
holds device_said grep -q 'it is no plain file' "$T/err"
holds not_run [ ! -e "$T/ran" ]
"$XPT" run --as-root -q --no-file --metrics "$T/gone.prom" -- /no/such/command >/dev/null 2>&1
holds removed [ ! -e "$T/gone.prom" ]
exit $failed
