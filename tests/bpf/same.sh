#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3 fixed_addresses kernel>=6.13
#
# However the probes are attached and wherever they are: the same calls, with
# the same results, sizes, arguments and nesting. Addresses are not randomized
# (setarch -R), so that pointers can be compared as well, all but their pages.
. tests/bpf/lib.sh
need_bpf

# variant NAME HOW OPTIONS...: one way to trace the current program, into NAME_HOW. What is
# in the environment moves the stack, so the files of the truth are named alike.
variant() {
	v_name=$1 v_how=$2
	shift 2
	v_dir=$T/$v_name/$v_how
	mkdir -p "$v_dir"
	# shellcheck disable=SC2086 # lists
	XPT_TRUTH=$T/truth "$XPT" run --as-root -q --no-summary -o "$v_dir/t.jsonl" "$@" -- setarch -R $program \
		>/dev/null 2>"$v_dir/stderr" || not_ok "$v_name"_"$v_how" "exit status $?: $(tail -n 1 "$v_dir/stderr")"
}

# all_kinds NAME COMMAND...: session, multi and both kinds of sites.
all_kinds() {
	name=$1
	shift
	program="$*"
	kinds=session
	variant "$name" session --attach session
	for kind in multi "multi symbol" "session symbol"; do
		how=$(echo "$kind" | tr ' ' _)
		variant "$name" "$how" --attach "${kind%% *}" --sites "$([ "$kind" = "${kind%% *}" ] && echo auto || echo symbol)"
		kinds="$kinds $how"
	done
	compare_dirs "$name"
}

# A perf event each: only some functions, since leaving takes 0.1 s for each event.
with_perf() {
	name=$1
	shift
	program="$*"
	some="-f cuMemAlloc_v2 -f cuMemFree_v2 -f cuMemcpyHtoD_v2 -f cuModuleLoadData"
	kinds=session
	# shellcheck disable=SC2086 # a list
	variant "$name" session --attach session $some
	for kind in perf "perf symbol"; do
		how=$(echo "$kind" | tr ' ' _)
		# shellcheck disable=SC2086 # a list
		variant "$name" "$how" --attach perf $some \
			--sites "$([ "$kind" = perf ] && echo auto || echo symbol)"
		kinds="$kinds $how"
	done
	compare_dirs "$name"
}

compare_dirs() {
	dirs=
	for k in $kinds; do
		dirs="$dirs $T/$1/$k"
	done
	# shellcheck disable=SC2086 # a list
	check same "same_$1" $dirs
}

# What the kernel does not have is skipped, not failed.
for kind in session multi perf; do
	"$XPT" run --no-file --no-summary -q -f cuInit --attach $kind -- true >/dev/null 2>"$T/why" ||
		{ echo "skip same: no attach kind $kind: $(head -n 1 "$T/why")"; exit 0; }
done

all_kinds train "$E/train" --leak --iterations 10 --bytes 16M
all_kinds error "$E/error" --oom
all_kinds families "$E/families"
all_kinds runtime "$E/runtime_train" --leak --iterations 4 --bytes 16M
all_kinds shutdown "$W/shutdown"
with_perf perf_shutdown "$W/shutdown"	# the stubs' own way out as well
with_perf perf_train "$E/train" --leak --iterations 10 --bytes 16M
with_perf perf_error "$E/error" --oom

# An attach kind that was forced is the one that is used.
for kind in session multi perf; do
	"$XPT" run -q --no-summary -o "$T/kind.xtr" -f cuInit --attach $kind -- "$E/late_dlopen" --delay 0 \
		>/dev/null 2>&1
	is "forced_$kind" $kind \
		"$(python3 -c 'import sys; sys.path.insert(0, "tests/bpf"); import xtr; print(xtr.Recording(sys.argv[1]).meta["attach"])' "$T/kind.xtr")"
done
exit $failed
