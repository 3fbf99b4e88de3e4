#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3 simulated_target
#
# xputrace spdk annotate on what the target of tests/fake/spdk writes: lines equal
# to those that it says must come out, for RDMA and TCP, both eras of SPDK, names of
# 223 bytes; pipes, mistakes, traces that are cut, recordings of another process.
set -u
. tests/cli.lib
B=${B:-build}
tgt=$B/fake/spdk_tgt
[ -x "${tgt}_new" ] || tgt=build/fake/spdk_tgt
cd "$T" || exit 2
case $tgt in /*) ;; *) tgt=$OLDPWD/$tgt ;; esac

for era in old new; do
	for kind in rdma tcp; do
		for names in "" -l; do
			id=${era}_$kind${names:+_long}
			# shellcheck disable=SC2086 # no names: no word
			"${tgt}_$era" -t $kind $names -T t.json -R r.txt -E want.txt
			gives "annotate_$id" 0 "" "$XPT" spdk annotate --trace t.json --with r.txt
			holds "bytes_$id" cmp -s want.txt out
			"$XPT" spdk annotate -t t.json -w r.txt --json >json.txt
			is "json_$id" "$(wc -l <want.txt)" "$(jq -r 'select(.qpair.hostnqn != null) | .type' json.txt | grep -c entry)"
		done
	done
done
is text_around "Using Trace" "$(head -c 5 t.json) $("${tgt}_old" -T /dev/stdout | tail -n 1 | head -c 5)"
"${tgt}_new" -t rdma -T t.json -R r.txt -E want.txt

# --- as SPDK's own script ------------------------------------------------------------------
gives compat 0 "queue pairs that r.txt does not know" "$XPT" spdk annotate -t t.json -w r.txt --compat
is compat_lines "$(wc -l <want.txt)" "$(wc -l <out)"
is compat_have_buffer 0 "$(grep HAVE_BUFFER out | grep -c 'qpair(')"
sed 's/,"owner":"[^"]*"//' t.json >no_owner.json
"$XPT" spdk annotate -t no_owner.json -w r.txt 2>err | head -n 1 | cut -c22-25 >got
"$XPT" spdk annotate -t no_owner.json -w r.txt --compat 2>err | head -n 1 | cut -c22-25 >>got
is compat_no_poller "q260    " "$(tr -d '\n' <got)"
holds compat_others sh -c 'grep -v HAVE_BUFFER out | grep -q "qpair("'

# --- what has no host ------------------------------------------------------------------------
gives hosts_known 0 "" "$XPT" spdk annotate -t t.json -w r.txt
holds hosts_known_quiet [ ! -s err ]
grep -v nvmf_ctrlr_add_qpair r.txt >no_connect.txt
gives no_connect 0 "entries have queue pairs whose host no_connect.txt does not name" \
	"$XPT" spdk annotate -t t.json -w no_connect.txt
sed 's/,"args":\[[^]]*\]//' no_owner.json >no_qpair.json
gives no_qpair 0 "entries say nothing of a queue pair, RDMA_" "$XPT" spdk annotate -t no_qpair.json -w r.txt

# --- requests -------------------------------------------------------------------------------
XPT_TRUTH=truth "${tgt}_new" -t tcp -T t.json -R r.txt -E want.txt
requests=$(jq .requests truth) entries=$(jq .entries truth)
gives latency 0 "" "$XPT" spdk annotate -t t.json -w r.txt --latency -o t.pftrace
holds latency_80_columns awk 'length > 80 { exit 1 }' out
is latency_begun "$requests begun" "$(sed -n '1s/.*, //p' out)"
is latency_states 8 "$(sed -n '3,/^$/p' out | grep -c '%')"
"$XPT" spdk annotate -t t.json --latency --json >latency.json
is latency_json "$requests" "$(jq '.requests[0].count' latency.json)"
is latency_each "$requests" "$(jq -r '.requests[0].states[].count' latency.json | sort -u)"
is latency_histogram "$((requests * 7))" "$(jq '[.requests[0].states[].histogram[].count] | add' latency.json)"
# The states of a request are its whole time, but for a nanosecond of rounding each.
holds latency_sum sh -c 'jq -e ".requests[0] | .total_ns - ([.states[].total_ns] | add) | . >= 0 and . < 4000" latency.json >/dev/null'
holds picture python3 "$OLDPWD/tests/replay/check_perfetto.py" t.pftrace any-track
python3 "$OLDPWD/tests/replay/check_perfetto.py" t.pftrace any-track >counts
is picture_slices "slice $entries" "$(grep '^slice' counts)"
is picture_nested "nested $((entries - requests))" "$(grep '^nested' counts)"
is picture_open "open 0" "$(grep '^open' counts)"
"$XPT" convert "$OLDPWD/tests/replay/train.xtr" -o other.pftrace 2>err
python3 "$OLDPWD/tests/replay/check_perfetto.py" other.pftrace any-track >counts_other
cat other.pftrace t.pftrace >both.pftrace
python3 "$OLDPWD/tests/replay/check_perfetto.py" both.pftrace any-track >counts_both
for what in process slice; do
	is picture_joined_$what "$(cat counts counts_other | awk "/^$what / { n += \$2 } END { print n }")" \
		"$(sed -n "s/^$what //p" counts_both)"
done
# --- block devices: their I/O lies within the request that it is for, and belongs to its host -----
python3 - >related.json <<'END'
import json
def point(name, nr, new, *args):
    return {"name": name, "id": nr, "new_object": new, "args": [{"name": a, "type": t, "size": 8} for a, t in args]}
points = [point("RDMA_REQ_NEW", 64, True, ("qpair", 1)), point("RDMA_REQ_EXECUTING", 71, False, ("qpair", 1)),
          point("RDMA_REQ_COMPLETED", 76, False, ("qpair", 1)), point("BDEV_IO_START", 35, True, ("type", 0), ("ctx", 1)),
          point("BDEV_IO_DONE", 36, False, ("ctx", 1)), point("BDEV_NVME_IO_START", 40, True, ("ctx", 1)),
          point("BDEV_NVME_IO_DONE", 41, False, ("ctx", 1))]
entries = []
def at(tsc, nr, obj, value, args, related=None):
    e = {"lcore": 0, "tpoint": nr, "tsc": tsc, "object": {"id": obj, "value": value, "time": 0}, "args": args}
    entries.append(e | ({"related": related} if related else {}))
at(1000, 64, "r1", 100, [4096]); at(1100, 71, "r1", 100, [4096])
at(1200, 35, "i1", 200, [1, 100], "r1"); at(1300, 40, "n1", 300, [200], "i1")
at(1400, 41, "n1", 300, [200], "i1"); at(1500, 36, "i1", 200, [100], "r1"); at(1600, 76, "r1", 100, [4096])
# Two at once for one request, of which one goes on when that is over.
at(2000, 64, "r2", 100, [4096]); at(2100, 71, "r2", 100, [4096])
at(2200, 35, "i2", 200, [2, 100], "r2"); at(2300, 35, "i3", 201, [2, 100], "r2")
at(2400, 36, "i3", 201, [100], "r2"); at(2500, 76, "r2", 100, [4096]); at(2600, 36, "i2", 200, [100])
print(json.dumps({"tsc_rate": 1000000, "tpoints": points, "entries": entries}))
END
cat >related.txt <<'END'
xputrace_clock: tsc=0x1, mono=0x1
nvmf_poll_group_add_qpair: tsc=0x64, qpair=0x1000, thread=0x1
nvmf_ctrlr_add_qpair: tsc=0x6e, qpair=0x1000, qid=0x1, subnqn='nqn.a', hostnqn='nqn.2014-08.org.nvmexpress:uuid:00000001-1111-2222'
xputrace_clock: tsc=0xffff, mono=0xffff
END
gives related 0 "1 I/O lasted longer than drawn" "$XPT" spdk annotate -t related.json -w related.txt --by host,type -o related.pftrace
holds related_80_columns awk 'length > 80 { exit 1 }' out
is related_host "By host: RDMA_REQ" "$(grep -A 1 'By host: RDMA_REQ' out | head -n 1)"
is related_name "  nqn.2014-08.org.nvmexpress:uuid:00000001-1111-2222" "$(grep -m 1 uuid out)"
"$XPT" spdk annotate -t related.json -w related.txt --by host,subsystem,qpair,type --json 2>err >related_by.json
by() { # WHAT
	jq -r --arg by "$1" '.by[] | select(.by == $by) | "\(.kind) \(.value) \(.count)"' related_by.json | LC_ALL=C sort | paste -sd ,
}
is related_by_type "BDEV_IO READ 1,BDEV_IO WRITE 2,BDEV_NVME_IO READ 1,RDMA_REQ READ 1,RDMA_REQ WRITE 1" "$(by type)"
is related_by_subsystem "BDEV_IO nqn.a 3,BDEV_NVME_IO nqn.a 1,RDMA_REQ nqn.a 2" "$(by subsystem)"
is related_by_host "3 1 2" "$(by host | tr , '\n' | sed 's/.* //' | xargs)"
is related_by_qpair 3 "$(jq '[.by[] | select(.by == "qpair" and (.value | contains("ptr=0x1000")))] | length' related_by.json)"
python3 "$OLDPWD/tests/replay/check_perfetto.py" related.pftrace any-track >counts
is related_slices "14 11 0" "$(for what in slice nested open; do sed -n "s/^$what //p" counts; done | xargs)"
# --- a queue pair that is presumed: so it is in the tables and in the picture -------------------------
python3 - >presumed.json <<'END'
import json
points = [{"name": "TCP_REQ_NEW", "id": 128, "new_object": True, "args": [{"name": "qd", "type": 0, "size": 8}]},
          {"name": "TCP_REQ_COMPLETED", "id": 135, "new_object": False, "args": []},
          {"name": "RDMA_REQ_NEW", "id": 64, "new_object": True, "args": [{"name": "qpair", "type": 1, "size": 8}]},
          {"name": "RDMA_REQ_COMPLETED", "id": 76, "new_object": False, "args": [{"name": "qpair", "type": 1, "size": 8}]}]
entries = []
def request(tsc, first, last, obj, args, owner=None):
    for at, nr in (tsc, first), (tsc + 100, last):
        e = {"lcore": 0, "tpoint": nr, "tsc": at, "object": {"id": obj, "value": 100, "time": 0}, "args": args if nr == first or first == 64 else []}
        entries.append(e | ({"owner": owner} if owner else {}))
request(5000, 128, 135, "r1", [1], "1.1.1.1:1 nqn.a l qid:1")
request(6000, 64, 76, "q1", [4096])
request(7000, 64, 76, "q2", [8192])
print(json.dumps({"tsc_rate": 1000000, "tpoints": points, "owners": {"1": "1.1.1.1:1 nqn.a l qid:1"}, "entries": entries}))
END
cat >presumed.txt <<'END'
xputrace_clock: tsc=0x1, mono=0x1
nvmf_poll_group_add_qpair: tsc=0x64, qpair=0x1000, thread=0x1
nvmf_ctrlr_add_qpair: tsc=0x6e, qpair=0x1000, qid=0x1, subnqn='nqn.a', hostnqn='(unknown)'
xputrace_clock: tsc=0xffff, mono=0xffff
END
gives presumed 0 "2 entries are of the only queue pair" "$XPT" spdk annotate -t presumed.json -w presumed.txt --by host -o presumed.pftrace
is presumed_rows "  (unknown) 1,  (unknown) 1,  (unknown) presumed 1" \
	"$(sed -n '/^By host/,$p' out | grep -o '^  (unknown)\( presumed\)\{0,1\} *[0-9]*' | sed 's/  *\([0-9]\)/ \1/' | paste -sd ,)"
is presumed_json 'TCP_REQ host true,TCP_REQ subsystem null,TCP_REQ qpair true' "$("$XPT" spdk annotate -t presumed.json -w presumed.txt \
	--by host,subsystem,qpair --json 2>err | jq -r '.by[]? | select(.kind == "TCP_REQ") | "\(.kind) \(.by) \(.presumed)"' | paste -sd ,)"
is presumed_groups 1 "$(grep -ac 'hostnqn=(unknown)) presumed' presumed.pftrace)"
gives record_two 2 "xputrace attach -p 1,2 -d spdk" "$XPT" spdk record -p 1,2 -o x.txt
gives record_command 2 "xputrace run -d spdk -o x.xtr -- true" "$XPT" spdk record -o x.txt -- true
gives by_word 2 "'host,hosts' is none of host, subsystem, qpair, type" "$XPT" spdk annotate -t related.json --by host,hosts
gives lines_and_latency 0 "" "$XPT" spdk annotate -t t.json -w r.txt --text -l
head -n "$entries" out >part.txt
holds lines_before_latency cmp -s part.txt want.txt
gives wrong_output 2 "must end in .pftrace" "$XPT" spdk annotate -t t.json -o x.json
gives no_output 1 "cannot write nowhere/x.pftrace" "$XPT" spdk annotate -t t.json -o nowhere/x.pftrace
head -c 30000 t.json >cut.json
gives cut_picture 1 "it was cut off" "$XPT" spdk annotate -t cut.json -o c.pftrace
holds cut_picture_whole python3 "$OLDPWD/tests/replay/check_perfetto.py" c.pftrace any-track
"${tgt}_new" -t rdma -T t.json -R r.txt -E want.txt

# --- inputs ---------------------------------------------------------------------------------
"$XPT" spdk annotate --trace - --with r.txt <t.json >out2
holds stdin cmp -s want.txt out2
"$XPT" spdk annotate --trace t.json --with - <r.txt >out2
holds record_stdin cmp -s want.txt out2
gives without 0 "" "$XPT" spdk annotate --trace t.json
is without_qpairs "$(wc -l <want.txt)" "$(grep -c 'qpair(qid=' out)"
gives closed 0 "" sh -c '"$XPT" spdk annotate --trace t.json --with r.txt | head -n 1'

# Another process: its pointers differ.
sed 's/qpair=0x7f3a/qpair=0x7fff/; s/cnode/other/' r.txt >other.txt
gives other_process 0 "entries have queue pairs that other.txt does not know: 6, one is 0x7f3a" \
	sh -c 'sed "s/,\"owner\":\"[^\"]*\"//g" t.json | "$XPT" spdk annotate --trace - --with other.txt'
gives empty_record 0 "holds no queue pairs" "$XPT" spdk annotate --trace t.json --with /dev/null
{ head -n 3 r.txt && echo "Lost 12 events" && tail -n +4 r.txt; } >gap.txt
gives gap 0 "gap.txt has gaps: 12 events were lost when it was recorded" "$XPT" spdk annotate -t t.json -w gap.txt
holds gap_bytes cmp -s want.txt out
head -c 500 r.txt >cut.txt
gives cut_record 0 "cut.txt ends in the middle of a line" "$XPT" spdk annotate -t t.json -w cut.txt
head -c 20000 t.json >cut.json
gives cut_trace 1 "cut.json ends in the middle: it was cut off" "$XPT" spdk annotate -t cut.json -w r.txt
n=$(wc -l <out)
holds cut_trace_some test "$n" -gt 50
head -n "$n" want.txt >part.txt
holds cut_trace_bytes cmp -s part.txt out
sed 's/"tsc":/"tsc";/100' t.json >bad.json
gives bad_trace 1 "bad.json is no JSON at 1 spot, the first at byte [0-9]* (line 2); entries there were left out" \
	"$XPT" spdk annotate -t bad.json -w r.txt
is bad_trace_lines "$(($(wc -l <want.txt) - 1))" "$(wc -l <out)"
# Lines of spdk_trace's own within the JSON: in a string among the trace points, in an entry, between two.
python3 - <<'END'
text = open("t.json").read()
lines = ["Trace Size of lcore (0): 32768\n", "TSC Rate: 2100000000\n", "Trace Size of lcore (12): 8\n"]
spots = [text.index('"name":"') + 10, text.index('"tsc":', len(text) // 2) + 3, text.index(",{", len(text) * 2 // 3) + 1]
for at, line in sorted(zip(spots, lines), reverse=True):
    text = text[:at] + line + text[at:]
open("printed.json", "w").write(text)
END
gives printed 0 "printed.json: 3 lines of spdk_trace's own within the JSON were skipped" "$XPT" spdk annotate -t printed.json -w r.txt
holds printed_bytes cmp -s want.txt out
gives bad_head 1 "head.json is no JSON from byte [0-9]* (line [0-9]*) on, before its entries" \
	sh -c 'sed "s/\"name\":/\"name\" oops /" t.json >head.json; "$XPT" spdk annotate -t head.json -w r.txt'
gives no_trace 1 "no trace in JSON" "$XPT" spdk annotate -t r.txt -w r.txt
gives no_rate 1 "with tsc_rate and tpoints before its entries" sh -c 'echo "{\"entries\":[]}" | "$XPT" spdk annotate -t -'
gives no_file 1 "cannot read nothing: No such file" "$XPT" spdk annotate -t nothing
gives no_with 1 "cannot read nothing: No such file" "$XPT" spdk annotate -t t.json -w nothing
gives folder 1 "cannot read ." "$XPT" spdk annotate -t .

# --- a recording of ours -------------------------------------------------------------------
make_xtr=$OLDPWD/tests/replay/make_xtr.py
for kind in spdk spdk_ticks; do
	python3 "$make_xtr" $kind x.xtr r.txt
	gives $kind 0 "" "$XPT" spdk annotate -t t.json -w x.xtr
	holds ${kind}_bytes cmp -s want.txt out
done
# The default files of a trace: who names the lines means the recording beside them.
cp x.xtr trace_1.xtr
"$XPT" convert x.xtr -o trace_1.jsonl
gives beside 0 "reading .*trace_1.xtr, the recording beside" "$XPT" spdk annotate -t t.json -w trace_1.jsonl
holds beside_bytes cmp -s want.txt out
sed 's/qpair=0x7f3a/qpair=0x7fff/; s/host0/host7/; s/cnode/other/' r.txt >other.txt
python3 "$make_xtr" spdk two.xtr r.txt other.txt
gives two_processes 1 "queue pairs of several processes (100, 200)" "$XPT" spdk annotate -t t.json -w two.xtr
gives one_of_two 0 "" "$XPT" spdk annotate -t t.json -w two.xtr -p 100
holds one_of_two_bytes cmp -s want.txt out
gives third_of_two 1 "has no queue pairs of process 300, but of [12]00" "$XPT" spdk annotate -t t.json -w two.xtr -p 300
gives wrong_pid 1 "'x' is not a process id" "$XPT" spdk annotate -t t.json -w two.xtr -p x
gives other_xtr 0 "two.xtr knows none of the trace's queue pairs" "$XPT" spdk annotate -t t.json -w two.xtr -p 200
holds other_xtr_owners grep -q "$(wc -l <want.txt) entries have .* but an owner: shown without host" err
python3 "$make_xtr" spdk none.xtr
gives no_qpairs 0 "none.xtr holds no queue pairs: was it recorded with -d spdk" "$XPT" spdk annotate -t t.json -w none.xtr
python3 "$make_xtr" spdk_odd odd.xtr r.txt
gives odd_xtr 0 "odd.xtr has gaps: 7 events were lost" "$XPT" spdk annotate -t t.json -w odd.xtr
n=$(wc -l <want.txt)
is odd_xtr_lines "$n" "$(wc -l <out)"
size=$(wc -c <x.xtr)
bad=
for at in 0 5 7 23 24 40 $(seq 60 $((size / 8)) $((size - 1))); do
	head -c "$at" x.xtr >cut.xtr
	"$XPT" spdk annotate -t t.json -w cut.xtr >out 2>err
	status=$?
	grep -Eq 'ends early or is damaged|cannot read the recording|is it what .trace.py' err &&
		[ $status = "$((at > 6 && at < 24))" ] || bad="$bad cut:$at:$status"
	{ head -c "$at" x.xtr; printf '\377'; tail -c +$((at + 2)) x.xtr; } >cut.xtr
	"$XPT" spdk annotate -t t.json -w cut.xtr >out 2>err
	status=$?
	[ $status -le 1 ] && [ -s err ] || bad="$bad change:$at:$status"
done
is damaged_xtr "" "$bad"

# --- the command line -------------------------------------------------------------------------
gives no_verb 2 "what shall it do" "$XPT" spdk
gives wrong_verb 2 "no 'anotate' here" "$XPT" spdk anotate
gives no_trace_option 2 "which trace" "$XPT" spdk annotate
gives two_stdin 2 "cannot both be standard input" "$XPT" spdk annotate -t - -w -
gives two_forms 2 "not both" "$XPT" spdk annotate -t t.json --json --text
gives extra 2 "unexpected 'x'" "$XPT" spdk annotate x -t t.json
gives pid_of_annotate 2 "goes with record" "$XPT" spdk annotate -t t.json -p 1
gives record_no_pid 2 "which process" "$XPT" spdk record -o x.txt
gives record_wrong_pid 2 "'x' is not a process id" "$XPT" spdk record -p x -o x.txt
gives record_no_file 2 "where to" "$XPT" spdk record -p 1
gives record_trace 2 "record takes -p and -o only" "$XPT" spdk record -p 1 -o x.txt -t t.json
gives record_no_process 3 "no process 2147483647" "$XPT" spdk record -p 2147483647 -o x.txt
holds record_no_file_left test ! -e x.txt
exit $failed
