#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq sdt simulated_target
# uses: gcc libdw
#
# xputrace script --print: which file a probe gets, in a program and in a library,
# __PID__, names of states by release, what is said of other releases; mistakes; what
# happens without bpftrace; and what is said of how it ends.
# shellcheck disable=SC2016 # $0 of an inner shell
set -u
. tests/cli.lib
tgt=build/fake/spdk_tgt_new
tgt=$PWD/$tgt
cd "$T" || exit 2

cat >a.bt <<'END'
// usdt and __EXE__ in text
uprobe:__EXE__:spdk_thread_send_msg, usdt:__EXE__:spdk:msg_exec {
	printf("__EXE__ %d\n", arg1);
}
usdt:__EXE__:nvmf_*_qpair /pid == __PID__/ { @n = count(); }
END
cat >want <<END
// usdt and $tgt in text
uprobe:$tgt:spdk_thread_send_msg, usdt:$tgt:spdk:msg_exec {
	printf("$tgt %d\n", arg1);
}
usdt:$tgt:nvmf_*_qpair /pid == cpid/ { @n = count(); }

END
gives print 0 "" "$XPT" script a.bt --print -- "$tgt" -n 1
holds print_text cmp -s want out
"$tgt" -r 1 -w 20000 &
pid=$!
until_ grep -q spdk_tgt /proc/$pid/maps
gives print_pid 0 "" "$XPT" script --print a.bt -p $pid
sed "s/cpid/$pid/" want >want_pid
holds print_pid_text cmp -s want_pid out
gives stdin 0 "" sh -c '"$0" script --print - -p "$1" <a.bt' "$XPT" $pid
holds stdin_text cmp -s want_pid out
cp "$tgt" gone
./gone -r 1 -w 20000 &
gone=$!
until_ grep -q /gone /proc/$gone/maps
rm gone
gives replaced 0 "" "$XPT" script --print a.bt -p $gone
holds replaced_path grep -q "usdt:/proc/$gone/exe:nvmf" out
kill $pid $gone
wait 2>/dev/null

# A function that only a library has.
echo 'uprobe:__EXE__:getpid { } uprobe:__EXE__:main { }' >lib.bt
gives library 0 "" "$XPT" script lib.bt --print -- "$tgt"
holds library_path grep -q "^uprobe:/.*libc.*:getpid { } uprobe:$tgt:main" out
# A pattern of probes means those of the program and of its libraries.
cat >two.c <<'END'
#include <sys/sdt.h>
void in_library(void);
#ifdef LIBRARY
void in_library(void) { DTRACE_PROBE(prov, pair_two); }
#else
int main(void) { DTRACE_PROBE(prov, pair_one); in_library(); }
#endif
END
if cc -shared -fPIC -DLIBRARY -o libtwo.so two.c && cc -o two two.c libtwo.so -Wl,-rpath,"$T"; then
	echo 'usdt:__EXE__:pair_* /pid == 1/ { @ = count(); } usdt:__EXE__:prov:pair_two, usdt:__EXE__:pair_one { }' >two.bt
	gives pattern 0 "" "$XPT" script two.bt --print -- "$T/two"
	is pattern_files "usdt:$T/two:pair_*, usdt:$T/libtwo.so:pair_* /pid == 1/ { @ = count(); } \
usdt:$T/libtwo.so:prov:pair_two, usdt:$T/two:pair_one { }" "$(head -n 1 out)"
else
	not_ok pattern "does not compile"
fi
# What no file has costs its clause, not the script; one of several stays, for bpftrace to judge.
cat >none.bt <<'END'
BEGIN { printf("usdt:__EXE__:absent {"); }
usdt:__EXE__:absent /* } */ /arg1 == "}/" / { if (arg1) { print("}"); } // }
	@a[arg1] = 1; }
