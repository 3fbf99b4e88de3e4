#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
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

for name in train error; do
	"$XPT" convert "$dir/$name.xtr" -o "$TMPDIR/$name.jsonl"
	check "${name}_jsonl" cmp "$dir/$name.jsonl" "$TMPDIR/$name.jsonl"
	"$XPT" convert "$dir/$name.xtr" -o "$TMPDIR/$name.csv"
	check "${name}_csv" python3 "$dir/same-rows" "$TMPDIR/$name.csv" "$dir/$name.jsonl"
	"$XPT" convert "$dir/$name.xtr" -o "$TMPDIR/$name.xtr"
	"$XPT" report "$dir/$name.xtr" >"$TMPDIR/a"
	"$XPT" report "$TMPDIR/$name.xtr" >"$TMPDIR/b"
	check "${name}_copy_reports_the_same" cmp "$TMPDIR/a" "$TMPDIR/b"
	"$XPT" replay --raw "$dir/$name.xtr" | sed -n '/^Summary$/q;/^ *[0-9]/p' >"$TMPDIR/live"
	check "${name}_replay_shows_every_call" \
		[ "$(wc -l <"$TMPDIR/live")" = "$(grep -c '"phase":"X"' "$dir/$name.jsonl")" ]
done

# The recordings above are of a version that did not pack blocks; this one is train, packed.
"$XPT" convert "$dir/packed.xtr" -o "$TMPDIR/packed.jsonl"
check packed_jsonl cmp "$dir/train.jsonl" "$TMPDIR/packed.jsonl"
check packed_is_smaller [ "$(wc -c <"$dir/packed.xtr")" -lt $(($(wc -c <"$dir/train.xtr") / 3)) ]

check train_churn report_has train "of 1.0 GiB was allocated and freed 20 times by train["
check train_leak report_has train "ended with 3 blocks (3.0 MiB) still allocated"
check error_verdict report_has error "its context cannot be used since then (40 later calls returned the same)"
check error_first report_has error "cuCtxSynchronize() returned CUDA_ERROR_ILLEGAL_ADDRESS"

if command -v jq >/dev/null 2>&1; then
	check train_leak_json json_is train '.leaks|map([.size,.blocks,.bytes])' '[[1048576,3,3145728]]'
	check train_churn_json json_is train '.churn|map([.function,.size,.cycles])' \
		'[["cuMemAlloc_v2",1073741824,20]]'
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
check foreign status_of 1 "is not a recording" "$XPT" report "$dir/train.jsonl"
check absent status_of 1 "No such file" "$XPT" report "$TMPDIR/absent.xtr"
{ head -c 2000 "$dir/train.xtr"; printf 'garbage'; tail -c +2008 "$dir/train.xtr"; } >"$TMPDIR/bad.xtr"
check damaged status_of 1 "is damaged at byte" "$XPT" report "$TMPDIR/bad.xtr"
{ head -c 8 "$dir/train.xtr"; printf '\011\0\0\0'; tail -c +13 "$dir/train.xtr"; } >"$TMPDIR/new.xtr"
check newer status_of 1 "newer xputrace" "$XPT" report "$TMPDIR/new.xtr"
exit $failed
