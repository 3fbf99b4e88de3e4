#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf jq python3
# uses: bpftool
#
# Processes and libraries as they come and go: attach to what runs, libraries
# that are loaded late or from an unknown place, children of children, programs
# that end at once, many in a row, a call that never returns. Nothing of
# xputrace is left in a process that it traced.
. tests/bpf/lib.sh
need_bpf

# --- a process that runs already -------------------------------------------------
start attach "$W/storm" --launches 1 --iterations 100000000 --seconds 250 --until "$T/attach/end"
wait_for maps_library $pid
attach attach -p $pid
wait_for writes attach
kill -INT $tracer
wait $tracer
is attach_status 0 $?
check clean attach_leaves_no_probe $pid "$B/fake/libcuda.so.1"
holds attach_program_goes_on kill -0 $pid
: >"$T/attach/end"
wait $pid
is attach_program_status 0 $?
made=$(jq .calls.cuMemGetInfo_v2 "$T/attach/truth")
holds attach_program_unharmed test "$made" -gt 1000 -a "$(jq '.errors | length' "$T/attach/truth")" = 0
seen=$(calls_in attach)
holds attach_sees_calls test "$seen" -gt 100 -a "$seen" -lt "$made"
is attach_losses null "$("$XPT" report --json "$T/attach/t.xtr" | jq -c .losses)"

# Ends by itself when the process does.
start ends "$W/storm" --launches 1 --iterations 100000000 --seconds 250 --until "$T/ends/end"
wait_for maps_library $pid
attach ends -p $pid
wait_for writes ends
: >"$T/ends/end"
wait $tracer
is attach_ends_with_process 0 $?
wait $pid
is attach_reason 2 "$(python3 -c 'import sys; sys.path.insert(0, "tests/bpf"); import xtr
print(xtr.Recording(sys.argv[1]).end[3])' "$T/ends/t.xtr")"

# Two processes, both killed off: one attach.
start one "$W/storm" --launches 1 --iterations 100000
first=$pid
start two "$W/storm" --launches 1 --iterations 100000
wait_for maps_library $first && wait_for maps_library $pid
attach two_pids -p "$first,$pid"
wait_for writes two_pids
kill -KILL $first $pid
wait $tracer
is two_killed_status 0 $?
is two_pids_seen 2 "$(jq -r 'select(.pid) | .pid' "$T/two_pids/t.jsonl" | sort -u | wc -l)"
wait $first $pid 2>/dev/null

# --- xputrace is killed: the program goes on, no probe stays -----------------------
start killed "$W/storm" --launches 1 --iterations 100000000 --seconds 250 --until "$T/killed/end"
wait_for maps_library $pid
attach killed -p $pid
recorded() {
	"$XPT" report "$T/killed/t.xtr" 2>/dev/null | grep -q cuMemGetInfo_v2
}
holds recording_readable_while_traced wait_for recorded
kill -KILL $tracer
wait $tracer 2>/dev/null
gone() {
	python3 tests/bpf/check.py clean x $pid "$B/fake/libcuda.so.1" >/dev/null
}
holds killed_leaves_no_probe wait_for gone
: >"$T/killed/end"
wait $pid
is killed_program_status 0 $?
is killed_program_unharmed 0 "$(jq '.errors | length' "$T/killed/truth")"
holds killed_recording_readable recorded

# --- two at once see the same --------------------------------------------------------
start both "$W/storm" --launches 1 --iterations 100000
wait_for maps_library $pid
attach both -p $pid
other=$tracer
attach both_too -p $pid
wait_for writes both && wait_for writes both_too
kill -KILL $pid
wait $other && wait $tracer
is two_tracers_status 0 $?
wait $pid 2>/dev/null
a=$(calls_in both) b=$(calls_in both_too)
holds two_tracers_see_calls test "$a" -gt 100 -a "$b" -gt 100

# --- by name, started later -------------------------------------------------------------
# A name of our own, for others may use the machine, too.
own=storm$$
cp "$W/storm" "$T/$own"
attach comm --comm $own
wait_for waits_for_program comm
start comm "$T/$own" --iterations 500
wait $pid
start comm "$E/late_dlopen" --delay 0
wait $pid
kill -INT $tracer
wait $tracer
is comm_status 0 $?
is comm_calls 505 "$(calls_in comm)"
# Losses have no process: libraries that another test has damaged are told whoever uses them.
is comm_only $own "$(jq -r 'select(.type != "loss").comm' "$T/comm/t.jsonl" | sort -u)"

