#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
#
# What `make demo` does with what is built: the training loop is traced, its churn
# and its leak are found, summary and lines are the same from the recording.
. tests/bpf/lib.sh
need_bpf

unset LD_LIBRARY_PATH
if DEMO_FAKE=1 DEMO_BUILD=$B DEMO_OUT=$T/demo scripts/demo >"$T/out" 2>"$T/err"; then
	ok demo
else
	not_ok demo "exit status $?: $(tail -n 1 "$T/err")"
fi
holds demo_recording [ -s "$T/demo/demo.xtr" ]
holds demo_lines [ "$(jq -c . "$T/demo/demo.jsonl" | wc -l)" -gt 100 ]
exit $failed
