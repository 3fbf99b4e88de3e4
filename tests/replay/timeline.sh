#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: python3
#
# The timeline in the terminal: what stands in which column, zoom, widths from 20
# columns on, letters for shapes, many threads, hostile names, files that are cut.
set -u
failed=0
LC_ALL=C TZ=UTC
export LC_ALL TZ PYTHONDONTWRITEBYTECODE=1

check() { # NAME CONDITION...
	what=$1
	shift
	if "$@"; then echo "ok $what"; else echo "not ok $what"; failed=1; fi
}

tl() { # FILE OPTIONS...: into $TMPDIR/out, messages into $TMPDIR/err
	"$XPT" timeline "$@" >"$TMPDIR/out" 2>"$TMPDIR/err"
}

says() { # TEXT: a line of the picture
	grep -qxF -e "$1" "$TMPDIR/out" || { cat "$TMPDIR/out"; return 1; }
}

make_xtr=tests/replay/make_xtr.py
$make_xtr steps "$TMPDIR/steps.xtr"
$make_xtr odd "$TMPDIR/odd.xtr"
$make_xtr hostile "$TMPDIR/hostile.xtr"
$make_xtr threads "$TMPDIR/threads.xtr"

# 0 to 10 ms: an allocation 1..3 ms with a copy inside 2..3, a launch of 100 us at 5 ms, a wait
# 6..8 ms, a failed free at 9 ms; on the other thread a wait from 4 ms on that never returns.
tl "$TMPDIR/steps.xtr" --columns 57 --from 0
check steps_outer says "100 train     |    AAAAAAAAA        l   WWWWWWWWW   x"
check steps_inner says "  inside      |        CCCCC"
check steps_in_flight says "101 train     |                >>>>>>>>>>>>>>>>>>>>>>>>>>"
check steps_heading says "6 calls, 1 failed; a column is 238 us"
check steps_scale says "               0.000 ms         5.000 ms        10.000 ms"
check steps_list grep -qx "5.000000 ms *100 us 100 cuLaunchKernel f=0x0 .*" "$TMPDIR/out"
check steps_list_failed grep -qx "9.000000 ms *10.0 us 100 cuMemFree_v2 CUDA_ERROR_OUT_.*" "$TMPDIR/out"
check steps_list_inner grep -qx "2.000000 ms *1.00 ms 100   cuMemcpyHtoDAsync_v2 .*" "$TMPDIR/out"
check steps_list_open grep -q "cuCtxSynchronize not returned\$" "$TMPDIR/out"
tl "$TMPDIR/steps.xtr" --columns 57 --from 4ms --to 6ms
check zoom says "100 train     |                     LLl                 w"
check zoom_heading says "3 calls; a column is 47.6 us"
tl "$TMPDIR/steps.xtr" --around error
check around_error says "around call 6, cuMemFree_v2"
tl "$TMPDIR/steps.xtr" --around '#3'
check around_number says "around call 3, cuLaunchKernel"
tl "$TMPDIR/steps.xtr" --around slowest
check around_slowest says "around call 5, cuCtxSynchronize"
check around_none [ "$(tl "$TMPDIR/steps.xtr" --around 99; echo $?)" = 1 ]
check around_nonsense [ "$(tl "$TMPDIR/steps.xtr" --around slow; echo $?)" = 2 ]
check around_and_from [ "$(tl "$TMPDIR/steps.xtr" --around 1 --from 1ms; echo $?)" = 2 ]
check backwards [ "$(tl "$TMPDIR/steps.xtr" --from 2ms --to 1ms; echo $?)" = 2 ]
tl "$TMPDIR/steps.xtr" --from 1h
check beyond grep -q "no calls in view; the recording is 10.000 ms long" "$TMPDIR/out"

for columns in 20 21 33 50 80 200 1000; do
	for file in steps odd hostile threads; do
		tl "$TMPDIR/$file.xtr" --columns $columns
		check "width_${file}_$columns" [ "$(wc -L <"$TMPDIR/out")" -le $columns ]
	done
done
tl "$TMPDIR/hostile.xtr"
check hostile_is_clean [ -z "$(tr -d '\n -~' <"$TMPDIR/out")" ]
tl "$TMPDIR/threads.xtr" --threads 3
check threads_counted grep -q "2997 more threads" "$TMPDIR/out"
check threads_busiest [ "$(grep -c "^[123]004 worker *|W" "$TMPDIR/out")" = 3 ]
LC_ALL=C.UTF-8 "$XPT" timeline "$TMPDIR/steps.xtr" --columns 57 --from 0 >"$TMPDIR/out"
check utf8 grep -q "●○ launch" "$TMPDIR/out"

