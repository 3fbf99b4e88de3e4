#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
# uses: fentry userfaultfd
#
# Ioctls on devices: all of those on a watched one and no other, errors by name,
# below the call of the library that makes them, in every output. /dev/random
# stands for a device whose commands work; /dev/null for one that refuses all.
. tests/bpf/lib.sh
need_bpf

"$XPT" run --layers ioctl --device 1:3 --no-file --no-summary -q -- true >"$T/why" 2>&1 || {
	echo "skip ioctl: $(head -n 1 "$T/why")"
	exit 0
}
"$W/ioctls" /dev/random 1 || { echo "skip ioctl: no /dev/random here"; exit 0; }

lines() { # DIR JQ_CONDITION
	jq -c "select($2)" "$T/$1/t.jsonl" | wc -l
}

# 10 rounds of three calls on the device; descriptors of others, closed and huge ones are no calls of ours.
for kind in auto tracepoint raw fentry; do
	n=rounds_$kind
	if ! trace $n --layers ioctl --device /dev/random --ioctl-attach $kind -- "$W/ioctls" /dev/random 10; then
		if [ $kind = fentry ] && [ $status = 4 ]; then
			echo "skip ioctl_fentry: this kernel refuses it"
			continue
		fi
		not_ok $n "exit status $status"
		continue
	fi
	is ${n}_calls 30 "$(lines $n '.layer == "ioctl" and .phase == "X"')"
	is ${n}_good 10 "$(lines $n '.name == "ioctl:RNDGETENTCNT" and .result == "OK"')"
	is ${n}_fault 10 "$(lines $n '.name == "ioctl:RNDGETENTCNT" and .result == "EFAULT" and .failed')"
	is ${n}_unknown 10 "$(lines $n '.name == "ioctl(0xc020462a)" and .code == -22')"
	is ${n}_device "1:8" "$(jq -r '.args.device // empty' "$T/$n/t.jsonl" | sort -u)"
	is ${n}_cmd "_IOWR('F',42,32)" "$(jq -r 'select(.name == "ioctl(0xc020462a)") | .args.cmd' "$T/$n/t.jsonl" | sort -u)"
	is ${n}_statistics 30 "$(field $n '.statistics.ioctl_calls // .statistics[0].ioctl_calls')"
	is ${n}_errors 20 "$(field $n '[.errors[].calls] | add')"
	is ${n}_lost null "$(field $n '.losses[0].count')"
done

# Mappings and polls: the program says where its mappings are; what it does besides is not told.
maps() { # NAME
	jq -r 'select(.layer == "ioctl" and .phase == "X") | "\(.name) \(.result | sub("^0x.*"; "ADDRESS")) \(.args.device) \(.args.length) \(.args.offset)"' \
		"$T/$1/t.jsonl" | sort | uniq -c | sed 's/^ *//' | xargs
}
polls() { # NAME
	jq -r 'select(.name == "poll:other") | "\(.result) \(.args.device) \(.args.nfds) \(.args.timeout_ms) \(.duration_us >= 20000)"' \
		"$T/$1/t.jsonl" | LC_ALL=C sort | uniq -c | sed 's/^ *//' | xargs
}
for kind in tracepoint raw fentry; do
	if ! trace map_$kind --layers ioctl --device 1:5 --ioctl-attach $kind -- "$W/ioctls" map /dev/zero 10; then
		[ $kind = fentry ] && [ $status = 4 ] && continue
		not_ok map_$kind "exit status $status"
		continue
	fi
	is map_$kind "10 mmap:other ADDRESS 1:5 8192 0x1000 10 mmap:other EINVAL 1:5 0 0x0" "$(maps map_$kind)"
	is map_${kind}_where "$(grep "^0x" "$T/map_$kind/summary")" \
		"$(jq -r 'select(.name == "mmap:other" and .result != "EINVAL") | .result' "$T/map_$kind/t.jsonl")"
	is map_${kind}_errors "mmap:other EINVAL 10" "$(field map_$kind '.errors[] | "\(.function) \(.error) \(.calls)"')"
	is map_${kind}_class "map kernel" "$(jq -r 'select(.layer == "ioctl") | "\(.class) \(.type)"' "$T/map_$kind/t.jsonl" | sort -u)"
	is map_${kind}_no_ioctl null "$(field map_$kind '.statistics.ioctl_calls')"
	is map_${kind}_no_memory null "$(field map_$kind '.memory')"
	trace unmapped_$kind --layers ioctl --device 1:8 --ioctl-attach $kind -- "$W/ioctls" map /dev/random 10
	is unmapped_$kind "10 mmap:other EINVAL 1:8 0 0x0 10 mmap:other ENODEV 1:8 8192 0x1000" "$(maps unmapped_$kind)"
	trace poll_$kind --layers ioctl --device 1:8 --ioctl-attach $kind -- "$W/ioctls" poll /dev/random 4
	is poll_$kind "4 1 1:8 1 100 false 4 1 1:8 1 2 false 4 1 1:8 8 -1 false 4 EFAULT 1:8 1 0 false \
4 EINVAL 1:8 1073741824 0 false 4 OK 1:8 1 20 true" "$(polls poll_$kind)"
	is poll_${kind}_only 24 "$(lines poll_$kind '.phase == "X"')"
	is poll_${kind}_lost null "$(field poll_$kind '.losses[0].count')"
