#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq sdt bpftrace simulated_target
#
# Scripts in the forms that SPDK ships, run by the bpftrace that is installed: names of
# states, messages by callback as many as the target says, live ones by name; what else
# those scripts use. A probe of another release costs its clause.
set -u
# bpftrace wants tracefs; where nobody has mounted it, this test does, for itself alone.
if [ ! -e /sys/kernel/tracing/events ] && [ ! -e /sys/kernel/debug/tracing/events ] && [ -z "${XPT_OWN_MOUNTS:-}" ]; then
	export XPT_OWN_MOUNTS=1
	exec unshare --mount sh -c 'mount -t tracefs tracefs /sys/kernel/tracing; exec sh "$0"' "$0"
fi
. tests/cli.lib
tgt=$B/fake/spdk_tgt_new
cat >"$T/a.bt" <<'END'
uprobe:__EXE__:spdk_thread_send_msg { @send_msg[usym(arg1)] = count(); }
usdt:__EXE__:nvmf_tgt_state { printf("reached %s\n", @target[arg1]); }
usdt:__EXE__:spdk:nvmf_ctrlr_add_qpair { @qpairs = count(); }
END
XPT_TRUTH=$T/truth "$XPT" script "$T/a.bt" -- "$tgt" -n 20 >"$T/out" 2>"$T/err"
is status 0 $?
[ -s "$T/truth" ] || { echo "skip script: bpftrace does not run here: $(tail -n 1 "$T/err")"; exit 0; }
is states "INIT_NONE RUNNING STOPPED" "$(sed -n 's/^reached //p' "$T/out" | grep -E '^(INIT_NONE|RUNNING|STOPPED)$' | tr '\n' ' ' | sed 's/ $//')"
is messages "$(jq '[.messages[]] | add' "$T/truth")" "$(sed -n 's/^@send_msg.*: //p' "$T/out" | awk "{ n += \$1 } END { print n }")"
# Two functions are called _finish: they are counted by address.
is callbacks 3 "$(grep -c '^@send_msg' "$T/out")"
is qpairs "@qpairs: $(jq .probes.nvmf_ctrlr_add_qpair "$T/truth")" "$(grep '^@qpairs' "$T/out")"

# --- all that SPDK's scripts ask for: texts, states, filters, structs, system calls ---------------
cat >"$T/b.bt" <<'END'
struct core_info { uint64_t total_idle; uint64_t total_busy; uint64_t idle; uint64_t busy; };
usdt:__EXE__:nvmf_subsystem_change_state_done {
	printf("%s from %s to %s %s\n", str(arg1), @subsystem[arg3], @subsystem[arg2], arg4 ? "failed" : "done");
}
usdt:__EXE__:nvmf_ctrlr_destruct { printf("destroy %p on %lu\n", arg1, arg2); }
usdt:__EXE__:nvmf_ns_change { printf("of older releases: %s\n", str(arg2)); }
usdt:__EXE__:spdk:interrupt_fd_process /strncmp(str(arg1), "nvmf", 4) == 0/ { @fd[arg2] = count(); }
usdt:__EXE__:bdev_nvme_create_qpair { @paths[str(arg1), arg2] = count(); }
usdt:__EXE__:dynsched_core_info { $info = (struct core_info *)arg2; @busy = $info->busy; }
uprobe:__EXE__:spdk_for_each_channel { @each = count(); }
tracepoint:syscalls:sys_enter_exit_group /pid == __PID__/ { @exits = count(); }
interval:s:100 { clear(@each); }
END
XPT_TRUTH=$T/truth2 "$XPT" script "$T/b.bt" -- "$tgt" -n 20 >"$T/out" 2>"$T/err"
is all_status 0 $?
holds all_left_out grep -q "has the probe nvmf_ns_change: its clause is left out" "$T/err"
is all_subsystem "nqn.2024-01.io.fake:cnode1 from INACTIVE to ACTIVE done" "$(grep -m 1 cnode1 "$T/out")"
is all_states "$(jq .probes.nvmf_subsystem_change_state_done "$T/truth2")" "$(grep -c ' done$' "$T/out")"
is all_destroyed "$(jq .probes.nvmf_ctrlr_destruct "$T/truth2")" "$(grep -c '^destroy 0x7f3a2000[01]000 on [12]$' "$T/out")"
is all_maps "@busy: 75 @each: 2 @exits: 1 @fd[9]: 2 @paths[nvme0, 1]: 2" "$(grep '^@[^s]' "$T/out" | sort | xargs)"

# --- of a process that runs: callbacks by name, counted by address -------------------------------
cat >"$T/c.bt" <<'END'
interval:ms:10 { @first++; if (@first == 1) { printf("on\n"); } }
uprobe:__EXE__:spdk_thread_send_msg { @send_msg[usym(arg1)] = count(); }
usdt:__EXE__:nvmf_ctrlr_destruct { printf("gone\n"); }
interval:ms:10 { @last++; if (@last == 1) { printf("on\n"); } }
END
XPT_TRUTH=$T/truth3 "$tgt" -r 1 -n 20	# the same messages
"$tgt" -r 1 -n 20 -w 600000 -g "$T/go" &
pid=$!
until_ grep -q spdk_tgt_new /proc/$pid/maps
"$XPT" script "$T/c.bt" -p $pid >"$T/out" 2>"$T/err" &
script=$!
until_ sh -c "[ \$(grep -c '^on' $T/out) = 2 ]"
touch "$T/go"
until_ sh -c "[ \$(grep -c '^gone' $T/out) = 2 ]"
kill -INT $script
wait $script
kill $pid
is live_form "@send_msg[send_add]: $(jq .messages.send_add "$T/truth3")" "$(grep '^@send_msg\[send_add' "$T/out")"
is live_finish "2 $(jq .messages._finish "$T/truth3")" "$(sed -n 's/^@send_msg\[_finish.*: //p' "$T/out" |
	awk '{ n += $1 } END { print NR, n }')"

# --- an operand that some releases of bpftrace cannot read: said before ----------------------------
cat >"$T/level.c" <<'END'
#include <sys/sdt.h>
int main(int argc, char **argv)
{
	__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",@note\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n.asciz \"demo\"\n"
			 ".asciz \"level\"\n.asciz \"8f@%xmm0\"\n994: .balign 4\n.popsection");
	return argc - 1 + !argv[0];
}
END
gcc -o "$T/level" "$T/level.c"
echo 'usdt:__EXE__:demo:level { @n = count(); }' >"$T/level.bt"
"$XPT" script "$T/level.bt" -- "$T/level" >"$T/out" 2>"$T/err"
holds unreadable_said grep -q "argument 0 of the probe demo:level is at 8f@%xmm0, which bpftrace may not be able to read" "$T/err"
wait 2>/dev/null
exit $failed
