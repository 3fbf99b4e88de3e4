#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# kernels: 6.12 7.2
# needs: qemu-system-x86_64 cpio jq python3 debian_kernel
# uses: xz rdma_modules rdma_tools
#
# `rdma watch` on a bad GID index: what is said of it, by arguments of functions or
# their returns alone; and deeper, once it has failed, for a while. On 6.12 only how functions
# are attached there, unless VM_APPEND=xpt_whole.
set -u
. tests/vm/lib.sh

failed() { # FILE: the failed calls of modify_qp
	jq -c 'select(.type == "rdma" and .syscall == "modify_qp" and .errno == 61)' "$1"
}
names() { jq -r '[.calls[] | select(.ret == -61) | .function] | join(" ")'; }

functions() { jq -c '[.calls[] | .function]'; }

# Ten failures on the way to RTR: the first brings more functions, the last is seen without them.
deep() { # NAME DIR WAY
	is "$1_deep_early" 0 "$(cat "$2/early")"
	is "$1_deep" "false true true true true true true true true false" \
		"$(failed "$2/t.jsonl" | jq -r '.deep // false' | xargs)"
	is "$1_deep_way" "$3" "$(failed "$2/t.jsonl" | sed -n 2p | names | sed 's/ ib_modify_qp_with_udata//')"
	is "$1_deeper" true "$(failed "$2/t.jsonl" | jq -s '(.[1].calls | length) > (.[0].calls | length)')"
	is "$1_deep_beyond" true "$(failed "$2/t.jsonl" | sed -n 2p | jq '[.calls[] | .beyond // false] | any')"
	is "$1_deep_more" "true true" \
		"$(xargs <"$2/probed" | awk '{ print ($2 > $1 ? "true" : $0), ($3 <= $1 ? "true" : $0) }')"
	is "$1_deep_plain" "$(failed "$2/t.jsonl" | head -n 1 | functions)" \
		"$(failed "$2/t.jsonl" | tail -n 1 | functions)"
	# Another state, before and meanwhile: nothing of all that is in it.
	jq -c 'select(.type == "rdma" and .process == "bad_state" and .errno == 22)' "$2/t.jsonl" >"$2/other"
	is "$1_deep_other" "2 1 false" "$(wc -l <"$2/other") $(functions <"$2/other" | sort -u | wc -l) $(
		jq -s 'map(.deep // false) | any' "$2/other")"
}

