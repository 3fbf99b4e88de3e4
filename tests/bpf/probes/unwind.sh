#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf jq python3
# uses: go rustc
#
# Tracing calls never breaks a program whose frames are unwound: exceptions that a
# traced function throws or that pass through it, threads that are cancelled in it,
# longjmp, exceptions thrown by a callback of the driver or of a C library; under hook,
# run and attach, in each way of attaching. Calls that were left are told as such.
. tests/bpf/lib.sh
need_bpf
g++ -O2 -rdynamic -pthread -o "$T/unwind" tests/bpf/workloads/unwind.cc -ldl 2>"$T/cc" ||
	{ not_ok unwind "$(head -n 1 "$T/cc")"; exit 1; }
strip "$T/unwind"
program=$T/unwind

# hooked NAME CASE N HOOK...: $program under hooks; what the hooks added up, and how many calls were left.
hooked() {
	name=$1 case=$2 n=$3
	shift 3
	timeout 60 "$XPT" hook -q --as-root $with -o "$T/$name.xtr" "$@" -- "$program" "$case" "$n" \
		>"$T/$name.out" 2>"$T/$name.err"
	status=$?
	"$XPT" report --json --all "$T/$name.xtr" >"$T/$name.json"
	# Of the last one it is not known on every kernel when the process ends with it.
	got="$status $(jq -r '[.hooks[]?.hits] | add // 0' "$T/$name.json") $(jq -r \
		'[.losses[]? | select(.loss == "cut_longjmp" or .loss == "cut_exit").count] | add // 0' "$T/$name.json")"
}

# left NAME CASE N RETURNED LEFT
left() {
	hooked "$1" "$2" "$3" -e "call:__EXE__:$2 count by func"
	is "$1" "0 $4 $5" "$got"
}

for kind in session multi perf; do
	with="--attach $kind"
	timeout 60 "$XPT" run -q --no-file --no-summary --as-root $with -- true >/dev/null 2>&1 || continue
	left thrower_$kind thrower 14 7 7
	left middle_$kind middle 14 7 7
	left catcher_$kind catcher 14 14 0
	left jumper_$kind jumper 14 7 7
	left waiter_$kind waiter 5 0 5
	left chooser_$kind chooser 28 28 0
	left last_call_$kind last_call 14 14 0
	# More functions than a probe has room for: two probes on each entry and end.
	for fn in thrower into; do
		set --
		for i in 1 2 3 4 5 6 7 8 9 10; do set -- "$@" -e "call:__EXE__:$fn count as h$i"; done
		hooked ten_${fn}_$kind $fn 28 "$@"
		is ten_${fn}_$kind "0 $([ $fn = into ] && echo 280 0 || echo 140 140)" "$got"
	done
	# As many as a thread may have calls open, and not one more.
	set --
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do set -- "$@" -e "call:__EXE__:thrower count as h$i"; done
	hooked most_$kind thrower 28 "$@"
	is most_$kind "0 224 224" "$got"
	"$XPT" hook -q $with "$@" -e 'call:__EXE__:thrower count as more' -- "$T/unwind" thrower 2 >"$T/more.out" 2>"$T/more.err"
	is too_many_$kind "2 1 0" "$? $(grep -c 'thrower has 16 hooks, or its table and hooks, already' "$T/more.err") $(wc -l <"$T/more.out")"
	# Hooks beside the domain, on a function that an exception leaves every other time.
	timeout 60 "$XPT" run -q --as-root $with --hook 'call:libcuda.so.1:cuOcc* count as a' \
		--hook 'call:libcuda.so.1:cuOcc* count as b' -o "$T/beside_$kind.xtr" -- "$T/unwind" callback 10 >"$T/beside_$kind.out" 2>&1
	is beside_$kind "0 @a: 5 @b: 5 15" "$? $(grep '^@' "$T/beside_$kind.out" | xargs) $("$XPT" report --json --all \
		"$T/beside_$kind.xtr" | jq '[.losses[]? | select(.loss == "cut_longjmp").count] | add')"
done
with=
is longjmp_counted true "$(jq '[.losses[] | select(.loss == "cut_longjmp").count] | add >= 6' "$T/thrower_multi.json")"

