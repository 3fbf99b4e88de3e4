#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A script in the form that SPDK ships, run by the bpftrace that is installed: names
# of states, and messages by callback as many as the target says.
set -u
. tests/cli.lib
tgt=$PWD/build/fake/spdk_tgt_new
command -v bpftrace >/dev/null || { echo "skip script: bpftrace is not installed"; exit 0; }
if [ "$(XPT_TRUTH=/dev/stdout "$tgt" -n 1 | jq .has_probes)" != true ]; then
	echo "skip script: no sys/sdt.h (systemtap-sdt-dev)"
	exit 0
fi
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
exit $failed
