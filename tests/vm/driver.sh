#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel driver_module
#
# The simulated library on the simulated kernel driver (tests/vm/module): every
# ioctl is seen, once, with its command, object and status, in each way of
# seeing ioctls; and an error of the driver is found below the library's error.
# KERNEL="6.1 ..." chooses.
set -u
. tests/vm/lib.sh

# Times something: NAME of a program's ioctls with result and status, in order of names.
ioctls() { # DIR STEP
	calls_of "$1" "$2" 'select(.layer == "ioctl")
		| "\(.name | ltrimstr("ioctl:")) \(.result | sub("^0x.*"; "ADDRESS")) \(.args.status // "-")"' |
		sort | uniq -c | sed 's/^ *//'
}

# What train with 4 iterations asks for, if nothing fails.
want_all='1 NV_ESC_RM_ALLOC:AMPERE_CHANNEL_GPFIFO_A OK NV_OK
1 NV_ESC_RM_ALLOC:KEPLER_CHANNEL_GROUP_A OK NV_OK
1 NV_ESC_RM_ALLOC:NV01_DEVICE_0 OK NV_OK
4 NV_ESC_RM_ALLOC:NV01_MEMORY_LOCAL_USER OK NV_OK
1 NV_ESC_RM_ALLOC:NV01_ROOT_CLIENT OK NV_OK
1 NV_ESC_RM_CONTROL:NVA06C_CTRL_CMD_SET_TIMESLICE OK NV_OK
1 NV_ESC_RM_CONTROL:NVA06F_CTRL_CMD_GPFIFO_SCHEDULE OK NV_OK
4 NV_ESC_RM_FREE OK NV_OK
1 UVM_INITIALIZE OK NV_OK
1 mmap:nvidia ADDRESS -'

counted() { # DIR STEP FUNCTION...: what the driver counted itself
	file=$1/driver.$2
	shift 2
	for f; do
		sed -n "s/^$f //p" "$file"
	done | xargs
}

# As many as the library made and the driver saw.
complete() { # NAME DIR STEP
	is "$1" "$want_all" "$(ioctls "$2" "$3")"
	is "$1_driver" "14 14 8 2 4 1 1 1" "$(counted "$2" "$3" nvidia_unlocked_ioctl rm_ioctl \
		rmapiAllocWithSecInfo rmapiControlWithSecInfo rmapiFreeWithSecInfo \
		kchannelCtrlCmdGpFifoSchedule_IMPL kchangrpapiCtrlCmdSetTimeslice_IMPL uvm_ioctl)"
	is "$1_library" "8 2 4 1 1 0" \
		"$(jq -r '.rm | "\(.alloc) \(.control) \(.free) \(.uvm) \(.mmap) \(.poll)"' "$2/counts.$3")"
	is "$1_mapped" "1 0" "$(counted "$2" "$3" nvidia_mmap nvidia_poll)"
	is "$1_exit" "0 0" "$(cat "$2/exit") $(status_of "$2" "$3")"
}

seen() { # DIR STEP
	echo "$(ioctls "$1" "$2")" "$(counted "$1" "$2" nvidia_mmap nvidia_poll)" | xargs
}

# As many mappings and polls as the program made and, but for the empty ones, the driver saw.
others() { # NAME DIR
	is "$1_maps" "5 mmap:nvidia ADDRESS - 5 mmap:nvidia EINVAL - 5 0" "$(seen "$2" maps)"
	is "$1_refused" "5 mmap:nvidia EINVAL - 5 mmap:nvidia ENODEV - 5 0" "$(seen "$2" refused)"
	is "$1_looks" "10 poll:nvidia OK - 0 10" "$(seen "$2" looks)"
}

# NAME RESULT STATUS of the ioctl that fails and of the library's call around it
failure() { # DIR STEP
	calls_of "$1" "$2" 'select(.failed or (.args.status // "NV_OK") != "NV_OK")
		| "\(.name) \(.result) \(.args.status // "-")"' | xargs
}