# Results: what a function returned, and nothing for one that ended by a jump.
hooked results catcher 14 -e 'call:__EXE__:catcher count by i32(retval)'
is results "7" "$(sed -n 's/^@catcher\[-1\]: //p' "$T/results.out")"
hooked no_result last_call 14 -e 'call:__EXE__:last_call count by i32(retval)'
is no_result 14 "$(jq '[.losses[] | select(.loss == "hook_values").count] | add' "$T/no_result.json")"

# Two hooks on one function see the same calls, and so does one beside others.
hooked twice middle 14 -e 'call:__EXE__:middle count as a' -e 'call:__EXE__:middle count as b' \
	-e 'call:__EXE__:thrower count as c'
is twice "0 21 21" "$got"

# As events, everywhere.
"$XPT" run --as-root -o "$T/e.xtr" -o "$T/e.jsonl" -o "$T/e.csv" -o "$T/e.json" -o "$T/e.pftrace" \
	--probe 'call:unwind:thrower' --probe 'call:unwind:middle' -- "$T/unwind" below 10 >"$T/e.out" 2>"$T/e.err"
is events_left 10 "$(jq -s '[.[] | select(.left == true and .name == "thrower")] | length' "$T/e.jsonl")"
is events_table 10 "$(grep -c 'thrower .* left$' "$T/e.err")"
is events_csv 10 "$(grep -c 'thrower.*,left,' "$T/e.csv")"
is events_chrome 10 "$(jq '[.. | objects | select(.ph? == "X" and .args.left? == true)] | length' "$T/e.json")"
is events_report "thrower 10" "$("$XPT" report --json "$T/e.xtr" | jq -r '.left[] | "\(.function) \(.calls)"')"
# The call that is gone is nobody's caller.
is depth 0 "$(jq -s '[.[] | select(.name == "middle").depth] | max' "$T/e.jsonl")"

# Functions of the driver that run a callback of the program: probes of the domain.
timeout 60 "$XPT" run -q --as-root -o "$T/cb.xtr" -o "$T/cb.jsonl" -- "$T/unwind" callback 10 >"$T/cb.out" 2>&1
is callback 0 $?
is callback_calls "5 5" "$(jq -rs '[.[] | select(.name == "cuOccupancyMaxPotentialBlockSize")] |
	"\([.[] | select(.result == "CUDA_SUCCESS")] | length) \([.[] | select(.left)] | length)"' "$T/cb.jsonl")"

# A tool in the process has put a function of its own into the slot of the driver's stub: where that ends is
# not known, and a return probe on the stub may not meet the exceptions. So the calls are seen, and closed as
# left; the program goes on. Changed before the probes, and after.
replaced() { # NAME: the tracer runs, and the program may go on
	: >"$T/$1.go"
	wait $tracer
	is $1 "0 replaced right" "$? $(grep '^replaced' "$T/$1.out")"
}
calls_left() { # NAME
	jq -rs '[.[] | select(.name == "cuOccupancyMaxPotentialBlockSize" and .left)] | length' "$T/$1.jsonl"
}
timeout 60 "$XPT" run -v -q --no-summary --as-root -o "$T/after.jsonl" -- "$T/unwind" replaced 10 "$T/after.go" >"$T/after.out" 2>"$T/after.err" &
tracer=$!
replaced after
is after_left 10 "$(calls_left after)"
timeout 60 "$XPT" hook -v -q --as-root -e 'call:libcuda.so.1:cuOccupancyMaxPotentialBlockSize count' -- \
	"$T/unwind" replaced 10 "$T/hooked.go" >"$T/hooked.out" 2>"$T/hooked.err" &
tracer=$!
replaced hooked
"$T/unwind" replaced 10 "$T/before.go" >"$T/before.out" &
pid=$!
wait_for test -e "$T/before.go.ready"
timeout 60 "$XPT" attach -v -q --no-summary -p $pid -o "$T/before.jsonl" >"$T/before.log" 2>"$T/before.err" &
tracer=$!
wait_for in_place "$T/before.err"
replaced before
is before_left 10 "$(calls_left before)"
wait $pid
is before_program 0 $?

