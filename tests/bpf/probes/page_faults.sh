#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq python3
#
# Major page faults inside calls: each one that the kernel counted for the program's threads is told, in its call, with
# its address; none of those outside of calls, and none where no page is read from disk. The program waits for the disk
# again and again, and so does the reader when it writes: beside other tests it would miss some of their mappings,
# which it is told as well.
. tests/bpf/lib.sh
need_bpf

F=$T/pages
to='major_page_fault in cuMemcpyHtoD_v2'
from='major_page_fault in cuMemcpyDtoH_v2'

# Pages of tmpfs have no disk to be read from, and some file systems keep them in memory.
"$W/page_faults" "$F" >"$T/untraced" 2>/dev/null
if [ "$(jq .to_device "$T/untraced")" = 0 ]; then
	echo "skip page_faults: no major page fault can be made on $(stat -f -c %T "$T") in $T"
	exit 0
fi

events() { # DIR FUNCTION
	jq -c --arg f "$2" 'select(.name == $f)' "$T/$1/t.jsonl" | wc -l
}

counts() { # DIR FUNCTION: in the report
	jq --arg f "$2" '[.functions[] | select(.function == $f) | .calls] | add // 0' "$T/$1/report.json"
}

# faults NAME [OPTION...]: of the program, traced, what it counted is what the trace has.
faults() {
	name=$1
	shift
	compare "$name" -- sh -c 'exec "$@" >"$OUT"' sh "$W/page_faults" "$@"
	told_as_counted "$name"
}

told_as_counted() { # NAME
	in_to=$(jq .to_device "$T/$1/out")
	in_from=$(jq .from_device "$T/$1/out")
	is "$1_to_device" "$in_to $in_to" "$(events "$1" "$to") $(counts "$1" "$to")"
	is "$1_from_device" "$in_from $in_from" "$(events "$1" "$from") $(counts "$1" "$from")"
	is "$1_not_lost" null "$(jq '.losses // [] | map(select(.loss == "kernel_missed"))[0].count' "$T/$1/report.json")"
}

export OUT
with=--sched
OUT=$T/one/out faults one "$F"
OUT=$T/many/out faults many --launches 500 --iterations 4 "$F"
OUT=$T/threads/out faults threads --threads 4 --launches 3 "$F"
OUT=$T/outside/out faults outside --bytes 4M --iterations 3 "$F"
OUT=$T/none/out faults none

# A process that runs already, and its threads, which are older than the trace.
mkdir -p "$T/late"
OUT=$T/late/out
start late sh -c 'exec "$@" >"$OUT"' sh "$W/page_faults" --threads 2 --after "$T/go" "$F"
wait_for maps_library "$pid"
attach late -p "$pid" --sched -v
wait_for in_place "$T/late/stderr"
: >"$T/go"
wait "$pid" "$tracer"
"$XPT" report --json "$T/late/t.xtr" >"$T/late/report.json"
told_as_counted late

# Faults outside of calls take no room: while nobody reads the rings, there are more of them than two rings hold.
mkdir -p "$T/unread"
OUT=$T/unread/out
start unread sh -c 'exec "$@" >"$OUT"' sh "$W/page_faults" --bytes 4M --iterations 8 --after "$T/go2" "$F"
wait_for maps_library "$pid"
attach unread -p "$pid" --sched -v
wait_for in_place "$T/unread/stderr"
kill -STOP "$tracer"
: >"$T/go2"
wait_for grep -q outside "$OUT"
kill -CONT "$tracer"
wait "$pid" "$tracer"
"$XPT" report --json "$T/unread/t.xtr" >"$T/unread/report.json"
holds unread_outside [ "$(jq .outside "$OUT")" -ge 8000 ]
told_as_counted unread

# Counters alone have no calls that a fault could be in.
"$XPT" run --as-root -q --no-file --counters --sched --json -- "$W/page_faults" "$F" >"$T/counters" 2>"$T/counters.err"
is counters 0 "$(grep -c major_page_fault "$T/counters")"
# Who does not ask for it has no events of pages that happen to be on disk.
with=
trace unasked -- "$W/page_faults" "$F"
is unasked 0 "$(grep -c major_page_fault "$T/unasked/t.jsonl")"
exit $failed