END { clear(@a); }
usdt:__EXE__:absent, usdt:__EXE__:nvmf_tgt_state { @b = 1 } uprobe:__EXE__:absent { @c = 1
END
printf 'BEGIN { printf("usdt:%s:absent {"); }\n\nEND { clear(@a); }\nusdt:%s:absent, usdt:%s:nvmf_tgt_state { @b = 1 } uprobe:%s:absent { @c = 1\n\n' \
	"$tgt" "$tgt" "$tgt" "$tgt" >want
gives missing 0 "no file of this program has the probe absent: its clause is left out" "$XPT" script none.bt --print -- "$tgt"
holds missing_text cmp -s want out
holds missing_function grep -q "has the function absent$" err
echo 'usdt:__EXE__:absent { @ = 1 }' >only.bt
gives nothing_left 3 "nothing of the script is left" "$XPT" script only.bt --print -- "$tgt"
echo 'usdt:__EXE__:nvmf_tgt_state { print(arg1); } usdt:__EXE__:nvmf_tgt_state { if (arg2) { print(arg4) } }' >args.bt
gives other_release 0 "nvmf_tgt_state has 2 arguments here, and the script reads arg4" "$XPT" script args.bt --print -- "$tgt"
is other_release_once 1 "$(grep -c another err)"

# The program's file names its loader: nobody may run that, whatever its name is.
cat >loader.c <<'END'
void _start(void)
{
	static const char name[] = "loader_ran";
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(2L), "D"(name), "S"(0101L), "d"(0644L) : "rcx", "r11", "memory");
	__asm__ volatile("syscall" : : "a"(60L), "D"(0L));
}
END
if cc -O1 -nostdlib -static-pie -fPIE -fno-stack-protector -o ld-linux-own.so.2 loader.c 2>/dev/null &&
	echo 'int main(void) { return 0; }' | cc -x c -Wl,--dynamic-linker="$T/ld-linux-own.so.2" -o odd - 2>/dev/null &&
	./odd && [ -e loader_ran ]; then
	rm loader_ran
	gives odd_loader 0 "no file of this program" "$XPT" script a.bt --print -- ./odd
	holds odd_loader_not_run test ! -e loader_ran
	gives odd_library 0 "" "$XPT" script lib.bt --print -- ./odd
	holds odd_library_path grep -q "^uprobe:/.*libc.*:getpid { }" out
	holds odd_library_not_run test ! -e loader_ran
else
	echo "skip odd_loader: no such loader can be made here"
fi

# --- states -----------------------------------------------------------------------------------
echo 'usdt:__EXE__:nvmf_tgt_state { print(@target[arg1]); print(@subsystem[0]); }' >states.bt
gives states 0 "" "$XPT" script states.bt --print -- "$tgt"
is states_2401 '  @target[5] = "FINI_STOP_SUBSYSTEMS";   @target[6] = "FINI_DESTROY_SUBSYSTEMS";' "$(grep '@target\[[56]\] =' out | tr '\n' ' ' | sed 's/ $//')"
is states_subsystem '  @subsystem[4] = "PAUSED";' "$(grep 'subsystem\[4\]' out)"
for r in 21.07,8,STOPPED 22.01,9,STOPPED v24.05,5,FINI_STOP_LISTEN 26.01,6,FINI_STOP_LISTEN; do
	IFS=, read -r release nr name <<-END
		$r
	END
	"$XPT" script states.bt --print --release "$release" -- "$tgt" >out
	is "states_$release" "  @target[$nr] = \"$name\";" "$(grep "@target\[$nr\] =" out)"
done
# Names in debug information are the program's: what a terminal obeys is not printed.
echo 'enum nvmf_tgt_state { NVMF_TGT_AAAAAAAA, NVMF_TGT_IDLE } s; int main(void) { return s; }' >enum.c
echo "BEGIN { print(@target[0]); }" >target.bt
if cc -g -gz=none -o enum enum.c 2>/dev/null &&
	LC_ALL=C sed "s/NVMF_TGT_AAAAAAAA/NVMF_TGT_$(printf '\302\2332J\342\200\256')A/" enum >odd_enum && chmod +x odd_enum &&
	"$XPT" script target.bt --print -- ./enum 2>/dev/null | grep -q '"AAAAAAAA"'; then
	"$XPT" script target.bt --print -- ./odd_enum >out 2>err
	is states_hostile '  @target[0] = "?2J?A";' "$(grep '@target\[0\] =' out)"
else
	echo "skip states_hostile: no debug information is read here"
fi
gives no_release 0 "no release of SPDK" sh -c 'echo "BEGIN { print(@target[0]) }" | "$0" script - --print -- /bin/true' "$XPT"
is no_states 0 "$("$XPT" script a.bt --print -- "$tgt" | grep -c BEGIN)"

