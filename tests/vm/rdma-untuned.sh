#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# kernels: 6.12
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel
# uses: xz rdma_modules rdma_tools
#
# `xputrace rdma watch` beside faults that were written without knowledge of its rules
# (rdma/untuned.tsv), and by which these were bettered since: mistakes with every kind of object
# of soft RoCE, limits, permissions, the network, and a driver in two modules (untuned/). Not all
# are told rightly: what was measured is the least that is wanted. All kernels:
#   make check-vm TEST=rdma-untuned KERNEL="6.1 6.12 7.2"
set -u
. tests/vm/lib.sh
. tests/vm/rdma/rates.sh

# What was measured is in docs/rdma.md; a few worse, for some faults depend on the machine's time. No
# divergence may mislead.
least="told=97 errno=96 origin=95 class=95 misled=0 alarms=0 high=95"

judge() { # KERNEL DIR
	rates untuned "$1" tests/vm/rdma/untuned.tsv "$2" "$least"
}

boot_each rdma-untuned judge
exit $failed
