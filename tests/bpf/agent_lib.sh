# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What tests of the agent share (sourced, after lib.sh).

if ! ldconfig -p | grep -q 'libmicrohttpd\.so\.12'; then
	echo "skip $(basename "$0" .sh): libmicrohttpd is not installed"
	exit 0
fi

# start_agent NAME [OPTION...]: sets $agent, and $url, once it serves.
start_agent() {
	s_name=$1
	shift
	"$XPT" agent --listen 0 -v --recordings "$T/recordings" --socket "$T/$s_name.sock" "$@" \
		>"$T/$s_name.out" 2>"$T/$s_name.err" &
	agent=$!
	wait_for grep -q 'metrics are at' "$T/$s_name.err"
	url=$(sed -n 's,.*are at \(http://[^;]*\);.*,\1,p' "$T/$s_name.err")
}

# A service manager as sd_notify(3) wants one, at $T/notify: sets $manager, which writes to $T/told all that it is told
# and ends when the agent stops.
start_manager() {
	cat >"$T/manager.py" <<'END'
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
open(sys.argv[1] + ".ready", "w").close()
while True:
    text = s.recv(4096).decode()
    with open(sys.argv[2], "a") as f:
        f.write(text + "\n")
    if "STOPPING=1" in text:
        break
END
	python3 "$T/manager.py" "$T/notify" "$T/told" &
	manager=$!
	wait_for test -e "$T/notify.ready"
}

scrape() { # URL
	python3 -c 'import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=60).read().decode())' "$1"
}

# value METRIC LABEL...: the sum of its lines that have all of these, as of now.
value() {
	v_lines=$(scrape "$url" | grep "^xputrace_$1{")
	shift
	for v_label in "$@"; do
		v_lines=$(echo "$v_lines" | grep -F "$v_label")
	done
	echo "$v_lines" | sed 's/.*} //' | add_up
}

end_agent() { # NAME: of the check of its exit status
	kill -TERM $agent
	wait $agent
	is "$1" 0 $?
}
