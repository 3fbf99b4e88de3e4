#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 180
# needs: bpf jq python3 sdt
#
# USDT probes: every argument of every hit, as two compilers place them, with and
# without optimization; counters, semaphores, wildcards, many processes, and what
# pictures and reports make of them.
. tests/bpf/lib.sh
need_bpf

build() { # NAME COMPILER OPTION...
	name=$1
	shift
	"$@" -w -o "$T/$name" "$here/workloads/sdt.c" || not_ok "build_$name" "does not compile"
}
build gcc_O0 cc -O0
build gcc_O2 cc -O2
build gcc_nopie cc -O2 -no-pie -fno-pie
build clang_O2 clang -O2

# --- values ---------------------------------------------------------------------------
for kind in gcc_O0 gcc_O2 gcc_nopie clang_O2; do
	"$XPT" run --as-root -q --no-summary --probe "usdt:$T/$kind:prov:*" -o "$T/$kind.jsonl" \
		-o "$T/$kind.xtr" -- "$T/$kind" 23 >"$T/$kind.truth" 2>"$T/$kind.err"
	"$here/probes/usdt_hits" "$T/$kind.jsonl" >"$T/$kind.hits"
	is ${kind}_lines 115 "$(wc -l <"$T/$kind.truth")"
	if cmp -s "$T/$kind.truth" "$T/$kind.hits"; then ok ${kind}_values; else
		not_ok ${kind}_values "$(diff "$T/$kind.truth" "$T/$kind.hits" | head -n 3)"
	fi
done

is forms_compiled yes "$("$XPT" list -v "usdt:$T/gcc_O2:prov:*" | grep -q 'g*(%rip).*[0-9])' && echo yes)"

is live_arguments 23 "$("$XPT" replay "$T/gcc_O2.xtr" 2>&1 | grep -c 'prov:text  arg0=')"

# The same code in a library that the program loads late, by the library's name and by any.
cat >"$T/loads.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_NOW);
	int (*begin)(int, char **) = lib ? (int (*)(int, char **))dlsym(lib, "sdt_main") : 0;

	return begin ? begin(argc - 1, argv + 1) : 1;
}
END
if cc -O2 -w -shared -fPIC -Dmain=sdt_main -o "$T/libsdt.so" "$here/workloads/sdt.c" && cc -o "$T/loads" "$T/loads.c"; then
	for file in libsdt.so '*'; do
		"$XPT" run --as-root -q --no-summary --probe "usdt:$file:prov:*" -o "$T/lib.jsonl" -- "$T/loads" "$T/libsdt.so" 9 20 \
			>"$T/lib.truth" 2>"$T/lib.err"
		"$here/probes/usdt_hits" "$T/lib.jsonl" >"$T/lib.hits"
		is "library_$file" "45 same" "$(wc -l <"$T/lib.hits") $(cmp -s "$T/lib.truth" "$T/lib.hits" && echo same)"
	done
else
	not_ok library "does not compile"
fi

# --- totals -----------------------------------------------------------------------------
is counters 23,23,23,23,23,23 "$("$XPT" report --json "$T/gcc_O2.xtr" |
	jq -r '[.functions[] | select(.function | startswith("prov:")) | .calls] | join(",")')"
is points 138 "$("$XPT" report --json "$T/gcc_O2.xtr" | jq .summary.points)"
is calls 0 "$("$XPT" report --json "$T/gcc_O2.xtr" | jq .summary.calls)"
"$XPT" run --as-root --json --counters --probe "usdt:$T/gcc_O2:prov:text" -- "$T/gcc_O2" 20000 \
	>"$T/many.json" 2>/dev/null
is counted_only 20000 "$(jq .summary.points "$T/many.json")"
"$XPT" run --as-root --json --no-file --ring 64K --probe "usdt:$T/gcc_O2:prov:text" -- \
	"$T/gcc_O2" 20000 >"$T/many.json" 2>/dev/null
is exact_with_losses 20000 "$(jq .summary.points "$T/many.json")"

# --- strings: one, and several of which some cannot be read -------------------------------
"$XPT" run --as-root -q --no-summary --probe "usdt:$T/gcc_O2:prov:text(arg0:str)" -o "$T/str.jsonl" \
	-o "$T/str.xtr" -- "$T/gcc_O2" 3 >/dev/null 2>"$T/str.err"
is string "nqn.one nqn.two nqn.three" "$(jq -r 'select(.layer == "point") | .args.arg0' "$T/str.jsonl" | xargs)"
is string_live 3 "$("$XPT" replay "$T/str.xtr" 2>&1 | grep -c 'prov:text  arg0="nqn.[a-z]*" arg1=[012]')"
"$XPT" run --as-root -q --no-summary --probe "uprobe:$T/gcc_O2:text(arg0:str,arg1:str)" -o "$T/str.jsonl" \
	-- "$T/gcc_O2" 3 >/dev/null 2>"$T/str.err"