judge() { # KERNEL DIR
	k=vm_$1_rdma_watch
	sessions_judge "${k}_sessions" "$1" "$2"
	[ -e "$2/text" ] || return 0
	way="ib_uverbs_ioctl ib_uverbs_cmd_verbs ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE ib_uverbs_modify_qp modify_qp _ib_modify_qp rdma_fill_sgid_attr rdma_get_gid_attr"
	is "${k}_text" "modify_qp INIT>RTR ENODATA rdma_get_gid_attr" \
		"$(awk '$3 == "modify_qp" { print $3, $4, $5, $6 }' "$2/text/text")"
	is "${k}_argument" 1 "$(grep -c '^    rdma_get_gid_attr: .* index=' "$2/text/text")"
	is "${k}_columns" "" "$(grep -v '^{' "$2/text/text" | awk 'length > 80')"
	is "${k}_table" "1 0" "$(awk '$1 == "modify_qp" { print $3, $4 }' "$2/text/text")"
	[ -e "$2/without" ] || is "${k}_held" 1 "$(grep -c '^  QUERY_GID_ENTRY: [0-9]* came too fast' "$2/text/text")"
	is "${k}_way" "$way" "$(failed "$2/text/t.jsonl" | names)"
	is "${k}_who" "bad_gid rxe0 rdma_rxe INIT>RTR" \
		"$(failed "$2/text/t.jsonl" | jq -r '"\(.process) \(.device) \(.driver) \(.shape)"')"
	is "${k}_good" true "$(jq -s 'map(select(.sampled and .errno == 0 and .syscall == "modify_qp")) | length > 0' "$2/text/t.jsonl")"
	inside=$(cat "$2/inside/pid")
	is "${k}_inside" "$inside $inside pod7 true" "$(failed "$2/inside/t.jsonl" |
		jq -r '"\(.ns_pid) \(.ns_tid) \(.ns_host) \(.pid != .ns_pid)"')"
	is "${k}_outside" "false" "$(failed "$2/text/t.jsonl" | jq 'has("ns_pid")')"
	printf '%s [0] NCCL WARN Call to ibv_modify_qp failed with error No data available\n' \
		"pod8:$inside:$inside" "pod7:$inside:$inside" >"$2/inside/log"
	is "${k}_inside_log" "2 modify_qp -> rdma_get_gid_attr" "$("$XPT" rdma report --json --nccl-log "$2/inside/log" "$2/inside/t.jsonl" |
		jq -r '.nccl[] | "\(.line) \(.way)"')"
	is "${k}_returns_way" "$way" "$(failed "$2/returns/t.jsonl" | names)"
	is "${k}_returns_no_arguments" false "$(failed "$2/returns/t.jsonl" | jq '[.calls[] | has("args")] | any')"
	is "${k}_counters" '{"ENODATA":1}' "$(jq -c 'select(.type == "rdma_summary") | .functions[]
		| select(.function == "rdma_fill_sgid_attr") | .errnos' "$2/returns/text")"
	is "${k}_lost" 0 "$(jq 'select(.type == "rdma_summary") | .lost | add' "$2/returns/text")"
	# CAP_SYS_MODULE, CAP_NET_ADMIN, CAP_SYS_BOOT and the like are given up, CAP_SYS_ADMIN is not; the command has its own.
	is "${k}_rights" "CapEff CapBnd NoNewPrivs: 1 CapEff NoNewPrivs: 0 16 12 22 21" "$(awk '/^Cap/ { sub(":.*", "") } 1' "$2/returns/rights" | xargs) $(
		{ mask=$((0x$(sed -n 's/^CapEff:	//p' "$2/returns/rights" | head -n 1)))
		for bit in 16 12 22; do [ $((mask >> bit & 1)) = 1 ] || echo $bit; done | xargs
		[ $((mask >> 21 & 1)) = 0 ] || echo 21; } | xargs)"
	is "${k}_reload_removed" 0 "$(cat "$2/reload/removed")"
	is "${k}_reload_told" "xptv was loaded xptv was removed" "$(grep -o 'xptv was [a-z]*' "$2/reload/err" | xargs)"
	is "${k}_reload_origin" "reg_mr EIO xptv_mr_write" \
		"$(awk '$3 == "reg_mr" { print $3, $4, $5 }' "$2/reload/text")"
	is "${k}_reload_sums" "2 0" "$(awk '$1 == "modify_qp" { print $3, $4 }' "$2/reload/text")"
	is "${k}_reload_gaps" 2 "$(grep -c 'ms were not watched' "$2/reload/err")"
	is "${k}_asked" "RTR 200 ib_qp_attr 1" "$(failed "$2/text/t.jsonl" | jq -r '.asked_for |
		"\(.members.qp_state) \(.members["ah.sgid_index"]) \(.struct)"') $(grep -c '^    asked for: qp_state=RTR path_mtu=' "$2/text/text")"
	is "${k}_asked_unknown" "no function that failed was seen with its arguments" \
		"$(failed "$2/returns/t.jsonl" | jq -r .asked_for.why)"
	is "${k}_asked_report" 1 "$("$XPT" rdma diff --all "$2/text/t.jsonl" "$2/text/t.jsonl" | grep -c '^  Asked for: qp_state=RTR path_mtu=')"
	few_judge "${k}_few" "$2/few"
	is "${k}_counted" "link_downed true true" "$(jq -r 'select(.type == "rdma" and (.counters.moved // [] | length > 0)) | .counters |
		"\(.moved[0].counter) \(.before_start_ns > 0) \(.after_end_ns > 0)"' "$2/counters/t.jsonl" | sort -u)"
	# The watch may have folded that failure with those before: the report has the first that has counters.
	is "${k}_counted_report" 1 "$("$XPT" rdma report --json "$2/counters/t.jsonl" |
		jq -r '.failures[].counters' | grep -c '^link_downed +[0-9]* on port 1, between ')"
	is "${k}_ends" "0 1" "$(cat "$2/ends/removed") $(grep -c 'the watch could not be begun anew' "$2/ends/err")"
	holds "${k}_ends_status" test "$(cat "$2/ends/exit")" -gt 0
	is "${k}_ends_sums" "1 0" "$(awk '$1 == "modify_qp" { print $3, $4 }' "$2/ends/text")"
	is "${k}_ends_metrics" 1 "$(sed -n 's/^xputrace_rdma_method_failed_total{method="modify_qp",object=""} //p' "$2/ends.prom")"
	is "${k}_status" "7" "$(cat "$2/deep/exit")"
	is "${k}_told" "9" "$(cat "$2/returns/exit")"
	deep "$k" "$2/deep" "$way"
	flood_judge "${k}_flood" "$2/flood"
	metrics_judge "${k}_metrics" "$2"
	hang_judge "${k}_hang" "$2/hang" "$2/hang_json"
	firmware_judge "${k}_firmware" "$2/firmware"
	is "${k}_attach_pids_exit" 0 "$(cat "$2/attach/pids.exit")"
	attach_judge "${k}_attach_pids" 2 "$2/attach/pids"
	attach_judge "${k}_attach_comm" 3 "$2/attach/comm"
	# Of one that ends before it is looked at the name is missing.
	for page in live comm; do
		is "${k}_attach_metrics_$page" 3 "$(grep '^xputrace_call_errors_total{.*domain="rdma",function="modify_qp INIT>RTR",error="ENODATA"}' \
			"$2/attach/$page.prom" | awk '{ n += $NF } END { print n }')"
	done
	run_judge "$k" "$2/run"
	uverbs_judge "${k}_uverbs" "$2"
}

