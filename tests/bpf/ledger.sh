#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 180
# needs: bpf jq python3
#
# Threads that hand addresses to one another: an allocation returns an address
# before the free that gave it back has returned. What was freed and what is
# left is the program's own count, to the block. What each free gave back stands in
# its line, for memory of every kind.
. tests/bpf/lib.sh
need_bpf

blocks() { # NAME: allocated, freed and left, by the report
	jq -r '[.memory[]? | select(.kind == "device")][0] | "\(.allocations) \(.frees) \(.not_freed)"' "$T/$1/report.json"
}

for n in 2 8 32; do
	compare "threads_$n" -- "$E/handover" --threads $n --iterations $((4000 / n))
	is "truth_$n" "$(jq -r '"\(.allocations) \(.frees) \(.leaked_count)"' "$T/threads_$n/truth")" "$(blocks "threads_$n")"
done

# Frees name an address only. truth counts memory; pins and mappings are no memory of their own.
trace sizes -- "$E/families" --iterations 3 || not_ok sizes "exit status $status"
"$XPT" replay --raw "$T/sizes/t.xtr" >"$T/sizes.live"
want=$(jq .freed_bytes "$T/sizes/truth")
is sizes_json "$want" "$(jq 'select(.class == "free") | .freed' "$T/sizes/t.jsonl" | add_up)"
is sizes_each 0 "$(jq -s '[.[] | select((.class == "free" or .name == "cuMemHostUnregister") and .phase == "X" and
	(.freed // 0) == 0)] | length' "$T/sizes/t.jsonl")"
lines='cuMem(Free|FreeAsync|Free_v2|FreeHost|Release)|cu(Mipmapped)?ArrayDestroy'
is sizes_live "$want" "$(grep -E "^ *[0-9]+ +($lines) " "$T/sizes.live" | awk '{ print $3 }' | add_up)"
is sizes_unpinned "$((3 * 65536))" "$(awk '$2 == "cuMemHostUnregister" { print $3 }' "$T/sizes.live" | add_up)"
# The same bytes for a call of the runtime as for the driver's inside it, and none where nothing was freed.
trace runtime -- "$E/runtime_train" --iterations 4 --bytes 16M || not_ok runtime "exit status $status"
is sizes_runtime true "$(jq -s '[.[] | select(.name == "cudaFree" and .phase == "X") | .freed] as $outer |
	[.[] | select(.name == "cuMemFree_v2" and .depth > 0) | .freed] as $inner | ($outer | length) > 0 and $outer == $inner' \
	"$T/runtime/t.jsonl")"
exit $failed
