#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel
# uses: sdt
#
# xputrace on the kernels that people have: Debian's 6.1, 6.12 and 7.2, each in
# a virtual machine. On each, doctor must say which ways of attaching there
# are, they must be those that work, and each must see exactly the calls that
# the traced program made.   KERNEL="6.1 ..." chooses.
set -u
. tests/vm/lib.sh

# The ways of attaching that a kernel has, best first; then those to kernel functions.
kinds_of() {
	case $1 in
	6.1) echo "perf" ;;
	6.12) echo "multi perf" ;;
	*) echo "session multi perf" ;;
	esac
}

kernel_kinds_of() {
	case $1 in
	6.1) echo "fentry kprobe" ;;
	6.12) echo "fentry kprobe-session kprobe-multi kprobe" ;;
	*) echo "fsession-multi fentry-multi fentry kprobe-session kprobe-multi kprobe" ;;
	esac
}

doctor() { # KERNEL DIR
	want=$(kinds_of "$1")
	says=$(sed -n 's/^ok *uprobe \([a-z]*\) .*/\1/p' "$2/doctor" | xargs)
	used=$(sed -n 's/^ok *uprobe \([a-z]*\) .*<- in use.*/\1/p' "$2/doctor" | xargs)
	is "vm_$1_kinds" "$want" "$says"
	is "vm_$1_best" "${want%% *}" "$used"
	want=$(kernel_kinds_of "$1")
	is "vm_$1_kernel_kinds" "$want" "$(sed -n 's/^ok *kernel \([a-z]*-*[a-z]*\) *\(one\|a\) .*/\1/p' "$2/doctor" | xargs)"
	is "vm_$1_kernel_first" "${want%% *}" "$(sed -n 's/^ok *kernel \([a-z-]*\) .* <- first$/\1/p' "$2/doctor")"
	is "vm_$1_doctor" 0 "$(cat "$2/doctor.exit")"
	# On a busy host measurements may contradict each other: then it has to say so.
	is "vm_$1_costs" 1 "$(grep -cE "a traced call costs [1-9]|what a traced call costs is not known" "$2/doctor")"
	sed -n "s/^ok *uprobe \([a-z]*\) .*loaded in \(.*\)/# $1: \1 loaded in \2/p" "$2/doctor"
}

# truth NAME DIR [OPTION of check.py...]: the trace has what the program counted.
truth() {
	name=$1 traced=$2
	shift 2
	if [ "$(cat "$traced/exit")" != 0 ]; then
		not_ok "$name" "exit status $(cat "$traced/exit"): $(tail -n 2 "$traced/stderr" | tr '\n' ' ')"
		return
	fi
	"$XPT" report --json "$traced/t.xtr" >"$traced/report.json" || not_ok "$name" "no report"
	python3 tests/bpf/check.py truth "$name" "$traced" "$@" || failed=1
}

# Names, results and sizes of one program's calls in their order; no addresses.
sequence() { # DIR
	jq -s -c 'map(select(.name)) | sort_by(.ts) | map([.name, .code, .size, .depth, .type])' \
		"$1/t.jsonl"
}

# That somebody sets the clock changes no count, no duration and no time between two calls.
clock() { # KERNEL DIR
	truth "vm_$1_clock" "$2/clock"
	is "vm_$1_clock_times" true "$(jq -s 'map(select(.ts).ts) | max - min < 600' "$2/clock/t.jsonl")"
	is "vm_$1_clock_duration" true "$("$XPT" report --json "$2/clock/t.xtr" | jq '.summary.duration_ns < 600e9')"
	is "vm_$1_clock_metrics" true "$(awk '/^xputrace_call_seconds_total/ { s += $NF } END { print s < 600 ? "true" : "false" }' "$2/clock.prom")"
}

# Each way that the kernel has works and sees the same calls; the others are refused.
kinds() { # KERNEL DIR
	have=$(kinds_of "$1")
	for kind in session multi perf; do
		run=$2/kind_$kind
		case " $have " in
		*" $kind "*)
			truth "vm_$1_$kind" "$run" --auto
			truth "vm_$1_threads_$kind" "$2/threads_$kind"
			[ $kind = perf ] || is "vm_$1_${kind}_as_perf" "$(sequence "$2/kind_perf")" "$(sequence "$run")"
			;;
		*) is "vm_$1_no_$kind" 4 "$(cat "$run/exit")" ;;
		esac
	done
}

# The callers of a function, the innermost one among them, which no kernel's walk finds
# at a stub and older ones not behind it either.
stacks() { # KERNEL DIR
	for sites in auto symbol; do
		is "vm_$1_stacks_$sites" "5 allocate train::Trainer::step(int) main" \
			"$(jq -r 'select(.name == "cuMemAlloc_v2" and .args.bytesize == 4096)
				| [.stack[:3][] | sub("[+]0x[0-9a-f]+$"; "")] | join(" ")' \
				"$2/stacks_$sites/t.jsonl" | sort | uniq -c | sed 's/^ *//')"
	done
}

