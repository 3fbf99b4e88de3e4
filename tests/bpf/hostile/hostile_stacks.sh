#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user
#
# A stranger makes calls under attach --all --stacks whose callers' callers are nowhere, in a process of very
# many mappings of code, so that each costs the reader a look at all of them. Known programs beside him are
# seen to the call, and the trace ends as if he were not there.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_stacks
cp "$W/storm" "$T"

begin floor --stacks
known floor "$T/storm" --iterations 20000
end floor

begin stacks --stacks
known stacks "$T/storm" --iterations 20000	# so that the library has probes when the stranger calls it
start_stranger "$T/hostile" stacks "$B/fake/libcuda.so.1" 15000 1000 >"$T/theirs/out"
wait_for grep -q called "$T/theirs/out"
for _ in 1 2 3; do
	known stacks "$T/storm" --iterations 20000
done
end stacks
kill $attacker
wait $attacker
is stacks_attacker_ended 143 $?
is stacks_status 0 $o_status
sees_all stacks
is stacks_of_stranger 1000 "$(jq -n --argjson pid $attacker 'reduce (inputs | select(.name == "cuDriverGetVersion" and
	.pid == $pid)) as $call (0; . + 1)' "$T/stacks/t.jsonl")"
holds stacks_ends_fast [ $stacks_ms -le $((floor_ms * 2 + 3000)) ]
echo "note a trace of a stranger with 15000 mappings of code ends after $stacks_ms ms, without after $floor_ms"
exit $failed
