#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# Recordings of known programs, read again: JSON lines must come out byte for
# byte as they did when the recordings were made, and the reports must name
# what the programs did. Damaged and foreign files are refused or read as far
# as they are good, and never crash.
set -u
dir=tests/replay
failed=0

check() { # NAME CONDITION...
	what=$1
	shift
	if "$@"; then echo "ok $what"; else echo "not ok $what"; failed=1; fi
}

report_has() { # RECORDING TEXT
	"$XPT" report "$dir/$1.xtr" | tr -s ' \n' ' ' | grep -qF "$2"
}

json_is() { # RECORDING FILTER VALUE
	[ "$("$XPT" report --json "$dir/$1.xtr" | jq -c "$2")" = "$3" ]
}

status_of() { # STATUS TEXT-OF-STDERR COMMAND...
	want=$1 text=$2
	shift 2
	"$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
	[ $? = "$want" ] && grep -qF "$text" "$TMPDIR/err"
}

reads() { # ARGUMENTS...
	"$XPT" "$@" >/dev/null 2>&1
}

for name in train error; do
	"$XPT" convert "$dir/$name.xtr" -o "$TMPDIR/$name.jsonl"
	check "${name}_jsonl" cmp "$dir/$name.jsonl" "$TMPDIR/$name.jsonl"
	"$XPT" convert "$dir/$name.xtr" -o "$TMPDIR/$name.csv"
	check "${name}_csv" python3 "$dir/same-rows" "$TMPDIR/$name.csv" "$dir/$name.jsonl"
	"$XPT" convert "$dir/$name.xtr" -o "$TMPDIR/$name.xtr"
	"$XPT" report "$dir/$name.xtr" >"$TMPDIR/a"
	"$XPT" report "$TMPDIR/$name.xtr" >"$TMPDIR/b"
	cp "$TMPDIR/a" "$TMPDIR/a_$name"
	check "${name}_copy_reports_the_same" cmp "$TMPDIR/a" "$TMPDIR/b"
	"$XPT" replay --raw "$dir/$name.xtr" | sed -n '/^Summary$/q;/^ *[0-9]/p' >"$TMPDIR/live"
	check "${name}_replay_shows_every_call" \
		[ "$(wc -l <"$TMPDIR/live")" = "$(grep -c '"phase":"X"' "$dir/$name.jsonl")" ]
done

# The recordings above are of a version that did not pack blocks; this one is train, packed.
"$XPT" convert "$dir/packed.xtr" -o "$TMPDIR/packed.jsonl"
check packed_jsonl cmp "$dir/train.jsonl" "$TMPDIR/packed.jsonl"
check packed_is_smaller [ "$(wc -c <"$dir/packed.xtr")" -lt $(($(wc -c <"$dir/train.xtr") / 3)) ]

# No output dies of what no program does: depths beyond all nesting, and counters that wrap.
lives() { # COMMAND...: some status, and no signal
	"$@" >"$TMPDIR/lives" 2>&1
	[ $? -lt 126 ]
}
for name in depths sums; do
	tests/replay/make_xtr.py $name "$TMPDIR/$name.xtr"
	check ${name}_report lives "$XPT" report --all "$TMPDIR/$name.xtr"
	check ${name}_json lives "$XPT" report --json --all "$TMPDIR/$name.xtr"
	check ${name}_timeline lives "$XPT" timeline "$TMPDIR/$name.xtr"
	check ${name}_hist lives "$XPT" hist 'cu*' "$TMPDIR/$name.xtr"
	check ${name}_compare lives "$XPT" report --compare "$dir/train.xtr" "$TMPDIR/$name.xtr"
	for to in jsonl csv json pftrace svg folded; do
		check ${name}_$to lives "$XPT" convert "$TMPDIR/$name.xtr" -o "$TMPDIR/lives.$to"
	done
done

# Expected errors are counted apart, and all failures are alike where that is asked for.
tests/replay/make_xtr.py expected "$TMPDIR/expected.xtr"
sums() { # OPTIONS...
	"$XPT" report --json "$TMPDIR/expected.xtr" "$@" |
		jq -c '[.summary.failed_calls, .summary.expected_errors, .first_failures[0].function, (.expected_errors // [] | length)]'
}
check expected [ "$(sums)" = '[2,4,"nvmlDeviceGetFanSpeed",2]' ]
check expected_is_told sh -c '"$1" report "$2" | grep -q "Expected errors  *4"' - "$XPT" "$TMPDIR/expected.xtr"
check all_errors [ "$(sums --all-errors)" = '[6,0,"cuGetProcAddress_v2",0]' ]
check all_errors_not_told sh -c '! "$1" report --all-errors "$2" | grep -q "Expected errors"' - "$XPT" "$TMPDIR/expected.xtr"
"$XPT" convert --all-errors "$TMPDIR/expected.xtr" -o "$TMPDIR/expected.csv"
check all_errors_convert [ "$(grep -c ",true," "$TMPDIR/expected.csv")" = 6 ]

check train_churn report_has train "of 1.0 GiB was allocated and freed 20 times by train["
check train_leak report_has train "cuMemAlloc_v2 device 1.0 MiB 3 3.0 MiB"
check error_verdict report_has error "its context cannot be used since then (40 later calls returned the same)"
check error_first report_has error "cuCtxSynchronize() returned CUDA_ERROR_ILLEGAL_ADDRESS"
# What the verdict says is not said twice, unless it is asked for.
check error_once test "$("$XPT" report "$dir/error.xtr" | grep -c '^What failed first$')" = 0
check error_asked test "$("$XPT" report --all "$dir/error.xtr" | grep -c '^What failed first$')" = 1
# The block that users of tracing scripts know, where calls of CUDA were traced.
check train_statistics report_has train "Total CUDA API calls 144 Allocated MB 20,483"
check train_statistics_bytes report_has train "Allocated bytes 21477982208 Transferred MB 85"
check train_two_screens test "$("$XPT" report "$dir/train.xtr" | wc -l)" -le 70
check train_all test "$("$XPT" report --all "$dir/train.xtr" | grep -c '^Slowest calls$')" = 1

