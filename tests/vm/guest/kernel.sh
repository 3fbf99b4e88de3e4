# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs in the virtual machine: functions of the simulated kernel driver
# (tests/vm/module) traced in each way, nested in ioctls and library calls, with
# and without type information, loaded late; and functions of the kernel itself.
# tests/vm/kernel.sh judges what this leaves in /out.

. /lib.sh

# The driver comes while the trace runs, goes, and comes again. Each time all of its functions
# get probes, at most a second later; a program that runs before that would be seen in part.
cat >/tmp/late <<'END'
. /lib.sh
attached() { # TIMES
	i=0
	until [ "$(grep -c 'kernel functions: 2[0-9] of' "$dir/stderr")" -ge "$1" ] || [ $((i += 1)) -gt 300 ]; do
		sleep 0.1
	done
}
tries=0
load
attached 1
train first
rmmod nvidia_uvm && rmmod nvidia && echo gone >"$dir/unload" || lsmod >"$dir/unload"
# Again and again, so that some changes fall into a look at what is there; then it stays.
if [ "$(cat "$dir/unload")" = gone ]; then
	load
	for _ in 1 2 3 4 5 6; do
		rmmod nvidia_uvm && rmmod nvidia && load
	done
	had=-1
	until [ "$had" = "$(grep -c 'kernel functions: 2[0-9] of' "$dir/stderr")" ] && [ "$had" -ge 2 ]; do
		had=$(grep -c 'kernel functions: 2[0-9] of' "$dir/stderr")
		sleep 4
		[ $((tries += 1)) -le 10 ] || break
	done
	train again
fi
END

need_modules
export XPT_FAKE_RM=/dev
trace late -v --layers driver -- sh /tmp/late
mark list
xputrace list -v 'kernel:nvidia:nvidia_*' >/out/list_no_types 2>&1
rmmod nvidia_uvm nvidia
load btf/ || {
	echo "no types" >/out/no_types
	load
}
xputrace list -v 'kernel:nvidia:nvidia_*' >/out/list 2>&1
for kind in fsession-multi fentry-multi kprobe-session kprobe-multi kprobe; do
	trace $kind -v --layers driver --kernel-attach $kind -- sh -c '. /lib.sh; train train'
done
# By programs of their own; a name that the kernel has more than once gets none.
trace fentry -v --layers ioctl --ioctl-attach raw -k nvidia:nvidia_*ioctl -k nvidia:rm_ioctl -k nvidia_uvm:uvm_ioctl -k nvidia:state_show \
	--kernel-attach fentry -- sh -c '. /lib.sh; train train; step double cat $settings/state
	rmmod nvidia_uvm; echo $? >$dir/unload'
# Below ioctls and library calls; with what fails in the driver at each layer, that name, and
# calls that are counted by who makes them.
trace nested -v --layers api,ioctl,driver -f cuInit -f cuCtx* -f cuMem* -k nvidia:state_show -k nvidia:nv_recurse -k vmlinux:vfs_write -- \
	sh -c '. /lib.sh; train train; third_fails errno 5; train fails; set_driver fail_cmd 0
	step double cat $settings/state; step writes dd if=/dev/zero of=/dev/null bs=1 count=100
	step recursion sh -c "echo 8 >$settings/depth"'
# The recipe of docs/hooks.md; members of the driver's structs, where it has type information.
mkdir /out/recipe
xputrace hook -q --json -e 'kernel:nvidia:kchannelCtrlCmdGpFifoSchedule_IMPL hist(duration) by comm' \
	-e 'kernel:nvidia:nvidia_unlocked_ioctl count by str(file->f_path.dentry->d_name.name) as device' -- \
	/x/train --iterations 4 --bytes 1M >/out/recipe/said 2>/out/recipe/stderr
# Many at once; fewer where each is attached by itself, for that takes minutes here. And a
# function that is open more often than a thread has places for.
case $(uname -r) in
6.1.*) many="-k vmlinux:udp_s*" ;;
*) many="-k vmlinux:tcp_* -k vmlinux:udp_* -k vmlinux:ip_*" ;;
esac
trace many -v --layers driver $many -k nvidia:nv_recurse -- \
	sh -c '. /lib.sh; step deep sh -c "echo 40 >$settings/depth"'
# More open calls than the kernel keeps returns for: 10, or two for each processor.
trace held -v --layers driver --kernel-attach kprobe -k vmlinux:hrtimer_nanosleep -- \
	sh -c 'for i in $(seq 40); do sleep 4 & done; wait'
# What needs no particular kernel, on the newest.
case $(uname -r) in
6.*) ;;
*)
	mark hist
	xputrace hist kernel:nvidia:kchannelCtrlCmdGpFifoSchedule* --json -- /x/train --iterations 4 --bytes 1M \
		>/out/hist 2>/out/hist.err
	;;
esac
mark end
