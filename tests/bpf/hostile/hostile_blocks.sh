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
cp "$E/train" "$T/blocks-late"
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

# --- a library of the stranger's own, and functions that the user has named: all in parts, and others in between ------
cat >"$T/points.c" <<'END'
#define FN(n) __attribute__((noinline)) int point_##n(void) { return n; }
#define TEN(n) FN(n##0) FN(n##1) FN(n##2) FN(n##3) FN(n##4) FN(n##5) FN(n##6) FN(n##7) FN(n##8) FN(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4)
END
cc -O1 -shared -fPIC -o "$T/theirs/points.so" "$T/points.c"
cat >"$T/load.c" <<'END'
/* load LIBRARY: maps it and waits. */
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (argc < 2 || !dlopen(argv[1], RTLD_NOW))
		return 1;
	for (;;)
		pause();
}
END
cc -O1 -o "$T/load" "$T/load.c"
library "$T/theirs/api" cuAab 250
chown -R $U "$T/theirs"
chmod -R a+rX "$T"
mkdir "$T/late"
cp "$B/fake/libcuda.so.1" "$T/late/"
chown -R 65533 "$T/late"
begin parts --probe 'uprobe:points.so:point_*'
LD_LIBRARY_PATH=$T/others known parts "$T/blocks-train" --iterations 20
: >"$T/parts/truth"	# its first calls may be missed
strangers=
: >"$T/ready"
for of in "$T/theirs/points.so" "$T/theirs/api/libcuda.so.1"; do
	for _ in 1 2; do
		start_stranger "$T/blocks" many "$of" 60000 >>"$T/ready"
		strangers="$strangers $attacker"
	done
done
all_are_ready() {
	[ "$(grep -c ready "$T/ready")" = 4 ]
}
wait_for all_are_ready
for of in "$T/theirs/points.so" "$T/theirs/api/libcuda.so.1"; do
	start_stranger "$T/load" "$of"
	strangers="$strangers $attacker"
done
# Calls of a library that has its probes are all seen meanwhile: without a child that sets those, rings overflow.
LD_LIBRARY_PATH=$T/others known parts "$T/blocks-train" --iterations 8000
# A copy that nobody has mapped before gets its probes soon: all of the stranger's places would take the kernel a minute.
late_is_seen() {
	LD_LIBRARY_PATH=$T/late setpriv --reuid 65533 --clear-groups "$T/blocks-late" --iterations 20 >/dev/null 2>&1
	grep -q '"comm":"blocks-late"' "$T/parts/t.jsonl"
}
late_ms=$(now_ms)
holds parts_late_is_seen wait_for late_is_seen
late_ms=$(($(now_ms) - late_ms))
holds parts_late_in_time [ $late_ms -le 15000 ]
LD_LIBRARY_PATH=$T/late known parts "$T/blocks-train" --iterations 500
end parts
# shellcheck disable=SC2086 # one word each
{ kill $strangers; wait $strangers; } 2>/dev/null
is parts_status 0 $o_status
sees_all parts
is parts_none_lost 0 "$(jq '.summary.events_lost' "$T/parts/report.json")"
holds parts_told grep -q 'probe_failed' "$T/parts/summary"
echo "note a trace beside two libraries in 60000 mappings, twice, ends after $parts_ms ms; a new library is seen after $late_ms ms"

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
