#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make bench-vm: instructions a call that each way of probing a kernel function
# costs, on the kernels of tests/vm (KERNEL: those). QEMU counts them: a nanosecond of
# the guest is an instruction, so the numbers are the same each time.
# Prints a table for docs/kernel.md, then the ratios. Takes some minutes.
set -eu
cd "$(dirname "$0")/.."
: "${B:?build directory}"
kernels=${KERNEL:-6.1 6.12 7.2}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

for k in $kernels; do
	VM_SECONDS=${VM_SECONDS:-300} VM_OPTIONS="-smp 1 -icount shift=0,sleep=off" \
		tests/vm/boot "$k" bench/vm_guest.sh "$T/$k" || exit
	sed 's/ - .*/ -/' "$T/$k/probes" >"$T/$k.rows"
done
awk -v kernels="$kernels" -v dir="$T" '
	function ratio(a, b, k) { return (a, k) in v && (b, k) in v && v[b, k] > 0 && v[a, k] != "-" && v[b, k] != "-" \
		? sprintf("%.2f", v[a, k] / v[b, k]) : "-" }
	function row(name, a, b,   i) {
		line = "| " name " |"
		for (i = 1; i <= n; i++) line = line " " (b == "" ? (((a, k[i]) in v) ? v[a, k[i]] : "-") : ratio(a, b, k[i])) " |"
		print line
	}
	BEGIN {
		n = split(kernels, k, " ")
		for (i = 1; i <= n; i++)
			while ((getline < (dir "/" k[i] ".rows")) > 0) {
				if (!($1 in seen)) { seen[$1]; order[++m] = $1 }
				v[$1, k[i]] = $2
			}
		head = "| way |"; rule = "|---|"
		for (i = 1; i <= n; i++) { head = head " " k[i] " |"; rule = rule "---|" }
		print head; print rule
		for (i = 1; i <= m; i++) row("`" order[i] "`", order[i], "")
		row("`fexit` to `kprobe`", "fexit", "kprobe")
		row("`fexit` to `kretprobe`", "fexit", "kretprobe")
		row("`fentry+fexit` to `kprobe+kretprobe`", "fentry+fexit", "kprobe+kretprobe")
		row("`fsession.multi` to `fentry+fexit`", "fsession.multi", "fentry+fexit")
	}'
