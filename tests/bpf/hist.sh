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
# What a hist has counted so far is not empty.
has_begun() { # PID
	for fd in /proc/"$1"/fd/*; do
		case $(readlink "$fd") in
		/memfd:xputrace-totals*) [ "$(stat -L -c %s "$fd")" = 0 ] || return 0 ;;
		esac
	done
	return 1
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

"$E/train" --iterations 1000000 --seconds 250 --delay 300 >/dev/null 2>&1 &
pid=$!
"$XPT" hist cuMemAlloc_v2 --json -p $pid >"$T/p.json" 2>"$T/err" &
hist=$!
until has_begun $hist 2>/dev/null; do
	kill -0 $hist 2>/dev/null || break
	sleep 0.1
done
is nothing_named "" "$(ls "$TMPDIR")"
sleep 1
kill $pid
wait $hist
is process 0 $?
is process_calls true "$(jq '.functions[0] | .function == "cuMemAlloc_v2" and .calls > 0
	and .calls == ([.histogram[].calls] | add)' "$T/p.json")"

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