# A minute before the first call is no part of the picture, but of its times.
$make_xtr lead_in "$TMPDIR/lead_in.xtr"
tl "$TMPDIR/lead_in.xtr" --columns 57
check lead_in_scale says "               60001.000 ms   60005.500 ms   60010.000 ms"
check lead_in_calls says "100 train     |AAAAAAAAAa        ll   WWWWWWWWWW    x"
tl "$TMPDIR/lead_in.xtr" --columns 57 --to 60004ms
check lead_in_to says "               60001.000 ms   60002.500 ms   60004.000 ms"
tl "$TMPDIR/lead_in.xtr" --to 1s
check lead_in_only grep -q "no calls in view" "$TMPDIR/out"
tl "$TMPDIR/lead_in.xtr" --columns 57 --from 0
check lead_in_asked says "               0.000 ms       30005.000 ms   60010.000 ms"
at=$("$XPT" report --json "$TMPDIR/lead_in.xtr" | sed -n '/"first_failures"/,$p' | grep -o '"at_ns": *[0-9]*' | head -n 1 | grep -o '[0-9]*$')
tl "$TMPDIR/lead_in.xtr" --from "$((at - 10000))ns"
check lead_in_axis grep -q "^60009.000000 ms .*cuMemFree_v2 CUDA_ERROR" "$TMPDIR/out"

# One origin: where the report says that it failed first, the timeline has that call.
at=$("$XPT" report --json tests/replay/error.xtr | sed -n '/"first_failures"/,$p' | grep -o '"at_ns": *[0-9]*' | head -n 1 | grep -o '[0-9]*$')
tl tests/replay/error.xtr --from "${at}ns" --to "$((at + 1000))ns"
check origin grep -q "cuCtxSynchronize CUDA_ERROR_ILLEGAL_ADDRESS" "$TMPDIR/out"

# Its end is told at 5.001 ms; the pictures show its begin. Attaching took a second before that.
for file in origin origin_late; do
	$make_xtr $file "$TMPDIR/$file.xtr"
	"$XPT" report --json "$TMPDIR/$file.xtr" >"$TMPDIR/report"
	check ${file}_report grep -q '"function": "cuCtxSynchronize".*"at_ns": 5001000,' "$TMPDIR/report"
	check ${file}_slowest grep -q '"duration_ns": 1000, "at_ns": 5000000,' "$TMPDIR/report"
	tl "$TMPDIR/$file.xtr" --from 4999us --to 5002us
	check ${file}_timeline grep -q "^5.000000 ms .*cuCtxSynchronize CUDA_ERROR_ILLEGAL_ADDRESS" "$TMPDIR/out"
	"$XPT" convert "$TMPDIR/$file.xtr" -o "$TMPDIR/o.json" -o "$TMPDIR/o.pftrace"
	check ${file}_chrome grep -q '"name":"cuCtxSynchronize","cat":"cuda,sync,error","cname":"terrible","ts":5000,' \
		"$TMPDIR/o.json"
	check ${file}_chrome_clock grep -q '"begin_unix_ns":"1700005001000000000"' "$TMPDIR/o.json"
	tests/replay/check_chrome.py "$TMPDIR/o.json" >"$TMPDIR/out"
	check ${file}_chrome_sound [ $? = 0 ]
	tests/replay/check_perfetto.py "$TMPDIR/o.pftrace" times >"$TMPDIR/out"
	check ${file}_perfetto grep -qx "at 5000000 cuCtxSynchronize" "$TMPDIR/out"
done

# The wall clock on request: 2023-11-14 23:36:41 is time 0.
tl "$TMPDIR/origin.xtr" --from 4999us --to 5002us --clock wall
check wall_timeline grep -q "^23:36:41.005000 .*cuCtxSynchronize" "$TMPDIR/out"
check wall_scale grep -q "^  *23:36:41.004999 .* 23:36:41.005001\$" "$TMPDIR/out"
"$XPT" report --clock wall "$TMPDIR/origin.xtr" >"$TMPDIR/out"
check wall_started grep -q "Started  *2023-11-14 23:36:41" "$TMPDIR/out"
"$XPT" report --clock wall --section slowest "$TMPDIR/origin.xtr" >"$TMPDIR/out"
check wall_report grep -q "cuCtxSynchronize .* 23:36:41.005000 " "$TMPDIR/out"
"$XPT" report --json "$TMPDIR/origin.xtr" >"$TMPDIR/out"
check wall_json grep -q '"start_unix_ns": 1700005001000000000' "$TMPDIR/out"
"$XPT" report "$TMPDIR/origin.xtr" >"$TMPDIR/out"
check wall_on_request_only [ "$(grep -c "Started\|23:36" "$TMPDIR/out")" = 0 ]

check pipe [ "$("$XPT" timeline - <"$TMPDIR/steps.xtr" 2>"$TMPDIR/err"; echo $?)" = 1 ]
check pipe_is_told grep -q "save it first" "$TMPDIR/err"
head -c $(($(wc -c <"$TMPDIR/odd.xtr") / 2)) "$TMPDIR/odd.xtr" >"$TMPDIR/cut.xtr"
check cut [ "$(tl "$TMPDIR/cut.xtr"; echo $?)" = 1 ]
echo '{"event_id":1}' >"$TMPDIR/lines.jsonl"
check lines [ "$(tl "$TMPDIR/lines.jsonl"; echo $?) $(grep -c "holds JSON" "$TMPDIR/err")" = "1 1" ]
tl "$TMPDIR/cut.xtr"
check cut_is_told_once [ "$(grep -c "ends in the middle" "$TMPDIR/err")" = 1 ]
check absent [ "$(tl "$TMPDIR/absent.xtr"; echo $?)" = 1 ]
check full_disk [ "$("$XPT" timeline "$TMPDIR/steps.xtr" 2>"$TMPDIR/err" >/dev/full; echo $?)" = 1 ]
exit $failed