if command -v jq >/dev/null 2>&1; then
	check train_leak_json json_is train '.leaks|map([.size,.blocks,.bytes])' '[[1048576,3,3145728]]'
	check train_churn_json json_is train '.churn|map([.function,.size,.cycles])' \
		'[["cuMemAlloc_v2",1073741824,20]]'
	for name in train error; do
		check "${name}_types" json_is $name '.events_by_type|map({(.type):.events})|add|to_entries|sort_by(.key)' \
			"$(jq -sc 'group_by(.type)|map({(.[0].type):length})|add|to_entries|sort_by(.key)' "$dir/$name.jsonl")"
	done
	check train_transfers json_is train '.statistics|[.transfers,.transfer_bytes]' \
		"$(jq -sc 'map(select(.type=="transfer"))|[length,(map(.size)|add)]' "$dir/train.jsonl")"
	# 20 batches: 4 MiB there, 256 KiB back, two launches, one wait; 3 blocks are left.
	check train_copies_json json_is train '.copies|map([.direction,.how,.calls,.bytes])' \
		'[["HtoD","blocks",20,83886080],["DtoH","blocks",20,5242880]]'
	check train_gaps_json json_is train '.gaps|map([.streams,.launches])' '[["all",39]]'
	check train_sync_json json_is train '.sync|map([.function,.calls])' '[["cuCtxSynchronize",20]]'
	check train_shapes_json json_is train '[.launch_shapes[].launches]|add' 40
	check train_series_json json_is train '.memory_over_time[-1].bytes' 3145728
	check train_peak_json json_is train '.memory_processes[0].peak_bytes' 1076887552
	check error_codes_json json_is error '.errors|map(.code)|unique' '[700]'
else
	echo "skip replay_json: no jq"
fi

# The first block ends somewhere behind the start: what lies before is shown.
size=$(wc -c <"$dir/train.xtr")
head -c $((size - 100)) "$dir/train.xtr" >"$TMPDIR/cut.xtr"
check cut status_of 1 "ends in the middle of a block" "$XPT" report "$TMPDIR/cut.xtr"
head -c 10 "$dir/train.xtr" >"$TMPDIR/short.xtr"
check cut_header status_of 1 "ends within its header" "$XPT" report "$TMPDIR/short.xtr"
echo "[1]" >"$TMPDIR/foreign.json"
check foreign status_of 1 "is not a recording" "$XPT" report "$TMPDIR/foreign.json"
check absent status_of 1 "No such file" "$XPT" report "$TMPDIR/absent.xtr"
{ head -c 2000 "$dir/train.xtr"; printf 'garbage'; tail -c +2008 "$dir/train.xtr"; } >"$TMPDIR/bad.xtr"
check damaged status_of 1 "is damaged at byte" "$XPT" report "$TMPDIR/bad.xtr"
{ head -c 8 "$dir/train.xtr"; printf '\011\0\0\0'; tail -c +13 "$dir/train.xtr"; } >"$TMPDIR/new.xtr"
check newer status_of 1 "newer xputrace" "$XPT" report "$TMPDIR/new.xtr"

# Blocks put together by hand: other codecs, one block twice, the end missing.
if command -v python3 >/dev/null 2>&1; then
	python3 - "$dir/packed.xtr" "$TMPDIR" <<-'END'
		import struct, sys, zlib
		data = open(sys.argv[1], "rb").read()
		head, block = data[:24], data[24:]
		def save(name, *parts):
		    open(f"{sys.argv[2]}/{name}.xtr", "wb").write(b"".join(parts))
		def coded(codec, block):
		    start = block[:4] + struct.pack("<I", codec) + block[8:20]
		    return start + struct.pack("<I", zlib.crc32(block[24:], zlib.crc32(start))) + block[24:]
		assert coded(1, block) == block
		save("codec", head, block, coded(9, block))
		save("twice", head, block, block)
		save("none", head)
	END
	check newer_block status_of 1 "was made by a newer xputrace from byte $(wc -c <"$dir/packed.xtr") on" \
		"$XPT" report "$TMPDIR/codec.xtr"
	check newer_block_shows_what_is_before cmp "$TMPDIR/out" "$TMPDIR/a_train"
	# The second half comes behind END: refused and counted, nothing is counted twice.
	check twice_reads reads convert "$TMPDIR/twice.xtr" -o "$TMPDIR/twice.jsonl"
	grep -v '"type":"loss"' "$TMPDIR/twice.jsonl" >"$TMPDIR/twice.calls"
	grep -v '"type":"loss"' "$dir/train.jsonl" >"$TMPDIR/train.calls"
	check twice_counts_once cmp "$TMPDIR/twice.calls" "$TMPDIR/train.calls"
	check twice_is_told grep -q '"name":"decode_rejected"' "$TMPDIR/twice.jsonl"
	check none reads report "$TMPDIR/none.xtr"
else
	echo "skip blocks_by_hand: no python3"
fi

# What a damaged file still holds becomes a file that is whole.
"$XPT" convert "$TMPDIR/cut.xtr" -o "$TMPDIR/mended.xtr" 2>/dev/null
check mended_is_whole reads report "$TMPDIR/mended.xtr"
sh -c 'cat "$1" | "$2" report -' sh "$dir/train.xtr" "$XPT" >"$TMPDIR/piped"
check from_a_pipe cmp "$TMPDIR/piped" "$TMPDIR/a_train"
exit $failed
