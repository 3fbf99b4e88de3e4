#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq python3 user sdt
#
# A stranger maps 600 libraries, each with ten static probes of names that no other has, while probes of all files
# are asked for: more names than the table of functions has places. All hits of a program of other names that another
# user starts afterwards are seen, though the stranger has mapped it first; his are refused with a word, and the trace ends soon.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_probes
mkdir "$T/lib"
{
	echo '#include <sys/sdt.h>'
	echo 'void all(void) {'
	for i in 0 1 2 3 4 5 6 7 8 9; do
		echo "	DTRACE_PROBE(prov, NAME$i);"
	done
	echo '}'
} >"$T/lib/all.c"
cc -S -O2 -w -o "$T/lib/all.s" "$T/lib/all.c" && sed -i 's/NAME\([0-9]\)/x#####_\1/' "$T/lib/all.s" &&
	cc -shared -o "$T/lib/libcuda.so.1" "$T/lib/all.s" || not_ok hostile_probes "does not compile"
cc -O2 -w -o "$T/sdt" "$here/workloads/sdt.c" || not_ok hostile_probes "does not compile"
chown 65533 "$T/sdt"	# so that it counts for its user

# program: its hits, when its probes are there
program() {
	setpriv --reuid 65533 --clear-groups "$T/sdt" 5 20 all >>"$T/probes.truth"
}

begin floor --probe 'usdt:*:prov:*'
program
end floor
: >"$T/probes.truth"
begin probes --probe 'usdt:*:prov:*'
start_stranger "$T/hostile" maps "$T/lib/libcuda.so.1" "$T/theirs" 600
wait $attacker
is probes_attacker 0 $?
as_stranger "$T/hostile" storm "$T/sdt" 3	# his share is used up: that is not to hide the file from its user
for _ in 1 2 3; do
	program
done
end probes
is probes_status 0 $o_status
"$here/probes/usdt_hits" "$T/probes/t.jsonl" | sort >"$T/probes.hits"
sort "$T/probes.truth" >"$T/probes.sorted"
holds probes_knows test -s "$T/probes.sorted"
holds probes_hits cmp "$T/probes.sorted" "$T/probes.hits"
holds probes_refused grep -Eq '(functions in files of .*|files) were not traced' "$T/probes/stderr"
holds probes_ends_fast [ $probes_ms -le $((floor_ms * 2 + 8000)) ]

# He has used up his share when he maps a program of 600 probes. Its user
# has room for all of it: none was set for the stranger, so that all are now.
{
	echo '#include <sys/sdt.h>'
	echo 'int main(void) {'
	seq 600 | sed 's/.*/	DTRACE_PROBE(prov, of_program_&);/'
	echo '}'
} >"$T/many.c"
cc -w -o "$T/many" "$T/many.c" || not_ok hostile_probes_many "does not compile"
chown 65533 "$T/many"
begin whole --probe 'usdt:*:prov:*'
share_is_used() {
	as_stranger "$T/hostile" maps "$T/lib/libcuda.so.1" "$T/theirs" 100
	grep -q '/libcuda.so.1.* has no probes' "$T/whole/stderr"
}
holds whole_share_used wait_for share_is_used
refused_first() {
	as_stranger "$T/many"
	grep -q '/many of process .* has no probes' "$T/whole/stderr"
}
tries=0
until refused_first || [ $((tries += 1)) = 50 ]; do
	sleep 0.1
done
seen_names() { # N: as many different names have had a hit
	[ "$(jq -r 'select(.name | startswith("prov:of_program_")).name' "$T/whole/t.jsonl" | sort -u | wc -l)" = "$1" ]
}
all_hit() {
	setpriv --reuid 65533 --clear-groups "$T/many"
	seen_names 600
}
tries=0
until all_hit || [ $((tries += 1)) = 50 ]; do
	sleep 0.1
done
end whole
holds whole_refused_first grep -Eq '(functions in files of .*|files) were not traced' "$T/whole/stderr"
holds whole_for_its_user seen_names 600

echo "note a trace of 600 files with probes of a stranger ends after $probes_ms ms, without after $floor_ms"
exit $failed
