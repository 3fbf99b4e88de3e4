#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# needs: bpf jq python3
#
# Hooks have the probe sites of domains, and what traces one function shares its probe:
# each hook and the domain count what the program did, in each way of attaching and at
# both sites; a call costs about one trap; calls of stubs whose slots were changed are seen.
. tests/bpf/lib.sh
need_bpf

twelve='call:libcuda.so.1:cuMemAlloc_v2 sum(bytesize) as bytes
call:libcuda.so.1:cuMemAlloc_v2 if bytesize > 1 count as passed
call:libcuda.so.1:cuMemAlloc_v2 if bytesize < 1 count as held
call:libcuda.so.1:cuMem* count by func as all
call:libcuda.so.1:cuMemAlloc_v2 max(arg1) by result as most
uprobe:libcuda.so.1:cuMemAlloc_v2 sum(arg1) as entered
uprobe:libcuda.so.1:cuMemAlloc_v2 count by stack as stacks
call:libcuda.so.1:cuMemAlloc_v2 count by stack as from
call:libcuda.so.1:cuMemAlloc_v2 seen=*dptr
call:libcuda.so.1:cuMemAlloc_v2 count as n9
call:libcuda.so.1:cuMemAlloc_v2 count as n10
call:libcuda.so.1:cuMemAlloc_v2 count as n11'
printf '%s\n' "$twelve" >"$T/twelve.hook"

# --- counts: twelve hooks and the domain, in each way and at both sites ------------------------
# What hooks counted comes after the command's output: on stderr of run, which leaves stdout to
# the command.
for kind in session multi perf; do
	"$XPT" run --attach $kind --no-file --no-summary -q -- true 2>/dev/null || continue
	for sites in auto symbol; do
		name=${kind}_$sites
		rm -f "$T/truth"
		XPT_TRUTH=$T/truth "$XPT" run -q --as-root --attach $kind --sites $sites --hook-file "$T/twelve.hook" \
			-o "$T/$name.xtr" -o "$T/$name.jsonl" -- "$E/train" --iterations 7 >"$T/$name.out" 2>"$T/$name.err" ||
			not_ok "$name" "$(tail -n 1 "$T/$name.err")"
		calls=$(jq .calls.cuMemAlloc_v2 "$T/truth") bytes=$(jq .allocated_bytes "$T/truth")
		is "${name}_sums" "bytes $bytes entered $bytes n10 $calls n11 $calls n9 $calls passed $calls" \
			"$(sed -n 's/^@\([a-z0-9]*\): \([0-9]*\)$/\1 \2/p' "$T/$name.err" | LC_ALL=C sort | xargs)"
		is "${name}_by_func" "$(jq -r '.calls | to_entries[] | select(.key | startswith("cuMem")) | "\(.key) \(.value)"' "$T/truth" | sort)" \
			"$(sed -n 's/^@all\[\(.*\)\]: \([0-9]*\)$/\1 \2/p' "$T/$name.err" | sort)"
		is "${name}_stacks" "$calls $calls" "$(sed -n 's/^@\(stacks\|from\)\[.*\]: \([0-9]*\)$/\2/p' "$T/$name.err" | xargs)"
		"$XPT" report --json --all "$T/$name.xtr" >"$T/$name.json"
		is "${name}_domain" "$(jq -S -c .calls "$T/truth")" "$(jq -s -S -c 'map(select(.domain == "cuda" and (.args.seen | not))) |
			group_by(.name) | map({ (.[0].name): length }) | add' "$T/$name.jsonl")"
		is "${name}_event" "$calls" "$(jq -s 'map(select(.args.seen)) | length' "$T/$name.jsonl")"
		is "${name}_lost" "" "$(jq -r '.losses[]? | select(.loss != "events_filtered") | .loss' "$T/$name.json" | xargs)"
	done
done

# Of a library that is in no table: libc, with an indirect function and two names of one address.
"$XPT" hook -q --as-root -e 'call:libc.so.6:*getpgid count as call' -e 'uprobe:libc.so.6:*getpgid count as entry' \
	-e 'call:libc.so.6:memcpy count as indirect' -- python3 -c 'import os
for i in range(30): os.getpgid(0)' >"$T/libc.out" 2>"$T/libc.err"
is libc "call: 30 entry: 30" "$(sed -n 's/^@//p' "$T/libc.out" | grep -v indirect | sort | xargs)"

# Calls that longjmp leaves, under several functions of one probe: no frame is left over.
XPT_TRUTH=$T/jump.truth "$XPT" run -q --as-root -o "$T/jump.xtr" --hook 'call:libcuda.so.1:cu* count by func as a' \
	--hook 'call:libcuda.so.1:cu* count by func as b' -- "$W/longjmp" >"$T/jump.out" 2>"$T/jump.err"
