#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 240
# needs: bpf jq
# uses: tmux
#
# top: what it shows is what programs have counted themselves; a call that does not return is seen while it waits;
# devices are read; one page of text; the screen and its keys; an agent shows the same, and neither it nor a client that
# stops or dies harms the other; what is asked for wrongly.
. tests/bpf/lib.sh
need_bpf

export XPUTRACE_NVML="$B/fake/nvml/libnvidia-ml.so.1" XPT_FAKE_NVML="$T/nvml"
printf 'devices 1\n' >"$T/nvml"

# All processes are seen: these have names that no other test's programs have.
cp "$W/storm" "$T/top-storm"
cp "$E/hang" "$T/top-hang"
cp "$E/hang" "$T/top-wait"	# the screen has this one alone

# start_top: documents in $T/documents, one a line, until end_top. Sets $top.
start_top() {
	"$XPT" top --json --no-agent --interval 200ms -v >"$T/documents" 2>"$T/err" &
	top=$!
	wait_for in_place "$T/err"
}
end_top() {
	kill -INT $top
	wait $top
}
# newest JQ_EXPRESSION: of the last whole document.
newest() {
	grep '}$' "$T/documents" 2>/dev/null | tail -n 1 | jq -r "$1"
}
of() { # NAME JQ_EXPRESSION: of its process
	newest "[.processes[] | select(.name == \"$1\")] | first // empty | $2"
}
shows() { # WANT NAME JQ_EXPRESSION
	[ "$(of "$2" "$3")" = "$1" ]
}

# --- usage -----------------------------------------------------------------------------------------
"$XPT" top </dev/null >"$T/out" 2>"$T/err"
is no_terminal 2 $?
holds no_terminal_said grep -q 'standard output is no terminal: --once' "$T/err"
"$XPT" top --once --socket "$T/none" >"$T/out" 2>"$T/err"
is no_agent 1 $?
holds no_agent_said grep -q "no agent answers at $T/none" "$T/err"
"$XPT" top --once --interval 1ms >"$T/out" 2>"$T/err"
is interval 2 $?
"$XPT" top --once -p 999999999 >"$T/out" 2>"$T/err"
is no_process 3 $?
holds no_process_said grep -q 'process 999999999 does not exist' "$T/err"

