#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# JSON lines read back: what a report of them adds up is what the recording has that they were
# made of, and made into lines again they are the same, byte for byte. What they do not hold is
# said. Files that are cut, mixed with other text, or made by somebody else. The default files of a
# trace, where a recording lies beside the lines.
set -u
failed=0
dir=tests/replay
T=$TMPDIR
export PYTHONDONTWRITEBYTECODE=1

check() { # NAME CONDITION...
	what=$1
	shift
	if "$@"; then echo "ok $what"; else echo "not ok $what"; failed=1; fi
}

is() { # NAME WANT GOT
	if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: expected '$2', got '$3'"; failed=1; fi
}

totals='[(.summary | [.calls, .nested_calls, .failed_calls, .expected_errors, .processes, .threads, .call_ns]),
	(.statistics | del(.ioctl_ns)), .operations, ([.functions[]? | [.function, .calls, .failed, .total_ns, .bytes, .max_ns]] | sort),
	([.errors[]? | [.function, .code, .calls]] | sort), ([.launches[]? | [.kernel, .launches, .failed]] | sort),
	([.copies[]? | [.direction, .calls, .bytes]] | sort),
	([.first_failures[]? | [.function, .code, .later_failures]])]'

same_totals() { # NAME RECORDING LINES
	"$XPT" report --json --all "$2" | jq -c "$totals" >"$T/of_recording"
	"$XPT" report --json --all "$3" | jq -c "$totals" >"$T/of_lines"
	is "$1_totals" "" "$(diff "$T/of_recording" "$T/of_lines")"
}

again() { # NAME LINES
	"$XPT" convert "$2" -o "$T/again.jsonl"
	check "$1_again" cmp "$2" "$T/again.jsonl"
}

for name in train error; do
	same_totals $name $dir/$name.xtr $dir/$name.jsonl
	again $name $dir/$name.jsonl
	"$XPT" convert --phases $dir/$name.xtr -o "$T/phases.jsonl"
	same_totals ${name}_phases $dir/$name.xtr "$T/phases.jsonl"
done
if command -v python3 >/dev/null 2>&1; then
	for name in threads xid origin hooks; do
		$dir/make_xtr.py $name "$T/$name.xtr"
		"$XPT" convert "$T/$name.xtr" -o "$T/$name.jsonl"
		again $name "$T/$name.jsonl"
	done
	for name in odd hostile expected sched; do
		$dir/make_xtr.py $name "$T/$name.xtr"
		"$XPT" convert "$T/$name.xtr" -o "$T/$name.jsonl"
		is ${name}_calls "$(wc -l <"$T/$name.jsonl")" "$("$XPT" convert "$T/$name.jsonl" -o "$T/again.jsonl" &&
			wc -l <"$T/again.jsonl")"
	done
	same_totals threads "$T/threads.xtr" "$T/threads.jsonl"
	# Names of states before the first time: too many, too long, no texts, of kinds that nobody knows.
	python3 - >"$T/states.jsonl" <<'END'
print('{"type":"states","kind":"target","names":[%s]}' % ",".join('"%s"' % ("n" * 60) for _ in range(200)))
for _ in range(20):
    print('{"type":"states","kind":"x,y\\u0000","names":["a,b",3,null,"",["c"]]}')
END
	cat $dir/train.jsonl >>"$T/states.jsonl"
	same_totals states $dir/train.xtr "$T/states.jsonl"
	# Of more kinds than there are, each as long as a line can be: those beyond eight are counted as not decoded.
	python3 - >"$T/kinds.jsonl" <<'END'
for kind in range(16):
    print('{"type":"states","kind":"kind%d","names":[%s]}' % (kind, ",".join('"%s"' % ("n" * 125) for _ in range(32))))
END
	cat $dir/train.jsonl >>"$T/kinds.jsonl"
	is kinds "$("$XPT" report --json $dir/train.jsonl | jq -c '[.summary.calls, .summary.failed_calls]')" \
		"$("$XPT" report --json "$T/kinds.jsonl" | jq -c '[.summary.calls, .summary.failed_calls]')"
	is kinds_counted 8 "$("$XPT" report --json "$T/kinds.jsonl" | jq '[.losses[] | select(.loss == "decode_rejected").count] | add')"
fi

