# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: peers
#
# Runs in the virtual machine for bench/vm.sh: instructions a call with each way of
# probing a kernel function, then with xputrace and with bpftrace, and what both add to
# system calls.
set -f
export TERM=dumb
trace="xputrace run --as-root -q --no-file --no-summary"

/x/kernel_probes 500 >/out/probes
! grep -q xpt_probes_only /proc/cmdline || exit 0

on_function() { # NAME TRACER...
	name=$1
	shift
	"$@" /x/kernel_probes 500 bare >/tmp/said 2>/tmp/why
	echo "$name $(grep -x '[0-9][0-9]*' /tmp/said || { echo - && sed "s/^/$name: /" /tmp/why >>/out/stderr; })" >>/out/functions
}
on_calls() { # NAME TRACER...
	name=$1
	shift
	rm -f /tmp/calls
	"$@" /x/syscalls /tmp/calls 500 20 >/tmp/said 2>/tmp/why
	if [ -s /tmp/calls ]; then
		echo "$name $(cat /tmp/calls)" >>/out/calls
	else
		sed "s/^/$name: /" /tmp/why >>/out/stderr
	fi
}
peer() { # SCRIPT PROGRAM ARGUMENT...
	script=$1
	shift
	bpftrace -e "$script" -c "$*"
}
pair='{ @t[tid] = nsecs; }'
end='/@t[tid]/ { @ns = hist(nsecs - @t[tid]); delete(@t[tid]); }'
results='/@t[tid]/ { @ns[args->ret] = hist(nsecs - @t[tid]); delete(@t[tid]); }'

on_function "(none)" env
for kind in fsession-multi fentry-multi fentry kprobe-session kprobe-multi kprobe; do
	on_function $kind $trace --layers driver -k vmlinux:__x64_sys_umask --kernel-attach $kind --
	on_function $kind,counters $trace --counters --layers driver -k vmlinux:__x64_sys_umask --kernel-attach $kind --
done
on_calls "(none)" env
for kind in fentry tracepoint raw; do
	on_calls $kind $trace --layers ioctl --device /dev/random --ioctl-attach $kind --
	on_calls $kind,counters $trace --counters --layers ioctl --device /dev/random --ioctl-attach $kind --
done
[ -x /x/bpftrace ] || exit 0
PATH=$PATH:/x
on_function bpftrace,kprobe peer "kprobe:__x64_sys_umask $pair kretprobe:__x64_sys_umask $end"
on_function bpftrace,kfunc peer "kfunc:__x64_sys_umask $pair kretfunc:__x64_sys_umask $end"
on_calls bpftrace,tracepoint peer "tracepoint:syscalls:sys_enter_ioctl $pair tracepoint:syscalls:sys_exit_ioctl $results"
