#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
#
# What `make demo-agent` does with what is built: metrics, top and recordings show what the programs of the
# simulated node have counted themselves, the call that hangs, and the process that holds memory.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/agent_lib.sh

unset LD_LIBRARY_PATH
# A relative path, as the default is.
demo=$(python3 -c 'import os, sys; print(os.path.relpath(sys.argv[1]))' "$T/demo")
if DEMO_LISTEN=0 DEMO_BUILD=$B DEMO_OUT=$demo scripts/demo-agent <"/dev/null" >"$T/out" 2>"$T/err"; then
	ok demo_agent
else
	not_ok demo_agent "exit status $?: $(tail -n 1 "$T/err")"
fi
hang=$(sed -n 's/^call that hangs .*demo-hang\[\([0-9]*\)\].*/\1/p' "$T/out")
holds hang_is_named [ -n "$hang" ]
holds hang_has_ended [ ! -e "/proc/$hang" ]
holds top_shows_memory grep -q "$hang.*512" "$T/demo/top.txt"
exit $failed