# All that read recordings read them; what is missing is said.
"$XPT" report --all $dir/train.jsonl >"$T/out"
check left_out grep -q "Left out  *JSON lines tell no exact counts and no ends of processes$" "$T/out"
check counted grep -q "Counted  *from events" "$T/out"
check not_judged grep -q "Leaks and churn are not judged: JSON lines" "$T/out"
is timeline "45 calls, 41 failed" "$("$XPT" timeline $dir/error.jsonl | head -n 1 | cut -d ';' -f 1)"
is replay "$("$XPT" replay --raw $dir/train.xtr | grep -c ' cuMemcpy')" "$("$XPT" replay --raw $dir/train.jsonl | grep -c ' cuMemcpy')"
"$XPT" hist 'cuMem*' $dir/train.xtr | head -n 22 >"$T/a"
"$XPT" hist 'cuMem*' $dir/train.jsonl | head -n 22 >"$T/b"
check hist cmp "$T/a" "$T/b"
"$XPT" convert $dir/train.jsonl -o "$T/back.xtr"
same_totals recording $dir/train.xtr "$T/back.xtr"
"$XPT" report --compare $dir/train.xtr $dir/train.jsonl >"$T/out" 2>&1
check compare grep -q "no: .*train.jsonl is partial: JSON lines" "$T/out"

# What an exception left, what a crash cut, a loss; a domain and a function that no table has.
cat >"$T/some.jsonl" <<'END'
{"event_id":1,"ts":1700000000.000000100,"type":"memory","layer":"api","domain":"other","class":"alloc","name":"otherAlloc","phase":"X","pid":7,"tid":7,"comm":"x","depth":0,"duration_us":1.000,"result":"0","code":0,"failed":false,"size":4096,"ptr":null,"args":{"n":4096,"flag":"A|B"}}
{"event_id":2,"ts":1700000000.000002000,"type":"userspace","layer":"api","domain":"cuda","class":"sync","name":"cuCtxSynchronize","phase":"B","pid":7,"tid":8,"comm":"x","depth":0,"left":true,"age_us":2.000,"args":{}}
some words between
{"event_id":3,"ts":1700000000.000003000,"type":"transfer","layer":"api","domain":"cuda","class":"copy","name":"cuMemcpyHtoD_v2","phase":"B","pid":7,"tid":7,"comm":"x","depth":0,"in_flight":true,"age_us":5.000,"signal":"SIGSEGV","args":{"dstDevice":"0x10","srcHost":"0x20","ByteCount":64}}
{"type":"loss","ts":1700000000.000004000,"name":"ring_full","count":12,"text":"calls not sent as events: ring buffer full"}
{"event_id":4,"ts":"yesterday"}
END
"$XPT" report --json --all "$T/some.jsonl" >"$T/out" 2>"$T/err"
is some_status 0 $?
is some "1 4096 12 cuMemcpyHtoD_v2 cuCtxSynchronize 1" "$(jq -r '[.summary.calls, (.operations[] | select(.operation == "alloc") | .bytes),
	.summary.events_lost, .inflight[0].function, .left[0].function, (.losses[] | select(.loss == "decode_rejected") | .count)] | join(" ")' "$T/out")"

