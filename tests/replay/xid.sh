#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# Reports of the GPU driver in recordings: whose they are, in every output, and
# text that tries to break one.
set -u
. tests/cli.lib
make=$PWD/tests/replay/make_xtr.py
cd "$T" || exit 2
python3 "$make" xid x.xtr
gives report 0 "" "$XPT" report x.xtr
holds finding grep -q "Xid 79 (GPU has fallen off the bus) for GPU" out
"$XPT" report --json x.xtr >r.json
# Nobody yet; the only user; who is named, twice; a stranger; nobody, for several have used some GPU.
is whose "null::1 100:first:1 100:first:2 999::1 null::1" \
	"$(jq -r '[.xid[:5][] | "\(.pid):\(.process):\(.times)"] | join(" ")' r.json)"
is rows 22 "$(jq '.xid | length' r.json)"
is cut "31 255" "$(jq -r '.xid[5] | "\(.device | length) \(.text | length)"' r.json)"
"$XPT" convert x.xtr -o t.jsonl -o t.json -o t.pftrace >/dev/null || not_ok convert "exit status $?"
is lines 23 "$(jq -c 'select(.type == "xid")' t.jsonl | wc -l)"
is named "true true" "$(jq -r 'select(.xid == 31) | .named' t.jsonl | xargs)"
is marks 23 "$(jq '[.traceEvents[]? // .[]? | select(.cat == "xid")] | length' t.json)"
# What only the log had is that again when the lines are read.
jq -c 'if .type == "xid" then .source = "log_alone" else . end' t.jsonl >alone.jsonl
"$XPT" report --json alone.jsonl >alone.json
is unconfirmed "unconfirmed 0" "$(jq -r '"\([.xid[].severity] | unique | join(" ")) \([.verdict[]? | select(.kind == "xid")] | length)"' alone.json)"
is printable "" "$(jq -r 'select(.type == "xid") | .device + .text' t.jsonl | LC_ALL=C tr -d ' -~\n')"
exit $failed
