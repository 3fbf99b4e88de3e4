#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# kernels: 6.12
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel
# uses: xz rdma_modules rdma_tools soft_iwarp
#
# `xputrace rdma watch` beside faults that were written later, by somebody who had not read its
# rules (rdma/fresh.tsv): soft RoCE, soft iWARP, the connection manager, limits, memory that the
# kernel is denied, a device that goes, and a driver in two modules (fresh/). Not all are told
# rightly: what was measured is the least that is wanted.
# VM_BTF=0: with modules without type information.
# VM_TRUTH=1: no watch; the kernel's own return probes say which function was first to
# return each fault's errno, which is compared with the table.
# RATES: a file for the verdicts, fault by fault, and the rates.
set -u
. tests/vm/lib.sh
. tests/vm/rdma/rates.sh

# What was measured; three worse, for some faults depend on the machine's time.
least="told=111 errno=109 origin=107 class=104 misled=3 alarms=3"
[ "${VM_BTF:-1}" != 0 ] || least="told=106 errno=104 origin=99 class=99 misled=3 alarms=3"

# The faults that this kernel's modules can have.
table() { # DIR
	less=0
	if [ -e "$1/without_siw" ]; then
		echo "skip vm_siw: $(head -n 1 "$1/without_siw")"
		grep -v '^s_' tests/vm/rdma/fresh.tsv >"$1/fresh.tsv"
		less=$(grep -c '^s_' tests/vm/rdma/fresh.tsv)
	else
		cp tests/vm/rdma/fresh.tsv "$1/fresh.tsv"
	fi
}

# Of what goes well nothing is told: programs of others, and ours.
healthy() { # KERNEL DIR
	for w in tools more; do
		[ ! -e "$2/without_$w" ] || echo "skip vm_$1_fresh_$w: $(head -n 1 "$2/without_$w")"
	done
	is "vm_$1_fresh_silent" "" "$(jq -r 'select((.type == "rdma" or .type == "rdma_verdict") and (.errno // 0) != 0 and
		(.process | test("^(ibv_rc_pingpong|rping|fi_info|ucx_.*|healthy|._neighbours)$"))) |
		"\(.process) \(.syscall) \(.error)"' "$2/reported.jsonl" | sort | uniq -c | xargs)"
	echo "note healthy: $(jq -r .healthy "$2/healthy.jsonl" | sort | uniq -c | awk '{ $1 = $1 "x"; print }' | paste -sd ,)"
	awk '{ if (n == "attach") printf("note attached in %.1f s\n", $1 - t); t = $1; n = $2 }' "$2/times"
}

judge() { # KERNEL DIR
	table "$2"
	if [ "${VM_TRUTH:-0}" = 1 ]; then
		python3 tests/vm/rdma/truth.py "vm_$1_fresh" "$1" "$2" || failed=1
		return
	fi
	few=$(echo "$least" | awk -F'[= ]' -v less="$less" '{
		printf("told=%d errno=%d origin=%d class=%d misled=%d alarms=%d\n",
			$2 - less, $4 - less, $6 - less, $8 - less, $10, $12) }')
	rates fresh "$1" "$2/fresh.tsv" "$2" "$few" >"$2/rates"
	cat "$2/rates"
	healthy "$1" "$2"
	[ -z "${RATES:-}" ] || cp "$2/rates" "$RATES"
}

[ "${VM_TRUTH:-0}" = 0 ] || VM_APPEND=xpt_truth
export VM_APPEND="${VM_APPEND:-}"
boot_each rdma-fresh judge
exit $failed
