# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs in the virtual machine: what doctor says, and example programs traced in
# every way of attaching. tests/vm/trace.sh judges what this leaves in /out.

. /lib.sh

xputrace doctor >/out/doctor 2>&1
echo $? >/out/doctor.exit
trace programs -- sh -c '/x/train --leak --iterations 4 --bytes 1M; /x/error; /x/fork --leak'
# The machine's clock is set, forwards and back, while programs run.
trace clock --metrics /out/clock.prom -- sh -c '
	now=$(date "+%Y-%m-%d %H:%M:%S")
	/x/train --iterations 4 --bytes 1M
	date -s "2037-01-01 00:00:00"
	/x/train --iterations 4 --bytes 1M
	date -s "2001-01-01 00:00:00"
	/x/train --iterations 4 --bytes 1M
	date -s "$now"' >/dev/null
for kind in session multi perf; do
	trace kind_$kind --attach=$kind -- /x/families --iterations 1
done
for sites in auto symbol; do
	trace stacks_$sites --stacks --sites=$sites -f cuMemAlloc -- /x/stacks --iterations 5
done
for kind in session multi perf; do
	mark usdt_$kind
	mkdir /out/usdt_$kind
	xputrace run --as-root -q --no-summary --attach $kind --probe 'usdt:/x/sdt:prov:*' \
		-o /out/usdt_$kind/t.jsonl -- /x/sdt 7 >/out/usdt_$kind/said 2>/out/usdt_$kind/stderr
	echo $? >/out/usdt_$kind/exit
done
for kind in session multi perf; do
	mark hook_$kind
	mkdir /out/hook_$kind
	xputrace hook --as-root -q -v --attach $kind -e 'uprobe:__EXE__:send_msg count by usym(arg1)' \
		-e 'call:__EXE__:send_msg /i32(retval) < 0/ count by i32(retval), comm as failed' \
		-e 'usdt:__EXE__:prov:text /str(arg0) != "no string of it"/ sum(arg1) by str(arg0), str(arg0 + 4)' \
		-e 'call:__EXE__:on_* lhist(gap, 0, 10, 1) by stack' \
		-e 'kernel:vmlinux:ksys_write /comm == "sdt"/ hist(duration) by comm' \
		-- /x/sdt 20 >/out/hook_$kind/said 2>/out/hook_$kind/stderr
	echo $? >/out/hook_$kind/exit
done
# In the kernel: members of structs, fields of a tracepoint, commands of a device. 7.2 has another name for the
# function that opens a file by its struct filename, whose member is in an unnamed struct there.
mark hook_kernel
mkdir /out/hook_kernel
open_by_name=do_filp_open
grep -qw do_file_open /proc/kallsyms && open_by_name=do_file_open
xputrace hook --as-root -q --json -o /out/hook_kernel/t.jsonl \
	-e 'kernel:vmlinux:vfs_write /comm == "sdt"/ sum(arg.count) by str(file->f_path.dentry->d_name.name) as written' \
	-e 'kernel:vmlinux:ksys_write /comm == "sdt" and arg.count > 0/ count by u8(*buf), stack as stack' \
	-e 'tracepoint:syscalls:sys_enter_write /comm == "sdt"/ sum(arg.count) by arg.fd as entered' \
	-e 'tracepoint:sched:sched_process_exec name=str(filename)' \
	-e 'kernel:vmlinux:do_sys_openat2 str(filename) if result == -2' \
	-e "kernel:vmlinux:$open_by_name"' if str(pathname->name) == "/no/such/file/with/a/long/name" count by str(pathname->name + 3), comm as inside' \
	-e 'tracepoint:syscalls:sys_enter_openat if str(filename) == "/no/such/file/with/a/long/name" count by str(filename), str(filename + 4) as opened' \
	-- sh -c '/x/sdt 20 >/tmp/said_by_sdt; cat /no/such/file/with/a/long/name /no/such/file' >/out/hook_kernel/said 2>/out/hook_kernel/stderr
wc -c </tmp/said_by_sdt >/out/hook_kernel/bytes
xputrace hook --as-root -q -o /out/hook_kernel/ioctl.jsonl -e 'ioctl:/dev/random:RND* bits=u32(*arg) if not failed' \
	-e 'ioctl:/dev/random:0xc020462a count by func, result as other' -- /x/ioctls /dev/random 10 >/out/hook_kernel/ioctl 2>&1
for kind in auto fentry tracepoint raw; do
	trace ioctls_$kind --layers ioctl --device /dev/random --ioctl-attach $kind -- /x/ioctls /dev/random 10
done
export XPT_FAKE_DEVICE=/dev/random XPT_FAKE_IOCTL='cuMemAlloc_v2=0x80045200'
trace ioctls_nested --layers api,ioctl --device /dev/random -- /x/train --iterations 4 --bytes 1M
unset XPT_FAKE_DEVICE XPT_FAKE_IOCTL
# Many threads on few CPUs: programs are preempted in the middle, again and again.
for kind in session multi perf; do
	trace threads_$kind --attach=$kind -- /x/threads --threads 16 --iterations 60
done
# Calls whose CPU is wanted by others, and calls that sleep.
export XPT_FAKE_LATENCY='cuCtxSynchronize=10ms!'
trace sched_taken --sched -- /x/waits --threads 4 --iterations 60
export XPT_FAKE_LATENCY='cuCtxSynchronize=10ms'
trace sched_asleep --sched -- /x/waits --iterations 60
unset XPT_FAKE_LATENCY
# Copies of the library in places that nobody could know.
for i in 1 2 3 4 5; do
	mkdir "/tmp/copy$i"
	cp /x/lib/libcuda.so.1 "/tmp/copy$i/"
done
trace late -v -f cuMemAlloc -- sh -c '. /lib.sh
	for i in 1 2 3 4 5; do step $i /x/late_dlopen --delay 5 --iterations 5 --library /tmp/copy$i/libcuda.so.1; done'
# Queue pairs of a target like SPDK's, recorded from before its begin.
mark spdk
mkdir /out/spdk
/x/spdk_tgt_new -g /tmp/go -w 1 -T /out/spdk/t.json -E /out/spdk/want &
target=$!
xputrace spdk record -p $target -o /out/spdk/qp 2>/out/spdk/stderr &
record=$!
i=0
until grep -q recording /out/spdk/stderr || [ $((i += 1)) -gt 100 ]; do
	sleep 0.1
done
: >/tmp/go
wait $target $record
# Probes, tracepoints and trampolines come and go below others that keep both CPUs
# busy in them. On the newest kernel only, as all that follows: it takes 20 s.
case $(uname -r) in
6.*) mark end; exit 0 ;;
esac
/x/threads --threads 2 --iterations 10000000 >/dev/null 2>&1 &
others=$!
dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
others="$others $!"
for kind in raw fentry; do
	trace busy_$kind --layers api,ioctl --device /dev/random --ioctl-attach $kind -- \
		/x/train --iterations 4 --bytes 1M
done
kill $others
# Starts and ends of processes follow one another so that they preempt each other.
cat >/tmp/churn <<'END'
loop() { i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i + 1)); done; }
loop & loop & loop & wait
END
trace churn -- sh /tmp/churn
mark end