# --- counts are exact ---------------------------------------------------------------------------------
start_top
XPT_TRUTH=$T/truth "$T/top-storm" --iterations 20000 --threads 4 >/dev/null 2>&1
calls=$(jq '[.calls[]] | add' "$T/truth")
holds exact wait_for shows "$calls" top-storm .calls
for function in $(jq -r '.calls | keys[]' "$T/truth"); do
	is "exact_$function" "$(jq ".calls.$function" "$T/truth")" \
		"$(of top-storm "[.functions[] | select(.function == \"$function\").calls] | add")"
done
is histograms_exact true "$(of top-storm '[.functions[] | ([.durations[].calls] | add) == .calls] | all')"
holds ended wait_for shows true top-storm .ended
is user 0 "$(of top-storm .uid)"
is source "its own trace of all" "$(newest .source)"
is nothing_left_out 0 "$(newest .left_out)"

# --- rates, devices, a call that does not return --------------------------------------------------------
"$T/top-hang" --async >/dev/null 2>"$T/hang.err" &
hang=$!
waits_for_ever() {
	[ "$(of top-hang '(.oldest_ns // 0) > 1000000000')" = true ] && [ "$(of top-hang .oldest_function)" = cuStreamSynchronize ]
}
holds in_flight wait_for waits_for_ever
waits_whole_time() { # one thread
	[ "$(of top-hang '.wait_ratio > 0.8 and .wait_ratio < 1.2')" = true ]
}
holds wait_ratio wait_for waits_whole_time
has_power() {
	[ "$(newest '[.devices[] | select(.label == "GPU 0").readings[] | select(.metric == "gpu_power_watts").value] | first == 300')" = true ]
}
holds device wait_for has_power
end_top
is status 0 $?

# --- one page, one document ------------------------------------------------------------------------------
"$XPT" top --once --interval 200ms -p $hang >"$T/page" 2>"$T/err"
is page_status 0 $?
holds page_process grep -Eq "^ +$hang root +top-hang " "$T/page"
holds page_title grep -q "^xputrace top: 1 process, counted by its own trace of process $hang " "$T/page"
holds page_gpu grep -q '^GPU 0 .* 300 W' "$T/page"
"$XPT" top --once --json --interval 200ms --comm top-hang >"$T/documents" 2>"$T/err"
is document_status 0 $?
is documents 1 "$(wc -l <"$T/documents")"
is document_rate true "$(of top-hang '.calls_per_second > 0')"
is others_are_left_alone 1 "$(newest '[.processes[] | select(.calls > 0)] | length')"

# Processes that end before the interval is over: what they have done until then. This one has the library from the start.
for format in page json; do
	rm -f "$T/go" "$T/truth.short" "$T/err"
	XPT_TRUTH=$T/truth.short LD_PRELOAD=$B/fake/libcuda.so.1 sh -c 'until [ -e "$1" ]; do sleep 0.05; done; exec "$0" --iterations 5000' \
		"$T/top-storm" "$T/go" >/dev/null 2>&1 &
	short=$!
	json=
	[ $format = page ] || json=--json
	timeout 60 "$XPT" top --once $json --interval 1h -v -p $short >"$T/documents" 2>"$T/err" &
	top=$!
	wait_for in_place "$T/err"
	: >"$T/go"
	wait $short
	wait $top
	is "short_${format}_status" 0 $?
	if [ $format = page ]; then
		holds short_page grep -Eq "^ +$short root +top-storm .*\(ended\)$" "$T/documents"
	else
		is short_json "$(jq .calls.cuMemGetInfo_v2 "$T/truth.short")" \
			"$(of top-storm '.functions[] | select(.function == "cuMemGetInfo_v2").calls')"
	fi
done

# A reader that has seen enough.
"$XPT" top --json --no-agent --interval 100ms 2>"$T/err" | head -n 1 >"$T/one"
is one 1 "$(wc -l <"$T/one")"
holds quiet [ ! -s "$T/err" ]

# --- the screen --------------------------------------------------------------------------------------------
screens=0	# each has a server of its own: one that ends takes no new one
screen() { # COMMAND...: of tmux
	TMUX_TMPDIR=$T tmux -L "top$screens" "$@"
}
has() { # TEXT
	screen capture-pane -p 2>/dev/null | grep -q "$1"
}
keys() {
	screen send-keys "$@"
}
# open_screen OPTION...: 80x24, until `q`
open_screen() {
	screens=$((screens + 1))
	screen -f /dev/null new-session -d -x 80 -y 24 "\"$XPT\" top $* 2>\"$T/err\"; echo status \$?; sleep 1000"
	wait_for has 'counted by'
}
has_screen=
if command -v tmux >/dev/null && ldconfig -p | grep -q 'libncursesw\.so\.6'; then
	has_screen=1
	open_screen --no-agent --comm top-wait --interval 200ms
	{ kill -9 $hang; wait $hang; } 2>/dev/null	# its call began before the trace
	"$T/top-wait" --async >/dev/null 2>"$T/hang.err" &
	hang=$!
	holds screen_process wait_for has "^ *$hang top-wait .* cuStream"
	holds screen_gpu has '^GPU 0 .* 300 W'
	is screen_lines 24 "$(screen capture-pane -p | wc -l)"
	holds screen_keys has '^Enter functions .* q quit$'
	keys Enter
	holds drill_down wait_for has '^cuStreamSynchronize .* [0-9]*s$'
	holds drill_down_process has "^top-wait ($hang) "
	holds no_ledger has "^Memory by call site is not counted: \`xputrace attach -p $hang\` records it"
	holds latency_not_returned [ -z "$(screen capture-pane -p | grep '^LATENCY')" ]
	keys Down
	holds latency wait_for has '^LATENCY cu[A-Za-z0-9_]*, of this process.* in 0\.2 s$'
	keys t
	holds latency_since_start wait_for has '^LATENCY cu[A-Za-z0-9_]*, of this process, since the start'
	holds latency_bucket has '^ *[0-9.]* *[mun]*s* -  *[0-9.]* [mun]*s  *[0-9]* p50'
	holds latency_lines [ "$(screen capture-pane -p | wc -l)" = 24 ]
	keys t
	keys d
	holds devices_panel wait_for has '^GPU 0 .*300'
	keys r
	holds rdma_panel wait_for has 'RDMA port'
	keys '?'
	holds help wait_for has '^Keys'
	keys '?' Escape
	holds back wait_for has "^ *$hang top-wait"
	keys / nosuch
	holds filter_typed wait_for has ': nosuch_'
	keys Enter
	holds filter wait_for has 'No process matches'
	keys Escape
	holds no_filter wait_for has "^ *$hang top-wait"
	screen resize-window -x 120 -y 40
	holds resized wait_for has "^ *$hang root  *top-wait .* cuStreamSynchronize"
	keys q
	holds screen_status wait_for has '^status 0'
	is screen_quiet "xputrace: no process is called 'top-wait' yet; waiting for one" "$(cat "$T/err")"
	screen kill-server
	screens=$((screens + 1))
	screen -f /dev/null new-session -d -x 80 -y 24 "TERM=nosuch \"$XPT\" top --no-agent --comm none 2>\"$T/err\"; echo status \$?; sleep 1000"
	holds bad_terminal wait_for has '^status 1'
	holds bad_terminal_said grep -q 'cannot be used as a screen' "$T/err"
	screen kill-server
else
	echo "skip screen: tmux or libncursesw6 is not installed"
fi

# --- an agent ----------------------------------------------------------------------------------------------
if ldconfig -p | grep -q 'libmicrohttpd\.so\.12'; then
	socket=$T/agent.sock
	"$XPT" agent --listen 0 --recordings "$T/recordings" --socket "$socket" -v >/dev/null 2>"$T/agent.err" &
	agent=$!
	wait_for grep -q 'metrics are at' "$T/agent.err"
	XPT_TRUTH=$T/truth.agent "$T/top-storm" --iterations 30000 --threads 2 >/dev/null 2>&1
	calls=$(jq '[.calls[]] | add' "$T/truth.agent")
	"$XPT" top --json --socket "$socket" >"$T/documents" 2>"$T/err" &
	top=$!
	holds agent_exact wait_for shows "$calls" top-storm .calls
	is agent_source "agent $agent" "$(newest .source)"
	is agent_mode 600 "$(stat -c %a "$socket")"
	kill -STOP $top
	"$XPT" top --once --json --socket "$socket" >"$T/one" 2>"$T/once.err"
	is beside_stopped_client 0 $?
	is once_exact "$calls" "$(jq '.processes[] | select(.name == "top-storm").calls' "$T/one")"
	kill -CONT $top
	# A client that talks is let go, and no other is.
	if command -v python3 >/dev/null; then
		python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(sys.argv[1])
s.send(b"x" * 100)
s.settimeout(60)
sys.exit(len(s.recv(100)))' "$socket"
		is talking_client 0 $?
	fi
	if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$XPT" 2>/dev/null; then
		setpriv --reuid 65534 --regid 65534 --clear-groups "$XPT" top --once --socket "$socket" >"$T/out" 2>"$T/user.err"
		is other_user 4 $?
		holds other_user_said grep -q 'is root.s: try sudo' "$T/user.err"
	fi
	if [ -n "$has_screen" ]; then
		open_screen --socket "$socket"
		holds agent_screen wait_for has "counted by agent $agent"
		{ kill -9 $agent; wait $agent; } 2>/dev/null
		holds agent_has_ended wait_for has 'has ended; waiting for one'
		"$XPT" agent --listen 0 --recordings "$T/recordings" --socket "$socket" >/dev/null 2>&1 &
		second=$!
		holds next_agent wait_for has "counted by agent $second"
		keys q
		holds agent_screen_status wait_for has '^status 0'
		screen kill-server
		kill -TERM $second
		wait $second
	else
		kill -9 $agent
	fi
	wait $top
	is agent_gone 1 $?
	holds agent_gone_said grep -q "the agent (process $agent) has ended" "$T/err"
	holds socket_removed [ ! -e "$socket" ]
else
	echo "skip agent: libmicrohttpd is not installed"
fi
{ kill -9 $hang; wait $hang; } 2>/dev/null
exit $failed