# A program that loads a library late is held, as doctor says, and no call is missed.
hold() { # KERNEL DIR
	want='waits in mmap(2)'
	[ "$1" != 6.1 ] || want='is stopped for a moment'
	is "vm_$1_hold" "under \`run\` the command $want until they have probes" \
		"$(sed -n 's/^ok *late libraries *//p' "$2/doctor")"
	is "vm_$1_hold_used" "$1" "$(grep -c 'lets nobody wait' "$2/late/stderr" | sed 's/^0$/6.12 7.2/; s/^1$/6.1/' | grep -ow "$1")"
	# Who is held too long, on a host that gives the guest no processor, goes on, and that is counted.
	let_go=$("$XPT" report --json "$2/late/t.xtr" | jq '[.losses[]? | select(.loss == "hold_timeout") | .count] | add // 0')
	[ "$let_go" = 0 ] || echo "# $1: $let_go of 5 held too long, and let go"
	whole=0
	for i in 1 2 3 4 5; do
		is "vm_$1_late_$i" 0 "$(status_of "$2/late" $i)"
		[ "$(calls_of "$2/late" $i .name | wc -l)" != 5 ] || whole=$((whole + 1))
	done
	is "vm_$1_late" $((5 - let_go)) $((whole < 5 - let_go ? whole : 5 - let_go))
	sed -n "s/^xputrace: held/# $1: held/p" "$2/late/stderr"
}

# Ioctls, in each way of seeing them; fentry works on all of these kernels.
ioctls() { # KERNEL DIR
	is "vm_$1_ioctls" "by fentry on the system call; others pay nothing" \
		"$(sed -n 's/^ok *ioctls *//p' "$2/doctor")"
	for kind in auto fentry tracepoint raw; do
		is "vm_$1_ioctls_$kind" "0 10 OK 10 EINVAL 10 EFAULT" \
			"$(cat "$2/ioctls_$kind/exit") $(jq -r 'select(.layer == "ioctl" and .phase == "X") | .result' \
				"$2/ioctls_$kind/t.jsonl" | sort -r | uniq -c | xargs)"
	done
	is "vm_$1_ioctls_nested" 4 "$(jq -c 'select(.layer == "ioctl" and .depth == 1)' "$2/ioctls_nested/t.jsonl" | wc -l)"
}

