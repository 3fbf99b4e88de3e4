# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs in the virtual machine: the simulated library asks the simulated kernel
# driver (tests/vm/module), traced with each way of seeing ioctls; and what fails
# in the driver. tests/vm/driver.sh judges what this leaves in /out.

. /lib.sh

# What each way must see: a program that works, and mappings and polls, by the program
# that knows how many it makes.
cat >/tmp/same <<'END'
. /lib.sh
train train
step maps /x/ioctls map /dev/nvidia0 5
step refused /x/ioctls map /dev/nvidiactl 5
step looks /x/ioctls look /dev/nvidia0 5
END
cat >/tmp/more <<'END'
. /tmp/same
# The driver says so in the status word, the library by a result; then as an errno.
third_fails status 81
train no_memory
third_fails errno 5
set_driver fail_xid 31
train io_error
# Time spent in the driver is time of the ioctl.
set_driver fail_cmd 0 sched_us 20000
train slow --iterations 1
# What names nobody; a line that only the log has.
echo "79, GPU has fallen off the bus." >$settings/xid
echo '<3>NVRM: Xid (PCI:0000:00:00): 92, only in the log' >/dev/kmsg
# Modules come and go, with and without type information. The second has a tracepoint, and
# whoever uses that keeps it.
rmmod nvidia_uvm
rmmod nvidia || echo "in use" >$dir/unload
load btf/ || cat /x/modules/btf/why >/out/no_types 2>/dev/null || echo "no types" >/out/no_types
i=0
until grep -q 'GPU driver: by tracepoint' "$dir/stderr" || [ $((i += 1)) -gt 300 ]; do
	sleep 0.1
done
echo "43, pid=$$, name=sh, Reset Channel 00000008" >$settings/xid
train again
rmmod nvidia_uvm
rmmod nvidia || echo "in use" >>$dir/unload
END

need_modules
load || exit 1
export XPT_FAKE_RM=/dev
api="--layers api,ioctl -f cuInit -f cuCtx* -f cuMem*"
trace tracepoint $api --ioctl-attach tracepoint -- sh /tmp/same
trace raw $api --ioctl-attach raw -- sh /tmp/same
trace fentry -v $api --ioctl-attach fentry -- sh /tmp/more
# A kernel that is locked down, a little and wholly; there is no way back.
insmod /x/modules/nvidia_uvm.ko
echo integrity >/sys/kernel/security/lockdown
trace integrity $api --ioctl-attach raw -- sh -c '. /lib.sh; train train'
echo confidentiality >/sys/kernel/security/lockdown
trace confidentiality $api -- true
case $(uname -r) in
6.*) ;;
*)
	mark doctor
	xputrace doctor >/out/doctor 2>&1
	;;
esac
mark end
