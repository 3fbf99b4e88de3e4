#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
#
# Memory that is open, as the agent serves it, is what programs say themselves: of all programs of a name, while they
# allocate and free, and when one of them ends. Where calls are left out it is not shown, and not wrong.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/agent_lib.sh

start_agent memory --domain cuda --budget 100%
# Two programs, so that addresses are the same in both; what they say themselves is the truth.
cp "$W/open_memory" "$T/agent-memory"
for i in 1 2; do
	"$T/agent-memory" --until "$T/free_it" >"$T/open.$i" 2>/dev/null &
	eval "memory$i=$!"
done
said_all() { # TIMES
	[ "$(cat "$T/open.1" "$T/open.2" | wc -l)" = $((2 * $1)) ]
}
opened() { # KIND
	tail -qn 1 "$T/open.1" "$T/open.2" | sed "s/.*$1 \([0-9]*\).*/\1/" | add_up
}
# Of the first of them, as `top` shows it.
top_shows() { # KIND
	"$XPT" top --once --json --socket "$T/memory.sock" 2>/dev/null >"$T/top.json" &&
		[ "$(jq --argjson pid $memory1 ".processes[] | select(.pid == \$pid) | .open_bytes.$1" "$T/top.json")" = \
			"$(tail -qn 1 "$T/open.1" | sed "s/.*$1 \([0-9]*\).*/\1/")" ]
}
live_are() { # KIND
	[ "$(value live_bytes 'process="agent-memory"' "kind=\"$1\"")" = "$(opened "$1")" ]
}
wait_for said_all 1
holds live_device wait_for live_are device
holds live_host wait_for live_are host
holds top_device wait_for top_shows device
holds top_host wait_for top_shows host
: >"$T/free_it"
wait_for said_all 2
holds live_freed wait_for live_are device
{ kill -9 $memory1; wait $memory1; } 2>/dev/null
: >"$T/open.1"
holds live_of_one wait_for live_are device
{ kill -9 $memory2; wait $memory2; } 2>/dev/null
no_memory() {
	! scrape "$url" | grep -q 'live_bytes.*agent-memory'
}
holds live_ends wait_for no_memory
end_agent status

# --- calls that are only counted ------------------------------------------------------------------------
# The budget is used up at once, by calls that allocate and free.
start_agent budget --domain cuda --budget 0.001%
cp "$E/grow" "$T/memory-storm"
"$T/memory-storm" --async --delay 0 --bytes 4096 --iterations 100000000 >/dev/null 2>&1 &
storm=$!
is_reduced() {
	scrape "$url" | grep 'lost_total{loss="budget"}' | grep -qv ' 0$'
}
is_counted() {
	[ "$(value calls_total 'process="memory-storm"' 'function="cuMemAlloc_v2"')" -gt 0 ]
}
is_left_out() {
	! scrape "$url" | grep -q 'live_bytes.*memory-storm'
}
holds reduced wait_for is_reduced
holds counted wait_for is_counted
holds left_out wait_for is_left_out
"$XPT" top --once --json --socket "$T/budget.sock" >"$T/top.json" 2>/dev/null
is top_leaves_out null "$(jq '.processes[] | select(.name == "memory-storm") | .open_bytes' "$T/top.json")"
{ kill -9 $storm; wait $storm; } 2>/dev/null
end_agent budget_status
exit $failed
