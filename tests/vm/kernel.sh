#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 1200
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel driver_module
#
# Functions of the kernel, on the simulated kernel driver (tests/vm/module): each
# way of attaching that a kernel has sees exactly the calls that the driver
# counted, and the others are refused; calls lie in the ioctls and library calls
# that lead to them.   KERNEL="6.1 ..." chooses.
set -u
. tests/vm/lib.sh

kinds_of() { # KERNEL
	case $1 in
	6.1) echo "fentry kprobe" ;;
	6.12) echo "fentry kprobe-session kprobe-multi kprobe" ;;
	*) echo "fsession-multi fentry-multi fentry kprobe-session kprobe-multi kprobe" ;;
	esac
}

# What runs while the program does; its files are closed when it has ended.
all="nvidia_open nvidia_unlocked_ioctl nvidia_ioctl nvidia_mmap nvidia_poll rm_ioctl
	rmapiAllocWithSecInfo rmapiControlWithSecInfo rmapiFreeWithSecInfo
	kchannelCtrlCmdGpFifoSchedule_IMPL kchangrpapiCtrlCmdSetTimeslice_IMPL
	uvm_open_entry uvm_unlocked_ioctl_entry uvm_ioctl"

few="nvidia_unlocked_ioctl nvidia_ioctl rm_ioctl uvm_ioctl"

driver_counts() { # DIR STEP
	for f in $functions; do
		sed -n "s/^$f \([0-9]*\)/$f \1/p" "$1/driver.$2"
	done
}

events() { # DIR STEP
	calls_of "$1" "$2" .name >"$1/names"
	for f in $functions; do
		echo "$f $(grep -cx "$f" "$1/names")"
	done
}

counters() { # DIR
	for f in $functions; do
		echo "$f $(jq "[.functions[]? | select(.function == \"$f\") | .calls] | add // 0" "$1/report.json")"
	done
}

# exact NAME DIR STEP: events are what the driver counted
exact() {
	is "$1_exit" "0 0" "$(cat "$2/exit") $(status_of "$2" "$3")"
	is "$1" "$(driver_counts "$2" "$3")" "$(events "$2" "$3")"
}

# whole NAME DIR: all have returned
whole() {
	"$XPT" report --json "$2/t.xtr" >"$2/report.json" || not_ok "$1" "no report"
	is "$1_losses" "" "$(jq -r '.losses[]? | select(.loss != "kernel_failed") | "\(.loss) \(.count)"' "$2/report.json")"
}

attached() { # DIR: kinds and numbers, as -v says them
	sed -n 's/.*kernel functions: [0-9]* of [0-9]*, by \(.*\), in .*/\1/p' "$1/stderr" | tail -n 1
}

calls() { # DIR STEP NAME
	calls_of "$1" "$2" .name | grep -cx "$3"
}

# Each call of the driver lies in an ioctl, in time and depth, and that in a library's call.
nesting() { # DIR STEP
	calls_of "$1" "$2" tojson | jq -rs '. as $c | [$c[] | select(.layer == "driver" and (.name | test("ioctl|^rmapi|^kchan")))] as $d
		| [$d[] | . as $x | first($c[] | select(.layer == "ioctl" and .tid == $x.tid and .ts <= $x.ts
			and .ts * 1e6 + .duration_us >= $x.ts * 1e6 + $x.duration_us - 2 and .depth < $x.depth)) // empty]
		| "\(($d | length) > 0) \(length == ($d | length))"'
}

# Each way that this kernel has; the others are refused.
kinds() { # KERNEL DIR
	for kind in fsession-multi fentry-multi fentry kprobe-session kprobe-multi kprobe; do
		case " $(kinds_of "$1") " in
		*" $kind "*)
			[ $types != none ] || case $kind in f*) continue ;; esac
			functions=$all
			[ $kind != fentry ] || functions=$few
			exact "${k}_$kind" "$2/$kind" train
			whole "${k}_$kind" "$2/$kind"
			is "${k}_${kind}_counters" "$(driver_counts "$2/$kind" train)" "$(counters "$2/$kind")"
			n=$(attached "$2/$kind")
			is "${k}_${kind}_used" "$kind" "${n% [0-9]*}"
			echo "# $1: ${n:-nothing} attached in $(jq .overhead.attach_ns "$2/$kind/report.json") ns"
			;;
		*) is "${k}_no_$kind" 4 "$(cat "$2/$kind/exit")" ;;
		esac
	done
	functions=$all
}