# Requests to the scheduler, by type, in the table and in the statistics.
scheduler() { # DIR
	jq -r 'select(.type == "scheduler") | .name | sub(".*:"; "")' "$1/t.jsonl" | LC_ALL=C sort | xargs
	"$XPT" report --json "$1/t.xtr" | jq -r '(.scheduler | map("\(.request) \(.calls)") | sort | .[]),
		.statistics.scheduler_calls' | xargs
}

# Each once, although the log has all of them: by a kprobe from the module without a tracepoint. Two processes have
# used a GPU, so nobody is named for a report without a process.
xids() { # NAME DIR
	is "$1_xids" "31 kprobe 0000:00:00 train true
79 kprobe 0000:00:00  false
92 log_alone 0000:00:00  false
43 tracepoint 0000:00:00 sh true" \
		"$(jq -r 'select(.type == "xid") | "\(.xid) \(.source) \(.device) \(.comm) \(.named)"' "$2/t.jsonl")"
	is "$1_xid_texts" "pid=, name=train, ioctl 0x2b
GPU has fallen off the bus.
only in the log
pid=, name=sh, Reset Channel 00000008" \
		"$(jq -r 'select(.type == "xid") | .text | sub("pid=[0-9]+"; "pid=")' "$2/t.jsonl")"
	is "$1_xid_log" "1 31 1 43 1 79 1 92" \
		"$(sed -n 's/.*NVRM: Xid ([^)]*): \([0-9]*\),.*/\1/p' "$2/../dmesg" | sort | uniq -c | xargs)"
	is "$1_unload" "in use" "$(cat "$2/unload")"
}

judge() { # KERNEL DIR
	for way in fentry tracepoint raw; do
		complete "vm_$1_driver_$way" "$2/$way" train
		others "vm_$1_driver_$way" "$2/$way"
	done
	is "vm_$1_driver_types" absent "$(cat "$2/no_types" 2>/dev/null || echo absent)"
	complete "vm_$1_driver_again" "$2/fentry" again
	is "vm_$1_driver_scheduler" "NVA06C_CTRL_CMD_SET_TIMESLICE NVA06F_CTRL_CMD_GPFIFO_SCHEDULE
NVA06C_CTRL_CMD_SET_TIMESLICE 1 NVA06F_CTRL_CMD_GPFIFO_SCHEDULE 1 2" "$(scheduler "$2/tracepoint")"
	memory=ioctl:NV_ESC_RM_ALLOC:NV01_MEMORY_LOCAL_USER
	is "vm_$1_driver_no_memory" "$memory OK NV_ERR_NO_MEMORY cuMemAlloc_v2 CUDA_ERROR_OUT_OF_MEMORY -" \
		"$(failure "$2/fentry" no_memory)"
	is "vm_$1_driver_io_error" "$memory EIO - cuMemAlloc_v2 CUDA_ERROR_UNKNOWN -" \
		"$(failure "$2/fentry" io_error)"
	xids "vm_$1_driver" "$2/fentry"
	lockdown "vm_$1_driver" "$2"
	is "vm_$1_driver_slow" "NVA06C_CTRL_CMD_SET_TIMESLICE NVA06F_CTRL_CMD_GPFIFO_SCHEDULE cuCtxCreate_v2" \
		"$(calls_of "$2/fentry" slow 'select((.layer == "ioctl" and .duration_us >= 20000) or
			.name == "cuCtxCreate_v2" and .duration_us >= 40000) | .name | sub(".*:"; "")' | LC_ALL=C sort | xargs)"
}

# A locked-down kernel: no hindrance, or an error that says so.
lockdown() { # NAME DIR
	is "$1_integrity" "$want_all" "$(ioctls "$2/integrity" train)"
	is "$1_confidentiality" "4 1" "$(cat "$2/confidentiality/exit") $(grep -c \
		'cannot trace here: the kernel is locked down (confidentiality)' "$2/confidentiality/stderr")"
	[ ! -e "$2/doctor" ] || is "$1_confidentiality_doctor" 1 "$(grep -c '^NO *lockdown *the kernel is locked down (confidentiality)' "$2/doctor")"
}

boot_each driver judge
exit $failed
