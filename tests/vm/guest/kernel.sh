# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs in the virtual machine: functions of the simulated kernel driver
# (tests/vm/module) traced in each way, nested in ioctls and library calls, with
# and without type information, loaded late; and functions of the kernel itself.
# tests/vm/kernel.sh judges what this leaves in /out.

settings=/sys/module/nvidia/parameters
nested="--layers api,ioctl,driver -f cuInit -f cuCtx* -f cuMem*"

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
	[ ! -e $settings/counts ] || echo 0 >$settings/counts
	xputrace run -v --as-root -q -o "$dir/t.xtr" -o "$dir/t.jsonl" $opts -- "$@" \
		>"$dir/summary" 2>"$dir/stderr"
	echo $? >"$dir/exit"
	[ ! -e $settings/counts ] || cat $settings/counts >"$dir/driver"
}

if [ -e /x/modules/missing ]; then
	cp /x/modules/missing /out/missing
	exit 0
fi
set -f
xputrace doctor >/out/doctor 2>&1
export XPT_FAKE_RM=/dev
# Drivers that are loaded while the trace runs, without type information: names come from
# the kernel's symbols, results from the table.
trace late --layers driver -- sh -c 'insmod /x/modules/nvidia.ko; insmod /x/modules/nvidia_uvm.ko
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		grep -q "kernel functions: 2[0-9] of" /out/late/stderr && break; sleep 1; done
	echo 0 >/sys/module/nvidia/parameters/counts; /x/train --iterations 4 --bytes 1M'
xputrace list -v 'kernel:nvidia:nvidia_*' >/out/list_no_types 2>&1
if rmmod nvidia_uvm nvidia && insmod /x/modules/btf/nvidia.ko && insmod /x/modules/btf/nvidia_uvm.ko; then
	:
else
	echo "no types" >/out/no_types
	insmod /x/modules/nvidia.ko
	insmod /x/modules/nvidia_uvm.ko
fi
xputrace list -v 'kernel:nvidia:nvidia_*' >/out/list 2>&1
for kind in fsession-multi fentry-multi kprobe-session kprobe-multi kprobe; do
	trace $kind --layers driver --kernel-attach $kind -- /x/train --iterations 4 --bytes 1M
done
trace fentry --layers ioctl -k nvidia:nvidia_*ioctl -k nvidia:rm_ioctl -k nvidia_uvm:uvm_ioctl --kernel-attach fentry -- /x/train --iterations 4 --bytes 1M
trace nested $nested -- /x/train --iterations 4 --bytes 1M
# What fails in the driver, at each layer.
echo 43 >$settings/fail_cmd
echo 64 >$settings/fail_object
echo 3 >$settings/fail_nth
echo 5 >$settings/fail_errno
trace fails $nested -- /x/train --iterations 4 --bytes 1M
echo 0 >$settings/fail_cmd
# A name that the kernel has more than once.
trace double --layers driver -k nvidia:state_show -- cat $settings/state
trace double_fentry --layers driver --kernel-attach fentry -k nvidia:state_show -- cat $settings/state
# Calls that are counted by who makes them; wildcards; a module in use.
trace writes --layers driver -k vmlinux:vfs_write -- dd if=/dev/zero of=/dev/null bs=1 count=100
trace refused -k vmlinux:* -- true
# Many at once; fewer where each is attached by itself, for that takes minutes here.
case $(uname -r) in
6.1.*) many="-k vmlinux:udp_s*" ;;
*) many="-k vmlinux:tcp_* -k vmlinux:udp_* -k vmlinux:ip_*" ;;
esac
trace many --layers driver $many -- true
trace removed --layers driver -- sh -c 'rmmod nvidia_uvm; rmmod nvidia; true'
lsmod >/out/lsmod