is string_unread "nqn.one null nqn.two null nqn.three null" \
	"$(jq -r 'select(.layer == "point") | "\(.args.arg0) \(.args.arg1)"' "$T/str.jsonl" | xargs)"
"$XPT" run --as-root -q --no-summary --probe "call:$T/gcc_O2:send_msg(arg1:str)" -o "$T/str.jsonl" \
	-- "$T/gcc_O2" 2 >/dev/null 2>"$T/str.err"
is string_of_call "2 2" "$(jq -r 'select(.name == "send_msg") | .args.arg1 | length > 0' "$T/str.jsonl" |
	sort | uniq -c | awk '{ print $1, NR + 1 }')"

# --- ways of attaching --------------------------------------------------------------------
for kind in multi perf; do
	"$XPT" run --as-root -q --no-summary --attach $kind --probe "usdt:$T/gcc_O2:prov:*" \
		-o "$T/$kind.jsonl" -- "$T/gcc_O2" 9 >"$T/$kind.truth" 2>"$T/$kind.err"
	"$here/probes/usdt_hits" "$T/$kind.jsonl" >"$T/$kind.hits"
	holds attach_$kind cmp "$T/$kind.truth" "$T/$kind.hits"
done

# A nop with a 5-byte nop behind it, as newer sys/sdt.h writes: the second one is probed where
# the kernel makes it a call. By both ways of attaching.
cat >"$T/nop5.c" <<'END'
#include <stdint.h>
#include <stdio.h>
__attribute__((noinline)) static void five(uint64_t i)
{
	__asm__ volatile("990: nop; .byte 0x0f, 0x1f, 0x44, 0, 0\n"
		".pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
		"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n"
		".asciz \"prov\"\n.asciz \"five\"\n.asciz \"8@%0\"\n994: .balign 4\n.popsection" : : "r"(i));
}
int main(void)
{
	for (uint64_t i = 1; i <= 2000; i++)
		five(i);
	return 0;
}
END
if cc -O2 -no-pie -o "$T/nop5" "$T/nop5.c"; then
	for kind in multi perf; do
		"$XPT" run --as-root -q --no-summary --attach $kind --probe "usdt:$T/nop5:prov:five" \
			-o "$T/nop5.jsonl" -- "$T/nop5" 2>"$T/nop5.err"
		is nop5_$kind "2000 2000 0x1 0x7d0" "$(jq -s -r 'map(select(.layer == "point") | .args.arg0) |
			"\(length) \(unique | length) \(first) \(last)"' "$T/nop5.jsonl")"
	done
	echo "note the place is of the kind $("$XPT" list --json "usdt:$T/nop5:prov:five" | jq -r '.[0].site')"
else
	not_ok nop5_build "does not compile"
fi

# More places than there is room for: as many as fit, and the rest is told.
awk 'BEGIN {
	print "\t.text\n\t.globl main\nmain:"
	for (i = 0; i < 20000; i++) print ".Lp" i ":\tnop"
	print "\txor %eax,%eax\n\tret\n\t.section .note.stapsdt,\"\",\"note\""
	for (i = 0; i < 20000; i++)
		print "\t.balign 4\n\t.4byte 8, .Lb" i "-.La" i ", 3\n\t.asciz \"stapsdt\"\n.La" i ":\t.8byte .Lp" i \
			", 0, 0\n\t.asciz \"prov\", \"n" i % 50 "\", \"8@%rdi\"\n.Lb" i ":"
	print "\t.section .note.GNU-stack,\"\",@progbits"
}' </dev/null >"$T/many.s"
if cc -no-pie -o "$T/places" "$T/many.s"; then
	"$XPT" run --as-root -q --json --counters --no-file --probe "usdt:$T/places:prov:*" -- "$T/places" >"$T/places.json" 2>&1
	is many_places "20000 true" "$(jq -r '(.losses[] | select(.loss == "probe_failed") | .count) as $l |
		"\(.summary.points + $l) \(.summary.points > 10000)"' "$T/places.json")"
else
	not_ok many_places "does not compile"
fi

