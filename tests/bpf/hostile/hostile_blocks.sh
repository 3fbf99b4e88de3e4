#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user
#
# Setting and taking away a probe changes every mapping of its file, and fails where one of them cannot be changed. A
# stranger maps a library very often, or keeps its pages from being copied: calls of a library of others are seen
# meanwhile, the trace ends as fast as without him, and where he is gone the library gets its probes.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_blocks
cp "$W/blocks" "$T/blocks"
for dir in theirs_too others; do
	mkdir "$T/$dir"
	cp "$B/fake/libcuda.so.1" "$T/$dir/"
done
cp "$E/train" "$T/blocks-train"
chmod -R a+rX "$T"
stranger_is_ready() {
	grep -q ready "$T/ready"
}

begin floor
LD_LIBRARY_PATH=$T/others known floor "$T/blocks-train" --iterations 20
end floor

# --- a library in very many mappings: each probe takes the kernel as many changes -------------------------------
begin many
LD_LIBRARY_PATH=$T/others known many "$T/blocks-train" --iterations 20
: >"$T/many/truth"	# its first calls may be missed
: >"$T/ready"
start_stranger "$T/blocks" many "$T/theirs_too/libcuda.so.1" 30000 >"$T/ready"
wait_for stranger_is_ready
LD_LIBRARY_PATH=$T/theirs_too as_stranger "$T/blocks-train" --iterations 3 >/dev/null 2>&1
LD_LIBRARY_PATH=$T/others known many "$T/blocks-train" --iterations 3000
end many
is many_status 0 $o_status
holds many_ends_fast [ $many_ms -le $((floor_ms * 2 + 4000)) ]
holds many_stranger_is_there kill -0 $attacker
{ kill $attacker; wait $attacker; } 2>/dev/null
sees_all many
is many_none_lost 0 "$(jq '.summary.events_lost' "$T/many/report.json")"
echo "note a trace beside 30000 mappings of a library ends after $many_ms ms, without after $floor_ms"

# --- a library whose pages cannot be copied while a stranger maps it ----------------------------------------------
if ! mkdir "/dev/shm/xputrace-blocks.$$" 2>/dev/null; then
	echo "skip copies: no /dev/shm"
	exit $failed
fi
memory=/dev/shm/xputrace-blocks.$$
trap 'rm -rf "$memory"' EXIT
cp "$B/fake/libcuda.so.1" "$memory/"
chmod -R a+rX "$memory"
: >"$T/ready"
start_stranger "$T/blocks" copies "$memory/libcuda.so.1" >"$T/ready"
sleep 0.2
if ! kill -0 $attacker 2>/dev/null; then
	echo "skip copies: no userfaultfd for minor faults here"
	exit $failed
fi
wait_for stranger_is_ready
begin copies
LD_LIBRARY_PATH=$memory setpriv --reuid 65533 --clear-groups "$T/blocks-train" --iterations 100000000 >/dev/null 2>&1 &
victim=$!
holds copies_refused wait_for grep -q "$memory/libcuda.so.1 of process $victim is not traced: Bad address" "$T/copies/stderr"
{ kill $attacker; wait $attacker; } 2>/dev/null
is_seen() {
	grep -q "\"pid\":$victim," "$T/copies/t.jsonl"
}
holds copies_tried_again wait_for is_seen
{ kill $victim; wait $victim; } 2>/dev/null
LD_LIBRARY_PATH=$memory known copies "$T/blocks-train" --iterations 50
end copies
sees_all copies
holds copies_told grep -q 'lib_failed  *1  files not traced' "$T/copies/summary"
exit $failed
