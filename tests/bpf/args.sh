#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# needs: bpf jq python3
#
# --args: names and values of every argument with `all`, nothing but totals with
# `none`, and in all three the same calls, bytes, directions and errors.
. tests/bpf/lib.sh
need_bpf

# said NAME DIR FUNCTION ARGS: some call of the function had exactly these arguments.
said() {
	if jq --arg f "$3" --argjson a "$4" 'select(.name == $f and .args == $a)' \
		"$T/$2/t.jsonl" >"$T/found" && [ -s "$T/found" ]; then
		ok "$1"
	else
		not_ok "$1" "$(jq -c --arg f "$3" 'select(.name == $f).args' "$T/$2/t.jsonl" | head -n 3 | tr '\n' ' ')"
	fi
}

traced() { # NAME OPTIONS COMMAND...
	name=$1 opts=$2
	shift 2
	# shellcheck disable=SC2086 # a list
	trace "$name" $opts -- "$@" || not_ok "$name" "exit status $status"
}

traced known --args=all "$W/args"
said enum known cuDeviceGetAttribute '{"attrib":"CU_DEVICE_ATTRIBUTE_WARP_SIZE","dev":0,"pi":32}'
said unknown_constant known cuDeviceGetAttribute '{"attrib":9999,"dev":0,"pi":1}'
said null_pointer known cuDeviceGetAttribute '{"attrib":"CU_DEVICE_ATTRIBUTE_WARP_SIZE","dev":0,"pi":null}'
said enum_first known cuCtxSetLimit '{"limit":"CU_LIMIT_MALLOC_HEAP_SIZE","value":4096}'
said negative known cuFuncSetAttribute \
	'{"hfunc":"0x1230","attrib":"CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES","value":-1}'
is result_enum CUDA_ERROR_ILLEGAL_ADDRESS \
	"$(jq -r 'select(.name == "cuGetErrorName").args.error' "$T/known/t.jsonl")"
is flags 'CU_EVENT_BLOCKING_SYNC|CU_EVENT_DISABLE_TIMING' \
	"$(jq -r 'select(.name == "cuEventCreate").args.Flags' "$T/known/t.jsonl")"
is flags_of_macros 'CU_MEMHOSTALLOC_PORTABLE|CU_MEMHOSTALLOC_WRITECOMBINED' \
	"$(jq -r 'select(.name == "cuMemHostAlloc").args.Flags' "$T/known/t.jsonl")"
is managed CU_MEM_ATTACH_GLOBAL \
	"$(jq -r 'select(.name == "cuMemAllocManaged").args.flags' "$T/known/t.jsonl")"
is advice CU_MEM_ADVISE_SET_PREFERRED_LOCATION \
	"$(jq -r 'select(.name == "cuMemAdvise").args.advice' "$T/known/t.jsonl")"
is struct_by_value "CU_MEM_ADVISE_SET_ACCESSED_BY CU_MEM_LOCATION_TYPE_DEVICE 3" \
	"$(jq -r 'select(.name == "cuMemAdvise_v2").args | "\(.advice) \(.["location.type"]) \(.["location.id"])"' \
		"$T/known/t.jsonl")"
is flags_high 'CU_STREAM_WAIT_VALUE_EQ|CU_STREAM_WAIT_VALUE_FLUSH' \
	"$(jq -r 'select(.name == "cuStreamWaitValue32_v2").args.flags' "$T/known/t.jsonl")"
is string "cuMemAlloc 12000 CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM CU_GET_PROC_ADDRESS_SUCCESS" \
	"$(jq -r 'select(.name == "cuGetProcAddress_v2" and .args.flags != "CU_GET_PROC_ADDRESS_DEFAULT").args |
		"\(.symbol) \(.cudaVersion) \(.flags) \(.symbolStatus)"' "$T/known/t.jsonl" | head -n 1)"
is unreadable_string 0x1 \
	"$(jq -r 'select(.name == "cuDeviceGetByPCIBusId").args.pciBusId' "$T/known/t.jsonl")"
is unreadable_counted 1 "$(field known '.losses[] | select(.loss == "read_failed").count')"
said path_and_flags known cuGraphDebugDotPrint \
	'{"hGraph":"0x10","path":"/tmp/a b","flags":"CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE|CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS"}'
said no_floats known cuTexRefSetMipmapLevelClamp '{"hTexRef":"0x20"}'

traced families_all --args=all "$E/families" --iterations 2
check truth args_all "$T/families_all" --auto
is wait_flags CU_EVENT_WAIT_DEFAULT \
	"$(jq -r 'select(.name == "cuStreamWaitEvent").args.Flags' "$T/families_all/t.jsonl" | sort -u)"
is stream_flags CU_STREAM_NON_BLOCKING \
	"$(jq -r 'select(.name == "cuStreamCreate").args.Flags' "$T/families_all/t.jsonl" | sort -u)"
is struct_in "CU_MEM_ALLOCATION_TYPE_PINNED CU_MEM_HANDLE_TYPE_NONE CU_MEM_LOCATION_TYPE_DEVICE 0" \
	"$(jq -r 'select(.name == "cuMemCreate").args |
		"\(.type) \(.requestedHandleTypes) \(.["location.type"]) \(.["location.id"])"' \
		"$T/families_all/t.jsonl" | sort -u)"
is float_out number "$(jq -r 'select(.name == "cuEventElapsedTime").args.pMilliseconds | type' \
	"$T/families_all/t.jsonl" | sort -u)"
# The same out of the recording.
"$XPT" convert "$T/families_all/t.xtr" -o "$T/again.jsonl" 2>"$T/stderr"
holds recording_names cmp -s "$T/again.jsonl" "$T/families_all/t.jsonl"

traced train_roles "" "$E/train" --leak --iterations 5 --bytes 16M
traced train_all --args=all "$E/train" --leak --iterations 5 --bytes 16M
traced train_none --args=none "$E/train" --leak --iterations 5 --bytes 16M
traced families_none --args=none "$E/families" --iterations 2
check truth train_roles "$T/train_roles"
check truth train_all "$T/train_all"

# What is exact has no times: operations by calls, failures and bytes.
totals() {
	field "$1" '[.operations[] | {operation, calls, failed, bytes}] | sort_by(.operation) | tostring'
}
is none_totals "$(totals train_roles)" "$(totals train_none)"
is all_totals "$(totals train_roles)" "$(totals train_all)"
is none_totals_families "$(totals families_all)" "$(totals families_none)"
is none_has_sizes '["bytesize"]' \
	"$(jq -c 'select(.name == "cuMemAlloc_v2").args | keys' "$T/train_none/t.jsonl" | sort -u)"
is none_has_nothing_else '{}' \
	"$(jq -c 'select(.name == "cuLaunchKernel").args' "$T/train_none/t.jsonl" | sort -u)"
is none_tells_no_leaks null "$(field train_none '.leaks | tostring')"
is leaks_otherwise 1 "$(field train_all '.leaks | length')"
exit $failed