# Cut within a line: what comes before is shown.
head -c 20000 $dir/train.jsonl >"$T/cut.jsonl"
"$XPT" report --json "$T/cut.jsonl" >"$T/out" 2>"$T/err"
is cut_status 1 $?
check cut_says grep -q "ends in the middle of a line at byte" "$T/err"
is cut_calls "$(($(wc -l <"$T/cut.jsonl")))" "$(jq .summary.calls "$T/out")"
# One name for many arguments, each of which a function of no table captures as a text: the first counts.
awk 'BEGIN {
	for (i = 0; i < 4000; i++)
		long = long "x"
	printf("{\"event_id\":1,\"ts\":1700000000.000000100,\"type\":\"userspace\",\"layer\":\"api\",\"domain\":\"other\",")
	printf("\"class\":\"other\",\"name\":\"otherCall\",\"phase\":\"X\",\"pid\":7,\"tid\":7,\"comm\":\"x\",\"depth\":0,\"duration_us\":1.000,")
	printf("\"result\":\"0\",\"code\":0,\"failed\":false,\"args\":{\"s\":\"%s\"", long)
	for (i = 0; i < 20; i++)
		printf(",\"s\":\"\"")
	print "}}"
}' >"$T/twice.jsonl"
"$XPT" report --json --all "$T/twice.jsonl" >"$T/out" 2>"$T/err"
is twice_status 0 $?
is twice_calls 1 "$(jq .summary.calls "$T/out")"
# Others' lines, and numbers beyond all bounds.
echo '{"type":"rdma","ts":1,"syscall":"modify_qp"}' >"$T/rdma.jsonl"
"$XPT" report "$T/rdma.jsonl" >"$T/out" 2>"$T/err"
is rdma_status 1 $?
check rdma_says grep -q "does not begin with a line of a trace" "$T/err"
for v in 0 18446744073709551615 99999999999999999999 -1 1e400 '"0xffffffffffffffff"' null '[[[]]]'; do
	sed "s/\"\(ts\|pid\|tid\|depth\|duration_us\|code\|size\|ByteCount\)\":[^,}]*/\"\1\":$v/g" $dir/train.jsonl |
		sed "1s/.*/$(head -n 1 $dir/train.jsonl)/" >"$T/odd.jsonl"
	"$XPT" report --all "$T/odd.jsonl" >"$T/out" 2>"$T/err"
	check "odd_$v" [ $? = 0 ]
done
# The two default files of a trace: whoever names the lines gets what the recording has.
mkdir "$T/traces" "$T/elsewhere" "$T/alone"
trace=trace_20261121_190000
cp $dir/train.jsonl "$T/traces/$trace.jsonl"
cp $dir/train.xtr "$T/traces/$trace.xtr"
ln -s $trace.jsonl "$T/traces/trace_latest.jsonl"
ln -s ../traces/$trace.jsonl "$T/elsewhere/other_name.jsonl"
cp $dir/train.jsonl "$T/alone/$trace.jsonl"
for command in "report --all" "report --json" replay timeline "hist cu*"; do
	"$XPT" $command $dir/train.xtr >"$T/a"
	for lines in traces/$trace traces/trace_latest elsewhere/other_name; do
		"$XPT" $command "$T/$lines.jsonl" >"$T/b" 2>"$T/err"
		check "beside_$(echo "$command" | tr -dc a-z)_$(basename $lines)" cmp "$T/a" "$T/b"
	done
done
check beside_said grep -q "reading .*traces/$trace.xtr, the recording beside .*other_name.jsonl" "$T/err"
"$XPT" report --compare "$T/traces/$trace.jsonl" $dir/train.xtr >"$T/out" 2>&1
check beside_compare sh -c '! grep -q partial "$0"' "$T/out"
"$XPT" convert "$T/traces/$trace.jsonl" -o "$T/beside.xtr" 2>"$T/err"
same_totals beside_convert $dir/train.xtr "$T/beside.xtr"
# Neither of the two is an output of what reads them.
for output in jsonl xtr; do
	"$XPT" convert "$T/traces/$trace.jsonl" -o "$T/traces/$trace.$output" 2>"$T/err"
	is beside_not_output_$output 2 $?
done
check beside_lines_kept cmp $dir/train.jsonl "$T/traces/$trace.jsonl"
check beside_recording_kept cmp $dir/train.xtr "$T/traces/$trace.xtr"
# Where there is none, or another file has its name, the lines are read, which say what they lack.
lacks() { # NAME LINES
	"$XPT" report --all "$2" >"$T/out" 2>"$T/err"
	is "$1_status" 0 $?
	check "$1" grep -q "Left out  *JSON lines tell no exact counts" "$T/out"
}
lacks alone "$T/alone/$trace.jsonl"
lacks same_name_of_other_file $dir/train.jsonl
echo "no recording" >"$T/alone/$trace.xtr"
lacks beside_no_recording "$T/alone/$trace.jsonl"
rm "$T/alone/$trace.xtr"
mkfifo "$T/alone/$trace.xtr"
lacks beside_pipe "$T/alone/$trace.jsonl"
rm "$T/alone/$trace.xtr"
ln -s "$T/traces/$trace.xtr" "$T/alone/$trace.xtr"
lacks beside_link "$T/alone/$trace.jsonl"
exit $failed
