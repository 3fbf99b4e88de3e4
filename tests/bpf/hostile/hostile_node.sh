#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 4000
# alone
# needs: bpf jq python3 user
#
# A node with a hostile user under attach --all: all at once he maps library after library
# and one as fast as it goes, exchanges files for links, has names full of controls,
# executes and forks in loops up to his limit, floods the rings, and stops, kills and traces
# our processes. Known programs beside him are seen to the call, nothing of his
# reaches a message, and the trace ends as if he were not there.
# HOSTILE_SECONDS: how long (10); 3600 is what this was made for.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_node
cp "$W/storm" "$E/late_dlopen" "$E/train" "$T"

# Only lines of known programs are kept: an hour of a flood is many GB. The ring is large: on a
# busy machine the reader may wait for a processor for seconds.
mkdir "$T/node"
mkfifo "$T/node/pipe.jsonl"
grep -v '"comm":"stranger' "$T/node/pipe.jsonl" >"$T/node/t.jsonl" &
"$XPT" attach --all -q -v --max-size 0 --ring 64M -o "$T/node/pipe.jsonl" >"$T/node/summary" 2>"$T/node/stderr" &
tracer=$!
wait_for in_place "$T/node/stderr"

attack_all
seconds=${HOSTILE_SECONDS:-10}
until=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt $until ]; do
	known node "$T/late_dlopen" --delay 0 --iterations 50
	known node "$T/storm" --iterations 500 --threads 4
	known node "$T/train" --iterations 2
done
end_attacks
is node_attackers "" "$(cat "$T/ended" 2>/dev/null)"
is node_poked "" "$(cat "$T/poke.out")"
holds node_alive kill -0 $tracer
kill -INT $tracer
wait $tracer
is node_status 0 $?
wait
sees_all node
holds node_messages [ "$(cat "$T/node/stderr" "$T/node/summary" |
	LC_ALL=C grep -acP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]')" = 0 ]
echo "note $(jq -s length "$T/node/truth") known programs beside a hostile user, $(wc -l <"$T/node/t.jsonl") lines"
exit $failed
