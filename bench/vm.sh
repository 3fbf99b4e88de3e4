#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make bench-vm: instructions a call that each way of probing a kernel function
# costs, then what xputrace and bpftrace add with it, and to system calls, on the kernels
# of tests/vm (KERNEL: those). QEMU counts them: a nanosecond of the guest is an
# instruction, so the numbers are the same each time.
# Prints tables for docs/kernel.md. Takes some minutes, without whole traces (BENCH_PROBES=1)
# one. BENCH_OUT: a new folder for what came back.
set -eu
cd "$(dirname "$0")/.."
: "${B:?build directory}"
kernels=${KERNEL:-6.1 6.12 7.2}
T=${BENCH_OUT:-$(mktemp -d)}
[ -n "${BENCH_OUT:-}" ] || trap 'rm -rf "$T"' EXIT

for k in $kernels; do
	VM_APPEND="${BENCH_PROBES:+xpt_probes_only}" VM_SECONDS=${VM_SECONDS:-600} VM_OPTIONS="-smp 1 -m 2G -icount shift=0,sleep=off" \
		tests/vm/boot "$k" bench/vm_guest.sh "$T/$k" || exit
done
# shellcheck disable=SC2086 # a list
python3 bench/vm_tables.py "$T" $kernels
