#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# needs: bpf jq python3
#
# The agent's configuration: it is read at the start and at SIGHUP, which moves the address and changes limits without a
# count that is lost; what is wrong changes nothing; what cannot change is said; systemd hears of it.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/agent_lib.sh

cp "$W/storm" "$T/config-storm"
f=$T/agent.yaml
if "$XPT" agent -c /dev/null --check 2>&1 | grep -q 'without libyaml'; then
	echo "skip agent_config: this build goes without libyaml"
	exit 0
fi
make_calls() {
	XPT_TRUTH=$T/truth.$1 "$T/config-storm" --iterations 500 >/dev/null 2>&1
	calls=$((calls + $(jq '[.calls[]] | add' "$T/truth.$1")))
}
are_counted() {
	[ "$(value calls_total 'process="config-storm"')" = "$calls" ]
}
reads_again() { # NUMBER of times that it has by then
	kill -HUP $agent
	has_read() {
		[ "$(grep -c -e 'configuration was read again' -e 'configuration stays as it was' \
			-e 'takes effect when' "$T/agent.err")" -ge "$1" ]
	}
	wait_for has_read "$1"
}

# One configuration for machines with RDMA and without: what cannot be counted is said, and all else is counted.
if [ ! -e /sys/module/ib_uverbs ]; then
	start_agent without_rdma --domain cuda --domain rdma
	holds without_rdma_said grep -q "RDMA calls are not counted here; all else is" "$T/without_rdma.err"
	calls=0
	make_calls without_rdma
	holds without_rdma_counts wait_for are_counted
	end_agent without_rdma_status
else
	echo "skip without_rdma: this machine has RDMA"
fi

start_manager

calls=0
cat >"$f" <<END
listen: 0
domain: [cuda]
recordings: $T/recordings
socket: $T/agent.sock
verbose: true
END
NOTIFY_SOCKET="$T/notify" "$XPT" agent -c "$f" >"$T/agent.out" 2>"$T/agent.err" &
agent=$!
find_url() { # NUMBER: of the message that has it
	[ "$(grep -c 'metrics are at' "$T/agent.err")" = "$1" ] || return 1
	url=$(sed -n 's,.*are at \(http://[^ ;]*\).*,\1,p' "$T/agent.err" | tail -n 1)
}
wait_for find_url 1
make_calls 1
holds counts wait_for are_counted

# Another address; the old one is closed. What was counted stays.
old=$url
sed -i 's/^listen: 0/listen: 127.0.0.1:0/' "$f"
echo "hang: 2s" >>"$f"
echo "budget: 50%" >>"$f"
echo "metrics: $T/page.prom" >>"$f"
reads_again 1
holds moved wait_for find_url 2
holds another [ "$url" != "$old" ]
is old_is_closed closed "$(scrape "$old" 2>/dev/null || echo closed)"
holds nothing_lost wait_for are_counted
make_calls 2
holds counts_on wait_for are_counted
holds file wait_for grep -q 'xputrace_calls_total{process="config-storm"' "$T/page.prom"
holds told_manager grep -q RELOADING=1 "$T/told"
is ready_again 2 "$(grep -c READY=1 "$T/told")"

# What is wrong changes nothing.
cp "$f" "$T/good.yaml"
echo "listen: 0" >>"$f"
reads_again 2
holds wrong_said grep -q "$f:[0-9]*:1: listen is given twice" "$T/agent.err"
holds wrong_stays grep -q 'the configuration stays as it was' "$T/agent.err"
make_calls 3
holds counts_after_wrong wait_for are_counted

# What cannot change while it runs.
sed 's/^domain: .*/domain: [cuda, nccl]/' "$T/good.yaml" >"$f"
echo "counters: true" >>"$f"
reads_again 3
holds restart_said grep -q "'domain' takes effect when the agent is started again" "$T/agent.err"
holds counters_said grep -q "'counters' takes effect when the agent is started again" "$T/agent.err"
make_calls 4
holds counts_at_last wait_for are_counted

# Signals that come all the time keep it from nothing: it counts a process that it has not seen before, and answers.
cp "$T/good.yaml" "$f"
cp "$W/storm" "$T/hup-storm"
: >"$T/signals"
while [ -e "$T/signals" ]; do
	kill -HUP $agent
	sleep 0.005
done &
sender=$!
XPT_TRUTH=$T/truth.hup "$T/hup-storm" --iterations 500 >/dev/null 2>&1
are_counted_in_signals() {
	[ "$(value calls_total 'process="hup-storm"')" = "$(jq '[.calls[]] | add' "$T/truth.hup")" ]
}
holds counts_in_signals wait_for are_counted_in_signals
rm "$T/signals"
wait $sender
holds counts_after_signals wait_for are_counted
end_agent status
wait $manager
exit $failed
