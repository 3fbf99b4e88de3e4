#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user
#
# A stranger makes calls under attach --all --stacks whose callers' callers are nowhere, in a process of very
# many mappings of code that come again and again, so that each costs the reader a look at all of them. Known
# programs beside him are seen to the call, and the trace ends as if he were not there.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_stacks
cp "$W/storm" "$T"

begin floor --stacks
known floor "$T/storm" --iterations 5000
end floor

# 20 calls a millisecond: the ring has room for those of a moment, not for those of seconds.
begin stacks --stacks --ring 1M
known stacks "$T/storm" --iterations 5000 --launches 20	# so that the library has probes when the stranger calls it
start_stranger "$T/hostile" stacks "$B/fake/libcuda.so.1" 15000 100 >"$T/theirs/out"
wait_for grep -q called "$T/theirs/out"
for _ in 1 2 3 4; do
	known stacks "$T/storm" --iterations 5000 --launches 20
done
end stacks
kill $attacker
wait $attacker
is stacks_attacker_ended 143 $?
is stacks_status 0 $o_status
sees_all stacks
holds stacks_of_stranger grep -q cuDriverGetVersion "$T/stacks/t.jsonl"
holds stacks_ends_fast [ $stacks_ms -le $((floor_ms * 2 + 3000)) ]
echo "note a trace of a stranger with 15000 mappings of code ends after $stacks_ms ms, without after $floor_ms"
exit $failed
