#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# needs: bpf jq python3 mount_namespace
# uses: setpriv
#
# Machines that lack something: a capability, the kernel's type information,
# tracefs. What works without goes on; what does not says which thing is missing,
# and doctor says the same. A locked-down kernel is tested in tests/vm/driver.sh.
. tests/bpf/lib.sh
need_bpf

# gives NAME STATUS PATTERN COMMAND...: its exit status, and what it says on stderr
gives() {
	name=$1 want=$2 text=$3
	shift 3
	"$@" >"$T/out" 2>"$T/why"
	is "$name" "$want 1" "$? $(grep -c -- "$text" "$T/why")"
}

says() { # NAME PATTERN: doctor's output in $T/out
	is "$1" 1 "$(grep -c "$2" "$T/out")"
}

"$XPT" doctor >"$T/out" 2>&1
# A range where what was measured varies much; on a busy machine nothing may be known.
cost='[0-9.]* [num]s\( to [0-9.]* [num]s\)\?'
says costs_doctor "a traced call costs \($cost; $cost where it is single-stepped\|is not known: .*\)"

# As in a container that was given no more; with the three that are needed it works.
if setpriv --bounding-set=-sys_admin,-cap_39 true 2>/dev/null; then
	less="setpriv --bounding-set=-sys_admin,-cap_39"
	gives no_cap_bpf 4 'needs root (CAP_BPF is missing)' $less "$XPT" run --as-root -q --no-file -- true
	$less "$XPT" doctor >"$T/out" 2>&1
	says no_cap_bpf_doctor '^NO *privileges *CAP_BPF is missing'
	holds three_capabilities setpriv --bounding-set=-sys_admin "$XPT" run --as-root -q -o "$T/caps.jsonl" --no-summary -- \
		"$E/train" --iterations 2 --bytes 1M
	is three_capabilities_calls 2 "$(jq -c 'select(.name == "cuMemAlloc_v2")' "$T/caps.jsonl" | wc -l)"
else
	echo "skip limits_capabilities: setpriv cannot drop them here"
fi

# Perf events on functions want more on kernels of 2025 and later; then that is what doctor and run say.
if [ -n "${less:-}" ]; then
	less="setpriv --bounding-set=-sys_admin"
	$less "$XPT" doctor >"$T/out" 2>&1
	if grep -q '^ok *uprobe perf' "$T/out"; then
		holds no_admin_perf $less "$XPT" run --as-root --attach perf -q -o "$T/perf.jsonl" --no-summary -- \
			"$E/train" --iterations 2 --bytes 1M
		is no_admin_perf_calls 2 "$(jq -c 'select(.name == "cuMemAlloc_v2")' "$T/perf.jsonl" | wc -l)"
	else
		says no_admin_perf_doctor '^-- *uprobe perf *perf events on functions need CAP_SYS_ADMIN, which is missing'
		gives no_admin_perf 4 'perf events on functions need CAP_SYS_ADMIN, which is missing' \
			$less "$XPT" run --as-root --attach perf -q --no-file -- true
	fi
fi

# Few open files are allowed: what has no probe is reported, the command runs all the same, and nothing
# takes long. Which limit is too low for what differs between machines.
wrong= short=0
for n in 64 72 80 88 96 104; do
	timeout 60 prlimit --nofile=$n:$n setpriv --bounding-set=-sys_resource "$XPT" run --as-root --attach perf -q --json --no-file -- \
		"$E/train" --iterations 2 >"$T/few.json" 2>"$T/few.err"
	got=$?
	[ "$(jq '.summary.calls // 0' "$T/few.json" 2>/dev/null)" != 32 ] || [ $got != 0 ] || continue
	short=$((short + 1))
	case $got in
	0 | 1 | 4) grep -q 'Too many open files' "$T/few.err" || wrong="$wrong $n:unsaid" ;;
	*) wrong="$wrong $n:$got" ;;
	esac
