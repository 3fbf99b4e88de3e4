# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# wants: rdma
#
# Runs in the virtual machine for bench/rdma.sh: the cycle of rdma_cycle.c alone, below
# `rdma watch` with each way of attaching, and with entry and return of all functions.

. /x/rdma.sh
rdma_up || exit 1
methods="-m modify_qp -m reg_mr -m MR_DESTROY"
xputrace rdma plan --json $methods >/out/plan.json
rdma_cycle >/dev/null # what is read from the disk image is in memory now
echo "none $(rdma_cycle)" >/out/cycles
for way in fentry-multi fentry kprobe; do
	if cycle=$(xputrace rdma watch -q $methods --kernel-attach $way --as-root -- /x/rdma_cycle 2>/out/$way.err); then
		echo "$way $(echo "$cycle" | head -n 1) $(sed -n 's/.*returns of \([0-9]*\) .*/\1/p' /out/$way.err)" >>/out/cycles
	fi
done
all=
for m in ib_core ib_uverbs rdma_rxe; do
	all="$all -k $m:*"
done
set -f
if cycle=$(xputrace run --as-root --layers driver $all --kernel-attach fentry-multi --kernel-max 2000 --counters --no-summary -- /x/rdma_cycle 2>/out/all.err); then
	echo "all-pairs $cycle $(sed -n 's/.*kernel functions: \([0-9]*\) .*/\1/p' /out/all.err | tail -n 1)" >>/out/cycles
fi