# Every call that the layer below saw, of which the kernel does not tell all returns, under the same name, and its errno;
# and as many as the kernel's counts have.
uverbs_judge() { # NAME DIR
	"$XPT" convert "$2/uverbs/x.xtr" -o "$2/uverbs/x.jsonl"
	for domain in uverbs rdma; do
		# Calls of open and mmap are none of the interface; a device that refuses a command has no inner call.
		jq -r --arg d $domain 'select(.domain == $d) | "\(.name | sub(" .*"; "")) \(.result)"' "$2/uverbs/x.jsonl" |
			grep -v '^open \|^ucma_open \|^mmap ' | sed 's/^INVOKE_WRITE ENOSPC/query_device ENOSPC/' |
			sort | uniq -c >"$2/uverbs/$domain"
	done
	is "$1_no_fewer" "" "$(awk 'NR == FNR { n[$2 " " $3] = $1; next } !($2 " " $3 in n) || n[$2 " " $3] < $1' "$2/uverbs/uverbs" "$2/uverbs/rdma")"
	is "$1_exact" "$(awk '{ n += $1 } END { print n }' "$2/uverbs/uverbs")" "$(
		awk '/^xputrace_calls_total{.*domain="uverbs"/ { n += $NF } END { print n }' "$2/uverbs.prom")"
	holds "$1_some" test "$(wc -l <"$2/uverbs/uverbs")" -gt 10
	is "$1_errors" "bad_gid modify_qp ENODATA 1, unmapped reg_mr EFAULT 1" "$(
		sed -n 's/^xputrace_call_errors_total{process="\([^"]*\)",.*domain="uverbs",function="\(.*\)",error="\(.*\)"}/\1 \2 \3/p' \
		"$2/uverbs.prom" | sed -n '/^bad_gid modify_qp /p; /^unmapped reg_mr/p' | sort | awk '{ printf "%s%s", s, $0; s = ", " }')"
	is "$1_by_default" "modify_qp 1" "$(jq -r '.processes[] | select(.name == "bad_gid") | .functions[] |
		select(.domain == "uverbs" and .function == "modify_qp") | "\(.function) \(.errors)"' "$2/uverbs/top")"
	is "$1_removed" "" "$(cat "$2/uverbs/removed")"
	# 40 processes wait for an event meanwhile.
	is "$1_again" "ucma_bind EADDRINUSE" "$(awk '$1 ~ /^[0-9]+$/ && /EADDRINUSE/ { print $2, $NF }' "$2/uverbs/again")"
}

