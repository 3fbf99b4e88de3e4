#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 180
# needs: bpf jq python3 user
#
# Mappings that are slow to read: processes of a stranger have mapped a file below 100,000 folders a thousand times,
# so that the kernel takes more than a second of a processor to write /proc/PID/maps of each. A trace of all processes begins
# after the time of one of them, not of all, and says whose were left out.
. tests/bpf/lib.sh
need_bpf
deep=/dev/shm/xpt-deep.$$
mkdir -m 777 "$deep"
trap 'kill $stranger 2>/dev/null; rm -rf "$deep"' EXIT

cat >"$T/deep.py" <<'END'
import mmap, os, sys, time
os.chdir(sys.argv[1])
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
for _ in range(100000):
    os.mkdir("aa")
    os.chdir("aa")
fd = os.open("f", os.O_RDWR | os.O_CREAT)
os.ftruncate(fd, 16384)
kept, parent = [], os.getpid()
for _ in range(11):
    if os.getpid() == parent and os.fork():
        continue
    for i in range(1000):
        kept.append(mmap.mmap(fd, 4096, prot=mmap.PROT_READ, offset=0 if i & 1 else 8192))
    break
else:
    print("ready", flush=True)
while os.getppid() != 1:
    time.sleep(0.1)
END
now() {
	date +%s%N
}
# begin NAME: how long a trace of all processes takes to begin
begin() {
	: >"$T/$1.err"
	began=$(now)
	"$XPT" attach --all -q -v --no-file --no-summary >/dev/null 2>"$T/$1.err" &
	tracer=$!
	in_place() {
		grep -q 'in place' "$T/$1.err"
	}
	holds "$1_in_place" wait_for in_place "$1"
	took=$(($(now) - began))
	kill -INT $tracer
	wait $tracer
	is "$1_status" 0 $?
}
begin calm
calm=$took
python3 "$T/deep.py" "$deep" >"$T/deep.out" 2>"$T/deep.err" &
stranger=$!
holds ready wait_for grep -q ready "$T/deep.out"
one=$(pgrep -P $stranger | head -n 1)
began=$(now)
head -c 32M "/proc/$one/maps" >/dev/null
read_one=$(($(now) - began))
begin hostile
echo "# began in $((calm / 1000000)) ms, with the stranger in $((took / 1000000)) ms; one of his takes $((read_one / 1000000)) ms"
holds begins test $((took - calm)) -lt $((5 * read_one))
holds said grep -q 'of user 65534' "$T/hostile.err"
pkill -P $stranger
exit $failed
