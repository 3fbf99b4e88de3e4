#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make bench-rdma: instructions that `rdma watch` adds to a call of modify_qp and of
# reg_mr or dereg_mr, on soft RoCE in a virtual machine (KERNEL: 6.1 6.12 7.2), by
# each way of attaching; throughput beside it, its memory, and probes before and after
# pruning. QEMU counts, as for bench/vm.sh. Takes some minutes a kernel.
set -eu
cd "$(dirname "$0")/.."
: "${B:?build directory}"
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

echo "| kernel | way | functions | modify_qp | + | reg_mr | + |"
echo "|---|---|---|---|---|---|---|"
for k in ${KERNEL:-6.1 6.12 7.2}; do
	VM_SECONDS=${VM_SECONDS:-900} VM_OPTIONS="-smp 1 -icount shift=0,sleep=off" \
		tests/vm/boot "$k" bench/rdma_guest.sh "$T/$k" || exit
	awk -v k="$k" '$1 == "none" { qp = $2; mr = $3 }
		{ printf "| %s | %s | %s | %d | %d | %d | %d |\n", k, $1, $4, $2, $2 - qp, $3, $3 - mr }' "$T/$k/cycles"
	jq -r '(.methods | map(.functions[])) as $f | ($f | map(.function) | unique | length) as $may |
		($f | map(select(.kept) | .function) | unique | length) as $kept |
		"| \(.methods | length) methods | may run \($may) functions, \($kept) are kept |"' "$T/$k/plan.json"
	sed 's/^/| /; s/$/ |/' "$T/$k/notes"
	[ -z "${KEEP:-}" ] || cp -r "$T/$k" "$KEEP/"
done
