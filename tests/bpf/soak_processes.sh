#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# needs: bpf jq python3
#
# Processes that come and go as fast as they can be started, each of which
# loads the library and makes calls: every call is counted, memory and
# descriptors of xputrace stay what they were after a third of the time.
# SOAK_SECONDS: how long (9); 600 is what this was made for.
. tests/bpf/lib.sh
need_bpf

third=$((${SOAK_SECONDS:-9} / 3))
cat >"$T/soak.sh" <<-'END'
	# Descriptors: the lowest of some looks, since a file of /proc may be open just then.
	look() {
		for _ in 1 2 3 4 5 6; do
			ls "/proc/$PPID/fd" | wc -l
			sleep 0.03
		done | sort -n | head -n 1 >"$1.fds"
		sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$PPID/status" >"$1.kb"
	}
	"$1" crowd="$2" >"$3.1" && look "$3.third" &&
		"$1" crowd="$2" >"$3.2" && "$1" crowd="$2" >"$3.3" && look "$3.end"
END
# More than twice as much to run as there are processors, in the last minute
is_busy() {
	awk -v nr="$(nproc)" '{ exit !($1 > 2 * nr) }' /proc/loadavg
}
soak() { # NAME OPTION...
	name=$1
	shift
	mkdir -p "$T/$name"
	# One function: with thousands of probes in each, processes start far more slowly.
	"$XPT" run --as-root -q --no-summary -f cuInit --ring 512K -o "$T/$name/t.xtr" "$@" -- \
		sh "$T/soak.sh" "$W/actor" "$third" "$T/$name/n" >/dev/null 2>"$T/$name/stderr"
	is "${name}_status" 0 $?
	"$XPT" report --json "$T/$name/t.xtr" >"$T/$name/report.json"
	made=$(cat "$T/$name"/n.[123] | awk '{ n += $1 } END { print n }')
	kb=$(cat "$T/$name/n.third.kb") end_kb=$(cat "$T/$name/n.end.kb")
	echo "# $name: $made processes; memory $kb KiB at a third, $end_kb KiB at the end"
	is "${name}_calls" $((5 * made)) "$(field "$name" .summary.calls)"
	# The kernel takes per-CPU memory for counters from a store that a worker fills. Where it was
	# empty, calls are counted without their process, which is told.
	no_process=$(field "$name" '[.losses[]? | select(.loss == "counters_full") | .count] | add // 0')
	# Beside other tests, the reader may find no processor for longer than mappings are kept for it. That is
	# told, and whether it cost a call is compared above.
	missed=$(field "$name" '[.losses[]? | select(.loss == "watch_lost") | .count] | add // 0')
	[ "$missed" = 0 ] || echo "note $name: $missed mappings came too fast to be looked at"
	# So it may be late with the probes of a library that a process waits for, but only on a machine that is busy.
	late=$(field "$name" '[.losses[]? | select(.loss == "hold_timeout") | .count] | add // 0')
	[ "$late" = 0 ] || holds "${name}_late_when_busy" is_busy
	is "${name}_losses" "[]" "$(field "$name" '[.losses[]? | select(.loss != "counters_full" and .loss != "watch_lost" and
		.loss != "hold_timeout")]' | tr -d ' \n')"
	processes=$(field "$name" .summary.processes)
	table=$(field "$name" '[.processes[].calls] | add')
	holds "${name}_processes" test "$processes" -le "$made" -a $((processes + no_process)) -ge "$made"
	holds "${name}_table" test "$table" -le $((5 * made)) -a $((table + no_process)) -ge $((5 * made))
	[ "$no_process" = 0 ] || echo "note $name: $no_process of $((5 * made)) calls were counted without their process"
	is "${name}_descriptors" "$(cat "$T/$name/n.third.fds")" "$(cat "$T/$name/n.end.fds")"
	holds "${name}_memory" test $((end_kb * 4)) -le $((kb * 5))
}
soak soak
[ -n "${SOAK_SECONDS:-}" ] || soak counters --counters
exit $failed
