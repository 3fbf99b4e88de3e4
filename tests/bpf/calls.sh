#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 1200
# needs: bpf jq python3
#
# Every example and every odd workload, traced: calls, bytes, allocations,
# leaks and errors are those that the program itself counted, to the call.
. tests/bpf/lib.sh
need_bpf

compare train -- "$E/train" --leak --iterations 20 --bytes 16M
compare leak -- "$E/leak"
compare leak_context -- "$E/leak" --leak
compare error -- "$E/error"
compare error_oom -- "$E/error" --oom
compare copy_bound -- "$E/copy_bound" --iterations 10 --bytes 1M
compare copy_async -- "$E/copy_bound" --iterations 10 --bytes 1M --async
compare families --auto -- "$E/families" --iterations 3
compare launch_storm -- "$E/launch_storm" --iterations 10
compare graphs -- "$E/launch_storm" --iterations 10 --async
compare threads -- "$E/threads" --threads 64 --iterations 40
compare fork -- "$E/fork" --leak
compare runtime --only cudart -- "$E/runtime_train" --leak --iterations 10 --bytes 16M
compare runtime_async --only cudart -- "$E/runtime_train" --leak --iterations 10 --bytes 16M --async
compare longjmp --unreturned cuStreamAddCallback:gone -- "$W/longjmp"
compare thread_exit --unreturned cuStreamAddCallback:gone+1 -- "$W/thread_exit"
compare fork_in_call --loss cut_fork=10 -- "$W/fork_in_call"
compare exec_in_call --unreturned cuStreamSynchronize:inflight -- "$W/exec_in_call"
compare hang --unreturned cuStreamSynchronize:inflight -- "$E/hang" --seconds 1
compare deep --too-deep cuStreamAddCallback:40 -- "$W/deep"
with="--attach multi"
compare deep_multi --too-deep cuStreamAddCallback:40 -- "$W/deep"
compare longjmp_multi --unreturned cuStreamAddCallback:gone -- "$W/longjmp"
compare thread_exit_multi --unreturned cuStreamAddCallback:gone+1 -- "$W/thread_exit"
compare fork_in_call_multi --loss cut_fork=10 -- "$W/fork_in_call"
with=
compare exec_from_thread --unreturned cuStreamSynchronize:inflight -- "$W/exec_in_call" --async
compare worker -- "$W/worker"
compare late_start -- "$E/late_dlopen" --delay 0

# A driver that has shut down answers from its stubs, which the probes also see. The
# simulated driver does not count those calls itself.
trace shutdown -- "$W/shutdown" || not_ok shutdown "exit status $status"
rm -f "$T/shutdown/counts"
check truth shutdown "$T/shutdown"

# What failed first, told with its arguments and apart from what came of it.
is first_failure "cuMemAlloc_v2 2" "$(field error_oom '.first_failures[0] | "\(.function) \(.code)"')"
is first_sticky "cuCtxSynchronize 700 40" \
	"$(field error_oom '.first_failures[1] | "\(.function) \(.code) \(.later_same)"')"
is first_text "cuMemAlloc_v2(bytesize=1125899906842624) returned CUDA_ERROR_OUT_OF_MEMORY" \
	"$(field error_oom '.first_failures[0].text' | grep -o 'cuMemAlloc_v2(.*_MEMORY')"
is first_free "cuMemFree_v2 1 0" \
	"$(field leak '.first_failures[0] | "\(.function) \(.code) \(.later_failures)"')"
is first_of_child 3 "$(field fork '.first_failures[0].code')"
is hang_age true "$(field hang '.inflight[0].age_ns > 500000000')"

# Asked for by a signal: what has not returned, with its arguments and who called.
mkdir "$T/asked"
"$XPT" run --as-root --log - --hang 0 --stacks -f 'cuStream*' -o "$T/asked/t.xtr" -o "$T/asked/t.jsonl" -- \
	"$E/hang" --async >"$T/asked/table" 2>/dev/null &
tracer=$!
wait_for grep -qs cuStreamCreate "$T/asked/t.jsonl"
asked() { kill -USR1 $tracer && sleep 0.1 && grep -q '"in_flight":true' "$T/asked/t.jsonl"; }
holds asked wait_for asked
kill -TERM $tracer
wait $tracer
"$XPT" report --json "$T/asked/t.xtr" >"$T/asked/report.json"
is asked_call "cuStreamSynchronize hung" "$(jq -r 'select(.in_flight) | "\(.name) \(.stack[0])"' \
	"$T/asked/t.jsonl" | sed 's/+0x.*//' | sort -u)"
holds asked_table grep -q 'cuStreamSynchronize.* >.*in flight' "$T/asked/table"
is asked_summary "cuStreamSynchronize hung hStream" \
	"$(field asked '.inflight[0] | "\(.function) \(.at | sub("[+].*"; "")) \(.args | sub("=.*"; ""))"')"
exit $failed
