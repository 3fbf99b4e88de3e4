#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# `rdma diff` on traces as soft RoCE and mlx5 make them (rdma_traces.py): where bad
# ones part from good ones, what the verdict is, and what it says of files that
# are none. rdma_diff.golden has the whole text; to make it anew: XPT_GOLDEN=1.
set -u
. tests/cli.lib
export LC_ALL=C

make() { python3 tests/replay/rdma_traces.py "$@"; }
diff_() {
	"$XPT" rdma diff "$T/good" "$T/bad" "$@" >"$T/text" 2>"$T/said" </dev/null
	tr -s '\n ' ' ' <"$T/text" >"$T/line"
}
# of FILTER: jq on the verdicts of $T/bad
of() {
	"$XPT" rdma diff --json "$T/good" "$T/bad" 2>"$T/said" </dev/null | jq -r "$1"
}
VERDICT='"\(.class) \(.confidence) \(.origin) \(.divergence.path[-1]) \(.divergence.parted)"'

# verdict NAME WANT BAD...: of one failed call
verdict() {
	name=$1 want=$2
	shift 2
	make "$@" >"$T/bad"
	is "$name" "$want" "$(of "$VERDICT")"
}

{ make good-rtr 12; make good-reg 5; make good-mlx 6; make good-cq 12; make good-dmabuf 2; } >"$T/good"
verdict "bad GID index" "parameter high rdma_get_gid_attr rdma_get_gid_attr result" bad-gid
is "what was not reached" \
	"rdma_lag_get_ah_roce_slave rxe_modify_qp ib_modify_qp_is_ok rxe_qp_chk_attr rxe_qp_from_attr" \
	"$(of '.divergence.not_reached | join(" ")')"
is "how it travelled up" \
	"rdma_get_gid_attr rdma_fill_sgid_attr _ib_modify_qp modify_qp ib_uverbs_modify_qp ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE ib_uverbs_cmd_verbs ib_uverbs_ioctl" \
	"$(of '[.chain[].function] | join(" ")')"
is "the job" "Slurm job 42" "$(of .job)"
verdict "from RESET to RTS" "parameter high ib_modify_qp_is_ok ib_modify_qp_is_ok result" bad-state
is "compared with another transition" "true answer" "$(of '"\(.divergence.other_shape) \(.chain[0].became)"')"
diff_
holds "... is said before what that told" grep -q 'No good calls of this kind (RESET>RTS) are known. The nearest, 12 of INIT>RTR, run other functions anyway: take this as a hint. First different: ib_modify_qp_is_ok' "$T/line"
is "what other kinds run is not missed" 0 "$(grep -c 'shorter by' "$T/text")"
verdict "locked memory" "limits high ib_umem_get ib_umem_get result" memlock
verdict "locked memory, on 7.2" "limits high __ib_umem_get_va __ib_umem_get_va call" memlock-va
verdict "perhaps locked memory" "limits medium ib_umem_get ib_umem_get result" memlock-unknown
verdict "more entries than the device has" "parameter medium rxe_create_cq rxe_create_cq result" large-cq
verdict "memory that is not mapped" "parameter high ib_umem_get ib_umem_get result" unmapped
verdict "the driver alone" "parameter low __mlx5_ib_modify_qp __mlx5_ib_modify_qp result" vendor
verdict "the firmware tells why" "parameter high __mlx5_ib_modify_qp __mlx5_ib_modify_qp result" refused
is "what it refused" "INIT2RTR_QP bad QP state 1903383 tracepoint" \
	"$(of '.firmware | "\(.command) \(.status_text) \(.syndrome) \(.source)"')"
verdict "firmware" "device high mlx5_core_qp_modify mlx5_core_qp_modify result" firmware
verdict "a long cut to an int" "defect high dma_resv_wait_timeout dma_resv_wait_timeout result" dmabuf
diff_
holds "it is named as what it is" grep -q "64-bit result was cut" "$T/text"
is "from NCCL to the kernel" "ncclCommInitRank ibv_reg_dmabuf_mr narrowed" \
	"$(of '"\(.outer) \(.caller) \(.chain[0].became)"')"

# Another kernel: by the names of functions, and said; another driver: not at all.
make bad-gid 1 kernel=6.12.1 >"$T/bad"
is "another kernel" "rdma_get_gid_attr true" "$(of '"\(.divergence.path[-1]) \(.divergence.other_kernel)"')"
diff_
holds "... is said" grep -q 'The nearest, 12 of kernel 6.1.0-56-amd64, are compared by the names of functions' "$T/line"
make bad-gid 1 driver=irdma >"$T/bad"
is "another driver" "rdma_get_gid_attr null" "$(of '"\(.origin) \(.divergence)"')"
diff_
holds "... is said" grep -q 'no good one' "$T/said"

# Of many alike one is shown; what fails as it should is not.
{ make bad-gid 30; make probe 4; } >"$T/bad"
diff_
is "one of each kind" 1 "$(grep -c FAILED "$T/text")"
is "the others are counted" "29 more" "$(grep -o '[0-9]* more' "$T/said")"
is "normal ones, too" "4 calls failed as they should" "$(grep -o '[0-9]* calls failed as they should' "$T/said")"
diff_ --all
is "--all" 30 "$(grep -c FAILED "$T/text")"
echo '! query_device ib_uverbs_handler_* ENOSPC we want to see it' >"$T/rules"
diff_ --expected "$T/rules"
is "what the user wants to see" 2 "$(grep -c FAILED "$T/text")"

# The whole text, and its width.
{ make bad-gid; make bad-state; make memlock; make vendor; make firmware; make refused; make dmabuf; } >"$T/bad"
diff_
holds "text fits 80 columns" awk 'length > 80 { exit 1 }' "$T/text"
[ -z "${XPT_GOLDEN:-}" ] || cp "$T/text" tests/replay/rdma_diff.golden
holds "the whole text" diff -u tests/replay/rdma_diff.golden "$T/text"

make good-rtr >"$T/bad"
gives "nothing bad" 3 "no call that failed" "$XPT" rdma diff "$T/good" "$T/bad"
gives "nothing good" 3 "no good call" "$XPT" rdma diff "$T/rules" "$T/bad"
gives "no such file" 1 "No such file" "$XPT" rdma diff "$T/none" "$T/bad"
gives "one file" 2 "two files" "$XPT" rdma diff "$T/good"
make good-rts >"$T/bad"
gives "good calls of a kind that is not known" 3 "no call that failed" "$XPT" rdma diff "$T/good" "$T/bad"
make bad-gid >"$T/bad"
head -c 700 "$T/bad" >"$T/cut"
cat "$T/cut" >>"$T/good"
gives "a cut line" 0 "1 lines are not whole" "$XPT" rdma diff "$T/good" "$T/bad"
exit $failed
