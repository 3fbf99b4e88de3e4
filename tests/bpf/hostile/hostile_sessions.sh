#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq user autogroup
#
# A stranger has 200 busy sessions, each of which the kernel gives as much processor as a whole other session. A tracer
# that leads its session keeps up all the same: a known program of another user, which is as short of a processor as all others,
# loads the library late and loses no call, nobody is taken for slow, and the session has its own nice value at the end.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_sessions
# The script itself is no part of what is tested.
own=$(sed 's/.* nice //' /proc/self/autogroup)
echo -20 >/proc/self/autogroup
cat >"$T/busy" <<'END'
#!/bin/sh
# busy FILE PID: a busy session, whose number is added to a file, for as long as that process lives
echo $$ >>"$1"
while [ -d "/proc/$2" ]; do :; done
END
chmod 755 "$T/busy"
as_stranger touch "$T/theirs/pids"
end_busy() {
	xargs kill <"$T/theirs/pids" 2>/dev/null
	echo "$own" >/proc/self/autogroup
}
trap end_busy EXIT
for _ in $(seq 200); do
	setsid setpriv --reuid $U --regid $U --clear-groups "$T/busy" "$T/theirs/pids" $$ &
done
all_busy() {
	[ "$(wc -l <"$T/theirs/pids")" = 200 ]
}
holds busy wait_for all_busy
mkdir "$T/sessions"
setsid "$XPT" attach --all -q -v -o "$T/sessions/t.xtr" -o "$T/sessions/t.jsonl" >"$T/sessions/summary" 2>"$T/sessions/stderr" &
tracer=$!
holds in_place wait_for in_place "$T/sessions/stderr"
is raised -20 "$(sed 's/.* nice //' /proc/$tracer/autogroup)"
known sessions setsid "$E/late_dlopen" --delay 0 --iterations 50
end sessions
is status 0 $o_status
sees_all sessions
is slow "" "$(grep 'cannot be read in time' "$T/sessions/stderr")"
is losses "" "$(field sessions '[.losses[]? | select(.loss == "hold_timeout" or .loss == "lib_failed" or .loss == "read_failed") | .loss] | join(" ")')"
exit $failed
