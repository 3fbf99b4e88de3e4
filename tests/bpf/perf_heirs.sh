#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Definitions of perf events that a child of an ended xputrace still has open: the next
# xputrace leaves them alone, for the kernel would free what breakpoints still lead to;
# and takes them away when the child has gone.
. tests/bpf/lib.sh
need_bpf

tracing=/sys/kernel/tracing
if [ ! -e $tracing/uprobe_events ]; then
	tracing=$T/tracing
	mkdir "$tracing"
	mount -t tracefs none "$tracing" 2>"$T/why" || { echo "skip heirs: $(head -n 1 "$T/why")"; exit 0; }
	trap 'umount "$tracing"' EXIT
fi
set -- run -q --as-root --attach perf --no-file --no-summary
defined() { grep -c ":xpt_$pid/" $tracing/uprobe_events; }

"$XPT" "$@" -v --layers api,ioctl --device 1:8 --ioctl-attach tracepoint -- "$E/train" --iterations 1 >"$T/out" 2>"$T/err" &
pid=$!
wait $pid
if [ $? = 4 ]; then
	echo "skip heirs: $(head -n 1 "$T/err")"
	exit 0
fi
heir=$(sed -n 's/.*probes are taken away by process \([0-9]*\)$/\1/p' "$T/err")
if ! kill -STOP "$heir" 2>/dev/null; then
	not_ok stopped "no child that closes the events"
	exit 1
fi
is name "xpt-heir$pid" "$(cat "/proc/$heir/comm")"
before=$(defined)
holds some_defined test "$before" -gt 0
"$XPT" "$@" -- true 2>"$T/err"
is left_alone "$before" "$(defined)"
kill -CONT "$heir"
gone() { ! kill -0 "$heir" 2>/dev/null; }
holds ends wait_for gone
"$XPT" "$@" -- true 2>"$T/err"
is taken_away 0 "$(defined)"
exit $failed
