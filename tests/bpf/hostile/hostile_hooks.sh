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

# --- a file of the stranger's that describes a function of that name otherwise, and is there first ---------------
for of in theirs others; do
	mkdir -p "$T/$of/lib"
	[ $of = theirs ] && fields="size, pad" || fields="pad, size"
	cat >"$T/lib.c" <<END
struct ctx { long $fields; };
long total;
__attribute__((noinline)) void work_on(struct ctx *c) { total += c->size; }
END
	cc -g -O1 -shared -fPIC -o "$T/$of/lib/libwork.so" "$T/lib.c"
done
chown -R $U "$T/theirs"
chown -R 65533 "$T/others"
chmod -R a+rX "$T"
cat >"$T/work.c" <<'END'
/* work LIBRARY NUMBER: so many calls, one each 10 ms, whose second word is 5000. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	long words[2] = { 1, 5000 };
	void *library = dlopen(argv[1], RTLD_NOW);
	void (*work_on)(void *) = library ? (void (*)(void *))dlsym(library, "work_on") : NULL;

	for (long i = 0; argc > 2 && work_on && i < atol(argv[2]); i++, usleep(10000))
		work_on(words);
	return !work_on;
}
END
for comm in theirs others; do
	cc -O1 -o "$T/$comm.bin" "$T/work.c"
done
mkdir "$T/layouts"
"$XPT" hook -a -v -o "$T/layouts/t.jsonl" -e 'call:libwork.so:work_on sum(c->size) by comm as sum' \
	-e 'call:libwork.so:work_on if c->size > 1000 count by comm as big' \
	-e 'call:libwork.so:work_on' >"$T/layouts/summary" 2>"$T/layouts/stderr" &
tracer=$!
wait_for grep -q 'hooks are in place' "$T/layouts/stderr"
start_stranger "$T/theirs.bin" "$T/theirs/lib/libwork.so" 100000
stranger_is_seen() {
	grep -q '"comm":"theirs.bin"' "$T/layouts/t.jsonl"
}
wait_for stranger_is_seen
setpriv --reuid 65533 --clear-groups "$T/others.bin" "$T/others/lib/libwork.so" 300
{ kill $attacker; wait $attacker; } 2>/dev/null
kill -INT $tracer
wait $tracer
is layouts_status 0 $?
row() { # HOOK COMM
	sed -n "s/^@$1\\[$2\\]: //p" "$T/layouts/summary"
}
others=$(row big others.bin)
holds layouts_most_are_big [ "${others:-0}" -ge 200 ]
is layouts_sum $((others * 5000)) "$(row sum others.bin)"
is layouts_stranger_is_small "" "$(row big theirs.bin)"
exit $failed
