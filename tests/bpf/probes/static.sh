#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq
#
# The static binary: needs no shared library, and traces the same calls.
set -u
bin=build/xputrace-static

fail() { echo "not ok $1: $2"; exit 1; }

make -s static >"$TMPDIR/make.log" 2>&1 || { cat "$TMPDIR/make.log"; fail static "does not build"; }
if readelf -l "$bin" | grep -q INTERP; then
	fail static "asks for a loader"
fi
echo "ok static_no_loader"

[ "$(id -u)" = 0 ] || { echo "skip static_traces: needs root"; exit 0; }
LD_LIBRARY_PATH=$B/fake XPT_TRUTH=$TMPDIR/truth.json \
	"$bin" run --json -o "$TMPDIR/t.jsonl" -- build/examples/train --iterations 5 \
	>"$TMPDIR/summary.json" 2>"$TMPDIR/err" || { cat "$TMPDIR/err"; fail static_traces "exit status"; }
want=$(jq -s 'map(.calls|add)|add' "$TMPDIR/truth.json")
got=$(wc -l <"$TMPDIR/t.jsonl")
[ "$want" = "$got" ] || fail static_traces "$got calls, the program made $want"
echo "ok static_traces"
