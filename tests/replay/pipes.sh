#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: python3
# uses: simulated_target
#
# Inputs that are named pipes: they are read once and are as good as files; one that nobody
# writes, or whose writer says nothing, is waited for until SIGINT, which ends every command.
# shellcheck disable=SC2016 # $0 of an inner shell
set -u
. tests/cli.lib
rec=$PWD/tests/replay/train.xtr
traces=$PWD/tests/replay/rdma_traces.py
cd "$T" || exit 2
mkfifo pipe pipe.xtr

# through FILE PIPE: writes the file into the pipe, once
through() { cat "$1" >"$2" & }

through "$rec" pipe.xtr
gives recording 0 "" "$XPT" report pipe.xtr
"$XPT" report "$rec" >want
holds recording_same cmp -s want out
echo "no recording" >other
through other pipe.xtr
gives other 1 "is not a recording" "$XPT" report pipe.xtr
echo '{"json": 1}' >json
through json pipe.xtr
gives json 1 "is not a recording" "$XPT" hist 'cu*' pipe.xtr
gives json_file 1 "holds JSON" "$XPT" report json
python3 "$traces" good-rtr 3 >good
through good pipe
gives traces 0 "taken: 3 calls" "$XPT" rdma baseline import --store s.db pipe
tgt=$OLDPWD/build/fake/spdk_tgt_new
if [ -x "$tgt" ]; then
	"$tgt" -t rdma -T t.json -R r.txt -E want.txt
	through r.txt pipe
	gives spdk_with 0 "" "$XPT" spdk annotate --trace t.json --with pipe
	holds spdk_with_same cmp -s want.txt out
	through t.json pipe
	gives spdk_trace 0 "" "$XPT" spdk annotate --trace pipe --with r.txt
	holds spdk_trace_same cmp -s want.txt out
else
	echo "skip spdk_with: build/fake/spdk_tgt_new is not built"
fi

# A pipe is no program, whoever may execute it.
mkfifo -m 755 program
gives program 126 "cannot run" "$XPT" run --no-file -q -- ./program

# waits NAME COMMAND...: it reads a pipe that nobody writes, then one whose writer says nothing.
cat >waits.py <<'END'
import os, signal, subprocess, sys, time
silent, cmd = sys.argv[1] == 'silent', sys.argv[2:]
fds = [os.open(f, os.O_RDWR | os.O_NONBLOCK) for f in ('pipe', 'pipe.xtr')] if silent else []
p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                     restore_signals=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
begun = time.time()
def waits():    # asleep in the system call that reads or opens, several looks in a row
    for _ in range(5):
        time.sleep(0.02)
        try:
            if open('/proc/%d/syscall' % p.pid).read().split()[0] not in ('0', '2', '7', '257', '271'):
                return False
        except (IndexError, OSError):
            return False
    return True
while p.poll() is None and not waits() and time.time() - begun < 60:
    pass
if p.poll() is not None:
    sys.exit('ended by itself: %s' % p.stderr.read().decode())
p.send_signal(signal.SIGINT)
try:
    p.wait(60)
except subprocess.TimeoutExpired:
    p.kill()
    sys.exit('waits after SIGINT')
END
waits() {
	w_name=$1
	shift
	for how in nobody silent; do
		if why=$(python3 waits.py $how "$@" 2>&1); then ok "${w_name}_$how"; else not_ok "${w_name}_$how" "$why"; fi
	done
}
waits report "$XPT" report pipe.xtr
waits convert "$XPT" convert pipe.xtr -o out.jsonl
waits compare "$XPT" report --compare pipe.xtr "$rec"
waits hist "$XPT" hist 'cu*' pipe.xtr
waits annotate "$XPT" spdk annotate --trace pipe
waits annotate_with "$XPT" spdk annotate --trace json --with pipe
waits script "$XPT" script pipe --print -- /bin/true
waits rdma_report "$XPT" rdma report pipe
waits rdma_recording "$XPT" rdma report pipe.xtr
waits rdma_log "$XPT" rdma report --nccl-log pipe good
waits rdma_rules "$XPT" rdma report --expected pipe good
waits rdma_import "$XPT" rdma baseline import --store s.db pipe
exit $failed
