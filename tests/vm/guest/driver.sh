# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs in the virtual machine: the simulated library asks the simulated kernel
# driver (tests/vm/module), traced with each way of seeing ioctls; and what fails
# in the driver. tests/vm/driver.sh judges what this leaves in /out.

settings=/sys/module/nvidia/parameters

# trace NAME [OPTION...] -- COMMAND...: and what the driver counted meanwhile
trace() {
	dir=/out/$1
	shift
	mkdir -p "$dir"
	opts=
	while [ "$1" != -- ]; do
		opts="$opts $1"
		shift
	done
	shift
	echo 0 >$settings/counts
	XPT_TRUTH=$dir/truth XPT_FAKE_COUNTS=$dir/counts \
		xputrace run --as-root -q -o "$dir/t.xtr" -o "$dir/t.jsonl" $opts -- "$@" \
		>"$dir/summary" 2>"$dir/stderr"
	echo $? >"$dir/exit"
	cat $settings/counts >"$dir/driver"
}

if [ -e /x/modules/missing ]; then
	cp /x/modules/missing /out/missing
	exit 0
fi
insmod /x/modules/nvidia.ko && insmod /x/modules/nvidia_uvm.ko || exit 1
export XPT_FAKE_RM=/dev
for kind in fentry tracepoint raw; do
	trace $kind --layers api,ioctl -f cuInit -f cuCtx* -f cuMem* --ioctl-attach $kind -- /x/train --iterations 4 --bytes 1M
done
# How long requests to the scheduler take, as ioctls and in the driver.
xputrace hist 'ioctl:*SCHEDULE' --json -- /x/train --iterations 4 --bytes 1M >/out/hist_ioctl 2>/out/hist_ioctl.err
xputrace hist 'kernel:nvidia:kchannelCtrlCmdGpFifoSchedule*' --json -- /x/train --iterations 4 --bytes 1M \
	>/out/hist_kernel 2>/out/hist_kernel.err
# Mappings and polls, by the program that knows how many it makes.
for kind in fentry tracepoint raw; do
	trace maps_$kind --layers ioctl --ioctl-attach $kind -- /x/ioctls map /dev/nvidia0 5
	trace refused_$kind --layers ioctl --ioctl-attach $kind -- /x/ioctls map /dev/nvidiactl 5
	trace looks_$kind --layers ioctl --ioctl-attach $kind -- /x/ioctls look /dev/nvidia0 5
done
# The third memory object: the driver says so in the status word, the library by a result.
echo 43 >$settings/fail_cmd
echo 64 >$settings/fail_object
echo 3 >$settings/fail_nth
echo 81 >$settings/fail_status
trace no_memory --layers api,ioctl -f cuInit -f cuCtx* -f cuMem* -- /x/train --iterations 4 --bytes 1M
# The same as an errno, with a report in the kernel log.
echo 0 >$settings/fail_status
echo 5 >$settings/fail_errno
echo 31 >$settings/fail_xid
trace io_error --layers api,ioctl -f cuInit -f cuCtx* -f cuMem* -- /x/train --iterations 4 --bytes 1M
echo 0 >$settings/fail_cmd
# Time spent in the driver is time of the ioctl.
echo 20000 >$settings/sched_us
trace slow --layers api,ioctl -f cuInit -f cuCtx* -f cuMem* -- /x/train --iterations 1 --bytes 1M
# Modules come and go, with and without type information.
rmmod nvidia_uvm nvidia && insmod /x/modules/btf/nvidia.ko && insmod /x/modules/btf/nvidia_uvm.ko ||
	echo "no types" >/out/no_types
trace again --layers api,ioctl -f cuInit -f cuCtx* -f cuMem* -- /x/train --iterations 4 --bytes 1M