done
trace map_counted --layers ioctl --device 1 --counters -- "$W/ioctls" look /dev/random 20000
is poll_counters 40000 "$(field map_counted '.functions[] | select(.function == "poll:other") | .calls')"

# By number; a major stands for all of its devices; a file that nobody watches.
trace major --layers ioctl --device 1 -- "$W/ioctls" /dev/random 3
is major 9 "$(lines major '.layer == "ioctl"')"
trace other --layers ioctl --device 1:3 -- "$W/ioctls" /dev/random 3
is other_device 0 "$(lines other '.layer == "ioctl"')"
trace without -f cuInit -- "$W/ioctls" /dev/random 3
is not_asked_for 0 "$(lines without '.layer == "ioctl"')"
trace child --layers ioctl --device 1:8 -- sh -c "$W/ioctls /dev/random 2; $W/ioctls /dev/random 2"
is children 12 "$(lines child '.layer == "ioctl"')"

# Counted in the kernel, without events: names come with the totals.
trace counted --layers ioctl --device 1:8 --counters -- "$W/ioctls" loop /dev/random 50000
is counters 50000 "$(field counted '.functions[] | select(.function == "ioctl:RNDGETENTCNT") | .calls')"

# Another thread closes and opens the descriptor all the time.
trace race --layers ioctl --device 1:8 -- "$W/ioctls" race /dev/random 20000
is race_exit 0 $status
is race_open_calls "" "$(field race '.in_flight[]?.function')"

# Nested: the simulated library makes ioctls inside its calls.
export XPT_FAKE_DEVICE=/dev/random
export XPT_FAKE_IOCTL='cuMemAlloc_v2=0x80045200,cuLaunchKernel=0x80045200,cuMemFree_v2@2=0xc020462a!'
trace nested --layers api,ioctl --device /dev/random -- "$E/train" --iterations 2
is nested_status 1 $status	# its free fails
is nested_calls 19 "$(lines nested '.layer == "ioctl" and .depth == 1')"
is nested_none_outside 0 "$(lines nested '.layer == "ioctl" and .depth != 1')"
is nested_alloc "2 2" "$(field nested '.ioctl_callers[] | select(.function == "cuMemAlloc_v2") | "\(.calls) \(.ioctls)"')"
is nested_launch "16 16" "$(field nested '.ioctl_callers[] | select(.function == "cuLaunchKernel") | "\(.calls) \(.ioctls)"')"
is nested_time true "$(field nested '[.ioctl_callers[] | .ioctl_ns + .self_ns == .time_ns and .ioctl_ns > 0] | all')"
is nested_error "cuMemFree_v2 CUDA_ERROR_UNKNOWN ioctl(0xc020462a) EINVAL 1" \
	"$(field nested '.ioctl_errors[] | "\(.function) \(.result) \(.ioctl) \(.error) \(.calls)"')"
is nested_inside 18 "$(jq -rs '[.[] | select(.layer == "api" and (.name == "cuMemAlloc_v2" or .name == "cuLaunchKernel"))] as $o
	| [.[] | select(.name == "ioctl:RNDGETENTCNT")] as $i | [range($o | length) | select($i[.].ts >= $o[.].ts
	and $i[.].duration_us <= $o[.].duration_us)] | length' "$T/nested/t.jsonl")"
