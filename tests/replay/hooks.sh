#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq python3
#
# Rows of hooks in recordings that anybody may have made: no name moves the cursor
# or breaks JSON, no number stops the report.
set -u
. tests/cli.lib
tests=$PWD/tests/replay
cd "$T" || exit 2
python3 "$tests/make_xtr.py" hooks h.xtr
gives report 0 "" "$XPT" report h.xtr
holds rows grep -q '^@average: ' out
is rejected 1 "$("$XPT" report --json h.xtr | jq '.losses[] | select(.loss == "decode_rejected") | .count')"
is no_escapes 0 "$(tr -d '\n' <out | LC_ALL=C grep -c '[[:cntrl:]]')"
holds histogram grep -q '^\[1\] .* 4 |@@@' out
"$XPT" report --json h.xtr >h.json
is json_names 16 "$(jq '[.hooks[] | select(.action == "count") | .text] | length' h.json)"
is json_bounds null "$(jq -c '[.hook_buckets[] | select(.hook == "steps") | .high] | last' h.json)"
exit $failed