# What fails all the time takes nothing from others, is folded, and what is left out is told.
flood_judge() { # NAME DIR
	is "$1_others" "1 bad_gid, 15 unmapped" "$(jq -r 'select(.type == "rdma" and .errno != 0
		and .errno != 28 and .process != "flood" and .process != "healthy") | .process' "$2/t.jsonl" | sort | uniq -c | awk '{ printf "%s%s %s", s, $1, $2; s = ", " }')"
	is "$1_told" "1 15" "$(awk '$2 ~ /^[0-9]+$/ && $5 ~ /^(pin|.*umem)/ { n[$2]++ } END { for (p in n) if (n[p] > 1) bad++
		print bad + 0 ? "more than once" : 1, length(n) - 1 }' "$2/text")"
	is "$1_folded" 1 "$(awk '/ more of / { n++ } END { print (n > 1) }' "$2/text")"
	is "$1_held" 1 "$(grep -c '^    [0-9]* EFAULT of ' "$2/text")"
	# However slow the host is: as many examples of one state as of another.
	is "$1_good" "3 alike" "$(jq -r 'select(.sampled and .errno == 0 and .syscall == "modify_qp") | .shape' "$2/t.jsonl" |
		sort | uniq -c | awk 'NR == 1 { min = $1 } { min = $1 < min ? $1 : min; max = $1 > max ? $1 : max }
		END { print NR, (max <= 2 * min ? "alike" : min " to " max) }')"
	is "$1_columns" "" "$(grep -v '^{' "$2/text" | awk 'length > 80')"
}

# Functions that returned the error, and the names of their arguments.
arguments() { jq -c '[.calls[] | select(.ret == -61) | [.function, (.args // {} | keys)]]'; }

# Sessions: the same call as by fexit; on 6.12, where they are the choice, attached in far less time than one by one.
sessions_judge() { # NAME KERNEL DIR
	[ "$2" != 6.1 ] || return
	is "$1_way" "$(failed "$3/single/t.jsonl" | names)" "$(failed "$3/sessions/t.jsonl" | names)"
	is "$1_arguments" "$(failed "$3/single/t.jsonl" | arguments)" "$(failed "$3/sessions/t.jsonl" | arguments)"
	is "$1_asked" "$(failed "$3/single/t.jsonl" | jq -c '.asked_for | [.struct, (.members | keys)]')" \
		"$(failed "$3/sessions/t.jsonl" | jq -c '.asked_for | [.struct, (.members | keys)]')"
	is "$1_missed" 0 "$(grep -c 'were not seen' "$3/sessions/err")"
	holds "$1_holds_module" test "$(cat "$3/held/removed")" -gt 0
	[ "$2" != 6.12 ] || is "$1_quick" "true" "$(attach_ms "$3/all_auto/err" "$3/all_fentry/err" |
		awk '{ print ($1 * 2 < $2 ? "true" : $0) }')"
	echo "note attached in ms, by the best way and by fentry: $(attach_ms "$3/all_auto/err" "$3/all_fentry/err")"
}

attach_ms() { # FILES...
	sed -n 's/.*attached in \([0-9]*\) ms$/\1/p' "$@" | xargs
}

