#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
#
# RDMA on the kernels that people have, with soft RoCE. 6.12 unless KERNEL="6.1 ..." chooses.
set -u
KERNEL=${KERNEL:-6.12}
. tests/vm/lib.sh

judge() { # KERNEL DIR
	is "vm_$1_rdma_device" "4: ACTIVE 0000:0000:0000:0000:0000:ffff:0a00:0001" "$(xargs <"$2/device")"
}

boot_each rdma-faults judge
exit $failed
