#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 200
# needs: bpf jq python3
#
# A trace of all processes with a hook on calls, on a node where programs come with libraries of their own for days: 1,000
# copies of a library, each mapped and unmapped again, and 100 more. The tables have 1,024 places; those of files that no
# process maps any more are given back, so the last copy has the probes of hook and domain as the first had.
. tests/bpf/lib.sh
need_bpf
cat >"$T/lib.c" <<'END'
__attribute__((noinline)) int cuInit(unsigned n) { return n == 77; }
__attribute__((noinline)) int cuOnlyHere(unsigned n) { return n == 78; }
END
cc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o "$T/libcuda.so.1" "$T/lib.c"
cat >"$T/load.py" <<'END'
# load.py NAME LIBRARY FOLDER NUMBER STOP: loads copies of a library, then calls the last one until the file STOP is there.
import ctypes, os, shutil, sys, time
name, library, folder, number, stop = sys.argv[1:]
open("/proc/self/comm", "w").write(name)
for i in range(int(number)):
    path = f"{folder}/{i}/libcuda.so.1"
    os.makedirs(os.path.dirname(path))
    shutil.copyfile(library, path)
    last = ctypes.CDLL(path)
while not os.path.exists(stop):
    last.cuInit(1)
    last.cuOnlyHere(1)
    time.sleep(0.01)
END
"$XPT" attach --all -q -v -d cuda --hook 'call:libcuda.so*:cuInit count by comm as n' -o "$T/t.jsonl" -o "$T/t.xtr" \
	>"$T/out" 2>"$T/err" &
tracer=$!
wait_for in_place "$T/err"
calls_are_seen() { # COMM
	grep '"name":"cuInit"' "$T/t.jsonl" | grep -q "\"comm\":\"$1\""
}
# load NAME NUMBER: by a program of that name; ends it when calls of the last copy are seen.
load() {
	mkdir "$T/of_$1"
	python3 "$T/load.py" "$1" "$T/libcuda.so.1" "$T/of_$1" "$2" "$T/stop_$1" &
	l_pid=$!
	wait_for calls_are_seen "$1"
	touch "$T/stop_$1"
	wait $l_pid
}
load first 1000
load last 100
kill -INT $tracer
wait $tracer
is status 0 $?
sed -n 's/^@n\[\(first\|last\)\]: .*/\1/p' "$T/out" >"$T/rows"
is hook_rows "first last" "$(sort -u "$T/rows" | xargs)"
# A function keeps the library in which it was found, whatever file has that one's place now.
"$XPT" hist cuOnlyHere --json "$T/t.xtr" >"$T/hist.json"
is library_of_function "$T/of_first" \
	"$(jq -r '[.. | objects | select(.function? == "cuOnlyHere") | .library] | unique | .[]' "$T/hist.json" | sed 's,/[0-9]*/libcuda.so.1$,,')"
exit $failed
