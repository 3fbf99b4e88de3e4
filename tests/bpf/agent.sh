#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
# uses: promtool
#
# The agent: what it serves is what programs have counted themselves, also while it is asked all the time; a call that
# does not return is seen while it waits; devices are read; systemd hears of its state; a port that is taken and a second
# agent; killed and started again it leaves no probe and no process.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/agent_lib.sh

calls_are() { # N FUNCTION
	[ "$(value calls_total 'process="agent-storm"' "function=\"$2\"")" = "$1" ]
}

# The agent sees all processes: these have names that no other test's programs have.
cp "$W/storm" "$T/agent-storm"
cp "$E/hang" "$T/agent-hang"

# --- systemd hears of it -------------------------------------------------------------------------
start_manager
export NOTIFY_SOCKET="$T/notify" WATCHDOG_USEC=300000
start_agent first
unset NOTIFY_SOCKET WATCHDOG_USEC
wait_for grep -q READY=1 "$T/told"
ok notify_ready
wait_for grep -q WATCHDOG=1 "$T/told"
ok notify_alive
# shellcheck disable=SC2009 # pgrep has no such choice
holds told_to_nobody_else [ -z "$(tr '\0' '\n' <"/proc/$(pgrep -P $agent -f http-server)/environ")" ]

# --- counts ----------------------------------------------------------------------------------------
# Asked all the time, by several at once.
for i in 1 2 3; do
	(while [ ! -e "$T/enough" ]; do scrape "$url" >"$T/page.$i" || echo "no answer" >>"$T/unanswered"; done) &
done
for i in 1 2; do
	XPT_TRUTH=$T/truth.$i "$T/agent-storm" --iterations 20000 --threads 4 >/dev/null 2>&1
done
: >"$T/enough"
function=$(jq -r '.calls | to_entries | max_by(.value).key' "$T/truth.1")
n=$(jq -s --arg f "$function" 'map(.calls[$f]) | add' "$T/truth.1" "$T/truth.2")
holds counts wait_for calls_are "$n" "$function"
# Of all processes of the machine, on one page; others' calls may end while the kernel is asked.
on_page() { # METRIC LABEL
	grep "^xputrace_$1{" "$T/page" | grep -F "function=\"$function\"" | grep -F "$2" | sed 's/.*} //' | add_up
}
histogram_has_all() {
	scrape "$url" >"$T/page"
	[ "$(on_page calls_total domain=)" = "$(on_page call_duration_seconds_count domain=)" ] &&
		[ "$(on_page calls_total domain=)" = "$(on_page call_duration_seconds_bucket 'le="+Inf"')" ]
}
holds counted_in_histogram wait_for histogram_has_all
holds all_answered [ ! -e "$T/unanswered" ]

# --- a call that does not return --------------------------------------------------------------------
"$T/agent-hang" --async >/dev/null 2>"$T/hang.err" &
hang=$!
age() {
	value call_in_flight_seconds 'process="agent-hang"' 'function="cuStreamSynchronize"'
}
is_seen() {
	[ "$(age | cut -d. -f1)" -ge 1 ]
}
holds in_flight_seen wait_for is_seen
before=$(age)
grows() {
	[ "$(echo "$(age) > $before" | bc)" = 1 ]
}
holds in_flight_grows wait_for grows
{ kill -9 $hang; wait $hang; } 2>/dev/null
is_gone() {
	! scrape "$url" | grep -q 'in_flight.*process="agent-hang"'
}
holds in_flight_ends wait_for is_gone
if command -v promtool >/dev/null; then
	is promtool "" "$(scrape "$url" | promtool check metrics 2>&1)"
fi

# --- a port that is taken; a second agent beside the first ----------------------------------------------
"$XPT" agent --listen "${url#http://}" >/dev/null 2>"$T/err"
is bad_address 2 $?
port=$(echo "$url" | sed 's,.*:\([0-9]*\)/.*,\1,')
"$XPT" agent --listen "$port" >/dev/null 2>"$T/err"
is port_taken 1 $?
holds port_taken_said grep -q "cannot listen on $port: another program has that port; --listen names another" "$T/err"
"$XPT" agent more >/dev/null 2>&1
is usage 2 $?
first=$agent first_url=$url
start_agent second --domain cuda
XPT_TRUTH=$T/truth.3 "$T/agent-storm" --iterations 500 >/dev/null 2>&1
n3=$(jq --arg f "$function" '.calls[$f]' "$T/truth.3")
holds second_counts wait_for calls_are "$n3" "$function"
kill -TERM $agent
wait $agent
is second_status 0 $?
agent=$first url=$first_url
holds first_counts wait_for calls_are $((n + n3)) "$function"
# It is suspended for a while, as by a debugger or with the whole machine: the kernel counts on.
kill -STOP $agent
XPT_TRUTH=$T/truth.5 "$T/agent-storm" --iterations 500 >/dev/null 2>&1
n5=$(jq --arg f "$function" '.calls[$f]' "$T/truth.5")
kill -CONT $agent
holds suspended_counts wait_for calls_are $((n + n3 + n5)) "$function"
kill -TERM $agent
wait $agent
is status 0 $?
wait $manager
holds notify_stopping grep -q STOPPING=1 "$T/told"
is said_nothing "" "$(cat "$T/first.out")"

# --- killed and started again ------------------------------------------------------------------------------
start_agent killed
children=$(pgrep -P $agent)
kill -9 $agent
wait $agent 2>/dev/null
all_gone() {
	for pid in $children; do
		[ ! -e "/proc/$pid/exe" ] || ! readlink "/proc/$pid/exe" >/dev/null || return 1
	done
}
holds no_process_is_left wait_for all_gone
start_agent again
is begins_at_zero 0 "$(value calls_total 'process="agent-storm"')"
XPT_TRUTH=$T/truth.4 "$T/agent-storm" --iterations 500 >/dev/null 2>&1
holds counts_again wait_for calls_are "$(jq --arg f "$function" '.calls[$f]' "$T/truth.4")" "$function"
kill -INT $agent
wait $agent
is again_status 0 $?
exit $failed