# A process that waits for the semaphore, found by the name of a file that it has mapped;
# when the trace has ended nobody looks any more.
"$T/gcc_O2" 5 20 >"$T/waits.truth" &
pid=$!
"$XPT" attach -q --no-summary -p $pid --probe 'usdt:gcc_O*:p*:*' -o "$T/waits.jsonl" 2>"$T/waits.err"
wait $pid
"$here/probes/usdt_hits" "$T/waits.jsonl" >"$T/waits.hits"
holds attach_waits cmp "$T/waits.truth" "$T/waits.hits"
is attach_guarded 5 "$(grep -c guarded "$T/waits.truth")"
# It ends, and its parent takes note of that, before xputrace has looked at all of it.
cat >"$T/slow.c" <<'C'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int kill(pid_t pid, int sig)
{
	usleep(sig ? 0 : 300000);
	return (int)syscall(SYS_kill, pid, sig);
}
C
cc -shared -fPIC -o "$T/slow.so" "$T/slow.c" || not_ok slow_build "does not compile"
"$T/gcc_O2" 5 20 >"$T/brief.truth" &
pid=$!
LD_PRELOAD=$T/slow.so "$XPT" attach -q --no-summary -p $pid --probe 'usdt:gcc_O*:p*:*' -o "$T/brief.jsonl" 2>"$T/brief.err"
is attach_brief_status 0 $?
wait $pid
"$here/probes/usdt_hits" "$T/brief.jsonl" >"$T/brief.hits"
holds attach_brief cmp "$T/brief.truth" "$T/brief.hits"
"$T/gcc_O2" 5 >"$T/after.truth"
is semaphore_back 0 "$(grep -c guarded "$T/after.truth")"

# A file that had no probes when it was looked at first, and has them now; and one that is
# mapped behind more files than are remembered. Both wait for their semaphores.
cp /bin/true "$T/again"
"$XPT" run --as-root -q --no-summary --probe 'usdt:again:prov:*' -o "$T/again.jsonl" -- \
	sh -c "$T/again; cat $T/gcc_O2 >$T/again; exec $T/again 3 20" >"$T/again.truth" 2>"$T/again.err"
is written_again 3 "$(jq -s 'map(select(.name == "prov:several")) | length' "$T/again.jsonl")"
cat >"$T/maps.py" <<'END'
import mmap, os, sys
os.mkdir(sys.argv[1])
for i in range(1100):
    with open("%s/%d" % (sys.argv[1], i), "w+b") as f:
        f.truncate(4096)
        mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
os.execv(sys.argv[2], sys.argv[2:])
END
"$XPT" run --as-root -q --no-summary --probe 'usdt:*:prov:*' -o "$T/maps.jsonl" -- \
	python3 "$T/maps.py" "$T/maps" "$T/gcc_O2" 3 20 >"$T/maps.truth" 2>"$T/maps.err"
is many_files 3 "$(jq -s 'map(select(.name == "prov:several")) | length' "$T/maps.jsonl")"

# --- many processes, one inode --------------------------------------------------------------
"$XPT" run --as-root -q --no-summary --probe "usdt:$T/gcc_O2:prov:several" -o "$T/procs.jsonl" -- \
	sh -c "for i in 1 2 3 4; do $T/gcc_O2 10 & done; wait" >/dev/null 2>"$T/procs.err"
is processes "4 40" "$(jq -s -r 'map(select(.layer == "point")) |
	"\(map(.pid) | unique | length) \(length)"' "$T/procs.jsonl")"

# --- inside calls, and in pictures ------------------------------------------------------------
"$XPT" run --as-root -q --no-summary --probe "usdt:$T/gcc_O2:prov:several" -o "$T/pic.json" \
	-o "$T/pic.pftrace" -o "$T/pic.csv" -- "$T/gcc_O2" 6 >/dev/null 2>&1
is chrome_instants 6 "$(jq '[.traceEvents[] | select(.ph == "i" and .s == "t" and
	.name == "prov:several")] | length' "$T/pic.json")"
is csv_rows 6 "$(grep -c ',point,usdt,' "$T/pic.csv")"
python3 tests/replay/check_perfetto.py "$T/pic.pftrace" >"$T/pf" 2>&1
is perfetto_sound 0 $?
is perfetto_instants 6 "$(sed -n 's/^mark_usdt,other //p' "$T/pf")"

# --- mistakes ---------------------------------------------------------------------------------
fails() { # NAME STATUS TEXT PROBE
	"$XPT" run --as-root -q --no-file --no-summary --probe "$4" -- true >/dev/null 2>"$T/err"
	is "$1" "$2 yes" "$? $(grep -q -- "$3" "$T/err" && echo yes)"
}
fails no_colon 2 "column 7: expected :PROVIDER:NAME" usdt:x
fails other_kind 2 "a probe is usdt:" kprobe:x
fails no_function 2 "column 9: expected :FUNCTION" uprobe:x
fails no_file 2 "cannot read /nonexistent" usdt:/nonexistent:a:b
fails no_elf 0 "" "usdt:$PWD/README.md:a:b"
fails no_place 0 "no such place was found" "usdt:$T/gcc_O2:prov:absent"
exit $failed