# --- libraries that are loaded late ---------------------------------------------------------
# A call takes 2 ms, so what was missed tells how long it took to see the first.
XPT_FAKE_LATENCY=cuMemAlloc_v2=2ms
export XPT_FAKE_LATENCY
# It goes on until a hundred calls were seen, however long that takes.
late() { # NAME COMMAND...
	l_name=$1
	shift
	mkdir -p "$T/$l_name"
	cat >"$T/late.sh" <<-'END'
		dir=$1
		shift
		"$@" --until "$dir/end" &
		until [ "$(grep -cs '"cuMemAlloc_v2"' "$dir/t.jsonl")" -gt 100 ] || ! kill -0 $!; do
			sleep 0.1
		done
		: >"$dir/end"
		wait $!
	END
	trace "$l_name" -- sh "$T/late.sh" "$T/$l_name" "$@" || not_ok "$l_name" "exit status $status"
	made=$(jq .calls.cuMemAlloc_v2 "$T/$l_name/truth")
	seen=$(jq -r 'select(.name == "cuMemAlloc_v2") | .name' "$T/$l_name/t.jsonl" | wc -l)
	echo "# $l_name: $((made - seen)) of $made calls of 2 ms before the first that was seen"
	holds "${l_name}_seen" test "$seen" -gt 100 -a "$seen" -le "$made"
	# From the first call on there is no gap: allocations and frees take turns.
	is "${l_name}_no_gap" "" "$(jq -r 'select(.class == "alloc" or .class == "free") | .class' \
		"$T/$l_name/t.jsonl" | uniq -d)"
	is "${l_name}_losses" null "$(field "$l_name" .losses)"
}
late late_by_name "$E/late_dlopen" --delay 300 --iterations 1000000
is late_by_name_all "$made" "$(jq -r 'select(.name == "cuMemAlloc_v2") | .name' "$T/late_by_name/t.jsonl" | wc -l)"
mkdir "$T/elsewhere"
cp "$B/fake/libcuda.so.1" "$T/elsewhere/libcuda.so.1"
late late_by_path "$E/late_dlopen" --delay 300 --iterations 1000000 --library "$T/elsewhere/libcuda.so.1"
cp "$B/fake/libcuda.so.1" "$T/elsewhere/libcuda.so.535.1"
late late_other_name "$E/late_dlopen" --delay 0 --iterations 1000000 --library "$T/elsewhere/libcuda.so.535.1"
# The same for a process that is traced by attaching, before it has any library.
# It waits until it is watched, and goes on until calls were seen, however long that takes.
start late_attach "$E/late_dlopen" --delay 0 --after "$T/late_attach/begin" --iterations 1000000 \
	--until "$T/late_attach/end" --library "$T/elsewhere/libcuda.so.1"
attach late_attach -v -p $pid
wait_for in_place "$T/late_attach/stderr"
: >"$T/late_attach/begin"
holds late_attach_seen wait_for writes late_attach
: >"$T/late_attach/end"
wait $tracer
is late_attach_status 0 $?
wait $pid
is late_attach_no_gap "" "$(jq -r 'select(.class == "alloc" or .class == "free") | .class' \
	"$T/late_attach/t.jsonl" | uniq -d)"
unset XPT_FAKE_LATENCY

# --- children of children ------------------------------------------------------------------------
cat >"$T/tree.sh" <<-END
	sh -c '"$E/train" --iterations 2 --bytes 8M & "$E/late_dlopen" --delay 0; wait' &
	"$E/fork" --threads 2
	wait
	exec "$E/late_dlopen" --delay 0 --iterations 3
END
compare tree -- sh "$T/tree.sh"
is tree_processes 6 "$(jq -s 'map(.pid) | unique | length' "$T/tree/truth")"
trace no_follow --no-follow -- sh "$T/tree.sh"
is no_follow_only_first 9 "$(calls_in no_follow)"

# --- programs that end at once ------------------------------------------------------------------------
"$XPT" run --no-file -q -- true >/dev/null 2>&1
is exit_0 0 $?
"$XPT" run --no-file -q -- sh -c 'exit 37' >/dev/null 2>&1
is exit_37 37 $?
"$XPT" run --no-file -q -- sh -c 'kill -SEGV $$' >/dev/null 2>&1
is exit_by_signal 139 $?
compare short -- "$E/late_dlopen" --delay 0 --iterations 1

# Two hundred in a row: no descriptor more, memory bounded. The lowest of some looks
# counts, since xputrace may have a file of /proc open just then.
cat >"$T/row.sh" <<-'END'
	descriptors() {
		for _ in 1 2 3 4 5 6; do
			ls "/proc/$PPID/fd" | wc -l
			sleep 0.03
		done | sort -n | head -n 1
	}
	# What measures the cost of calls has descriptors from its first second on.
	measured() {
		ps -o comm= --ppid "$PPID" | grep -q '^xputrace-cost'
	}
	i=0
	while [ $i -lt 200 ]; do
		"$1" --delay 0 --iterations 1 2>/dev/null
		i=$((i + 1))
		[ $i = 20 ] || continue
		for _ in $(seq 1200); do
			! measured || break
			sleep 0.05
		done
		descriptors >"$2.20"
	done
	descriptors >"$2.200"
END
compare row -- sh "$T/row.sh" "$E/late_dlopen" "$T/fds"
is row_processes 200 "$(wc -l <"$T/row/truth")"
first=$(cat "$T/fds.20") last=$(cat "$T/fds.200")
if [ "$last" -le "$first" ]; then ok row_descriptors; else not_ok row_descriptors "$first, then $last"; fi
holds row_memory test "$(field row .overhead.rss_bytes)" -lt $((48 << 20))

