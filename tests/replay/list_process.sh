#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: python3
#
# `list -p`: a damaged file that the process maps a hundred times is reported once, and does not hide what comes after it;
# files of one name are told apart.
. tests/cli.lib

fake=build/fake/libcuda.so.1
if [ ! -e $fake ]; then
	echo "skip list_process: no simulated library (make fake)"
	exit 0
fi
mkdir "$T/a" "$T/b"
{ echo not a library; head -c 5000 /dev/zero; } >"$T/a/libcuda.so.1"
cp $fake "$T/b/libcuda.so.1"
cat >"$T/map.py" <<'EOF'
import mmap, sys, time
kept = []
for path, times in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(path, "rb") as f:
        kept += [mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC) for i in range(int(times))]
print("mapped", flush=True)
time.sleep(600)
EOF
python3 "$T/map.py" "$T/a/libcuda.so.1" 100 "$T/b/libcuda.so.1" 2 >"$T/ready" &
pid=$!
trap 'kill $pid' EXIT
for i in $(seq 100); do
	grep -q mapped "$T/ready" && break
	sleep 0.1
done
"$XPT" list -p $pid >"$T/out" 2>"$T/err"
is status 0 $?
is functions 1 "$(grep -c '^cuInit$' "$T/out")"
is reported 1 "$(grep -c 'a/libcuda.so.1: ' "$T/err")"
exit $failed
