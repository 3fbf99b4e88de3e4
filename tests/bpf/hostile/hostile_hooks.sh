#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user
#
# A stranger fills the table of a hook that counts by code, and then ends one process after the other: the
# keys of each are to be named. Known programs beside him are seen to the call, and the trace ends as if he
# were not there.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_hooks
cp "$W/storm" "$T"

# begin_hook NAME: as begin, of hooks.
begin_hook() {
	mkdir "$T/$1"
	"$XPT" hook -a -v -o "$T/$1/t.xtr" -o "$T/$1/t.jsonl" -e 'call:libcuda.so.1:cuInit count by usym(arg0)' \
		-e 'call:libcuda.so.1:cuMemGetInfo_v2 arg0' >"$T/$1/summary" 2>"$T/$1/stderr" &
	tracer=$!
	wait_for grep -q 'hooks are in place' "$T/$1/stderr"
}
events_of_storms() { # NAME
	jq -n 'reduce (inputs | select(.comm == "storm" and (.name | contains("cuMemGetInfo_v2")))) as $call (0; . + 1)' "$T/$1/t.jsonl"
}

begin_hook floor
known floor "$T/storm" --iterations 5000
end floor

begin_hook rows
known rows "$T/storm" --iterations 5000	# so that the library has probes when the stranger calls it
start_stranger "$T/hostile" rows "$B/fake/libcuda.so.1" 16300 5000 >"$T/theirs/out"
wait_for grep -q called "$T/theirs/out"
for _ in 1 2 3; do
	known rows "$T/storm" --iterations 5000
done
end rows
kill $attacker
wait $attacker
is rows_attacker_ended 143 $?
is rows_status 0 $o_status
is rows_seen 20000 "$(events_of_storms rows)"
holds rows_ends_fast [ $rows_ms -le $((floor_ms * 2 + 2000)) ]
echo "note a trace with 16300 rows of a stranger and 5000 processes that ended ends after $rows_ms ms, without after $floor_ms"
exit $failed
