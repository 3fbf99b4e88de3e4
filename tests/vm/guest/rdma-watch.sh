# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma
#
# Runs in the virtual machine: `rdma watch` with and without arguments of functions,
# and with further functions once a method has failed; and the same as a layer of `run`. tests/vm/rdma-watch.sh judges.

. /x/rdma.sh
rdma_up || exit 1

watch() { # NAME OPTIONS -- COMMAND
	dir=/out/$1
	mkdir -p "$dir"
	shift
	xputrace rdma watch -v --as-root -m modify_qp -m QUERY_GID_ENTRY -o "$dir/t.jsonl" "$@" >"$dir/text" 2>"$dir/err"
	echo $? >"$dir/exit"
}

watch text -- rdma_verbs bad_gid
watch returns --kernel-attach kprobe --json --counters -- rdma_verbs bad_gid
# The second failure is seen with all that was added after the first.
watch deep --deep auto -- sh -c 'rdma_verbs bad_gid; for i in $(seq 600); do
	grep -q "further functions" /out/deep/err && break; usleep 100000; done; usleep 500000; rdma_verbs bad_gid; exit 7'
# A signal is the command's affair: its end is told, and waited for.
watch told -- sh -c 'trap "exit 9" TERM; kill -TERM $PPID; for i in $(seq 100); do usleep 100000; done'
# As a layer of a trace, below NCCL, which connects in a thread of its own, and verbs.
mkdir -p /out/run
xputrace run --as-root -o /out/run/x.xtr -d nccl -d verbs -d rdma -- rdma_verbs nccl_bad_gid >/out/run/text 2>/out/run/err
echo $? >/out/run/exit
cat /sys/kernel/tracing/enabled_functions 2>/dev/null | wc -l >/out/left
