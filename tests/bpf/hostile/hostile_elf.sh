#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq python3 user
#
# A stranger's libraries that would cost their reader gigabytes and minutes, beside a known
# program, under attach --all: the program's calls are all seen, and what was not read
# is counted and told.
. tests/bpf/lib.sh
need_bpf
U=65534
chmod 755 "$T"
mkdir "$T/theirs"
python3 $here/hostile/hostile_elf.py make "$T/theirs"
chown -R $U "$T/theirs"
# As much as a user has who may use little: nothing of this is stored.
holds stored_little [ "$(du -sk "$T/theirs" | cut -f 1)" -lt 4096 ]

mapped() {
	grep -qs mapped "$T/mapped"
}
python3 $here/hostile/hostile_elf.py map $U "$T"/theirs/*/libcuda.so.1 >"$T/mapped" &
stranger=$!
holds mapped wait_for mapped

mkdir "$T/all"
"$XPT" attach --all -q -v -o "$T/all/t.xtr" -o "$T/all/t.jsonl" >"$T/all/summary" 2>"$T/all/stderr" &
tracer=$!
wait_for in_place "$T/all/stderr"
start all "$E/late_dlopen" --delay 0 --iterations 50
wait $pid
all_seen() {
	[ "$(jq -r --argjson pid "$(jq .pid "$T/all/truth")" 'select(.pid == $pid) | .name' "$T/all/t.jsonl" | wc -l)" = \
		"$(jq '[.calls[]] | add' "$T/all/truth")" ]
}
holds all_seen wait_for all_seen
peak=$(awk '/^VmHWM/ { print $2 }' "/proc/$tracer/status")
kill -INT $tracer
wait $tracer
is status 0 $?
kill $stranger
"$XPT" report --json "$T/all/t.xtr" >"$T/all/report.json"
# Not of the machine's load: gigabytes and minutes are meant.
holds memory [ "$peak" -lt 1000000 ]
holds time [ "$(field all .overhead.cpu_ns)" -lt 10000000000 ]
holds counted [ "$(field all '[.losses[]? | select(.loss == "lib_failed").count] | add // 0')" -ge 2 ]
holds told grep -q "not traced, because reading .* $T/theirs/.* of user $U" "$T/all/stderr"
echo "note peak $peak KiB, CPU $(field all .overhead.cpu_ns) ns"
exit $failed
