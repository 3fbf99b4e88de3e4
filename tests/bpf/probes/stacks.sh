#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 240
# needs: bpf jq python3
#
# Callers' stacks: the frames of a program whose stacks are known, in order, by
# every way of attaching and at both sites; in threads, in children, in a
# program that ends at once; with names from the program, from a separate debug
# file and without any; deeper than is recorded; without frame pointers.
. tests/bpf/lib.sh
need_bpf

# frames DIR BYTES: how often each stack allocated that many bytes, without offsets
# and without what the C library has below.
frames() {
	jq -r --argjson n "$2" 'select(.name == "cuMemAlloc_v2" and .args.bytesize == $n)
		| [.stack[] | sub("[+]0x[0-9a-f]+$"; "")]
		| map(select(test("^(_start|__libc_|start_thread|clone|libc[.]so)") | not)) | join(" ")' \
		"$T/$1/t.jsonl" | sort | uniq -c | sed 's/^ *//'
}

truncated() { # DIR BYTES
	jq -r --argjson n "$2" 'select(.name == "cuMemAlloc_v2" and .args.bytesize == $n)
		| .stack_truncated // false' "$T/$1/t.jsonl" | sort -u
}

step='train::Trainer::step(int)'

# all_frames NAME: of a trace of the program with its own names
all_frames() {
	is "$1_step" "20 allocate $step main" "$(frames "$1" 4096)"
	is "$1_thread" "1 allocate worker" "$(frames "$1" 8192)"
	is "$1_children" "3 allocate in_child main" "$(frames "$1" 12288)"
	is "$1_deep" "1 allocate, then only deep" \
		"$(frames "$1" 16384 | sed -E 's/ allocate( deep){120,127}$/ allocate, then only deep/')"
	is "$1_whole" "false false false true" \
		"$(for n in 4096 8192 12288 16384; do truncated "$1" $n; done | tr '\n' ' ' | sed 's/ $//')"
}

for sites in auto symbol; do
	for kind in session multi perf; do
		name=${kind}_$sites
		trace "$name" --stacks --attach $kind --sites $sites -f cuMemAlloc -- "$W/stacks" --iterations 20
		all_frames "$name"
	done
done

# The same from the recording as from the live trace.
"$XPT" convert "$T/session_auto/t.xtr" -o "$T/again.jsonl"
holds recorded cmp -s "$T/session_auto/t.jsonl" "$T/again.jsonl"

# Folded, live as from the recording; without the offsets.
trace folded --stacks -f cuMemAlloc -o "$T/f.count.folded" -o "$T/f.folded" -- "$W/stacks" --iterations 20
"$XPT" convert "$T/folded/t.xtr" -o "$T/again.count.folded" -o "$T/again.folded"
holds folded_again cmp -s "$T/f.folded" "$T/again.folded"
holds folded_count_again cmp -s "$T/f.count.folded" "$T/again.count.folded"
is folded_count "stacks;main;$step;allocate;cuMemAlloc_v2 20" \
	"$(sed -E 's/;(__libc_[a-z_]*|[[]libc[^;]*])//; /step/!d' "$T/f.count.folded")"

# Leaks by the place that allocated.
trace leak --stacks -- "$W/stacks" --leak --iterations 5
is leak_at "allocate 5 20480" "$(field leak '.leaks[] | select(.at) | "\(.at | sub("[+].*"; "")) \(.blocks) \(.bytes)"')"

# Only where asked for.
trace glob --stacks=cuMemF* -- "$W/stacks"
is glob_only "cuMemFree_v2" "$(jq -r 'select(.stack).name' "$T/glob/t.jsonl" | sort -u)"
trace none -- "$W/stacks" --leak
is none 0 "$(jq -r 'select(.stack).name' "$T/none/t.jsonl" | wc -l)"
is none_at null "$(field none '.leaks[0].at')"

# A program that is gone when its only call is looked at.
for i in 1 2 3 4 5; do
	trace quick --stacks -f cuMemAlloc -- "$W/stacks" --threads 0
	frames quick 4096
done | sort | uniq -c | sed 's/^ *//' >"$T/quick.txt"
is quick "5 1 allocate $step main" "$(cat "$T/quick.txt")"

# Stripped: addresses in the file; with a debug file beside it: names again.
mkdir -p "$T/bin"
cp "$W/stacks" "$T/bin/bare"
strip "$T/bin/bare"
trace bare --stacks -f cuMemAlloc -- "$T/bin/bare"
is bare "1 bare bare bare" "$(frames bare 4096)"
addr=$(jq -r 'select(.args.bytesize == 4096).stack[0]' "$T/bare/t.jsonl" | sed 's/.*[+]//')
is bare_address allocate "$(addr2line -f -e "$W/stacks" "$addr" | head -n 1)"
objcopy --only-keep-debug "$W/stacks" "$T/bin/linked.debug"
cp "$T/bin/bare" "$T/bin/linked"
objcopy --add-gnu-debuglink="$T/bin/linked.debug" "$T/bin/linked"
trace linked --stacks -f cuMemAlloc -- "$T/bin/linked"
is linked "1 allocate $step main" "$(frames linked 4096)"
# One of another build is not believed.
objcopy --only-keep-debug "$E/train" "$T/bin/linked.debug"
trace other --stacks -f cuMemAlloc -- "$T/bin/linked"
is other_build "1 linked linked linked" "$(frames other 4096)"

# Without frame pointers: the caller, and no invented ones behind it.
trace nofp --stacks -f cuMemAlloc -- "$E/leak"
is nofp run_alloc "$(jq -r 'select(.name == "cuMemAlloc_v2").stack[0] | sub("[+].*"; "")' "$T/nofp/t.jsonl" | sort -u)"
exit $failed
