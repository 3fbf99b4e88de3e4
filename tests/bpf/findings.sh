#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 400
# needs: bpf jq python3
#
# The verdict on known programs: which findings each example gives, and which
# nearly do. Programs that do nothing wrong give none.
. tests/bpf/lib.sh
need_bpf

# A program and what its verdict is; "none" for no finding at all, "no KIND" for not this one.
finds() { # NAME KIND COMMAND...
	f_name=$1 f_kind=$2
	shift 2
	trace "$f_name" -- "$@"
	f_all=$(jq -r '[.verdict[]?.kind] | join(" ")' "$T/$f_name/report.json")
	case " $f_all " in
	*" ${f_kind#no } "*) f_has=1 ;;
	*) f_has=0 ;;
	esac
	case $f_kind in
	none) is "$f_name" "" "$f_all" ;;
	"no "*) is "$f_name" "0: $f_all" "$f_has: $f_all" ;;
	*) is "$f_name" "$f_kind: $f_all" "$([ $f_has = 1 ] && echo "$f_kind"): $f_all" ;;
	esac
}

finds clean_families none "$E/families" --iterations 3
finds clean_short_loop none "$E/train" --iterations 9 --bytes 64M
finds failed_free double_free "$E/leak"
# Far more than the hundredth of the wall time that makes it a finding, however slow the copies are.
finds churn churn env XPT_FAKE_LATENCY=cuMemFree_v2=5ms "$E/train" --iterations 30 --bytes 64M
finds churn_nearly "no churn" "$E/train" --iterations 9 --bytes 64M
finds sticky sticky_error "$E/error"
is sticky_is_first "cuCtxSynchronize" "$(field sticky '.verdict[0].text' | grep -o cuCtxSynchronize)"
finds sticky_behind_oom sticky_error "$E/error" --oom
finds fatal fatal_error "$E/train" --bytes 1048576G
finds fatal_nearly "no fatal_error" "$E/leak"
finds hang hang "$E/hang" --seconds 11
is hang_age true "$(field hang '.verdict[0].lost_ns >= 10000000000')"
finds hang_nearly "no hang" "$E/hang" --seconds 1

# --- processes that end inside a call --------------------------------------------------------------
# The thread that got the signal is blamed, nobody else, and no call of another thread.
crashes() { # HOW WANT: the function, and what is said of the end; "" for no finding
	trace "crash_$1" -- "$W/crash" "$1" >/dev/null
	is "crash_$1" "$2" "$(field "crash_$1" '[.verdict[]? | select(.kind == "crash") | .text |
		sub("^crash\\[[0-9]+\\] "; "") | sub("[(].*, in thread"; " in thread") |
		sub("thread [0-9]+, .* after"; "thread N, T after")] | join("|")')"
}
in_thread=" in thread N, T after the start."
crashes copy "was killed by SIGSEGV inside cuMemcpyHtoD_v2$in_thread"
holds crash_copy_arguments grep -q 'srcHost=0x10 ByteCount=4096' "$T/crash_copy/summary"
crashes handler "got SIGSEGV and was killed by signal 6 inside cuMemcpyHtoD_v2$in_thread"
crashes exits "got SIGSEGV and ended with status 3 inside cuMemcpyHtoD_v2$in_thread"
crashes abort "was killed by SIGABRT inside cuStreamAddCallback$in_thread"
crashes recovers ""
crashes thread ""
crashes exit ""
crashes host ""
is crash_thread_in_flight cuStreamAddCallback "$(field crash_thread '.inflight[].function')"
is crash_exit_in_flight cuStreamAddCallback "$(field crash_exit '.inflight[].function')"
is crash_host_in_flight "" "$(field crash_host '.inflight[]?.function')"
# With stacks it says who called; with totals only the call is found as well, which is no event.
trace crash_stacks --stacks -- "$W/crash" copy >/dev/null
holds crash_stacks jq -e '.verdict[] | select(.kind == "crash") | .text |
	test("killed by SIGSEGV inside cuMemcpyHtoD_v2.*, at bad_copy[+]0x")' "$T/crash_stacks/report.json"
no_lines=1 trace crash_counters --counters -- "$W/crash" copy >/dev/null
holds crash_counters jq -e '.verdict[] | select(.kind == "crash") | .text |
	test("killed by SIGSEGV inside cuMemcpyHtoD_v2")' "$T/crash_counters/report.json"
# What a recording tells is what the trace told.
is crash_report "$(grep -c 'killed by SIGSEGV' "$T/crash_copy/summary")" \
	"$("$XPT" report "$T/crash_copy/t.xtr" | grep -c 'killed by SIGSEGV')"

# --- work that failed --------------------------------------------------------------------------------------
careless() { # HOW WANT: what failed, "" for no finding
	trace "careless_$1" -- "$W/careless" "$1" >/dev/null
	is "careless_$1" "$2" "$(field "careless_$1" '[.verdict[]? | select(.kind == "ignored_error") | .text |
		capture(": (?<what>.*) failed; ").what] | join("|")')"
}
careless launches "200 of 200 launches"
is careless_launches_only 1 "$(field careless_launches '.verdict | length')"
# What failed is no work, in any table.
is careless_launches_tables "0 200 0 200" "$(field careless_launches '[.launches[0].launches,
	.launches[0].failed, .statistics.kernel_launches, (.operations[] | select(.operation == "launch") | .failed)] | join(" ")')"
careless one "1 of 10 launches"
careless copies "5 of 5 copies"
holds careless_copies_cause jq -e '.verdict[0].text | test("Before that, cuMemAlloc_v2.*OUT_OF_MEMORY")' \
	"$T/careless_copies/report.json"
careless asks ""
careless retries ""
careless status ""
careless stops "1 of 1 launch"
careless says ""
careless earlier "10 of 10 launches"
exit $failed
