#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# kernels: 6.12
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel
# uses: xz rdma_modules rdma_tools
#
# Healthy work beside `xputrace rdma watch`: perftest, rping, libfabric, UCX, and what a
# collective library does as it starts. Nothing of it may be told as a failure.
# RDMA_SECONDS: for how long (`make soak-rdma`); without it, each once.
set -u
. tests/vm/lib.sh

judge() { # KERNEL DIR
	for without in rdma.without more.missing; do
		[ ! -e "$2/$without" ] || echo "skip vm_$1_soak_$without: $(head -n 1 "$2/$without")"
	done
	is "vm_$1_soak_watch" 0 "$(cat "$2/watch.exit")"
	is "vm_$1_soak_exits" "" "$(jq -r 'select(.exit != 0) | "\(.healthy) \(.exit)"' "$2/healthy.jsonl" | sort | uniq -c | xargs)"
	is "vm_$1_soak_silent" "" "$(jq -r 'select(.type == "rdma" and .errno != 0) | "\(.process) \(.syscall) \(.error)"' \
		"$2/reported.jsonl" | sort | uniq -c | xargs)"
	# KiB: some megabytes of good calls, and less than 64 in all.
	is "vm_$1_soak_memory" 1 "$(awk '$3 > 0 && $3 < 65536 && $4 < 20480 { n++ } END { print (n == NR && n) + 0 }' "$2/grown")"
	echo "note memory and store of the watch, KiB: $(sed -n '$s/[0-9]* [0-9]* //p' "$2/grown")"
	jq -r 'select(.type == "rdma_summary") | (.methods | "note calls: \(map(.calls) | add), failed as they should: \(map(.failed) | add)"),
		"note lost: \(.lost | to_entries | map(select(.value > 0) | "\(.key) \(.value)") | join(", "))"' "$2/reported.jsonl"
	echo "note programs: $(jq -r .healthy "$2/healthy.jsonl" | sort | uniq -c | awk '{ $1 = $1 "x"; print }' | paste -sd ,)"
}

VM_APPEND="xpt_seconds=${RDMA_SECONDS:-0}"
export VM_APPEND
boot_each rdma-soak judge
exit $failed