nested() { # DIR
	exact "${k}_nested" "$1" train
	whole "${k}_nested" "$1"
	is "${k}_nesting" "true true" "$(nesting "$1" train)"
	"$XPT" replay "$1/t.xtr" >"$1/live" 2>&1
	is "${k}_live" true "$(awk '/cuMemAlloc_v2/ { a = NR } /ioctl:NV_ESC_RM_ALLOC/ && a == NR - 1 { i = NR }
		/nvidia_unlocked_ioctl/ && i == NR - 1 { u = NR } /nvidia_ioctl/ && u == NR - 1 { n = 1 } END { print n ? "true" : "false" }' "$1/live")"
	is "${k}_fails" "rmapiAllocWithSecInfo nvidia_ioctl EIO nvidia_unlocked_ioctl EIO ioctl:NV_ESC_RM_ALLOC:NV01_MEMORY_LOCAL_USER EIO cuMemAlloc_v2" \
		"$(calls_of "$1" fails 'select(.failed) | if .layer == "api" then .name elif .name == "rm_ioctl" or (.name | startswith("rmapi")) then "rmapiAllocWithSecInfo" else "\(.name) \(.result)" end' | uniq | xargs)"
	is "${k}_double" "0 1" "$(status_of "$1" double) $(calls "$1" double state_show)"
	is "${k}_recursion" "0 1 2 3 4 5 6 7 8" "$(calls_of "$1" recursion 'select(.name == "nv_recurse" or .name == "vfs_write" and .args.count == 2) | .depth' | sort -n | xargs)"
	is "${k}_writes" true "$(calls_of "$1" writes 'select(.name == "vfs_write" and .args.count == 1 and .code == 1) | .name' |
		awk 'END { print(NR >= 100 ? "true" : NR) }')"
}

# A recursion deeper than can be followed: what was seen and what is told as not seen.
deep() { # DIR
	jq -r --argjson seen "$(calls "$1" deep nv_recurse)" '[.losses[]? | select(.loss == "depth_full" or .loss == "kernel_cut") | .count] | "\($seen + add) \($seen >= 8)"' "$1/report.json"
}

# Modules that come while the trace runs, without type information. Where probes hold
# the module it stays; else it may go and come back. Nothing is lost or counted twice.
late() { # KERNEL DIR
	exact "${k}_late" "$2" first
	is "${k}_late_exit" 0 "$(cat "$2/exit")"
	echo "# $1: driver unloaded while traced: $(head -c 60 "$2/unload" | head -n 1) ($(attached "$2"))"
	case $1 in
	6.1)
		is "${k}_unload" gone "$(cat "$2/unload")"
		exact "${k}_late_again" "$2" again
		;;
	esac
	whole "${k}_late" "$2"
}

judge() { # KERNEL DIR
	functions=$all
	k=vm_$1_kernel
	types=btf
	[ ! -e "$2/no_types" ] || types=none
	kinds "$1" "$2"
	nested "$2/nested"
	if [ $types = btf ]; then
		is "${k}_prototype" 1 "$(grep -c '^nvidia_unlocked_ioctl *[a-z-]* *long int (struct file \*file, unsigned int cmd, long unsigned int i_arg)' "$2/list")"
		is "${k}_values" true "$(jq -s '[.[] | select(.name == "nvidia_ioctl" and .phase == "X") | .args | (.cmd > 0 and (.inode | startswith("0xff")))] | all' "$2/nested/t.jsonl")"
		is "${k}_fentry_double" 0 "$(calls "$2/fentry" double state_show)"
		is "${k}_fentry_unload" 1 "$(cat "$2/fentry/unload")"
	fi
	is "${k}_no_types_list" 1 "$(grep -c '^nvidia_unlocked_ioctl *kprobe' "$2/list_no_types")"
	late "$1" "$2/late"
	"$XPT" report --json "$2/many/t.xtr" >"$2/many/report.json"
	is "${k}_many" 0 "$(cat "$2/many/exit")"
	is "${k}_deep" "40 true" "$(deep "$2/many")"
	echo "# $1: $(attached "$2/many"): $(jq .overhead.attach_ns "$2/many/report.json") ns"
	is "${k}_recipe" "kchannelCtrlCmdGpFifoSchedule_IMPL train 1 true" \
		"$(jq -r '.hooks[] | select(.action == "hist") | "\(.hook) \(.key) \(.hits) \(.sum > 0)"' "$2/recipe/said")"
	is "${k}_recipe_written" 1 "$(grep -cF "$(grep -o 'kernel:nvidia:[^ ]* hist(duration) by comm' docs/hooks.md)" tests/vm/guest/kernel.sh)"
	[ -e "$2/no_types" ] || is "${k}_recipe_members" "nvidiactl 14" \
		"$(jq -r '.hooks[] | select(.hook == "device") | "\(.key) \(.hits)"' "$2/recipe/said")"
	[ ! -e "$2/hist" ] ||
		is "${k}_hist" "kchannelCtrlCmdGpFifoSchedule_IMPL 1 1" \
			"$(jq -r '.functions[] | "\(.function) \(.calls) \([.histogram[].calls] | add)"' "$2/hist" | xargs)"
}

boot_each kernel judge
exit $failed
