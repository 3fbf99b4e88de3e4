#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
#
# The flight recorder of the agent: a call that hangs, a new error and SIGUSR1 each leave a recording that holds the
# calls before it, exact, with the names of processes, threads and kernels however old these are; what is older than
# asked is not in it; folders that are not safe are refused; a killed agent leaves nothing half.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/agent_lib.sh

# The agent sees all processes: these have names that no other test's programs have.
cp "$W/storm" "$T/rec-storm"
cp "$E/hang" "$T/rec-hang"
cp "$E/error" "$T/rec-error"
cp "$E/train" "$T/rec-train"

find_recording() { # CAUSE: sets $recording
	recording=$(find "$T/recordings" -name "flight_*_$1.xtr" -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1 | cut -d' ' -f2)
	[ -n "$recording" ]
}
lines_of() { # PROGRAM: its calls in $recording, as JSON lines
	"$XPT" convert "$recording" -o - 2>/dev/null | jq -c --arg p "$1" 'select(.name and .comm == $p)'
}
ask() {	# NAME of the agent: for a recording, and waits for it
	before=$(grep -c 'SIGUSR1 asked' "$T/$1.err")
	kill -USR1 $agent
	is_there() {
		[ "$(grep -c 'SIGUSR1 asked' "$T/$1.err")" -gt "$before" ]
	}
	wait_for is_there "$1"
	find_recording asked
}

# --- a call that hangs --------------------------------------------------------------------------------
start_agent first --hang 1s --budget 100%
"$T/rec-hang" --async >/dev/null 2>"$T/hang.err" &
hang=$!
holds hang_written wait_for find_recording hang
holds hang_said grep -q "cuStreamSynchronize of process $hang has not returned for .* the calls before that are in $recording" \
	"$T/first.err"
is hang_is_in_it cuStreamSynchronize \
	"$("$XPT" report --json "$recording" | jq -r --argjson p $hang '[.inflight[] | select(.pid == $p)][0].function')"
holds hang_calls_before [ "$(lines_of rec-hang | wc -l)" -gt 0 ]
is hang_told "cuStreamSynchronize of process $hang has not returned for 1 s" "$("$XPT" report --json "$recording" | jq -r .summary.cause)"
is mode 600 "$(stat -c %a "$recording")"
holds folder_mode [ "$(stat -c %a "$T/recordings")" = 700 ]
{ kill -9 $hang; wait $hang; } 2>/dev/null

# --- an error that is new, once -------------------------------------------------------------------------
"$T/rec-error" >/dev/null 2>&1
holds error_written wait_for find_recording error
holds error_said grep -q "of process [0-9]* failed: CUDA_ERROR_" "$T/first.err"
is_counted() { # CAUSE
	[ "$(value recordings_total "cause=\"$1\"")" -ge 1 ]
}
holds hang_counted wait_for is_counted hang
holds error_counted wait_for is_counted error
end_agent first_status

# --- exact, when asked ------------------------------------------------------------------------------------
start_agent second --budget 100% --domain cuda
XPT_TRUTH=$T/truth "$T/rec-storm" --iterations 3000 --threads 3 >/dev/null 2>&1
all_counted() {
	[ "$(value calls_total 'process="rec-storm"')" -ge "$(jq '[.calls[]] | add' "$T/truth")" ]
}
wait_for all_counted
ask second
function=$(jq -r '.calls | to_entries | max_by(.value).key' "$T/truth")
is exact "$(jq --arg f "$function" '.calls[$f]' "$T/truth")" "$(lines_of rec-storm | jq -s --arg f "$function" 'map(select(.name == $f)) | length')"
end_agent second_status

# --- only the newest calls, with names of before ---------------------------------------------------------
start_agent third --last 1s --budget 100%
"$T/rec-train" --iterations 100000000 >/dev/null 2>&1 &
train=$!
calls_of() { # FUNCTION: of the program, in the recording
	lines_of rec-train | grep -c "\"name\":\"$1\""
}
forgets_the_begin() {
	ask third
	[ "$(calls_of cuInit)" = 0 ] && [ "$(calls_of cuLaunchKernel)" -gt 0 ]
}
holds forgets wait_for forgets_the_begin
is all_kernels_named 0 "$(lines_of rec-train | grep '"name":"cuLaunchKernel"' | grep -vc '"kernel":"[a-z]')"
{ kill -9 $train; wait $train; } 2>/dev/null
end_agent third_status

# --- at most 32, and of a killed one nothing half ---------------------------------------------------------
for i in $(seq 40); do
	cp "$recording" "$T/recordings/flight_20200101_0000${i}_asked.xtr"
done
echo half >"$T/recordings/.flight.$train"
start_agent fourth --budget 100%
ask fourth
is few 32 "$(find "$T/recordings" -name 'flight_*.xtr' | wc -l)"
is oldest_went 0 "$(find "$T/recordings" -name 'flight_20200101_000010_asked.xtr' | wc -l)"
holds half_went [ ! -e "$T/recordings/.flight.$train" ]
end_agent fourth_status

# --- folders -------------------------------------------------------------------------------------------------
mkdir "$T/open"
chmod 777 "$T/open"
"$XPT" agent --listen 0 --recordings "$T/open" >/dev/null 2>"$T/err"
is open_folder 1 $?
holds open_folder_said grep -q "recordings cannot be kept in $T/open: it belongs to another user, or others can write" "$T/err"
"$XPT" agent --memory 1k >/dev/null 2>"$T/err"
is too_little 2 $?
exit $failed