# A program of Go: its calls are refused with the reason, and its entries can be seen.
go_way='a return probe could break the program (Go: its runtime moves stacks and reads return addresses)'
go_hook() { # FILE SYMBOL KIND
	"$XPT" hook -q --as-root -e "$3:__EXE__:$2 count" -- "$1" last_call 3 >"$T/go.out" 2>"$T/go.err"
}
echo built >"$T/note"
objcopy --add-section .note.go.buildid="$T/note" "$T/unwind" "$T/as_go"
go_hook "$T/as_go" last_call call
is as_go "3 1" "$? $(grep -cF "$go_way; 'uprobe:' in place of 'call:' shows when a function begins" "$T/go.err")"
go_hook "$T/as_go" last_call uprobe
is as_go_uprobe 3 "$(sed -n 's/^@.*: //p' "$T/go.out")"
if command -v go >/dev/null 2>&1; then
	cp tests/bpf/workloads/stacks.go.txt "$T/stacks.go"
	GOCACHE=$T/gocache GO111MODULE=off GOTOOLCHAIN=local go build -o "$T/stacks_go" "$T/stacks.go" 2>"$T/go.err" ||
		not_ok go_build "$(head -n 2 "$T/go.err")"
	for symbol in main.work 'main.*'; do
		go_hook "$T/stacks_go" "$symbol" call
		is "go_$symbol" "3 1" "$? $(grep -cF "$go_way" "$T/go.err")"
	done
	# A stack that grows runs the beginning of a function again.
	go_hook "$T/stacks_go" main.work uprobe
	is go_program "0 worked" "$? $(grep -o '^worked$' "$T/go.out")"
	holds go_uprobe [ "$(sed -n 's/^@.*: //p' "$T/go.out")" -ge 10050 ]
else
	echo "skip go: not installed"
fi

# A program of Rust: panics pass through functions that are traced.
if command -v rustc >/dev/null 2>&1; then
	program=$T/unwind_rs
	rustc --edition 2021 -O --crate-name unwind -o "$program" tests/bpf/workloads/unwind.rs.txt 2>"$T/rs.err" ||
		not_ok rust_build "$(head -n 2 "$T/rs.err")"
	for kind in session multi perf; do
		with="--attach $kind"
		timeout 60 "$XPT" run -q --no-file --no-summary --as-root $with -- true >/dev/null 2>&1 || continue
		left rust_panics_$kind panics 14 7 7
		is rust_goes_on_$kind "panics right" "$(grep right "$T/rust_panics_$kind.out")"
		left rust_passes_$kind passes 14 7 7
		left rust_catches_$kind catches 14 14 0
	done
	with= program=$T/unwind
else
	echo "skip rust: not installed"
fi

# Cancelled inside of the driver: the program goes on.
XPT_FAKE_LATENCY=cuCtxSynchronize=20s timeout 60 "$XPT" run -q --as-root -o "$T/d.xtr" -- "$T/unwind" driver 3 >"$T/d.out" 2>&1
is driver 0 $?
is driver_left "cuCtxSynchronize 3" "$("$XPT" report --json "$T/d.xtr" | jq -r '.left[] | "\(.function) \(.calls)"')"

# A process that runs already.
"$T/unwind" forever >"$T/forever" 2>&1 &
pid=$!
"$XPT" attach -p $pid -q --no-summary --probe "call:$T/unwind:middle" -o "$T/f.jsonl" >"$T/f.out" 2>&1 &
tracer=$!
wait_for sh -c "grep -q '\"left\":true' '$T/f.jsonl' 2>/dev/null"
kill -TERM $pid
wait $pid
is attach 0 $?
wait $tracer
is attach_both true "$(jq -s '[.[] | select(.left)] as $l | [.[] | select(.name == "middle" and .duration_us)] as $r |
	($l | length) > 0 and ($r | length) > 0' "$T/f.jsonl")"

# Exceptions and ends of threads that pass through a library of plain C, which shows no sign of them:
# it runs functions of the program. Both ways to build C, each way of attaching.
built() { # FOLDER FLAGS
	mkdir -p "$T/$1"
	gcc -O2 $2 -fPIC -shared -Wl,-soname,libthrough.so -o "$T/$1/libthrough.so" tests/bpf/workloads/lib/through.c &&
	g++ -O2 -pthread -o "$T/$1/through" tests/bpf/workloads/through.cc -L"$T/$1" -lthrough -Wl,-rpath,"$T/$1"
}
built c '' && built c_unwinds -fexceptions || { not_ok through "cannot be built"; exit 1; }
tables=$(readelf -SW "$T/c/libthrough.so" "$T/c_unwinds/libthrough.so" | grep -c gcc_except_table)
is through_no_sign 0 "$tables"
returned='copies 10, deep 5, each 5, keep 1, later 5, once 10'
left='deep 6, each 6, later 5, waits 1'