# The first failure says in which functions it may have begun, the second one in which it did.
few_judge() { # NAME DIR
	jq -c 'select(.type == "rdma" and .syscall == "reg_mr" and .errno == 5)' "$2/t.jsonl" >"$2/failed"
	is "$1_deep" "false true" "$(jq -r '.deep // false' "$2/failed" | xargs)"
	is "$1_unprobed" true "$(head -n 1 "$2/failed" | jq '.unprobed | any(. == "xptv_mr_write")')"
	is "$1_origin" xptv_mr_write "$(tail -n 1 "$2/failed" | jq -r '[.calls[] | select(.ret == -5)][-1].function')"
}

# What does not return, in the text and as JSON.
hang_judge() { # NAME TEXT JSON
	is "$1_times" "2 hang, 1 hang" "$(awk '/has not returned for / { n[$3]++ } /had not returned at the end/ { end++ }
		END { for (t in n) c++; printf "%d hang, %d hang", c, end }' "$2/text")"
	is "$1_line" "reg_mr not returned handle_userfault" \
		"$(awk '/^..:..:.. .* not returned / { print $3, $4, $5, $6 }' "$2/text" | sort -u)"
	is "$1_why" 3 "$(tr '\n' ' ' <"$2/text" | tr -s ' ' | grep -o 'It waits for a page that the program itself' | wc -l)"
	is "$1_returned" 1 "$(awk '$3 == "reg_mr" && $6 == "slow"' "$2/text" | wc -l)"
	is "$1_columns" "" "$(awk 'length > 80' "$2/text")"
	is "$1_ours" 0 "$(grep -c 'bpf_trampoline\|rethook' "$2/text")"
	is "$1_json" "reg_mr hang false true" "$(jq -r 'select(.type == "rdma_hang") | "\(.method) \(.process) \(.at_end)"' "$3/text" |
		sort -u | xargs | awk '{ print $1, $2, $3, $6 }')"
	is "$1_stack" true "$(jq -s '[.[] | select(.type == "rdma_hang") | .stack | map(.function) | any(. == "ib_uverbs_reg_mr")] | all' "$3/text")"
}

# Failures of modify_qp in a recording, and in how many processes.
attached() { # FILE
	"$XPT" rdma report --json "$1" | jq -r '"\([.failures[] | select(.syscall == "modify_qp") | .failures] | add) \(.processes | length)"'
}

# All failures, but for calls of which the trace says that the kernel did not tell their returns.
attach_judge() { # NAME FAILURES FILE
	seen=$(attached "$3.xtr")
	untold=$(sed -n -e 's/^xputrace: \([0-9]*\) calls began whose end was not seen.*/\1/p' \
		-e 's/^xputrace: \([0-9]*\) returns of functions were not seen.*/\1/p' "$3.err" | awk '{ n += $1 } END { print n + 0 }')
	[ "$untold" = 0 ] || echo "note ${1#vm_}: $seen of $2, $untold untold"
	is "$1" "$2" "$([ "$((${seen% *} + untold))" -ge "$2" ] && echo "$2" || echo "$seen, $untold untold")"
}

metrics_judge() { # NAME DIR
	is "$1_form" "" "$(grep -vE '^(# (HELP|TYPE) xputrace_rdma_[a-z_]+ .+|xputrace_rdma_[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [0-9.]+)$' "$2/x.prom")"
	is "$1_errno" 1 "$(sed -n 's/^xputrace_rdma_function_errno_total{function="rdma_fill_sgid_attr",module="ib_core",errno="ENODATA"} //p' "$2/x.prom")"
	is "$1_failures" 'parameter rxe0 rdma_rxe modify_qp ENODATA 1' \
		"$(sed -n 's/^xputrace_rdma_failures_total{class="\(.*\)",device="\(.*\)",driver="\(.*\)",method="\(.*\)",errno="\(.*\)"}/\1 \2 \3 \4 \5/p' "$2/x.prom")"
	is "$1_class" 1 "$(sed -n 's/^xputrace_rdma_failures_by_class_total{class="parameter"} //p' "$2/x.prom")"
	is "$1_method" 1 "$(sed -n 's/^xputrace_rdma_method_failed_total{method="modify_qp",object=""} //p' "$2/x.prom")"
	is "$1_full" "1 . .. x.prom" "$(grep -c 'metrics cannot be kept.*No space left' "$2/text/err") $(xargs <"$2/text/full")"
	is "$1_nowhere" "1 1 not run" "$(cat "$2/nowhere/exit") $(grep -c 'cannot keep metrics in /sys/x.prom' "$2/nowhere/err") $(
		[ -e "$2/nowhere/ran" ] || echo not run)"
}

