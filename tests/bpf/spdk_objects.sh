#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 sdt
# uses: mount_namespace dwz libdw
#
# -d spdk on the target of tests/fake/spdk, with the probes of both eras: the objects that
# it made, their names and states, live and from a recording; a target that runs already;
# names of states from debug information, and by release from a stripped program.
set -u
. tests/cli.lib
. tests/bpf/lib.sh
need_bpf
tgt=$B/fake/spdk_tgt
cd "$T" || exit 2
# All but those of each message, request or step of the scheduler.
probes='spdk_nvmf_.*|bdev_nvme_.*|nvmf_(?!request).*'

for era in old new; do
	rm -f truth
	XPT_TRUTH=truth "$XPT" run --as-root -q --json -d spdk -o t.xtr -o t.jsonl -- "${tgt}_$era" \
		-r 3 -n 5 -R want.rec >live.json 2>err || not_ok "run_$era" "$(tail -n 1 err)"
	"$XPT" report --json t.xtr >t.json
	is "replay_$era" "$(jq -c '.objects, .object_states' live.json)" "$(jq -c '.objects, .object_states' t.json)"
	# Every hit of a probe of the table, none of another, none twice.
	is "hits_$era" "$(jq -c ".probes | with_entries(select(.key | test(\"^($probes)\$\")))" truth)" \
		"$(jq -s -c 'map(select(.layer == "point") | .name) | group_by(.) | map({(.[0]): length}) | add' t.jsonl |
			jq -c --argjson t "$(jq .probes truth)" '. as $o | $t | with_entries(select($o[.key])) |
			with_entries(.value = $o[.key])')"
	is "kinds_$era" "target 1 subsystem 2 poll_group 2 controller 6 qpair $(jq .lives truth)" \
		"$(jq -r '.objects | map(.object) | reduce .[] as $o ({}; .[$o] += 1) | to_entries |
			map("\(.key) \(.value)") | join(" ")' t.json)"
	# Queue pairs in the order of their connects, with all that they belong to.
	sed -n "s/^nvmf_ctrlr_add_qpair.*qpair=\(0x[0-9a-f]*\), qid=0x\([0-9a-f]*\), subnqn='\(.*\)', hostnqn='\(.*\)'$/\1 \2 \3 \4/p" \
		want.rec >want
	jq -r '.objects[] | select(.object == "qpair") | "\(.id) \(.qid) \(.subsystem) \(.host)"' t.json >got
	holds "qpairs_$era" cmp want got
	is "threads_$era" "$(sed -n 's/^nvmf_poll_group_add_qpair.*thread=0x//p' want.rec | xargs)" \
		"$(jq -r '.objects[] | select(.object == "qpair") | .group' t.json | xargs)"
	is "gone_$era" "gone STOPPED" "$(jq -r '.objects | map(.state) | sort | unique | reverse | join(" ")' t.json)"
	is "has_$era" "9 9 9 9 2 2 2 2 2 2" "$(jq -r '.objects[] | .qpairs // empty' t.json | xargs)"
	is "with_controller_$era" 12 "$(jq '[.objects[] | select(.object == "qpair" and .controller)] | length' t.json)"
	is "states_$era" "INACTIVE 2 to_ACTIVE 3 ACTIVE 3 to_PAUSED 2 PAUSED 2 to_INACTIVE 1" \
		"$(jq -r '.object_states[] | select(.which == "cnode1") | "\(.state | gsub(" "; "_")) \(.times)"' t.json | xargs)"
	is "target_$era" "INIT_NONE INIT_CREATE_TARGET INIT_CREATE_POLL_GROUPS INIT_START_SUBSYSTEMS RUNNING FINI_STOP_SUBSYSTEMS FINI_DESTROY_SUBSYSTEMS FINI_DESTROY_POLL_GROUPS FINI_DESTROY_TARGET STOPPED" \
		"$(jq -r '.object_states[] | select(.object == "target") | .state' t.json | xargs)"
	# Events have names beside the numbers, in order.
	is "named_$era" "INACTIVE:ACTIVE ACTIVE:PAUSED PAUSED:ACTIVE ACTIVE:PAUSED PAUSED:ACTIVE ACTIVE:INACTIVE" \
		"$(jq -r 'select(.name == "nvmf_subsystem_change_state" and (.args.subnqn | endswith("cnode1"))) |
			"\(.args.current_name):\(.args.requested_name)"' t.jsonl | xargs)"
	holds "named_text_$era" sh -c '"$1" replay t.xtr | grep -q "nvmf_tgt_state.* state=RUNNING"' sh "$XPT"
	is "named_back_$era" "$(jq -c '.object_states | map(select(.object == "subsystem"))' t.json)" \
		"$("$XPT" report --json t.jsonl 2>/dev/null | jq -c '.object_states | map(select(.object == "subsystem"))')"
	# The lines have the names of the program that was traced, before all that happened, so a report of them has them, too.
	is "named_lines_$era" "target STOPPED subsystem ACTIVE" \
		"$(jq -r 'select(.type == "states") | .kind, .names[if .kind == "target" then 9 else 2 end]' t.jsonl | xargs)"
	is "named_lines_target_$era" "$(jq -r '.object_states[] | select(.object == "target") | .state' t.json | xargs)" \
		"$("$XPT" report --json t.jsonl 2>/dev/null | jq -r '.object_states[] | select(.object == "target") | .state' | xargs)"
	"$XPT" convert t.jsonl -o again.jsonl
	is "lines_again_$era" "$(grep '"type":"states"' t.jsonl)" "$(head -n 2 again.jsonl)"
	ticks=$(jq -s '[.[] | select(.name == "nvmf_tgt_state") | .args.tsc | select(. != null)] | length' t.jsonl)
	[ $era = old ] && want=10 || want=0
	is "tsc_detected_$era" $want "$ticks"
done
"$XPT" report --all t.xtr >all
holds text grep -q 'qpair  *0x7f3a10.*thread 1, qid 1, cnode' all
is fits_80 "" "$(COLUMNS=80 LC_ALL=C "$XPT" report t.xtr | awk 'length > 80')"

# --- it runs already: what was there before the trace begins with what is told of it ------------
rm -f go truth
XPT_TRUTH=truth "${tgt}_new" -g go -w 1 -r 2 -n 2 &
pid=$!
# What -d spdk would find there: the probes of its table. A hook's __EXE__ is the program, or a library of it.
"$XPT" list -d spdk -p $pid >listed 2>err
is list_domain "$("$XPT" list "usdt:${tgt}_new:spdk:*" | sed 's/.*://' | grep -vE 'exec|_fd_|dynsched|send_msg' | sort)" \
	"$(sed 's/.*://' listed | grep -vE 'exec|_fd_|dynsched|send_msg' | sort)"
is list_domain_table "" "$(grep -E ':(msg_exec|nvmf_request_io_exec_path)$' listed)"
is list_exe "$(grep ':nvmf_tgt_state$' listed)" "$("$XPT" list 'usdt:__EXE__:spdk:nvmf_tgt_state' -p $pid)"
"$XPT" list 'usdt:__EXE__:spdk:nvmf_tgt_state' 2>err
is list_exe_without "2 1" "$? $(grep -c '__EXE__ is known with -p PID only' err)"
"$XPT" attach -p $pid -d spdk -q --json -o a.jsonl >a.json 2>a.err &
rec=$!
has_link() { cat /proc/$rec/fdinfo/* | grep link_type | grep -qv raw_tracepoint; }
until_ has_link || not_ok attach_ready "$(tail -n 1 a.err)"
touch go
wait $pid
wait $rec
is attach_lives "$(jq .lives truth)" "$(jq '[.objects[] | select(.object == "qpair")] | length' a.json)"

# --- names of states: by release from a stripped program, of a release that it says -----------
last_states() { # PROGRAM
	"$XPT" run --as-root --json -q --no-file -d spdk -- "$1" -n 1 2>/dev/null |
		jq -r '.object_states[] | select(.object == "target") | .state' | tail -n 5 | xargs
}
strip -o stripped "${tgt}_new"
is by_release "FINI_STOP_SUBSYSTEMS FINI_DESTROY_SUBSYSTEMS FINI_DESTROY_POLL_GROUPS FINI_DESTROY_TARGET STOPPED" \
	"$(last_states ./stripped)"
sed 's/SPDK v24.01/SPDK v21.07/' stripped >older && chmod +x older
is by_older_release "FINI_STOP_SUBSYSTEMS FINI_DESTROY_POLL_GROUPS FINI_FREE_RESOURCES STOPPED ERROR" \
	"$(last_states ./older)"
sed 's/SPDK v24.01/SPDK v21.07/' "${tgt}_new" >newer && chmod +x newer
if ldd "$XPT" | grep -q libdw; then
	is by_enum "$(last_states ./stripped)" "$(last_states ./newer)"
fi

# --- of two releases in one trace: numbers that mean different states have no name --------------
rm -f go
./stripped -g go -w 1 -n 1 &
first=$!
./older -g go -w 1 -n 1 &
second=$!
"$XPT" attach -p $first,$second -d spdk -q -v --json -o two.jsonl >two.json 2>two.err &
rec=$!
until_ grep -q "in place" two.err || not_ok two_ready "$(tail -n 1 two.err)"
touch go
wait $first $second $rec
is two_releases "INIT_NONE,INIT_CREATE_TARGET,,," \
	"$(jq -r 'select(.type == "states" and .kind == "target") | .names | [.[0], .[1], .[7], .[8], .[9]] | join(",")' two.jsonl | tail -n 1)"
is two_releases_report "state 9" "$(jq -r '.object_states[] | select(.object == "target") | .state' two.json | tail -n 1)"

# --- names of states in a file that several programs of a package share (dwz) -----------------
shared_states() { # FILE: that lies where the programs say
	unshare -m --propagation private sh -c 'mkdir -p /usr/lib/debug && mount -t tmpfs none /usr/lib/debug &&
		mkdir /usr/lib/debug/.dwz && cp "$1" /usr/lib/debug/.dwz/xputrace-test.debug &&
		exec "$2" run --as-root --json -q --no-file -d spdk -- ./newer -n 1' - "$1" "$XPT" 2>shared.err |
		jq -r '.object_states[] | select(.object == "target") | .state' | tail -n 5 | xargs
}
if ! command -v dwz >/dev/null || ! unshare -m true 2>/dev/null; then
	echo "skip shared: no dwz, or no mount namespaces"
elif ldd "$XPT" | grep -q libdw; then
	cp newer second
	dwz -m shared.debug -M /usr/lib/debug/.dwz/xputrace-test.debug newer second
	is by_shared "$(last_states ./stripped)" "$(shared_states shared.debug)"
	# Of another build: the first byte of its build id is another one.
	at=$(LC_ALL=C grep -obUaP 'GNU\x00' shared.debug | head -n 1 | cut -d : -f 1)
	printf x | dd of=shared.debug bs=1 seek=$((at + 4)) conv=notrunc 2>/dev/null
	is not_of_another_build "$(last_states ./older)" "$(shared_states shared.debug)"
fi

# --- nothing there ------------------------------------------------------------------------------
"$XPT" run --as-root -q --no-file --no-summary -d spdk -- true 2>err
holds nothing grep -q 'no traced program has probes of spdk' err
exit $failed
