#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 180
# needs: bpf jq python3
# uses: gcc
#
# A runtime that is linked into the program: found by the program's symbols, its
# calls counted to the call, once with the driver calls inside them. Without
# symbols the driver calls are what there is.
. tests/bpf/lib.sh
need_bpf

runtime_calls() { # NAME
	jq -s 'map(select(.domain == "cudart")) | length' "$T/$1/t.jsonl"
}

# --- run ----------------------------------------------------------------------------------
for kind in pie nopie; do
	compare $kind --only cudart -- "$W/static_$kind" --leak --iterations 8
	is ${kind}_operations "$(jq .allocations "$T/$kind/truth")" \
		"$(field $kind '.operations[] | select(.operation == "alloc") | .calls')"
	is ${kind}_outer "$(jq '[.calls[]] | add' "$T/$kind/truth")" "$(field $kind .summary.calls)"
	is ${kind}_inner "$(jq .allocations "$T/$kind/truth")" "$(jq -s 'map(select((.name == "cuMemAlloc_v2" or
		.name == "cuMemHostAlloc") and .depth == 1)) | length' "$T/$kind/t.jsonl")"
	is ${kind}_not_its_own "" "$(jq -r 'select(.name == "cudaFoo") | .name' "$T/$kind/t.jsonl")"
done

# The first of a shell's children pays for being seen first, all others do not, once
# the program has its probes: as soon as calls of one of them are written.
cat >"$T/children.sh" <<-'END'
	until grep -qs '"domain":"cudart"' "$1"; do
		"$2" --iterations 1 --leak >/dev/null
	done
	XPT_TRUTH=$3 exec "$2" --iterations 5
END
trace child -- sh "$T/children.sh" "$T/child/t.jsonl" "$W/static_pie" "$T/late"
want=$(jq '[.calls[]] | add' "$T/late")
last=$(jq -s 'map(select(.domain == "cudart") | .pid) | last' "$T/child/t.jsonl")
is child "$want" "$(jq -s --argjson p "${last:-0}" \
	'map(select(.domain == "cudart" and .pid == $p)) | length' "$T/child/t.jsonl")"

# --- attach -------------------------------------------------------------------------------
"$W/static_nopie" --iterations 100000000 --bytes 1M >/dev/null 2>&1 &
pid=$!
is_busy() { grep -q libcuda.so "/proc/$pid/maps" 2>/dev/null; }
wait_for is_busy
"$XPT" attach -q --no-summary -p $pid --sample 64 -o "$T/attach.jsonl" >/dev/null 2>&1 &
tracer=$!
has() { [ -e "$T/attach.jsonl" ] && grep -q "\"domain\":\"$1\"" "$T/attach.jsonl"; }
holds attach_runtime wait_for has cudart
holds attach_driver wait_for has cuda
kill -INT $tracer
wait $tracer
kill $pid

# --- stripped -------------------------------------------------------------------------------
trace stripped -v -- sh -c "for i in 1 2; do $W/static_stripped --iterations 3; done"
is stripped_runtime 0 "$(runtime_calls stripped)"
is stripped_driver 6 "$(jq -s 'map(select(.name == "cuMemAlloc_v2")) | length' "$T/stripped/t.jsonl")"
is stripped_said 1 "$(grep -c 'static_stripped is stripped' "$T/stripped/stderr")"

# --- what is no such program -----------------------------------------------------------------
# Its own functions may be called like those of the runtime.
cat >"$T/own.c" <<'C'
int cudaMalloc(void **p, unsigned long n) { *p = 0; return n != 0; }
int cudaFoo(void) { return 1; }
int main(void)
{
	void *p;

	return cudaMalloc(&p, 0) + cudaFoo() - 1;
}
C
if gcc -O0 -o "$T/own_name" "$T/own.c"; then
	trace own -- "$T/own_name"
	is own_calls "" "$(grep '"phase"' "$T/own/t.jsonl" | head -n 2)"	# not an Xid of the machine
else
	echo "skip own: no compiler here"
fi

# --- list -----------------------------------------------------------------------------------
"$XPT" list --lib "$W/static_pie" 'cuda*' >"$T/list"
holds list_has grep -q cudaMalloc "$T/list"
is list_not_its_own "" "$(grep cudaFoo "$T/list")"
"$XPT" list --lib "$W/longjmp" >"$T/list" 2>&1
is list_refuses 1 "$(grep -c 'no program' "$T/list")"
exit $failed
