#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# RDMA calls in a recording of `run -d rdma`: from NCCL's call over that of verbs to
# the function of the kernel, in the report of the recording and in those of `rdma`.
set -u
. tests/cli.lib
export LC_ALL=C XDG_STATE_HOME="$T/state"
x=$T/x.xtr

python3 tests/replay/rdma_traces.py bad-gid 1 caller= outer= pid=4711 process=train >"$x.jsonl"
python3 tests/replay/rdma_traces.py good-rtr 1 caller= outer= pid=4711 process=train >>"$x.jsonl"
python3 tests/replay/make_xtr.py rdma "$x"

"$XPT" report --json "$x" >"$T/r"
is "causes, with the calls around them" \
	"ncclCommInitRank ibv_modify_qp modify_qp INIT>RTR ENODATA rdma_get_gid_attr 1, - ibv_modify_qp modify_qp INIT>RTR ENODATA rdma_get_gid_attr 1" \
	"$(jq -r '[.causes[] | "\(if .outer == "" then "-" else .outer end) \(.caller) \(.function) \(.error) \(.origin) \(.times)"] | join(", ")' "$T/r")"
is "findings" 2 "$(jq '[.verdict[] | select(.kind == "kernel_error")] | length' "$T/r")"
is "time to the end of the process" "2099950000 1999950000" "$(jq -r '[.causes[].until_end_ns] | join(" ")' "$T/r")"
is "exact totals" "modify_qp INIT>RTR 3" "$(jq -r '.functions[] | select(.function | startswith("modify")) | "\(.function) \(.calls)"' "$T/r")"
"$XPT" report "$x" >"$T/r"
holds "one finding has it all" awk '/ibv_modify_qp for ncclCommInitRank/ { seen = 1 } END { exit !seen }' "$T/r"
holds "text fits 80 columns" awk 'length > 80 { exit 1 }' "$T/r"

gives "a line that is none" 0 "" "$XPT" rdma report --json "$x"
is "the same in rdma report" "ncclCommInitRank:ibv_modify_qp -:ibv_modify_qp" \
	"$(jq -r '[.failures[] | "\(if .outer == "" then "-" else .outer end):\(.caller)"] | sort_by(.[:1] == "-") | join(" ")' "$T/out")"
is "what is not whole is counted" "3 2 1" "$(jq -r '.calls | "\(.calls) \(.failed) \(.not_whole)"' "$T/out")"
is "events" "PORT_ERR rxe0 1" "$(jq -r '.events[] | "\(.syscall) \(.device) \(.number)"' "$T/out")"
is "time lost goes to the last failure" "2000000000 2000000000" \
	"$(jq -r '"\(.processes[0].lost_ns) \([.failures[].lost_ns] | add)"' "$T/out")"
"$XPT" rdma report "$x" >"$T/r"
holds "its text fits" awk 'length > 80 { exit 1 }' "$T/r"
holds "the way" grep -q 'ncclCommInitRank -> ibv_modify_qp ->' "$T/r"
"$XPT" rdma diff "$x" "$x" >"$T/r"
holds "diff takes the good ones of it" grep -q 'First divergence from 1 good call' "$T/r"
"$XPT" rdma baseline import "$x" 2>"$T/said" >/dev/null
holds "so does the store" grep -q 'taken: 1 calls' "$T/said"

python3 tests/replay/make_xtr.py steps "$T/none.xtr"
gives "a recording without any" 3 "recorded with -d rdma" "$XPT" rdma report "$T/none.xtr"
head -c 700 "$x" >"$T/cut.xtr"
gives "a file that is cut" 3 "ends" "$XPT" rdma report "$T/cut.xtr"
# The default files of a trace: the lines have none of these calls, the recording beside them has.
cp "$x" "$T/trace_1.xtr"
"$XPT" convert "$x" -o "$T/trace_1.jsonl"
"$XPT" rdma report "$x" >"$T/of_recording"
gives "lines beside it" 0 "reading .*trace_1.xtr, the recording beside" "$XPT" rdma report "$T/trace_1.jsonl"
holds "the same of lines" cmp "$T/of_recording" "$T/out"
gives "no file" 1 "$T/no.xtr" "$XPT" rdma report "$T/no.xtr"
exit $failed
