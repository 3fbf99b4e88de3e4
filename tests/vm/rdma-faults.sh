#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# kernels: 6.12
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel
# uses: xz rdma_modules rdma_tools
#
# `xputrace rdma watch` beside faults of RDMA, those of programs and of the machine on
# soft RoCE, those of a driver on the one in vendor/. Each must be told with its method and
# errno, the verdict (`rdma diff`, with good calls of the same recording) its function and
# class (rdma/faults.tsv), and of healthy work nothing. All kernels:
#   make check-vm TEST=rdma-faults KERNEL="6.1 6.12 7.2"
# RDMA_SECONDS: how long the healthy work goes on; without it, once.
set -u
. tests/vm/lib.sh

# Programs that went well, each as often as it ran.
healthy() { # KERNEL DIR
	want="rxe0 0 xptv0 0"
	if [ -e "$2/without" ]; then
		echo "skip vm_$1_rdma_tools: $(head -n 1 "$2/without")"
	else
		want="pingpong 0 rping 0 rxe0 0 write_bw 0 xptv0 0"
	fi
	is "vm_$1_rdma_healthy" "$want" "$(jq -r '"\(.healthy) \(.exit // 0)"' "$2/healthy.jsonl" | LC_ALL=C sort -u | xargs)"
	# What the healthy programs post is counted, and no call like others.
	[ -e "$2/without" ] || is "vm_$1_rdma_counted_only" "post_send, " "$(jq -r 'select(.type == "rdma_summary")
		| [.counted_only[] | select(.calls > 0) | .method] as $c | [.methods[].method] as $m
		| "\($c - ($c - ["post_send"]) | join(" ")), \($m - ($m - $c) | join(" "))"' "$2/reported.jsonl")"
	echo "note healthy: $(wc -l <"$2/healthy.jsonl") programs"
}

judge() { # KERNEL DIR
	is "vm_$1_rdma_device" "4: ACTIVE 0000:0000:0000:0000:0000:ffff:0a00:0001" "$(xargs <"$2/device")"
	healthy "$1" "$2"
	# Each line says of which machine and boot it is, and versions or why there is none.
	is "vm_$1_rdma_records" "0 1" "$(jq -s -r 'map(select(.type == "rdma")) | "\(map(select(.host == "" or
		.driver_version + (.driver_version_why // "") == "" or .firmware_version + (.firmware_version_why // "") == "" or
		(.boot_id | length) != 36)) | length) \(map(.boot_id) | unique | length)"' "$2/watch.jsonl")"
	is "vm_$1_rdma_watch" 0 "$(cat "$2/watch.exit")"
	# Sums of KiB: some megabytes of good calls, and less than 64 in all.
	is "vm_$1_rdma_memory" 1 "$(awk '$3 > 0 && $3 < 65536 && $4 > 0 && $4 < 20480 { n++ } END { print (n == NR && n) + 0 }' "$2/grown")"
	echo "note memory and store of the watch, KiB: $(sed -n '$s/[0-9]* [0-9]* //p' "$2/grown")"
	sed 's/^/# /' "$2/stderr"
	"$XPT" rdma diff --all --json "$2/watch.jsonl" "$2/watch.jsonl" >"$2/verdicts.jsonl" 2>"$2/diff.err" ||
		not_ok "vm_$1_rdma_diff" "$(head -n 1 "$2/diff.err")"
	python3 tests/vm/rdma/judge.py "vm_$1_rdma" tests/vm/rdma/faults.tsv "$2" || failed=1
}

VM_APPEND="xpt_seconds=${RDMA_SECONDS:-0}"
export VM_APPEND
boot_each rdma-faults judge
exit $failed
