#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq sdt
# uses: mount_namespace
#
# xputrace spdk record on the target of tests/fake/spdk, with the probes of both eras:
# the trace, annotated with it, is what the target says must come out; lines are those
# of bpftrace; the picture lies on CLOCK_MONOTONIC. The same with a recording of -d spdk.
set -u
. tests/cli.lib
tgt=$B/fake/spdk_tgt
check=$PWD/tests/replay/check_perfetto.py
cd "$T" || exit 2

# record ERA OPTION...: the target begins when the recording has begun
record() {
	era=$1
	shift
	rm -f go truth rec.err t.json	# of the one before, which would be taken for this one's
	XPT_TRUTH=truth "${tgt}_$era" -g go -w 1 -r 3 -n 20 -T t.json -R want.rec -E want.txt "$@" &
	pid=$!
	until_ test -r t.json
	"$XPT" spdk record -p $pid -o qp.txt 2>rec.err &
	rec=$!
	until_ grep -q recording rec.err || cat rec.err
	touch go
	wait $pid
	wait $rec
	is "status_$era" 0 $?
}

clock() { python3 -c "import time; print(int(time.clock_gettime(time.CLOCK_MONOTONIC) * 1000))"; }
# The first packet's clock: within the milliseconds since this test began. Not /proc/uptime, which
# goes on while a machine is suspended.
in_this_test() { # PFTRACE
	at=$(python3 - "$1" <<'END'
import re, subprocess, sys
out = subprocess.run(["protoc", "--decode_raw"], stdin=open(sys.argv[1], "rb"), capture_output=True, text=True).stdout
print(int(re.search(r"6 \{\s*1 \{\s*1: 3\s*2: (\d+)", out)[1]) // 1000000)
END
	)
	[ "$at" -ge "$begun" ] && [ "$at" -le "$(clock)" ]
}
begun=$(clock)
for era in old new; do
	for kind in rdma tcp; do
		record $era -t $kind -l
		is "lines_${era}_$kind" "$(grep -c tsc= want.rec)" "$(grep -c '^nvmf_[pc].*tsc=' qp.txt)"
		is "fini_${era}_$kind" "$(jq .probes.nvmf_transport_qpair_fini truth)" "$(grep -c '^nvmf_transport_qpair_fini' qp.txt)"
		# SPDK's own script would write the same, but for the order of fields of time.
		grep '^nvmf_c' want.rec >want && grep '^nvmf_c' qp.txt >got
		holds "names_${era}_$kind" cmp -s want got
		"$XPT" spdk annotate --trace t.json --with qp.txt -o t.pftrace --text >out 2>err
		holds "bytes_${era}_$kind" cmp -s want.txt out
		is "quiet_${era}_$kind" "" "$(cat err)"
	done
done
holds picture "$check" t.pftrace any-track
holds picture_clock in_this_test t.pftrace

# More than there is room for while nobody reads: how many is told in the recording, and by annotate.
rm -f go rec.err
"${tgt}_new" -g go -r 300 -n 1 -R want.rec -T t.json >/dev/null &
pid=$!
until_ grep -q spdk_tgt /proc/$pid/maps
"$XPT" spdk record -p $pid -o qp.txt 2>rec.err &
rec=$!
until_ grep -q recording rec.err
kill -STOP $rec
touch go
wait $pid
kill -CONT $rec
wait $rec
# A queue pair has a line more here than in want.rec: that it was given back.
is lost "$(($(grep -c tsc= want.rec) / 3 * 4)) yes" \
	"$(awk '/^nvmf_/ { n++ } /^Lost/ { lost += $2 } END { print n + lost, (lost ? "yes" : "no") }' qp.txt)"
gives lost_told 0 "qp.txt has gaps: [1-9][0-9]* events were lost" "$XPT" spdk annotate --trace t.json --with qp.txt

# --- with a recording of ours: the same lines (tests/replay/spdk.sh has others) -----------------
for era in old new; do
	rm -f go
	"$XPT" run --as-root -q --no-summary -d spdk -o x.xtr -- "${tgt}_$era" -w 1 -l -r 3 -n 20 -T t.json -E want.txt 2>err
	"$XPT" spdk annotate --trace t.json --with x.xtr --text -o t.pftrace >out 2>err
	holds "xtr_bytes_$era" cmp -s want.txt out
	is "xtr_quiet_$era" "" "$(cat err)"
done
holds xtr_picture "$check" t.pftrace any-track
holds xtr_clock in_this_test t.pftrace
head -c $(($(wc -c <x.xtr) - 40)) x.xtr >cut.xtr
gives xtr_cut 0 'ends early or is damaged' "$XPT" spdk annotate --trace t.json --with cut.xtr

# --- as points: both names, whole ---------------------------------------------------------
rm -f go
"$XPT" run --as-root -q --no-summary --probe "usdt:spdk_tgt_*:spdk:nvmf_ctrlr_add_qpair(arg3:str,arg4:str)" \
	-o p.jsonl -- "${tgt}_new" -l -n 1 -R want.rec 2>err
jq -r 'select(.layer == "point") | .args | "qid=\(.arg2 | tonumber)", .arg3, .arg4' p.jsonl >got
sed -n "s/^nvmf_ctrlr_add_qpair.*, \(qid=0x[0-9a-f]*\), subnqn='\(.*\)', hostnqn='\(.*\)'$/\1\n\2\n\3/p" want.rec |
	sed 's/^qid=0x/qid=/' >want
holds two_strings cmp want got
is two_strings_whole "12 24" "$(grep -c qid= got) $(awk 'length == 223' got | wc -l)"

# --- other ends ------------------------------------------------------------------------------
rm -f go rec.err	# what an earlier one said would do for the wait below
"${tgt}_new" -g go &
pid=$!
"$XPT" spdk record -p $pid -o - >qp.txt 2>rec.err &
rec=$!
until_ grep -q recording rec.err
kill -INT $rec
wait $rec
is interrupted 0 $?
is interrupted_clocks 2 "$(grep -c '^xputrace_clock: tsc=0x' qp.txt)"
kill $pid
wait 2>/dev/null
# Its file was replaced while it runs; only its own mount namespace has the file.
record_of() { # NAME PID: the lines that the target itself wrote, once it has ended
	rm -f rec.err
	"$XPT" spdk record -p "$2" -o qp.txt 2>rec.err &
	rec=$!
	until_ grep -q recording rec.err || cat rec.err
	touch go
	wait $rec
	is "$1" "0 $(grep -c tsc= want.rec)" "$? $(grep -c '^nvmf_[pc].*tsc=' qp.txt)"
	wait
}
cp "${tgt}_new" mine
rm -f go
./mine -g go -w 1 -n 2 -R want.rec &
pid=$!
until_ grep -q /mine /proc/$pid/maps
rm mine
cp /bin/true mine
record_of replaced_file $pid
mkdir space
rm -f go
if unshare -m sh -c "mount -t tmpfs none space && cp ${tgt}_new space/mine" 2>/dev/null; then
	unshare -m sh -c "mount -t tmpfs none space && cp ${tgt}_new space/mine && echo \$\$ >pid &&
		exec space/mine -g go -w 1 -n 2 -R want.rec" &
	until_ sh -c 'grep -q space/mine /proc/$(cat pid)/maps'
	record_of other_namespace "$(cat pid)"
else
	echo "skip other_namespace: no mount namespaces here"
fi
sleep 600 &
gives no_probes 3 "has no probes of queue pairs" "$XPT" spdk record -p $! -o x.txt
holds no_probes_file test ! -e x.txt
kill $!
exit $failed
