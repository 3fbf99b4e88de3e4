#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq user
#
# A stranger's library has functions whose names have the same xpt_hash() as those of libcuda, and is there first.
# Calls of other users keep their names.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_ids
names="cuA4WQTmYW83WMG6rlq cuAky0O8QV8viunFRY1 cuAhI5CRnBhkQMzkW9v cuApKitMPSj1OMiZkbc"	# cuInit, cuLaunchKernel, cuMemAlloc_v2, cuMemFree_v2
for name in $names; do
	printf '.globl %s\n.type %s,@function\n%s: push %%rbp\n pop %%rbp\n ret\n.size %s,.-%s\n' "$name" "$name" "$name" "$name" "$name"
done >"$T/theirs/ids.s"
echo '.section .note.GNU-stack,"",@progbits' >>"$T/theirs/ids.s"
cc -shared -nostdlib -Wl,-soname,libcuda.so.1 -o "$T/theirs/libcuda.so.1" "$T/theirs/ids.s"
chmod -R a+rX "$T/theirs"

libraries=$LD_LIBRARY_PATH
LD_LIBRARY_PATH=	# else the trace knows the names of the machine's library from the beginning
begin ids
LD_LIBRARY_PATH=$libraries
start_stranger "$T/hostile" threads "$T/theirs/libcuda.so.1" 1 >/dev/null	# it stays, and has none of the names called
wait_for grep -q "$T/theirs/libcuda.so.1" "/proc/$attacker/maps"
# The machine's library has its probes once all calls of a program are seen. Others' programs, which this trace sees
# too, may have another library.
is_seen() {
	"$E/train" --iterations 1 >/dev/null 2>&1 &
	wait $!
	grep '"name":"cuInit"' "$T/ids/t.jsonl" | grep -q "\"pid\":$!,"
}
wait_for is_seen
known ids "$E/train" --iterations 3
end ids
{ kill $attacker; wait $attacker; } 2>/dev/null
sees_all ids
pid=$(jq .pid "$T/ids/truth")
is ids_names "$(jq -S -c '.calls | with_entries(select(.key | IN("cuMemAlloc_v2", "cuMemFree_v2", "cuLaunchKernel", "cuInit")))' "$T/ids/truth")" \
	"$(jq -S -c -s --argjson pid "$pid" 'map(select(.name and .pid == $pid)) | group_by(.name) | map({(.[0].name): length}) | add |
		with_entries(select(.key | IN("cuMemAlloc_v2", "cuMemFree_v2", "cuLaunchKernel", "cuInit")))' "$T/ids/t.jsonl")"
exit $failed
