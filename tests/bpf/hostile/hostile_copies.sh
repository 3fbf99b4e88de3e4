#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 200
# alone
# needs: bpf jq python3 user
#
# A library in memory (tmpfs) that a stranger maps so that its pages cannot be copied (userfaultfd), while hooks, a named
# probe and the table of its functions are asked for: none of them gets a probe as long as he is there. When he has gone,
# all of them get theirs in a process of the library's user that has run all the time.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_copies
if ! mkdir "/dev/shm/xputrace-copies.$$" 2>/dev/null; then
	echo "skip hostile_copies: no /dev/shm"
	exit 0
fi
memory=/dev/shm/xputrace-copies.$$
trap 'rm -rf "$memory"' EXIT
cp "$W/blocks" "$T/blocks"
cat >"$T/lib.c" <<'END'
__attribute__((noinline)) int cuInit(unsigned n) { return n == 77; }
__attribute__((noinline)) int own_function(int n) { return n == 78; }
END
cc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o "$memory/libcuda.so.1" "$T/lib.c"
cat >"$T/call.c" <<'END'
/* call LIBRARY: calls both of its functions each 10 ms until it gets a signal. */
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;
	int (*own)(int) = library ? (int (*)(int))dlsym(library, "own_function") : NULL;

	for (; init && own; usleep(10000)) {
		init(1);
		own(1);
	}
	return 1;
}
END
cc -O1 -o "$T/copies-call" "$T/call.c"
chown -R 65533 "$memory"
chmod -R a+rX "$memory" "$T"
: >"$T/ready"
start_stranger "$T/blocks" copies "$memory/libcuda.so.1" >"$T/ready"
sleep 0.2
if ! kill -0 $attacker 2>/dev/null; then
	echo "skip hostile_copies: no userfaultfd for minor faults here"
	exit 0
fi
wait_for grep -q ready "$T/ready"
begin copies -d cuda --hook 'call:libcuda.so*:cuInit count by comm as n' \
	--hook 'call:libcuda.so*:own_function count by comm as own' --probe 'uprobe:libcuda.so*:own_*'
setpriv --reuid 65533 --clear-groups "$T/copies-call" "$memory/libcuda.so.1" &
victim=$!
holds copies_refused wait_for grep -q "$memory/libcuda.so.1 of process $victim .*Bad address" "$T/copies/stderr"
# It is tried again, and what is refused again counts once.
refused_times() {
	grep -c "cannot attach: Bad address" "$T/copies/stderr"
}
is_tried_often() {
	[ "$(refused_times)" -ge 12 ]
}
holds copies_tried_often wait_for is_tried_often
{ kill $attacker; wait $attacker; } 2>/dev/null
is_seen() { # NAME of an event
	grep "\"pid\":$victim," "$T/copies/t.jsonl" | grep -q "\"name\":\"$1\""
}
holds copies_function wait_for is_seen cuInit
holds copies_probe wait_for is_seen own_function
{ kill $victim; wait $victim; } 2>/dev/null
end copies
is copies_status 0 $o_status
for hook in n own; do
	hits=$(sed -n "s/^@$hook\\[copies-call\\]: //p" "$T/copies/summary")
	holds "copies_hook_$hook" [ "${hits:-0}" -gt 0 ]
done
holds copies_told grep -q 'lib_failed' "$T/copies/summary"
# The table's function, the two hooks and the named probe.
is copies_failed 4 "$(sed -n 's/.*probe_failed[^0-9]*\([0-9][0-9]*\).*/\1/p' "$T/copies/summary" | head -n 1)"
exit $failed
