#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
#
# Signals: those sent to xputrace reach the command, those of a terminal reach
# it once, ignored ones stay ignored; the command's end is what xputrace exits with.
# shellcheck disable=SC2016,SC2317 # for inner shells; functions called by name
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf

# The command tells of each signal; TERM, INT, HUP and QUIT end it with their number.
cat >"$T/told.py" <<'END'
import os, signal, sys, time
def told(n, frame):
    print("got", n, flush=True)
    if n in (1, 2, 3, 15) and len(sys.argv) < 2:
        sys.exit(20 + n)
for n in (1, 2, 3, 10, 12, 14, 15):
    signal.signal(n, told)
print("ready", os.getpid(), flush=True)
for i in range(1000):	# counted: a clock may jump where machines are paused
    time.sleep(0.05)
END
# Background jobs of sh ignore INT and QUIT: start with nothing ignored, or with HUP.
cat >"$T/start.py" <<'END'
import os, signal, sys
for n in (1, 2, 3):
    signal.signal(n, signal.SIG_IGN if sys.argv[1] == str(n) else signal.SIG_DFL)
if os.fork() == 0:
    os.setsid()
    with open(sys.argv[2], "w") as f:
        print(os.getpid(), file=f)
    os.execv(sys.argv[3], sys.argv[3:])
os._exit((lambda s: 128 + os.WTERMSIG(s) if os.WIFSIGNALED(s) else os.WEXITSTATUS(s))(os.wait()[1]))
END

says() { grep -qx "$1" "$T/out"; }
ready() { grep -q '^ready' "$T/out"; }
start() { # IGNORED COMMAND...: xputrace in the background; $starter, $pid, $child
	ignored=$1
	shift
	: >"$T/out"
	python3 "$T/start.py" "$ignored" "$T/pid" "$XPT" run --as-root -q --no-summary --no-file -- "$@" \
		>"$T/out" 2>"$T/err" </dev/null &
	starter=$!
	until_ ready
	pid=$(cat "$T/pid")
	child=$(sed -n 's/^ready //p' "$T/out")
}

for s in 15 1 2 3; do
	start 0 python3 "$T/told.py"
	kill -$s "$pid"
	wait $starter
	is "forwarded_$s" $((20 + s)) $?
	holds "forwarded_${s}_once" [ "$(grep -c "^got $s$" "$T/out")" = 1 ]
done

start 0 python3 "$T/told.py"
for s in 12 14; do
	kill -$s "$pid"
	holds "passed_on_$s" until_ says "got $s"
done
holds goes_on kill -0 "$pid"
kill -15 "$pid"
wait $starter
is passed_on_end 35 $?

start 0 python3 "$T/told.py"
kill -9 "$child"
wait $starter
is command_killed 137 $?
holds command_killed_told grep -q "killed by signal 9" "$T/err"

# nohup: a SIGHUP that is ignored stays so, for xputrace and for the command.
start 1 sh -c 'echo ready $$; i=0; until [ -e "$0" ] || [ $i = 500 ]; do sleep 0.1; i=$((i + 1)); done; exit 6' \
	"$T/go"
kill -1 "$pid"
kill -1 "$child"
: >"$T/go"
wait $starter
is nohup 6 $?

# A command that does not end: the second interrupt leaves it alone.
start 0 python3 "$T/told.py" stay
kill -15 "$pid"
holds twice_first until_ says "got 15"
sleep 0.7	# what comes within half a second counts as the same signal
kill -15 "$pid"
wait $starter
is twice_status 143 $?
holds twice_told grep -q "interrupted twice: leaving process $child running" "$T/err"
holds twice_left kill -0 "$child"
kill -9 "$child"

# Before the command runs: the file that was made for its calls goes, too.
mkdir "$T/early"
: >"$T/go"
(cd "$T/early" && exec python3 "$T/start.py" 0 "$T/pid" "$XPT" run -q -- cat "$T/go" >"$T/out" 2>"$T/err" </dev/null) &
starter=$!
made() { [ -e "$T/early/traces" ] || ! kill -0 $starter; }
holds early_made until_ made
kill -2 "$(cat "$T/pid")"
wait $starter
[ $? = 0 ] || is early_left "" "$(ls "$T/early")"	# 0: it was over before the signal came
rm -rf "$T/early/traces"

# The same with files that were named: gone, or whole; one that was there is a recording at every moment.
# early NAME FILE COMMAND...: interrupted as soon as FILE is there, or changes. Where the
# signal comes later than that, tracing has begun and ends as ever, with whole files.
early() {
	name=$1 file=$T/early/$2
	before=$(stat -c '%s %Y' "$file" 2>/dev/null)
	shift 2
	changed() { [ "$(stat -c '%s %Y' "$file" 2>/dev/null)" != "$before" ] || ! kill -0 $starter; }
	python3 "$T/start.py" 0 "$T/pid" "$@" >"$T/out" 2>"$T/err" </dev/null &
	starter=$!
	until_ changed
	kill -2 "$(cat "$T/pid")"
	wait $starter
	status=$?
	[ $status = 0 ] || is "early_$name" 130 $status
	is "early_${name}_half" "" "$(find "$T/early" -empty -type f ! -name '*.jsonl')"
	case $file in
	*.xtr)
		[ ! -e "$file" ] || "$XPT" report "$file" >"$T/out" 2>"$T/err"
		is "early_${name}_reads" 0 $?
		;;
	esac
	rm -f "$T"/early/new.*
}
early xtr new.xtr "$XPT" run -q --no-summary -o "$T/early/new.xtr" -- cat "$T/go"
early pictures new.pftrace "$XPT" run -q --no-summary -o "$T/early/new.svg" -o "$T/early/new.json" -o "$T/early/new.pftrace" -- cat "$T/go"
early hook new.jsonl "$XPT" hook -q -o "$T/early/new.jsonl" -e 'call:libc.so.6:read' -- cat "$T/go"
early attach new.xtr "$XPT" attach -q --no-summary -o "$T/early/new.xtr" -p $$
cp tests/replay/train.xtr "$T/early/old.xtr"
early old old.xtr "$XPT" run -q --no-summary -o "$T/early/old.xtr" -- cat "$T/go"
is early_old_header XPT "$(head -c 3 "$T/early/old.xtr")"

# Who ignores SIGCHLD has children that nobody can wait for: ours are, and the command starts as it would without us.
cat >"$T/unwaited.sh" <<'END'
grep SigIgn: /proc/self/status
exit 7
END
(trap '' CHLD; exec sh "$T/unwaited.sh") >"$T/want"
(trap '' CHLD; exec "$XPT" run --as-root -q --no-summary --no-file -- sh "$T/unwaited.sh") >"$T/out" 2>"$T/err"
is unwaited_status 7 $?
is unwaited_command "$(cat "$T/want")" "$(cat "$T/out")"
is unwaited_quiet "" "$(grep -v "none was called" "$T/err")"

# timeout(1) signals its child and then the whole group: that counts as one.
gives timeout 124 "." timeout --foreground 3 timeout -s TERM 2 "$XPT" run -q --no-summary --no-file -- sleep 30
holds timeout_once sh -c '! grep -q "interrupted twice" "$0"' "$T/err"
exit $failed
