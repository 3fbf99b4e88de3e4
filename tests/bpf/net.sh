#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# needs: bpf jq python3
#
# NCCL and verbs on simulated libraries: calls and failures as the programs
# counted them, bytes from counts and types, ids that join the ranks of a
# communicator, objects that functions return, both versions of a symbol, and
# nothing counted twice where libcuda does the work inside. The same calls with
# probes at the symbols.
. tests/bpf/lib.sh
need_bpf
export LD_LIBRARY_PATH="$B/fake/net:$B/fake"

# Lines `NAME CALLS FAILED` of the calls that the program made itself.
seen() { # DIR DOMAIN
	jq -r "select(.name and .domain == \"$2\" and .depth == 0) | \"\(.name) \(.code)\"" "$T/$1/t.jsonl" |
		awk '{ n[$1]++; f[$1] += $2 != 0 } END { for (i in n) print i, n[i], f[i] }' | sort
}

call() { # DIR FUNCTION EXPRESSION: of every call, in order, in one line
	jq -r --arg f "$2" "select(.name == \$f) | $3" "$T/$1/t.jsonl" | tr '\n' ' ' | sed 's/ $//'
}

for sites in auto symbol; do
	trace "nccl_$sites" --sites=$sites -- "$W/nccl" "$T/truth" || not_ok "nccl_$sites" "exit status $status"
	sort -o "$T/truth" "$T/truth"
	is "nccl_calls_$sites" "$(cat "$T/truth")" "$(seen "nccl_$sites" nccl)"
done

# Compiled so that every function begins with endbr64: most probes move to a later instruction.
"$XPT" list --json --lib "$B/fake/net/libnccl.so.2" >"$T/list.json"
holds endbr_moves [ "$(jq '[.[] | select(.moved)] | length' "$T/list.json")" -ge 8 ]
n=nccl_auto
is nccl_id_joins "2 4 1" "$(jq -rs '[.[] | select(.name == "ncclCommInitRank" and .failed == false and .depth == 0) | .args.commId]
	| group_by(.) | [length, (map(length) | max), (map(length) | min)] | map(tostring) | join(" ")' "$T/$n/t.jsonl")"
is nccl_id_given "$(call $n ncclGetUniqueId .args.uniqueId | tr ' ' '\n' | head -n 2 | sort | tr '\n' ' ')" \
	"$(call $n ncclCommInitRank .args.commId | tr ' ' '\n' | sort -u | tr '\n' ' ')"
is nccl_id_of_array "$(call $n ncclCommInitRank .args.commId | tr ' ' '\n' | tail -n 1)" \
	"$(call $n ncclCommInitRankScalable .args.commIds)"
# FNV-1a of what the simulated library makes its first id of.
is nccl_id_value "$(python3 -c 'h = 0xcbf29ce484222325
for i in range(128): h = (h ^ (i * 31 & 255)) * 0x100000001b3 & (1 << 64) - 1
print(hex(h))')" "$(call $n ncclGetUniqueId .args.uniqueId | cut -d ' ' -f 1)"
is nccl_ranks "0 1 2 3 8 4 1" "$(call $n ncclCommInitRank .args.rank)"
is nccl_types "ncclFloat16 ncclFloat16 ncclFloat16 ncclFloat16 14 ncclFloat64 ncclFloat64 ncclFloat64" \
	"$(call $n ncclAllReduce .args.datatype)"
is nccl_elements "2 2 2 2 null 8 8 8" "$(call $n ncclAllReduce .args.element_bytes)"
is nccl_operation "ncclMax 3 0x70" "$(call $n ncclReduce '"\(.args.op) \(.args.root) \(.args.stream)"')"
is nccl_results "ncclSuccess ncclSuccess ncclSuccess ncclSuccess ncclInvalidArgument ncclInvalidArgument ncclRemoteError ncclRemoteError" \
	"$(call $n ncclAllReduce .result)"
# 4 x 1000 halves, 100 doubles, 33 bytes; failed calls move nothing.
is nccl_bytes $((4 * 2000 + 800 + 33)) \
	"$(field $n '.operations[] | select(.operation == "submit") | .bytes')"
is nccl_memory_once "1 1 4096" "$(field $n '.operations | [(.[] | select(.operation == "alloc" or .operation == "free").calls),
	(.[] | select(.operation == "alloc").bytes)] | map(tostring) | join(" ")')"
# Alone at once, in a group at its end.
is nccl_launches "ncclReduce ncclGroupEnd" "$(jq -rs 'map(select(.domain == "nccl")) as $o
	| .[] | select(.name == "cuLaunchKernel") | . as $l
	| $o[] | select(.ts <= $l.ts and .ts + .duration_us / 1e6 >= $l.ts) | .name' "$T/$n/t.jsonl" | tr '\n' ' ' | sed 's/ $//')"

trace verbs -- "$W/verbs" || not_ok verbs "exit status $status"
is verbs_versions 8 "$(jq -rs '[.[] | select(.name == "ibv_query_pkey")] | length' "$T/verbs/t.jsonl")"
is verbs_version_results "VERBS_FAILED 5 VERBS_OK 3" "$(call verbs ibv_query_pkey .result | tr ' ' '\n' | sort | uniq -c |
	awk '{ print $2, $1 }' | tr '\n' ' ' | sed 's/ $//')"
is verbs_failed_pointer "false false true" "$(call verbs ibv_reg_mr .failed)"
is verbs_region "$(call verbs ibv_reg_mr .args.mr | cut -d ' ' -f 1)" "$(call verbs ibv_dereg_mr .args.mr)"
is verbs_returned_is_result "$(call verbs ibv_alloc_pd .code)" "$(call verbs ibv_alloc_pd .args.pd)"
is verbs_access "IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ" \
	"$(call verbs ibv_reg_mr .args.access | cut -d ' ' -f 1)"
is verbs_leak "8192 region" "$(field verbs '.leaks[] | "\(.bytes) \(.kind)"')"
is verbs_states "IBV_QPS_RESET>IBV_QPS_INIT 4242 IBV_QPS_INIT>IBV_QPS_RTR 4242 IBV_QPS_RTR>IBV_QPS_RTS 4242 IBV_QPS_RTS>IBV_QPS_INIT 4242" \
	"$(call verbs ibv_modify_qp '"\(.args.state)>\(.args.qp_state) \(.args.dest_qp_num)"')"
is verbs_mask "IBV_QP_STATE|IBV_QP_DEST_QPN" "$(call verbs ibv_modify_qp .args.attr_mask | cut -d ' ' -f 2)"
is verbs_qp "IBV_QPT_RC 128 64" "$(call verbs ibv_create_qp \
	'"\(.args.qp_type) \(.args["cap.max_send_wr"]) \(.args["cap.max_recv_wr"])"' | cut -d ' ' -f 1-3)"
is verbs_error "EINVAL" "$(call verbs ibv_modify_qp 'select(.failed) | .result')"
exit $failed
