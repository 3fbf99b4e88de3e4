#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user
#
# A stranger floods the rings under attach --all, with the reader stopped meanwhile so that
# they must overflow: with calls, with calls that fail, with calls that are left by
# longjmp, from many threads. A known program of another user that begins only then loses no
# event, and what was cut is told with the stranger's name. So with files that have a limit.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_flood
cp "$W/storm" "$W/longjmp" "$T"

# flood NAME OPTION... -- COMMAND...: of the stranger, while the reader is stopped; then a known one
flood() {
	f_name=$1
	shift
	f_opts=
	while [ "$1" != -- ]; do
		f_opts="$f_opts $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # a list
	begin "$f_name" $f_opts
	kill -STOP $tracer
	as_stranger "$@" >/dev/null 2>&1
	XPT_FAKE_FAULT=$victim_fault known "$f_name" "$T/storm" --iterations "$victim_calls"
	kill -CONT $tracer
	end "$f_name"
	is "${f_name}_status" 0 $o_status
	sees_all "$f_name"
}
cut_is_told() { # NAME
	holds "$1_told" grep -q "calls of user $U (.*) were counted, but not sent as events" "$T/$1/stderr"
}
victim_fault='' victim_calls=200
flood calls --ring 512K -- "$T/storm" --iterations 20000 --threads 8
cut_is_told calls
holds calls_lost [ "$(field calls '[.losses[]? | select(.loss == "ring_full").count] | add // 0')" -gt 30000 ]
flood threads --ring 512K -- "$T/storm" --iterations 200 --threads 500
cut_is_told threads
# More than the first ring holds fails: the second one is for errors of all.
victim_fault=cuMemGetInfo_v2@1+=999
XPT_FAKE_FAULT=cuMemGetInfo_v2@1+=999 flood errors --ring 512K -- "$T/storm" --iterations 2000 --threads 64
cut_is_told errors
victim_fault=''
# Calls whose string the reader is to read, for the probe could not.
flood unread --ring 512K -- "$T/hostile" unread "$B/fake/libcuda.so.1" 20000
cut_is_told unread
flood left --ring 512K -- "$T/longjmp" --iterations 50000

# Of what --rate allows he takes nothing from others.
victim_calls=50
flood rate --ring 8M --rate 100 -- "$T/storm" --iterations 20000 --threads 8
holds rate_left_out [ "$(field rate '[.losses[]? | select(.loss == "rate").count] | add // 0')" -gt 100000 ]

# Nor does he fill the files, if they have a limit: what comes when his share is used up is all there.
# Of other programs of the machine, which have shares as well, nothing is traced.
cp "$T/storm" "$T/filler$$"
mkdir "$T/file"
"$XPT" attach --comm "filler$$" -q -v --max-size 300K -o "$T/file/t.xtr" -o "$T/file/t.jsonl" \
	>"$T/file/summary" 2>"$T/file/stderr" &
tracer=$!
wait_for waits_for_program file
as_stranger "$T/filler$$" --iterations 20000 --threads 4 >/dev/null 2>&1
known file "$T/filler$$" --iterations 50
end file
is file_status 0 $o_status
sees_all file
"$XPT" convert "$T/file/t.xtr" -o "$T/file/of_recording.jsonl" 2>/dev/null
mv "$T/file/of_recording.jsonl" "$T/file/t.jsonl"
is file_recording "$(jq -s 'map([.calls[]] | add) | add' "$T/file/truth")" \
	"$(jq -r --argjson pid "$(jq .pid "$T/file/truth")" 'select(.pid == $pid) | .name' "$T/file/t.jsonl" | wc -l)"
for f in t.xtr t.jsonl; do
	holds "file_told_$f" grep -q "$f: [0-9]* calls of user $U (.*) were not written" "$T/file/stderr"
done
holds file_counted [ "$(field file '[.losses[]? | select(.loss == "file_limit").count] | add // 0')" -gt 10000 ]
exit $failed