# --- mistakes ------------------------------------------------------------------------------------
gives no_script 2 "which script" "$XPT" script -p 1
gives no_program 2 "which program" "$XPT" script a.bt
gives two_programs 2 "which program" "$XPT" script a.bt -p 1 -- true
gives wrong_pid 2 "'x' is not a process id" "$XPT" script a.bt -p x
gives no_pid 3 "no process 2147483647" "$XPT" script a.bt -p 2147483647
gives wrong_release 2 "'new' is not one like 24.01" "$XPT" script a.bt --release new -p 1
gives no_command 127 "no such command" "$XPT" script a.bt -- no-such-command
gives no_file 3 "cannot read nothing" "$XPT" script nothing -- true
printf 'a\0b' >bin.bt
gives binary 1 "it is no text" "$XPT" script bin.bt -- true
printf '#!/bin/sh\n' >text.sh && chmod +x text.sh
gives no_elf 1 "is no program for this machine" "$XPT" script a.bt -- ./text.sh
gives no_bpftrace 127 "bpftrace is not installed: 'apt-get install bpftrace'" env PATH=/nowhere "$XPT" script lib.bt -- "$tgt"
mkdir bin
printf '#!/bin/sh\nfor a; do echo "[$a]"; done\necho text >"$4"\nexit 42\n' >bin/bpftrace && chmod +x bin/bpftrace
echo 'BEGIN { exit() }' >exit.bt
said=
[ "$(id -u)" != 0 ] || said="bpftrace ended with exit status 42; the command was not run"	# by fanotify
gives exit_status 42 "$said" env PATH="$T/bin:$PATH" "$XPT" script exit.bt -o f.txt -- "$tgt" -n 1
is arguments "[-c] [$tgt -n 1] [-o] [/proc/self/fd/N] [-e] [BEGIN { exit() }" \
	"$(head -n 6 out | sed 's,fd/[0-9]*,fd/N,' | tr '\n' ' ' | sed 's/ $//')"
is output text "$(cat f.txt)"
printf '#!/bin/sh\necho Attaching 1 probe...\n$2\n' >bin/bpftrace
gives odd_words 0 "" env PATH="$T/bin:$PATH" "$XPT" script exit.bt -- printf '%s|' "it's" 'a b' ''
is odd_words_text "it's|a b||" "$(grep -v Attaching out)"
# How bpftrace can end: each has its sentence. Whether the command ran is told to root, by fanotify.
not_run='; the command was not run'
[ "$(id -u)" = 0 ] || not_run=
ends() { # NAME STATUS TEXT BPFTRACE'S PROGRAM ARGUMENT...
	e_name=$1 e_status=$2 e_text=$3
	printf '#!/bin/sh\n%s\n' "$4" >bin/bpftrace
	shift 4
	gives "ends_$e_name" "$e_status" "$e_text" env PATH="$T/bin:$PATH" "$XPT" script exit.bt "$@"
}
"$tgt" -r 1 -w 60000 &
running=$!
until_ grep -q spdk_tgt /proc/$running/maps
ends signal 139 "bpftrace was ended by signal 11 (Segmentation fault)$not_run" 'kill -SEGV $$' -- "$tgt"
ends signal_late 139 "bpftrace was ended by signal 11 (Segmentation fault)" '$2; kill -SEGV $$' -- "$tgt" -n 1
is ends_late_ran 0 "$(grep -c 'not run' err)"
ends signal_pid 139 "bpftrace was ended by signal 11 (Segmentation fault)" 'kill -SEGV $$' -p $running
ends silent 1 "exit status 0 and printed nothing, not even how many probes it has" 'exit 0' -p $running
ends well 0 "" 'echo Attaching' -p $running
ends well_command 0 "" 'echo Attaching; $2' -- "$tgt" -n 1
[ -z "$not_run" ] || ends no_command 1 "exit status 0; the command was not run" 'echo Attaching' -- "$tgt"
kill $running
printf '#!/bin/sh\ntrap "" INT\necho on\nexec sleep 60\n' >bin/bpftrace
PATH=$T/bin:$PATH "$XPT" script exit.bt -- "$tgt" >out 2>err &
script=$!
until_ grep -q on out
kill -INT $script
until_ grep -q "has not ended 5 s after it was asked to; another Ctrl-C kills it" err
kill -INT $script
wait $script
is ignored_status 137 $?
holds ignored_said grep -q "bpftrace was ended by signal 9 (Killed)$not_run" err
exit $failed
