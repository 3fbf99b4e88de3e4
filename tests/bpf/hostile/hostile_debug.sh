#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user libdw
#
# Libraries of a stranger whose debug information takes its reader very long, with nine hooks that ask for names in it: each
# hook has each file read. His time for that is used up soon; a library of another user, which is mapped after all of his,
# gets its hooks without waiting for the rest.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_debug
mkdir "$T/others"
cat >"$T/lib.c" <<'END'
struct ctx { long pad, size; };
long total;
__attribute__((noinline)) void work_on(struct ctx *ctx) { total += ctx->size; }
END
cc -g -O1 -shared -fPIC -o "$T/others/libwork.so" "$T/lib.c"
# One unit of a million entries, before the one that has the function: .debug_info is read from its beginning.
cat >"$T/slow.py" <<'END'
print(".section .note.GNU-stack,\"\",@progbits\n.section .debug_abbrev\n.Lab: .uleb128 1, 0x11\n.byte 1\n.uleb128 0x25, 0x8, 0, 0\n.uleb128 2, 0x34\n.byte 0\n"
      ".uleb128 0x3, 0x8, 0, 0\n.byte 0")
print(".section .debug_info\n.Lfrom: .long .Lto - .Lin\n.Lin: .short 4\n.long .Lab\n.byte 8\n.uleb128 1\n.asciz \"x\"\n"
      ".rept 20000000\n.uleb128 2\n.byte 0\n.endr\n.byte 0\n.Lto:")
END
python3 "$T/slow.py" >"$T/slow.s"
cc -g -O1 -shared -fPIC -o "$T/slow.so" "$T/slow.s" "$T/lib.c"
for i in 1 2 3 4; do
	mkdir -p "$T/theirs/$i"
	cp "$T/slow.so" "$T/theirs/$i/libwork.so"
done
cat >"$T/work.c" <<'END'
/* work LIBRARY...: maps them, and calls work_on of the last one each 10 ms until it gets a signal. */
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	long words[2] = { 1, 5000 };
	void (*work_on)(void *) = 0;

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);

		work_on = library ? (void (*)(void *))dlsym(library, "work_on") : 0;
	}
	for (; work_on; usleep(10000))
		work_on(words);
	return 1;
}
END
cc -O1 -o "$T/debug-theirs" "$T/work.c"
cp "$T/debug-theirs" "$T/debug-others"
chown -R $U "$T/theirs"
chown -R 65533 "$T/others"
chmod -R a+rX "$T"
set --
for i in 1 2 3 4 5 6 7 8; do
	set -- "$@" --hook "call:libwork.so:work_on if ctx->size > $i count by comm as big$i"
done
begin debug "$@" --hook 'call:libwork.so:work_on if ctx->size > 9'
# shellcheck disable=SC2046 # a list
start_stranger "$T/debug-theirs" $(printf '%s\n' "$T"/theirs/?/libwork.so)
stranger_has_mapped() {
	grep -q "$T/theirs/4/libwork.so" "/proc/$attacker/maps"
}
wait_for stranger_has_mapped
from_ms=$(now_ms)
setpriv --reuid 65533 --clear-groups "$T/debug-others" "$T/others/libwork.so" &
victim=$!
is_seen() {
	grep -q "\"pid\":$victim," "$T/debug/t.jsonl"
}
holds debug_others_are_seen wait_for is_seen
took_ms=$(($(now_ms) - from_ms))
{ kill $victim; wait $victim; } 2>/dev/null
{ kill $attacker; wait $attacker; } 2>/dev/null
end debug
is debug_status 0 $o_status
for i in 1 8; do
	hits=$(sed -n "s/^@big$i\\[debug-others\\]: //p" "$T/debug/summary")
	holds "debug_hook_$i" [ "${hits:-0}" -gt 0 ]
done
holds debug_told grep -Eq 'debug information|were not traced' "$T/debug/stderr"
echo "note hooks on a library beside four with slow debug information are there after $took_ms ms"
exit $failed
