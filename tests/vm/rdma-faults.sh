#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# kernels: 6.12
#
# `xputrace rdma watch` beside faults of RDMA, those of programs and of the machine on
# soft RoCE, those of a driver on the one in vendor/. Each must be told with its method,
# function and errno (rdma/faults.tsv), and of healthy work nothing. All kernels:
#   make check-vm TEST=rdma-faults KERNEL="6.1 6.12 7.2"
set -u
. tests/vm/lib.sh

judge() { # KERNEL DIR
	is "vm_$1_rdma_device" "4: ACTIVE 0000:0000:0000:0000:0000:ffff:0a00:0001" "$(xargs <"$2/device")"
	is "vm_$1_rdma_healthy" "xptv0 rxe0" "$(jq -r .healthy "$2/healthy.jsonl" | xargs)"
	is "vm_$1_rdma_watch" 0 "$(cat "$2/watch.exit")"
	sed 's/^/# /' "$2/stderr"
	python3 tests/vm/rdma/judge.py "vm_$1_rdma" tests/vm/rdma/faults.tsv "$2" || failed=1
}

boot_each rdma-faults judge
exit $failed
