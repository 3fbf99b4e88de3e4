#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make soak SECONDS=600: attach --all with its sources on (functions, ioctls, scheduler, stacks)
# beside known programs, processes that come and go as fast as they can, and a
# hostile user. Descriptors, BPF objects and definitions of perf events of the first fifth
# (without the beginning) must be those of the last; memory may grow by what is kept of a process
# for the report, up to 65,536 of them. Known programs must be seen to the call.
set -u
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers soak
cp -r "$B/fake" "$T/fake"	# other users need not get at the build directory
LD_LIBRARY_PATH=$T/fake
seconds=${SECONDS_OF_SOAK:-600}
for f in "$W/storm" "$E/late_dlopen" "$E/train" "$W/actor"; do
	cp "$f" "$T/known-$(basename "$f" | cut -c 1-9)"
done

mkdir "$T/soak"
mkfifo "$T/soak/pipe.jsonl"
grep '"comm":"known-' "$T/soak/pipe.jsonl" | grep -v '"comm":"known-actor' >"$T/soak/t.jsonl" &
# Only lines of known programs are kept: the others are a flood.
"$XPT" attach --all -q -v --layers api,ioctl --sched --stacks --max-size 0 --ring 64M -o "$T/soak/pipe.jsonl" >"$T/soak/summary" 2>"$T/soak/stderr" &
tracer=$!
wait_for in_place "$T/soak/stderr"

# How many perf events are defined in the name of that process, src/engine/perf_events.c.
tracing=/sys/kernel/tracing
[ -e $tracing/uprobe_events ] || tracing=/sys/kernel/debug/tracing
if [ ! -e $tracing/uprobe_events ]; then
	tracing=$T/tracing
	mkdir "$tracing"
	mount -t tracefs none "$tracing" && trap 'umount "$tracing"' EXIT
fi
definitions() { grep -c ":xputrace_$1/" "$tracing/uprobe_events"; }

MAX_KIB=8	# of memory for each of them, which make most of the processes with calls
SHARE=256	# libraries of one user that may have probes

# One line: seconds, anonymous memory in KiB, descriptors, maps, programs, links, definitions,
# processes that came so far.
look() {
	echo "$(($(date +%s) - began))" \
		"$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$tracer/status")" \
		"$(find "/proc/$tracer/fd" -type l 2>/dev/null | wc -l)" \
		"$(cat "/proc/$tracer/fdinfo/"* 2>/dev/null | awk '/^(map|prog|link)_id/ && !(($1 $2) in had) { had[$1 $2]; n[$1]++ }
			END { print n["map_id:"] + 0, n["prog_id:"] + 0, n["link_id:"] + 0 }')" \
		"$(definitions $tracer)" \
		"$(awk '{ n += $1 } END { print n + 0 }' "$T/crowd")"
}

# A count of none means something only if there is one where there are such events.
"$XPT" run -q --as-root --attach perf --no-file --no-summary -- sleep 600 2>"$T/soak/perf" &
perf=$!
some_defined() { [ "$(definitions $perf)" -gt 0 ]; }
holds soak_counts_definitions wait_for some_defined
kill -TERM $perf
wait $perf

began=$(date +%s)
: >"$T/crowd"
attack_all
(while [ -e "$T/go" ]; do setpriv --reuid 65532 --clear-groups "$T/known-actor" crowd=5; done) >"$T/crowd" 2>&1 &
crowd=$!
looks=$T/soak/looks
next=0
while [ $(($(date +%s) - began)) -lt "$seconds" ]; do
	known soak "$T/known-late_dlop" --delay 0 --iterations 50
	known soak "$T/known-storm" --iterations 500 --threads 4
	known soak "$T/known-train" --iterations 2
	if [ $(($(date +%s) - began)) -ge $next ]; then
		look | tee -a "$looks"
		next=$((next + 5))
	fi
done
end_attacks
wait $crowd
end_at=$(now_ms)
kill -INT $tracer
wait $tracer
is soak_status 0 $?
echo "note the trace ended after $(($(now_ms) - end_at)) ms"
wait
sees_all soak

# The most in a part of the time: column NR.
most() { # FROM TO COLUMN
	awk -v from="$1" -v to="$2" -v c="$3" '$1 >= from && $1 <= to && $c > n { n = $c } END { print n + 0 }' "$looks"
}
fifth=$((seconds / 5))
column=1
for what in memory descriptors maps programs links definitions processes; do
	column=$((column + 1))
	first=$(most $((seconds / 10)) $((seconds / 10 + fifth)) $column)
	last=$(most $((seconds - fifth)) $((seconds + 60)) $column)
	echo "note $what: $first in the first fifth, $last in the last"
	case $what in
	memory) grown=$((last - first)) ;;
	processes) holds soak_memory [ $grown -le $((MAX_KIB * (last - first))) ] ;;
	descriptors | links) holds "soak_$what" [ "$last" -le $((first + SHARE)) ] ;;
	*) is "soak_$what" "$first" "$last" ;;
	esac
done
echo "note $(wc -l <"$T/soak/truth") known programs, $(awk '{ n += $1 } END { print n }' "$T/crowd") processes that came and went; $(grep -c . "$T/ended" 2>/dev/null) attacks failed"
tail -n 5 "$T/soak/stderr"
exit $failed
