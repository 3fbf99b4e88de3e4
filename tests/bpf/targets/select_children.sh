#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# needs: bpf jq python3
#
# Children of every kind are followed, each to its last call: fork, vfork and
# exec, threads, a shell between, a grandchild whose parent is gone, a daemon
# in a session of its own that outlives the process that was named.
# shellcheck disable=SC2317 # functions called by name
. tests/bpf/lib.sh
need_bpf

actor=$W/actor
run() { # NAME CALLS STEPS...
	r_name=$1 r_want=$2
	shift 2
	trace "$r_name" -- "$actor" "$@" || not_ok "$r_name" "exit status $status"
	is "$r_name" "$r_want" "$(field "$r_name" .summary.calls)"
	is "${r_name}_losses" null "$(field "$r_name" .losses)"
}
processes() { # NAME: how many made calls
	jq -r .pid "$T/$1/t.jsonl" | sort -u | wc -l
}

run fork 13 3 fork=4 fork=6
is fork_processes 3 "$(processes fork)"
run vfork 7 3 vfork=4
is vfork_processes 2 "$(processes vfork)"
run thread 7 3 thread=4
is thread_one_process 1 "$(processes thread)"
is thread_threads 2 "$(jq -r .tid "$T/thread/t.jsonl" | sort -u | wc -l)"
run shell 7 3 shell=4
is shell_processes 2 "$(processes shell)"
run orphan 7 3 orphan=4
is orphan_processes 2 "$(processes orphan)"
run exec 12 3 exec="$actor" 4 vfork=5
is exec_processes 2 "$(processes exec)"
run all 63 1 fork=2 vfork=4 thread=8 shell=16 orphan=32

# --no-follow: the process and its threads alone.
trace alone --no-follow -- "$actor" 1 fork=2 vfork=4 thread=8 shell=16 orphan=32
is no_follow 9 "$(field alone .summary.calls)"

# A daemon: attach to its ancestor, which ends; the trace goes on until the daemon ends.
mkdir "$T/daemon"
ACTOR_GO=$T/go "$actor" 0 done="$T/up" wait="$T/traced" daemon=5 3 &
pid=$!
wait_for test -e "$T/up"
"$XPT" attach -p $pid -q -v --no-summary -o "$T/daemon/t.xtr" >"$T/daemon/out" 2>"$T/daemon/stderr" &
tracer=$!
wait_for in_place "$T/daemon/stderr"
touch "$T/traced"
wait $pid
is daemon_parent 0 $?
has_seen_end() {
	PYTHONPATH=tests/bpf python3 -c 'import sys, xtr
sys.exit(not any(task[1] == int(sys.argv[2]) and task[4] == 4 for task in xtr.Recording(sys.argv[1]).tasks))' \
		"$T/daemon/t.xtr" "$pid" 2>/dev/null
}
wait_for has_seen_end
holds daemon_keeps_trace kill -0 $tracer
touch "$T/go"
wait $tracer
is daemon_status 0 $?
"$XPT" report --json "$T/daemon/t.xtr" >"$T/daemon/report.json"
is daemon 8 "$(field daemon .summary.calls)"
is daemon_end 2 "$(python3 -c 'import sys; sys.path.insert(0, "tests/bpf"); import xtr
print(xtr.Recording(sys.argv[1]).end[3])' "$T/daemon/t.xtr")"
exit $failed
