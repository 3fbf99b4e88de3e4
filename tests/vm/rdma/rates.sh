# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced on the host by tests that say how often verdicts were right (behind ../lib.sh):
#   rates TEST KERNEL TABLE DIR LEAST     judges what guest/rdma-TEST.sh left in DIR

rates() {
	is "vm_$2_$1_healthy" 0 "$(jq -r '.exit // 0' "$4/healthy.jsonl" | sort -u | xargs)"
	is "vm_$2_$1_watch" 0 "$(cat "$4/watch.exit")"
	sed 's/^/# /' "$4/stderr"
	"$XPT" rdma diff --all --json "$4/watch.jsonl" "$4/watch.jsonl" >"$4/verdicts.jsonl" 2>"$4/diff.err" ||
		not_ok "vm_$2_$1_diff" "$(head -n 1 "$4/diff.err")"
	python3 tests/vm/rdma/rates.py "vm_$2_$1" "$2" "$3" "$4" "$5" || failed=1
}