# By what each return is seen, and why.
is through_list 'copies return probe 0, deep instructions 1, each instructions 1, keep return probe 0,
	later instructions 1, once instructions 1, waits instructions 1' "$("$XPT" list --json "call:$T/c/libthrough.so:*" |
	jq -r '.[] | "\(.function) \(.returns) \(.return_places)"' | paste -sd, | sed 's/,/, /g; s/, later/,\n\tlater/')"
for fn in copies each; do "$XPT" list -v "call:$T/c/libthrough.so:$fn"; done >"$T/list"
is through_list_text "call:$T/c/libthrough.so:copies
  return: return probe: nothing that it runs can throw, end the thread, or run code of the program
call:$T/c/libthrough.so:each
  return: instructions that end it, 1: exceptions may pass: it calls through a pointer" "$(grep -v '^  entry: 0x' "$T/list")"
is through_list_domain 2 "$("$XPT" list --json --lib "$B/fake/libcuda.so.1" 'cuOcc*BlockSize*' | jq '[.[] | select(.returns ==
	"instructions" and .return_places > 0 and .return_reason == "it calls a function of the program, which may throw")] | length')"
is through_list_counts 2 "$("$XPT" list -v --lib "$B/fake/libcuda.so.1" |
	grep -c '^# returns of [1-9][0-9]* are seen by return probes, .*;$\|^# of 2 by probes on their own instructions; of 0 not$')"

# passes FOLDER KIND: counted by a hook.
passes() {
	timeout 60 "$XPT" hook -q --as-root --attach $2 -o "$T/$1.xtr" -e "call:$T/$1/libthrough.so:* count by func" -- \
		"$T/$1/through" 10 >"$T/$1.out" 2>"$T/$1.err"
	is through_$1_$2 "0 through right, $returned, 18 left" "$? $(grep '^through' "$T/$1.out"), $(
		sed -n 's/^@\[\(.*\)\]: \(.*\)/\1 \2/p' "$T/$1.out" | sort | paste -sd, | sed 's/,/, /g'), $(
		"$XPT" report --json --all "$T/$1.xtr" | jq '[.losses[]? | select(.loss == "cut_longjmp" or
			.loss == "cut_exit").count] | add') left"
}
by_function() { # FILE: calls that were left
	jq -rs '[.[] | select(.left)] | group_by(.name)[] | "\(.[0].name) \(length)"' "$1" | paste -sd, | sed 's/,/, /g'
}
ways=
for kind in session multi perf; do
	timeout 60 "$XPT" run -q --no-file --no-summary --as-root --attach $kind -- true >/dev/null 2>&1 || continue
	ways="$ways $kind"
	passes c $kind
	passes c_unwinds $kind
	timeout 60 "$XPT" run -q --no-summary --as-root --attach $kind --probe "call:$T/c/libthrough.so:*" -o "$T/r.jsonl" -- \
		"$T/c/through" 10 >"$T/r.out" 2>"$T/r.err"
	is through_run_$kind "0 through right, $left" "$? $(grep '^through' "$T/r.out"), $(by_function "$T/r.jsonl")"
	# A process that runs already, and ends when all that can be left was.
	rm -f "$T/go" "$T/a.jsonl"
	"$T/c/through" 10 "$T/go" >"$T/a.out" 2>&1 &
	pid=$!
	timeout 60 "$XPT" attach -p $pid -q --no-summary --attach $kind --probe "call:$T/c/libthrough.so:*" -o "$T/a.jsonl" \
		>"$T/a.log" 2>&1 &
	tracer=$!
	for fn in deep each later waits; do
		wait_for grep -qs "\"name\":\"$fn\".*\"left\":true" "$T/a.jsonl"
	done
	: >"$T/go"
	wait $pid
	is through_attach_$kind "0 through right" "$? $(cat "$T/a.out")"
	wait $tracer
done
holds through_ways [ -n "$ways" ]
exit $failed
