#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The timeline in the terminal: what stands in which column, zoom, widths from 20
# columns on, letters for shapes, many threads, hostile names, files that are cut.
set -u
failed=0
LC_ALL=C
export LC_ALL PYTHONDONTWRITEBYTECODE=1

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

if ! command -v python3 >/dev/null 2>&1; then
	echo "skip timeline: no python3"
	exit 0
fi
make_xtr=tests/replay/make_xtr.py
$make_xtr steps "$TMPDIR/steps.xtr"
$make_xtr odd "$TMPDIR/odd.xtr"
$make_xtr hostile "$TMPDIR/hostile.xtr"
$make_xtr threads "$TMPDIR/threads.xtr"

# 0 to 10 ms: an allocation 1..3 ms with a copy inside 2..3, a launch of 100 us at 5 ms, a wait
# 6..8 ms, a failed free at 9 ms; on the other thread a wait from 4 ms on that never returns.
tl "$TMPDIR/steps.xtr" --columns 57
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
LC_ALL=C.UTF-8 "$XPT" timeline "$TMPDIR/steps.xtr" --columns 57 >"$TMPDIR/out"
check utf8 grep -q "●○ launch" "$TMPDIR/out"

check pipe [ "$("$XPT" timeline - <"$TMPDIR/steps.xtr" 2>"$TMPDIR/err"; echo $?)" = 1 ]
check pipe_is_told grep -q "save it first" "$TMPDIR/err"
head -c $(($(wc -c <"$TMPDIR/odd.xtr") / 2)) "$TMPDIR/odd.xtr" >"$TMPDIR/cut.xtr"
check cut [ "$(tl "$TMPDIR/cut.xtr"; echo $?)" = 1 ]
check cut_is_told_once [ "$(grep -c "ends in the middle" "$TMPDIR/err")" = 1 ]
check absent [ "$(tl "$TMPDIR/absent.xtr"; echo $?)" = 1 ]
check full_disk [ "$("$XPT" timeline "$TMPDIR/steps.xtr" 2>"$TMPDIR/err" >/dev/full; echo $?)" = 1 ]
exit $failed