# Of the program that is watched alone, though its driver was loaded later.
firmware_judge() { # NAME DIR
	is "$1" "command QUERY_HCA_CAP EINVAL bad parameter" \
		"$(sed -n 's/^..:..:.. command/command/p' "$2/text" | sort -u | xargs)"
	is "${1}_whose" "sh, process $(cat "$2/pid"): QUERY_HCA_CAP (0x100) refused: bad parameter (0x3), syndrome 0x35e6ec" \
		"$(grep -m 1 -A 2 '^..:..:.. command' "$2/text" | grep '^ ' | xargs)"
	is "${1}_columns" "" "$(awk 'length > 80' "$2/text")"
	is "${1}_line" "$(cat "$2/pid") QUERY_HCA_CAP 3" \
		"$(jq -r 'select(.type == "rdma_command") | "\(.pid) \(.command) \(.status)"' "$2/t.jsonl" | sort -u)"
	# 300 at once, behind some of which the first were not seen yet: 64 are told, and how many are not.
	told=$(grep -c rdma_command "$2/t.jsonl")
	lost=$(sed -n 's/.*: \([0-9]*\) commands that the firmware refused, outside.*/\1/p' "$2/err")
	is "${1}_lost" 1 $((lost > 200 && told > 60 && told + lost >= 300 && told + lost <= 300 + $(cat "$2/before")))
}

# From NCCL's call to the kernel's function, in one report.
run_judge() { # NAME DIR
	"$XPT" report --json "$2/x.xtr" >"$2/report"
	is "${1}_run_cause" "ncclCommInitRank ibv_modify_qp modify_qp INIT>RTR ENODATA rdma_get_gid_attr 1" \
		"$(jq -r '.causes[] | select(.error == "ENODATA") | "\(.outer) \(.caller) \(.function) \(.error) \(.origin) \(.times)"' "$2/report")"
	"$XPT" convert "$2/x.xtr" -o "$2/x.jsonl"
	is "${1}_run_depth" true "$(jq -s '(map(select(.name == "ibv_modify_qp" and .failed)) | .[0]) as $v
		| map(select(.domain == "rdma" and .failed)) | .[0] | .depth > $v.depth and .tid == $v.tid' "$2/x.jsonl")"
	is "${1}_run_report" "ncclCommInitRank ibv_modify_qp rdma_get_gid_attr" \
		"$("$XPT" rdma report --json "$2/x.xtr" | jq -r '.failures[] | select(.error == "ENODATA") | "\(.outer) \(.caller) \(.origin)"')"
	is "${1}_run_firmware" "QUERY_HCA_CAP EINVAL bad parameter 0x35e6ec, RST2INIT_QP EINVAL bad parameter 0x1d7ac xptv0" \
		"$("$XPT" rdma report --json "$2/x.xtr" | jq -r '[.firmware | sort_by(.syscall)[] |
			"\(.syscall) \(.error) \(.reason) \(.firmware) \(.device)"] | join(", ")' | sed 's/ ,/,/')"
	is "${1}_run_columns" "" "$(grep -v '^{' "$2/text" | awk 'length > 80' | head -n 3)"
}

boot_each rdma-watch judge
exit $failed
