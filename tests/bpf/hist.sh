#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
#
# Histograms of what is traced for them: a command, a running process, ioctls;
# nothing is left behind, nothing has a name meanwhile, and the command's status and output go
# where they belong.
. tests/bpf/lib.sh
need_bpf
# Whoever could exchange files there would have what root counts, or have root write elsewhere.
mkdir -m 777 "$T/tmp"
TMPDIR=$T/tmp
export TMPDIR
# It has probes on functions, and not only on the kernel's tracepoints.
has_begun() { # PID
	cat /proc/"$1"/fdinfo/* 2>/dev/null | grep link_type | grep -qv raw_tracepoint
}

"$XPT" hist 'cuLaunchKernel' --json -- "$E/train" --iterations 5 >"$T/h.json" 2>"$T/err"
is command 0 $?
is command_calls "cuLaunchKernel 40 40 true" "$(jq -r '.exact as $e | .functions[]
	| "\(.function) \(.calls) \([.histogram[].calls] | add) \($e)"' "$T/h.json")"
"$XPT" hist 'cu*' -- sh -c 'echo said; exit 7' >"$T/out" 2>"$T/err"
is status_of_command 7 $?
is output_of_command said "$(cat "$T/out")"
is json_alone "" "$("$XPT" hist 'cu*' --json -- echo said 2>/dev/null | grep said)"
"$XPT" hist 'cu*' -- /no/such/command >/dev/null 2>&1
is no_command 127 $?

"$W/actor" 1 done="$T/up" wait="$T/go" 20 &
pid=$!
wait_for test -e "$T/up"
"$XPT" hist cuInit --json -p $pid >"$T/p.json" 2>"$T/err" &
hist=$!
wait_for has_begun $hist
is nothing_named "" "$(ls "$TMPDIR")"
: >"$T/go"
wait $pid
wait $hist
is process 0 $?
is process_calls "cuInit 20 20" "$(jq -r '.functions[0] | "\(.function) \(.calls) \([.histogram[].calls] | add)"' "$T/p.json")"

if "$XPT" run --layers ioctl --device 1:3 --no-file --no-summary -q -- true 2>/dev/null &&
	"$W/ioctls" /dev/random 1; then
	is ioctls "ioctl:RNDGETENTCNT 3000 ioctl" "$("$XPT" hist 'ioctl:RND*' --device 1:8 --json -- \
		"$W/ioctls" loop /dev/random 3000 2>/dev/null | jq -r '.functions[] | "\(.function) \(.calls) \(.layer)"')"
	# A command without a name is one, too.
	is numbers "ioctl(0xc020462a) 5,ioctl:RNDGETENTCNT 10 ioctl(0xc020462a) 5" "$(for glob in 'ioctl:*' 'ioctl:0xc02*'; do
		"$XPT" hist "$glob" --device 1:8 --json -- "$W/ioctls" /dev/random 5 2>/dev/null |
			jq -r '[.functions[] | "\(.function) \(.calls)"] | sort | join(",")'; done | xargs)"
	# Other system calls on devices are functions of that layer, too.
	is mmaps "mmap:other 8 ioctl" "$("$XPT" hist 'mmap:*' --device 1:5 --json -- "$W/ioctls" map /dev/zero 4 2>/dev/null |
		jq -r '.functions[] | "\(.function) \(.calls) \(.layer)"')"
	# Requests to the scheduler alone, though a device that is none of NVIDIA's refuses them.
	is scheduler "ioctl:NV_ESC_RM_CONTROL:NVA06F_CTRL_CMD_GPFIFO_SCHEDULE 1" "$("$XPT" hist 'ioctl:*GPFIFO_SCHEDULE' \
		--device /dev/null=nvidia --json -- "$W/ioctls" rm /dev/null 2>/dev/null | jq -r '.functions[] | "\(.function) \(.calls)"')"
else
	echo "skip ioctls: not traced here"
fi
is left_behind "" "$(ls "$TMPDIR")"
exit $failed
