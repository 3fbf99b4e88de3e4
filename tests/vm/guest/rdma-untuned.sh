# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma untuned
#
# Runs in the virtual machine: healthy work, then the faults of
# tests/vm/rdma/untuned.tsv, one by one, beside `xputrace rdma watch`.
# tests/vm/rdma-untuned.sh judges what this leaves in /out.

. /lib.sh
set +f
. /x/rdma.sh
mark modules
rdma_up || exit 1
# One that asks for addresses; nobody is there to answer.
ip link add dm1 type dummy && ip link set dm1 arp on && ip addr add 10.0.8.1/24 dev dm1 && ip link set dm1 up &&
	rdma_device rxe1 dm1 || exit 1
modprobe xptu || exit 1
# What can be probed: which function is the innermost one depends on the compiler.
sed -n 's/^\([^ ]*\) \[\(ib_\|iw_\|rdma_\|xptu\).*/\1/p' /sys/kernel/tracing/available_filter_functions >/out/functions
mark attach
rdma_watch_begin

healthy() {
	for p in "verbs healthy" "untuned_vendor neighbours" "untuned_machine neighbours"; do
		rdma_$p >>/out/healthy.jsonl 2>>/out/stderr
		echo "{\"healthy\":\"$p\",\"exit\":$?}" >>/out/healthy.jsonl
	done
}

mark healthy
healthy
mark faults
rdma_faults /x/untuned.tsv
mark again
healthy
mark end
rdma_watch_end
mark over
