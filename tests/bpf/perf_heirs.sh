#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
# uses: user chosen_pid tracefs
#
# Definitions of perf events that a child of an ended xputrace still has open: the next
# xputrace leaves them alone, for the kernel would free what breakpoints still lead to;
# and takes them away when the child has gone. What a killed xputrace left goes, whatever
# another user's processes are called and numbered.
. tests/bpf/lib.sh
need_bpf

tracing=/sys/kernel/tracing
if [ ! -e $tracing/uprobe_events ]; then
	tracing=$T/tracing
	mkdir "$tracing"
	mount -t tracefs none "$tracing" 2>"$T/why" || { echo "skip heirs: $(head -n 1 "$T/why")"; exit 0; }
	mounted=y
fi
tracer='' stranger='' same='' keeper=''
at_end() {
	for p in $tracer $stranger $same $keeper; do kill -KILL "$p" 2>/dev/null; done
	[ -z "${mounted:-}" ] || umount "$tracing"
}
trap at_end EXIT
set -- run -q --as-root --attach perf --no-file --no-summary
defined() { grep -c ":xputrace_$pid/" $tracing/uprobe_events; }

"$XPT" "$@" -v --layers api,ioctl --device 1:8 --ioctl-attach tracepoint -- "$E/train" --iterations 1 >"$T/out" 2>"$T/err" &
pid=$!
wait $pid
if [ $? = 4 ]; then
	echo "skip heirs: $(head -n 1 "$T/err")"
	exit 0
fi
heir=$(sed -n 's/.*probes are taken away by process \([0-9]*\)$/\1/p' "$T/err")
if ! kill -STOP "$heir" 2>/dev/null; then
	not_ok stopped "no child that closes the events"
	exit 1
fi
before=$(defined)
holds some_defined test "$before" -gt 0
"$XPT" "$@" -- true 2>"$T/err"
is left_alone "$before" "$(defined)"
kill -CONT "$heir"
gone() { ! kill -0 "$heir" 2>/dev/null; }
holds ends wait_for gone
"$XPT" "$@" -- true 2>"$T/err"
is taken_away 0 "$(defined)"

# A tracer that is killed, and strangers in its place.
U=65534
if ! setpriv --reuid $U --regid $U --clear-groups true 2>/dev/null; then
	echo "skip strangers: no other user can be had here"
	exit $failed
fi
some_defined() { [ "$(defined)" -gt 0 ]; }
"$XPT" "$@" -- sleep 600 2>"$T/err" &
pid=$! tracer=$!
holds defined_again wait_for some_defined
# Any other xputrace may take away what the dead one left; the lock of a living one keeps them from it.
python3 - $pid "$tracing/uprobe_events" <<'END' &
import fcntl, os, struct, sys, time
fd = os.open(sys.argv[2], os.O_RDWR)
lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, int(sys.argv[1]), 1, 0)
fcntl.fcntl(fd, fcntl.F_OFD_SETLKW, lock)
time.sleep(600)
END
keeper=$!
# Linux shows who waits for a lock behind the one that he waits for.
waits() { grep -q -- "-> OFDLCK .*WRITE.* $pid $pid$" /proc/locks; }
holds keeper_waits wait_for waits
kill -KILL "$tracer"
wait "$tracer" 2>/dev/null
tracer=
chmod 755 "$T"
cp "$(command -v sleep)" "$T/xpt-heir$pid"
setpriv --reuid $U --regid $U --clear-groups "$T/xpt-heir$pid" 600 &
stranger=$!
is_named() { [ "$(cat "/proc/$stranger/comm")" = "xpt-heir$pid" ]; }
holds forged_name wait_for is_named
# The number of the dead tracer, as often as others do not take it before.
for _ in $(seq 200); do
	same=$(python3 - "$pid" $U <<'END'
import os, sys
number, uid = int(sys.argv[1]), int(sys.argv[2])
try:
    with open("/proc/sys/kernel/ns_last_pid", "w") as f:
        f.write(str(number - 1))
except OSError:
    print("none")
    sys.exit()
child = os.fork()
if child:
    if child == number:
        print(child)
    sys.exit()
os.setsid()
os.closerange(0, 3)
os.setgroups([])
os.setresgid(uid, uid, uid)
os.setresuid(uid, uid, uid)
os.execvp("sleep", ["sleep", "600" if os.getpid() == number else "0"])
END
	)
	[ -z "$same" ] || break
done
case $same in
"$pid") ok forged_number ;;
*) echo "skip forged_number: the next number of a process cannot be chosen here" ;;
esac
[ "$same" = "$pid" ] || same=
# A write lock needs the file open for writing.
setpriv --reuid $U --regid $U --clear-groups sh -c ': <>"$1"' - "$tracing/uprobe_events" 2>/dev/null
holds no_lock test $? != 0
holds still_defined some_defined
kill $keeper
wait $keeper 2>/dev/null
keeper=
"$XPT" "$@" -- true 2>"$T/err"
is strangers_keep_nothing 0 "$(defined)"
exit $failed