# Killed with many threads inside calls: nothing is counted twice or forgotten.
kills=
for i in 1 2 3 4 5; do
	mkdir -p "$T/kill$i"
	"$XPT" run --as-root -q --no-summary --ring 64M -o "$T/kill$i/t.xtr" -- sh -c '
		"$0" --threads 64 --iterations 1000000 --launches 1 & until [ -d /proc/$!/task/$! ] &&
		[ "$(ls /proc/$!/task | wc -l)" -gt 64 ]; do :; done; sleep 0.2; kill -KILL $!; wait' "$W/storm" >/dev/null 2>&1
	kills="$kills $T/kill$i"
done
# shellcheck disable=SC2086 # a list
check agree killed_threads $kills

# --- an end that no program of the kernel saw ----------------------------------------
# A process that is gone already is put among the targets, as if its end had been missed.
map_of() { # NAME: the id of the tracer's map
	grep -hs '^map_id' "/proc/$tracer/fdinfo/"* | while read -r _ id; do
		! bpftool map show id "$id" 2>/dev/null | grep -q "name $1 " || echo "$id"
	done | head -n 1
}
finds_map() { # NAME: its id in $map
	map=$(map_of "$1")
	[ -n "$map" ]
}
if command -v bpftool >/dev/null 2>&1; then
	# It goes on until the process is there, however long that takes.
	start unseen "$E/train" --iterations 1000000 --bytes 64K --delay 10
	wait_for maps_library $pid
	attach unseen -p $pid
	wait_for writes unseen
	sh -c : &
	gone=$!
	wait $gone
	holds unseen_map wait_for finds_map xpt_targets
	# shellcheck disable=SC2046 # four words
	bpftool map update id "$map" key hex \
		$(printf '%02x %02x %02x %02x' $((gone & 255)) $((gone >> 8 & 255)) $((gone >> 16 & 255)) $((gone >> 24))) \
		value hex 02 00 00 00
	is unseen_put 0 $?
	kill $pid
	holds unseen_not_waited_for wait_for ended $tracer	# else until it is told to end
	kill -INT $tracer 2>/dev/null
	wait $tracer
	wait $pid
	is unseen_told "$gone" "$(PYTHONPATH=tests/bpf python3 -c 'import sys, xtr
print(*[task[1] for task in xtr.Recording(sys.argv[1]).tasks if task[4] == 4 and task[1] != int(sys.argv[2])])' "$T/unseen/t.xtr" $pid)"
else
	echo "skip unseen: no bpftool"
fi

# --- a call that never returns --------------------------------------------------------------------------
waits_in_call() { # FILE with what the program says: its second thread makes that call, and sleeps in it
	w_pid=$(sed -n 's/^hang: pid \([0-9]*\) waits in .*/\1/p' "$1") && [ -n "$w_pid" ] || return 1
	w_tid=$(ls "/proc/$w_pid/task" | grep -vx "$w_pid" | tail -n 1)
	grep -q ') S ' "/proc/$w_pid/task/$w_tid/stat"
}
hung_and() { # NAME SIGNAL
	mkdir -p "$T/$1"
	"$XPT" run --as-root -q --no-summary -o "$T/$1/t.xtr" -- sh -c 'echo $$ >"$0.pid"; exec "$1" --async' \
		"$T/$1/p" "$E/hang" >/dev/null 2>"$T/$1/stderr" &
	tracer=$!
	wait_for waits_in_call "$T/$1/stderr"
	sleep 0.4	# the least age that is asked for below
	kill "-$2" "$(cat "$T/$1/p.pid")"
	wait $tracer
	status=$?
	"$XPT" report --json "$T/$1/t.xtr" >"$T/$1/report.json"
	is "$1_in_flight" cuStreamSynchronize "$(field "$1" '.inflight[].function')"
	is "$1_age" true "$(field "$1" '.inflight[0].age_ns > 300000000')"
	is "$1_cut" 1 "$(field "$1" '.losses[] | select(.loss == "cut_exit") | .count')"
}
hung_and hang_killed KILL
is hang_killed_status 137 $status
hung_and hang_ended TERM
is hang_ended_status 143 $status
# Still hanging when the trace ends.
own=hang$$
cp "$E/hang" "$T/$own"
attach hang_left --comm $own
wait_for waits_for_program hang_left
start hang_left "$T/$own" --async
wait_for waits_in_call "$T/hang_left/program"
sleep 0.4
kill -INT $tracer
wait $tracer
"$XPT" report --json "$T/hang_left/t.xtr" >"$T/hang_left/report.json"
is hang_left_in_flight cuStreamSynchronize "$(field hang_left '.inflight[].function')"
is hang_left_age true "$(field hang_left '.inflight[0].age_ns > 300000000')"
holds hang_left_running kill -0 $pid
kill -KILL $pid
wait $pid 2>/dev/null
exit $failed
