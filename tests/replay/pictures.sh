#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: python3
# uses: protoc
#
# What xputrace draws from recordings: a training loop, hostile names, calls that
# cannot be. Each file is judged by a checker that is not of xputrace. Cut
# recordings, closed pipes and full disks leave files that can be read.
set -u
dir=tests/replay
failed=0
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

check() { # NAME CONDITION...
	what=$1
	shift
	if "$@"; then echo "ok $what"; else echo "not ok $what"; failed=1; fi
}

sound() { # CHECKER FILE
	"$dir/$1" "$2" >/dev/null
}

count() { # CHECKER FILE KEY VALUE
	[ "$("$dir/$1" "$2" | sed -n "s/^$3 //p")" = "$4" ]
}

"$dir/make_xtr.py" hostile "$TMPDIR/hostile.xtr"
"$dir/make_xtr.py" odd "$TMPDIR/odd.xtr"
"$dir/make_xtr.py" training "$TMPDIR/training.xtr" 8000
cp "$dir/train.xtr" "$dir/error.xtr" "$TMPDIR"
calls=$("$XPT" convert "$TMPDIR/training.xtr" -o "$TMPDIR/t.jsonl" && wc -l <"$TMPDIR/t.jsonl")

for name in hostile odd training train error; do
	check "chrome_${name}_converts" "$XPT" convert "$TMPDIR/$name.xtr" -o "$TMPDIR/$name.json"
	check "chrome_${name}_is_sound" sound check_chrome.py "$TMPDIR/$name.json"
done
check chrome_all_calls count check_chrome.py "$TMPDIR/training.json" X "$calls"
check chrome_training_nests count check_chrome.py "$TMPDIR/training.json" overlap 0
check chrome_train_arrows count check_chrome.py "$TMPDIR/train.json" f 20
check chrome_errors count check_chrome.py "$TMPDIR/hostile.json" error 32
check chrome_in_flight count check_chrome.py "$TMPDIR/odd.json" B 1
check chrome_losses count check_chrome.py "$TMPDIR/hostile.json" mark_loss 2

decodes() { # FILE: protoc knows every field
	protoc --decode=Trace -I "$dir" "$dir/pftrace.proto" <"$1" >"$TMPDIR/decoded" &&
		! grep -qE '^ *[0-9]+[: ]' "$TMPDIR/decoded"
}

for name in hostile odd training train error; do
	file=$TMPDIR/$name.pftrace
	check "perfetto_${name}_converts" "$XPT" convert "$TMPDIR/$name.xtr" -o "$file"
	check "perfetto_${name}_is_sound" sound check_perfetto.py "$file"
	if command -v protoc >/dev/null 2>&1; then
		check "perfetto_${name}_decodes" decodes "$file"
	else
		echo "skip perfetto_${name}_decodes: no protoc"
	fi
done
check perfetto_all_calls count check_perfetto.py "$TMPDIR/training.pftrace" slice "$calls"
check perfetto_in_order count check_perfetto.py "$TMPDIR/training.pftrace" absolute ""
check perfetto_train_arrows count check_perfetto.py "$TMPDIR/train.pftrace" flow 20
check perfetto_errors count check_perfetto.py "$TMPDIR/hostile.pftrace" error 32
check perfetto_in_flight count check_perfetto.py "$TMPDIR/odd.pftrace" open 1
check perfetto_losses count check_perfetto.py "$TMPDIR/hostile.pftrace" mark_loss 2
same_counts() { # what both formats show of a recording
	for key in overlap error mark_loss mark_process; do
		[ "$("$dir/check_chrome.py" "$TMPDIR/$1.json" | sed -n "s/^$key //p")" = \
		  "$("$dir/check_perfetto.py" "$TMPDIR/$1.pftrace" | sed -n "s/^$key //p")" ] || return 1
	done
}
check perfetto_as_chrome_odd same_counts odd
check perfetto_as_chrome_hostile same_counts hostile
# Pictures joined into one file share neither tracks nor flows.
number() { # KEY FILE...: the sum over the files
	for n_file in "$TMPDIR/$2" ${3:+"$TMPDIR/$3"}; do "$dir/check_perfetto.py" "$n_file" joined; done |
		awk -v key="$1" '$1 == key { n += $2 } END { print n + 0 }'
}
cat "$TMPDIR/train.pftrace" "$TMPDIR/error.pftrace" "$TMPDIR/training.pftrace" >"$TMPDIR/joined.pftrace"
cat "$TMPDIR/train.pftrace" "$TMPDIR/error.pftrace" >"$TMPDIR/two.pftrace"
check perfetto_joined_tracks [ "$(number track two.pftrace)" = "$(number track train.pftrace error.pftrace)" ]
check perfetto_joined_flows [ "$(number flow joined.pftrace)" = "$(number flow train.pftrace training.pftrace)" ]
bytes=$(wc -c <"$TMPDIR/training.pftrace")
check perfetto_bytes_per_call [ "$bytes" -lt $((calls * 45)) ]
check perfetto_against_chrome [ $((bytes * 5 / 2)) -lt "$(wc -c <"$TMPDIR/training.json")" ]

# Flame graphs: XML, no reference to elsewhere, no markup from names, the sums of .folded.
svg_is_sound() { # FILE
	python3 - "$1" <<'END'
import sys
import xml.dom.minidom as dom
SVG, HTML = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"
doc = dom.parse(sys.argv[1])
assert all(e.tagName in {"svg", "style", "rect", "text", "foreignObject", "input", "g", "title", "script"}
           for e in doc.getElementsByTagName("*"))
assert len(doc.getElementsByTagName("script")) == 1
for e in doc.getElementsByTagName("*"):
    for name, value in e.attributes.items():
        assert not name.startswith("on") and "href" not in name, name
        assert name == "xmlns" and value in {SVG, HTML} or ":" not in value, value
rows = {}
for g in doc.getElementsByTagName("g"):
    x, w, d = (float(g.getAttribute("data-" + k)) for k in "xwd")
    rows.setdefault(d, []).append((x, x + w))
for d, boxes in rows.items():
    boxes.sort()
    assert all(a[1] <= b[0] + .01 for a, b in zip(boxes, boxes[1:])), d
    assert all(any(x >= u - .01 and y <= v + .01 for u, v in rows[d - 1]) for x, y in boxes if d), d
END
}
for name in hostile odd training train; do
	"$XPT" convert "$TMPDIR/$name.xtr" -o "$TMPDIR/$name.svg"
	check "svg_$name" svg_is_sound "$TMPDIR/$name.svg"
done
"$XPT" convert --weight count "$TMPDIR/training.xtr" -o "$TMPDIR/w.folded" -o "$TMPDIR/w.svg" -o "$TMPDIR/w.bytes.folded"
"$XPT" convert "$TMPDIR/training.xtr" -o "$TMPDIR/n.count.folded" -o "$TMPDIR/n.bytes.folded"
check weight_option cmp -s "$TMPDIR/w.folded" "$TMPDIR/n.count.folded"
check weight_by_name_wins cmp -s "$TMPDIR/w.bytes.folded" "$TMPDIR/n.bytes.folded"
check weight_sum [ "$(awk '{ n += $NF } END { print n }' "$TMPDIR/w.folded")" = "$calls" ]
check svg_weight grep -q "<title>all\$" "$TMPDIR/w.svg"
check svg_sum grep -q "8,[0-9]* calls, 100.00 %" "$TMPDIR/w.svg"

# A recording that is cut, a disk that is full: what was written is whole.
size=$(wc -c <"$TMPDIR/training.xtr")
for part in 1 2 3; do
	head -c $((size * part / 4)) "$TMPDIR/training.xtr" >"$TMPDIR/cut.xtr"
	"$XPT" convert "$TMPDIR/cut.xtr" -o "$TMPDIR/cut.json" -o "$TMPDIR/cut.pftrace" 2>"$TMPDIR/err"
	check "cut_$part" grep -q "ends in the middle" "$TMPDIR/err"
	check "chrome_cut_$part" sound check_chrome.py "$TMPDIR/cut.json"
	check "perfetto_cut_$part" sound check_perfetto.py "$TMPDIR/cut.pftrace"
done
for format in json:chrome pftrace:perfetto; do
	file=$TMPDIR/full.${format%:*} kind=${format#*:}
	(
		trap '' XFSZ
		ulimit -f 300
		"$XPT" convert "$TMPDIR/training.xtr" -o "$file" 2>"$TMPDIR/err"
	)
	check "full_disk_is_told_$kind" grep -q "cannot write .*full.*: File too large" "$TMPDIR/err"
	check "full_disk_$kind" sound "check_$kind.py" "$file"
	"$XPT" convert --max-size 200K "$TMPDIR/training.xtr" -o "$file" 2>"$TMPDIR/err"
	check "limit_$kind" sound "check_$kind.py" "$file"
	size=$(wc -c <"$file")
	check "limit_is_kept_$kind" [ "$size" -gt 150000 -a "$size" -le 204800 ]
	rm -f "$file"
	mkfifo "$file"
	head -c 1000 "$file" >/dev/null &
	"$XPT" convert "$TMPDIR/training.xtr" -o "$file" 2>"$TMPDIR/err"
	check "closed_pipe_$kind" [ ! -s "$TMPDIR/err" ]
	wait
done
exit $failed