"$XPT" report --json --all "$T/jump.xtr" >"$T/jump.json"
is jump_depth "" "$(jq -r '.losses[]? | select(.loss == "depth_full" or .loss == "exit_without_entry") | .loss' "$T/jump.json")"
is jump_same "$(sed -n 's/^@a//p' "$T/jump.err" | sort)" "$(sed -n 's/^@b//p' "$T/jump.err" | sort)"
holds jump_some grep -q '^@a\[cuMemAlloc_v2\]: [1-9]' "$T/jump.err"

# --- changed slots ---------------------------------------------------------------------------
lib=$(realpath "$B/fake/libcuda.so.1")
for path in 'libcuda.so.1' "$lib"; do
	name=slots_$([ "$path" = "$lib" ] && echo named || echo glob)
	rm -f "$T/go" "$T"/go.[01]
	"$W/slots" 0 20 "$T/go" >"$T/intact" &
	intact=$!
	"$W/slots" 1 20 "$T/go" >"$T/changed" &
	changed=$!
	wait_for test -e "$T/go.0" -a -e "$T/go.1"
	"$XPT" hook -v -q -e "call:$path:cuMemFree_v2 count by pid as c1" -e "call:$path:cuMemFree_v2 count by pid as c2" \
		-e "uprobe:$path:cuMemFree_v2 count by pid as u" -p $intact,$changed >"$T/$name.out" 2>"$T/$name.err" &
	tracer=$!
	wait_for grep -q 'hooks are in place' "$T/$name.err"
	: >"$T/go"
	wait $intact $changed $tracer
	is $name "20 20 20 20 20 20" "$(sed -n 's/^@.*\]: //p' "$T/$name.out" | xargs)"
done
# run: the tool comes after the probes; beside the domain, whose probe is shared.
"$XPT" run --as-root -q -o "$T/after.jsonl" --hook 'call:libcuda.so.1:cuMemFree_v2 count as c' --hook 'uprobe:libcuda.so.1:cuMemFree_v2 count as u' \
	-- "$W/slots" 1 20 >"$T/after.out" 2>"$T/after.err"
is slots_after "c: 20 u: 20" "$(sed -n 's/^@//p' "$T/after.err" | sort | xargs)"
is slots_after_domain 20 "$(grep -c '"cuMemFree_v2"' "$T/after.jsonl")"

# --- a domain as hooks ------------------------------------------------------------------------
"$XPT" list --as-hooks cuda >"$T/cuda.hook"
rm -f "$T/truth"
XPT_TRUTH=$T/truth "$XPT" hook -q --as-root -d cuda -o "$T/as.jsonl" -f "$T/cuda.hook" -- "$E/train" --iterations 3 >"$T/as.out" 2>"$T/as.err"
is as_hooks_quiet "" "$(grep '^xputrace: ' "$T/as.err")"
is as_hooks_calls "$(jq -S -c '.calls | map_values(2 * .)' "$T/truth")" \
	"$(jq -s -S -c 'map(select(.domain == "cuda")) | group_by(.name) | map({ (.[0].name): length }) | add' "$T/as.jsonl")"

# --- what a call costs -----------------------------------------------------------------------
# The cheapest of 5 interleaved rounds each, so that the load of the machine is in all or in none.
"$W/paired" 0 10 >"$T/paired.out" || { not_ok cost "paired does not run"; exit 1; }
one() { # FILE OPTION...: adds the ns of a call
	file=$1
	shift
	"$XPT" run --as-root -q --no-file --no-summary --counters -d cuda "$@" -- "$W/paired" 1 2>/dev/null | grep '^[0-9]*$' >>"$T/$file"
}
f=call:libcuda.so.1:cuDriverGetVersion
for _ in 1 2 3 4 5; do
	one alone
	one beside --hook "$f count as a"
	one three --hook "$f count as a" --hook "$f sum(duration) as b" --hook "uprobe:libcuda.so.1:cuDriverGetVersion count as c"
	one as_hooks --hook-file "$T/cuda.hook"
done
cheapest() { sort -n "$T/$1" | head -n 1; }
echo "# ns a call: domain $(cheapest alone), with a hook $(cheapest beside), with three $(cheapest three), as hooks $(cheapest as_hooks)"
holds cost_beside test "$(cheapest beside)" -lt $(($(cheapest alone) * 5 / 2))
holds cost_three test "$(cheapest three)" -lt $(($(cheapest alone) * 4))
holds cost_as_hooks test "$(cheapest as_hooks)" -lt $(($(cheapest alone) * 5 / 2))
exit $failed