done
is few_files "" "$wrong"
holds few_files_tried [ $short -gt 0 ]

unshare -m true 2>/dev/null || { echo "skip limits: no mount namespaces here"; exit $failed; }
hide() { # PATH COMMAND...: with nothing below PATH
	path=$1
	shift
	unshare -m sh -c 'p=$1; shift; while umount -l "$p" 2>/dev/null; do :; done; mount -t tmpfs none "$p" && "$@"' sh "$path" "$@"
}
gives no_types 4 'the kernel has no type information' hide /sys/kernel/btf "$XPT" run --as-root -q --no-file -- true
hide /sys/kernel/btf "$XPT" doctor >"$T/out" 2>&1
says no_types_doctor '^NO *kernel BTF *missing'

bare() { # COMMAND...: without tracefs
	hide /sys/kernel/debug unshare -m sh -c 'while umount -l /sys/kernel/tracing 2>/dev/null; do :; done
		mount -t tmpfs none /sys/kernel/tracing; "$@"' sh "$@"
}
bare "$XPT" doctor >"$T/out" 2>&1
says no_tracefs_doctor '^ok *tracefs *not mounted; xputrace uses a mount'
for how in auto raw tracepoint; do
	holds no_tracefs_$how bare "$XPT" run --as-root -q --no-summary --layers api,ioctl --device 1:8 --ioctl-attach $how \
		-o "$T/bare.jsonl" -- "$W/ioctls" /dev/random 10
	is no_tracefs_${how}_ioctls 30 "$(jq -c 'select(.layer == "ioctl" and .phase == "X")' "$T/bare.jsonl" | wc -l)"
done
says no_tracefs_late '^ok *late libraries'
XPT_TRUTH=$T/late.truth
export XPT_TRUTH
holds no_tracefs_hold bare "$XPT" run --as-root -q --no-summary -o "$T/late.jsonl" -- "$E/late_dlopen" --delay 0 --iterations 5
unset XPT_TRUTH
is no_tracefs_hold_calls 5 "$(jq -c 'select(.name == "cuMemAlloc_v2")' "$T/late.jsonl" | wc -l)"
holds no_tracefs_hook bare "$XPT" hook -q --as-root -o "$T/hook.jsonl" -e 'tracepoint:sched:sched_process_exec name=str(filename)' \
	-- sh -c "$E/train --iterations 1 >/dev/null" >"$T/hook.out"
is no_tracefs_hook_seen "$E/train" "$(jq -r 'select(.name == "sched:sched_process_exec") | .args.name' "$T/hook.jsonl" | grep train)"
# Without the right to mount there is none of our own.
if [ -n "${less:-}" ]; then
	less="setpriv --bounding-set=-sys_admin"
	bare $less "$XPT" doctor >"$T/out" 2>&1
	says no_own_tracefs_doctor '^-- *tracefs *not mounted.*mount -t tracefs'
	holds no_own_tracefs bare $less "$XPT" run --as-root -q --no-summary --layers api,ioctl --device 1:8 -o "$T/bare.jsonl" -- \
		"$W/ioctls" /dev/random 10
	is no_own_tracefs_ioctls 30 "$(jq -c 'select(.layer == "ioctl" and .phase == "X")' "$T/bare.jsonl" | wc -l)"
	gives no_own_tracefs_forced 4 'need tracefs (mount -t tracefs' bare $less "$XPT" run --as-root -q --no-file --layers ioctl \
		--ioctl-attach tracepoint -- true
fi

# A file that may not grow is an output that failed: the summary is there, and says so.
gives file_limit 1 'cannot write .*grown.xtr: File too large' sh -c '
	ulimit -f 64
	exec "$@"' sh "$XPT" run --as-root -q --log - -o "$T/grown.xtr" -- "$W/storm" --iterations 100000
holds file_limit_summary grep -q '^  Calls' "$T/out"
exit $failed