is nested_live 16 "$("$XPT" run --as-root --log - --layers api,ioctl --device 1:8 --no-file --no-summary -- "$E/train" --iterations 2 \
	2>/dev/null | awk '/^ *[0-9]+ cuLaunchKernel/ { outer = 1; next } outer && /[└>] ?ioctl:RNDGETENTCNT/ { n++ } { outer = 0 } END { print n }')"
"$XPT" convert "$T/nested/t.xtr" -o "$T/nested.json" >/dev/null 2>&1
is nested_chrome 19 "$(jq '[.traceEvents[] | select((.name // "") | startswith("ioctl")) | select(.ph == "X")] | length' "$T/nested.json")"
unset XPT_FAKE_DEVICE XPT_FAKE_IOCTL

# What the argument of NVIDIA's commands says, on a device that refuses them.
trace rm --layers ioctl --device /dev/null=nvidia -- "$W/ioctls" rm /dev/null
is rm_names "ioctl:NV_ESC_RM_ALLOC:NV01_MEMORY_LOCAL_USER ioctl:NV_ESC_RM_ALLOC:AMPERE_CHANNEL_GPFIFO_A \
ioctl:NV_ESC_RM_ALLOC:0xdead ioctl:NV_ESC_RM_CONTROL:NVA06F_CTRL_CMD_GPFIFO_SCHEDULE ioctl:NV_ESC_RM_CONTROL \
ioctl:NV_ESC_RM_ALLOC ioctl:NV_ESC_IOCTL_XFER_CMD" "$(jq -r 'select(.layer == "ioctl") | .name' "$T/rm/t.jsonl" | xargs)"
is rm_size 1048576 "$(jq -r 'select(.args.object == "0x40") | .args.size' "$T/rm/t.jsonl")"
is rm_result ENOTTY "$(jq -r 'select(.layer == "ioctl") | .result' "$T/rm/t.jsonl" | sort -u)"

# One of them asks the scheduler for something.
is rm_scheduler "ioctl:NV_ESC_RM_CONTROL:NVA06F_CTRL_CMD_GPFIFO_SCHEDULE sched" \
	"$(jq -r 'select(.type == "scheduler") | "\(.name) \(.class)"' "$T/rm/t.jsonl")"
is rm_others 6 "$(lines rm '.type == "kernel"')"
is rm_statistics "1 7" "$(field rm '.statistics | "\(.scheduler_calls) \(.ioctl_calls)"')"
is rm_by_type "kernel 6 scheduler 1" "$(field rm '.events_by_type[] | "\(.type) \(.events)"' | xargs)"
is rm_requests "NVA06F_CTRL_CMD_GPFIFO_SCHEDULE 1 1" "$(field rm '.scheduler[] | "\(.request) \(.calls) \(.failed)"')"
is no_requests "0 null" "$(field nested '"\(.statistics.scheduler_calls) \(.scheduler)"')"

# One that waits for a page is told while it waits, with its age.
if trace hang --layers ioctl --device 1:8 --hang 50ms -- "$W/ioctls" hang /dev/random 400; then
	is hang_told true "$(jq -s '[.[] | select(.in_flight)] | length > 0 and all(.name == "ioctl:RNDGETENTCNT")' "$T/hang/t.jsonl")"
	is hang_result OK "$(jq -r 'select(.phase == "X") | .result' "$T/hang/t.jsonl")"
elif [ $status = 77 ]; then
	echo "skip hang: no userfaultfd here"
else
	not_ok hang "exit status $status"
fi

# Wrong options say what is wrong.
for wrong in "--layers gpu" "--device 5000" "--device /dev/null=x" "--device /etc/passwd" \
	"--device /nowhere" "--device =nvidia" "--layers ioctl -d cuda" "-d ioctl"; do
	# shellcheck disable=SC2086 # a list
	"$XPT" run --no-file $wrong -- true >"$T/out" 2>&1
	is "wrong_$wrong" 2 $?
done
# Tracepoints take long to leave: a process of its own does that, and it comes to an end.
"$XPT" run -v --as-root --layers ioctl --device 1:8 --ioctl-attach tracepoint --no-file --no-summary -- true >"$T/out" 2>"$T/why"
if [ $? != 4 ]; then
	leaving=$(sed -n 's/.*probes are taken away by process \([0-9]*\)$/\1/p' "$T/why")
	gone() { ! kill -0 "$leaving" 2>/dev/null; }
	holds background test -n "$leaving"
	holds background_ends wait_for gone
fi
exit $failed