# What the scheduler did during calls, beside what the kernel counted for the thread. The CPU
# may be taken away between two calls as well, or in a probe before its program: the kernel
# counts that too, and it lasts at most as long as the thread was outside of calls.
sched() { # KERNEL DIR
	for s in taken:runq_ns asleep:blocked_ns; do
		is "vm_$1_sched_${s%:*}" true "$("$XPT" report --json "$2/sched_${s%:*}/t.xtr" | jq -c \
			--argjson truth "$(grep '^{"calls"' "$2/sched_${s%:*}/summary")" --arg most "${s#*:}" '
			def near(a; b; all): (a - b | fabs) <= 0.1 * b + 0.03 * all;
			def within(a; b; outside; all): near(a; b; all) or (a < b and near(a; [b - outside, a] | max; all));
			[.off_cpu[]? | select(.function == "cuCtxSynchronize")][0] as $got
			| { runq_ns: $truth.runq_ns, blocked_ns: ($truth.wall_ns - $truth.runq_ns - $truth.cpu_ns) } as $much
			| if $got and $got.calls == $truth.calls and $much[$most] > 50000000 and $got[$most] > $much[$most] / 2 and
			     within($got.runq_ns; $truth.runq_ns; ([$truth.wall_ns - $got.time_ns, 0] | max); $truth.wall_ns) and
			     near($got.involuntary; $truth.involuntary; 150) and
			     near($got.voluntary; $truth.voluntary; 50)
			  then true else { got: $got, truth: $truth } end')"
	done
}

# Queue pairs as their probes tell of them: entries get the names that the target says.
spdk() { # KERNEL DIR
	"$XPT" spdk annotate -t "$2/spdk/t.json" -w "$2/spdk/qp" >"$2/spdk/out" 2>"$2/spdk/why"
	if cmp -s "$2/spdk/want" "$2/spdk/out"; then
		ok "vm_$1_spdk"
	else
		not_ok "vm_$1_spdk" "$(cat "$2/spdk/stderr" "$2/spdk/why" | head -n 3 | tr '\n' ' ')"
	fi
}

# Other programs that are busy with the same functions and system calls change nothing.
busy() { # KERNEL DIR
	for kind in raw fentry; do
		truth "vm_$1_busy_$kind" "$2/busy_$kind"
	done
}

# No start and no end of a process is missed: sh, its 3 loops, and 40 commands of each.
churn() { # KERNEL DIR
	is "vm_$1_churn" "123 121 124" "$(PYTHONPATH=tests/bpf python3 -c 'import sys, xtr
what = [task[4] for task in xtr.Recording(sys.argv[1]).tasks]
print(what.count(2), what.count(3), what.count(4))' "$2/churn/t.xtr")"
}

# Every argument of every hit, in each way of attaching, semaphores among them.
points() { # KERNEL DIR
	if [ "$(cat "$2/usdt_perf/exit")" = 77 ]; then
		echo "skip vm_$1_usdt: no sys/sdt.h (systemtap-sdt-dev)"
		return
	fi
	for kind in $(kinds_of "$1"); do
		tests/bpf/probes/usdt_hits "$2/usdt_$kind/t.jsonl" >"$2/hits"
		is "vm_$1_usdt_$kind" "35 same" "$(wc -l <"$2/hits") $(cmp -s "$2/hits" "$2/usdt_$kind/said" && echo same)"
	done
}

# What hooks add up is what the program did, in each way; also in a function of the kernel.
hooks() { # KERNEL DIR
	if [ "$(cat "$2/usdt_perf/exit")" = 77 ]; then
		echo "skip vm_$1_hooks: no sys/sdt.h (systemtap-sdt-dev)"
		return
	fi
	for kind in $(kinds_of "$1"); do
		is "vm_$1_hooks_$kind" "failed[-12, sdt]: 4 send_msg[on_read]: 15 send_msg[on_write]: 5 text[nqn.one, one]: 63 text[nqn.three, three]: 57 text[nqn.two, two]: 70" \
			"$(sed -n 's/^@\(send_msg\|failed\|text\)/\1/p' "$2/hook_$kind/said" | LC_ALL=C sort | xargs)"
		is "vm_$1_hooks_kernel_$kind" 1 "$(grep -c '^@ksys_write\[sdt\]: [0-9]* values, average ' "$2/hook_$kind/said")"
	done
}

# Sums are the bytes that the program wrote; names are those that it gave.
kernel_hooks() { # KERNEL DIR
	d=$2/hook_kernel bytes=$(cat "$2/hook_kernel/bytes")
	[ "$(cat "$2/usdt_perf/exit")" = 77 ] && return
	is "vm_$1_hook_sums" "entered 1 $bytes written said_by_sdt $bytes" \
		"$(jq -r '.hooks[] | select(.action == "sum") | "\(.hook) \(.key) \(.sum)"' "$d/said" | sort | xargs)"
	holds "vm_$1_hook_stack" jq -e '[.hooks[] | select(.hook == "stack" and (.key | contains("write")))] | length > 0' "$d/said"
	is "vm_$1_hook_exec" "/x/sdt" "$(jq -r 'select(.name == "sched:sched_process_exec") | .args.name' "$d/t.jsonl" | grep sdt)"
	holds "vm_$1_hook_text" jq -e 'select(.name == "do_sys_openat2" and .args["str(filename)"] == "/no/such/file" and .result == "ENOENT")' "$d/t.jsonl"
	is "vm_$1_hook_strings" "inside /such/file/with/a/long/name, cat 1 opened /no/such/file/with/a/long/name, such/file/with/a/long/name 1" \
		"$(jq -r '.hooks[] | select(.hook == "opened" or .hook == "inside") | "\(.hook) \(.key) \(.hits)"' "$d/said" | sort | xargs)"
	is "vm_$1_hook_ioctl" "10 256 @other[ioctl(0xc020462a), EINVAL]: 10" \
		"$(jq -r 'select(.name == "ioctl:RNDGETENTCNT") | .args.bits' "$d/ioctl.jsonl" | sort | uniq -c | xargs) $(grep '^@' "$d/ioctl")"
}

judge() { # KERNEL DIR
	doctor "$1" "$2"
	truth "vm_$1_programs" "$2/programs"
	clock "$1" "$2"
	stacks "$1" "$2"
	kinds "$1" "$2"
	hold "$1" "$2"
	ioctls "$1" "$2"
	points "$1" "$2"
	hooks "$1" "$2"
	kernel_hooks "$1" "$2"
	sched "$1" "$2"
	spdk "$1" "$2"
	case $1 in
	6.*) ;;
	*)
		busy "$1" "$2"
		churn "$1" "$2"
		;;
	esac
}

# What a guest's kernel says when it breaks reaches whoever reads the test.
crash() { # KERNEL
	"$here/boot" "$1" "$here/guest/crash.sh" "$T/crash" 2>"$T/crash.why" && status=0 || status=$?
	[ "$status" != 77 ] || return 0
	is vm_crash_told "1 1 1 1" "$status $(for s in 'Kernel panic - not syncing: sysrq' \
		'Call Trace:' 'sysrq_handle_crash+0x'; do grep -qF "$s" "$T/crash.why" && echo 1; done | xargs)"
}

boot_each trace judge
case $KERNEL in
*7.2) crash 7.2 ;;
esac
exit $failed
