#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 900
# needs: bpf jq python3
# uses: tmpfs
#
# Where a trace goes: files and what becomes of them when the disk is full or
# xputrace is killed, limits, the default file, standard output that is closed,
# full or a pipe, JSON.
# shellcheck disable=SC2016,SC2086 # $0 of an inner shell; $train is a list
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf
train="$E/train --iterations 40 --bytes 4M"
calls=$((6 + 13 * 40))	# what it makes: 6 before the loop, 13 in each round
cd "$T" || exit 1
run() { # NAME STATUS TEXT OPTION...: traces $train
	n=$1 s=$2 t=$3
	shift 3
	# shellcheck disable=SC2086
	gives "$n" "$s" "$t" "$XPT" run --as-root -q --no-summary "$@" -- $train
}
# shellcheck disable=SC2317 # called by name
bigger() { [ "$(wc -c <"$1")" -gt "$2" ]; }
# shellcheck disable=SC2317
lines_are_whole() { jq -c . "$1" >/dev/null; }

# --- -o -----------------------------------------------------------------------------
run both 0 "driver library" -o a.jsonl -o a.xtr
is both_lines $calls "$(wc -l <a.jsonl)"
holds both_recording "$XPT" report a.xtr >/dev/null
run again 0 "driver library" -o a.jsonl
is again_not_longer $calls "$(wc -l <a.jsonl)"
run phases 0 "driver library" --phases -o p.jsonl
is phases_both "$calls B,$calls E," "$(jq -r .phase p.jsonl | sort | uniq -c | sed 's/^ *//' | tr '\n' ,)"
run unknown 2 "cannot tell the format of 'x.foo'.*\.xtr" -o x.foo
run same 2 "are the same file" -o s.jsonl -o ./s.jsonl
run no_folder 1 "cannot write no/x.jsonl: No such file" -o no/x.jsonl
run both_kinds 2 "exclude each other" -o x.jsonl --no-file
mkdir folder.jsonl
run folder 1 "Is a directory" -o folder.jsonl
echo precious >kept.jsonl
gives kept_if_not_run 127 "no such command" "$XPT" run -o kept.jsonl -- no-such-command
is kept precious "$(cat kept.jsonl)"
gives removed_if_not_run 126 "interpreter" sh -c 'printf "#!/no/such\n" >s; chmod 755 s; exec "$0" \
	run -q -o removed.jsonl -- ./s' "$XPT"
holds removed [ ! -e removed.jsonl ]

# --- full disks ---------------------------------------------------------------------
ln -s /dev/full full.jsonl
ln -s /dev/full full.xtr
run full_lines 1 "cannot write full.jsonl: No space left" -o full.jsonl
run full_recording 1 "cannot write full.xtr: No space left" -o full.xtr
mkdir small
if mount -t tmpfs -o size=400k small small 2>/dev/null; then
	short=$train
	train="$W/storm --iterations 200000"
	run small_recording 1 "cannot write small/t.xtr: No space left" -o small/t.xtr
	holds small_recording_readable "$XPT" report small/t.xtr >/dev/null
	rm -f small/*
	train="$E/train --iterations 400 --bytes 4M"
	run small_lines 1 "cannot write small/t.jsonl: No space left" -o small/t.jsonl
	holds small_lines_whole lines_are_whole small/t.jsonl
	holds small_lines_many [ "$(wc -l <small/t.jsonl)" -gt 100 ]
	umount small
	train=$short
else
	echo "skip small_disk: tmpfs cannot be mounted"
fi

# --- limits -------------------------------------------------------------------------
run limit_lines 0 "l.jsonl has reached its limit of 20.0 KiB" --max-size 20K -o l.jsonl
holds limit_lines_kept [ "$(wc -c <l.jsonl)" -le 20480 ]
holds limit_lines_whole lines_are_whole l.jsonl
run limit_recording 0 "l.xtr has reached its limit of 20.0 KiB" --max-size 20K -o l.xtr
is limit_recording_totals $calls "$("$XPT" report --json l.xtr | jq .summary.calls)"
run no_limit 0 "driver library" --max-size 0 -o l.jsonl
is no_limit_lines $calls "$(wc -l <l.jsonl)"

# --- the default files --------------------------------------------------------------
stem() { basename "$(readlink "traces/trace_latest.$1")" ".$1"; }
run default_empty 3 "none was called" -f cuGraphLaunch --require
holds default_empty_no_folder [ ! -e traces ]
run default 0 "the trace is in traces/trace_[0-9]*_[0-9]*.xtr, as JSON lines in traces/trace_[0-9]*_[0-9]*.jsonl"
holds default_next_is_last sh -c 'tail -n 1 err | grep -q "^xputrace: xputrace report --all traces/trace_latest.xtr "'
next=$(sed -n '$s/^xputrace: xputrace \(.*\) (.*/\1/p' err)
is default_next_works $calls "$("$XPT" $next --json | jq .summary.calls)"
is default_lines $calls "$(jq -s length traces/trace_latest.jsonl)"
holds default_lines_whole lines_are_whole traces/trace_latest.jsonl
first=$(stem xtr)
is default_one_name "$first" "$(stem jsonl)"
# Whoever types the name of the lines gets all that the recording beside them has.
lines=$(readlink -f traces/trace_latest.jsonl)
for command in "report --all" timeline replay "hist cuMemAlloc_v2"; do
	"$XPT" $command traces/trace_latest.xtr >of_recording 2>err
	for file in traces/trace_latest.jsonl "$lines"; do
		"$XPT" $command "$file" >of_lines 2>err
		holds "default_${command%% *}_of_lines" cmp of_recording of_lines
	done
done
run default_two 0 "the trace is in traces/"
is default_two_files "2 2" "$(find traces -type f -name 'trace_*.xtr' | wc -l) $(find traces -type f -name 'trace_*.jsonl' | wc -l)"
latest=$(cd traces && find . -type f -name '*.xtr' | sed 's|./\(.*\).xtr|\1|' | grep -vxF "$first")
is default_latest "$latest $latest" "$(stem xtr) $(stem jsonl)"
is default_nothing_else 6 "$(find traces -mindepth 1 | wc -l)"
run default_dropped 0 "none was called" -f cuGraphLaunch
is default_latest_stays "$latest $latest" "$(stem xtr) $(stem jsonl)"
rm traces/trace_latest.xtr
echo mine >traces/trace_latest.xtr
run default_no_link 0 "trace_latest.xtr does not lead to this trace: it is no symbolic link"
holds default_no_link_next grep -q 'xputrace report --all traces/trace_[0-9]' err
is default_no_link_kept mine "$(cat traces/trace_latest.xtr)"
holds default_other_link [ "$(stem jsonl)" != "$latest" ]
run default_limit 0 "trace_.*jsonl has reached its limit of 20.0 KiB" --max-size 20K
is default_limit_totals $calls "$("$XPT" report --json traces/trace_latest.jsonl 2>err | jq .summary.calls)"
rm -rf traces
# While they are written, too: the links lead to what can be read.
"$XPT" run --as-root -q -- "$E/train" --iterations 100000000 --seconds 250 >/dev/null 2>&1 &
pid=$!
until_ "$XPT" report traces/trace_latest.xtr >/dev/null
holds default_while_written [ -e traces/trace_latest.jsonl ]
kill -TERM $pid	# INT is ignored by what a shell has begun in the background
wait $pid
rm -rf traces
run no_file 0 "driver library" --no-file
holds no_file_none [ ! -e traces ]
: >traces
run default_impossible 1 "cannot make a file in traces/ here: it is no folder" --no-summary
rm traces

# --- standard output ----------------------------------------------------------------
# shellcheck disable=SC2086
gives json 0 "driver library" "$XPT" run --json --no-file -- sh -c "echo from the command; exec $train"
is json_pure $calls "$(jq .summary.calls out)"
holds json_command_output grep -qx "from the command" err
gives counters 0 "driver library" "$XPT" run --counters --json -- $train
is counters_exact $calls "$(jq .summary.calls out)"
holds counters_no_file [ ! -e traces ]
gives raw 0 "driver library" "$XPT" run --raw --log - --no-file -- $train
holds raw_bytes grep -q ' cuMemAlloc_v2 *4194304 ' out
gives table 0 "driver library" "$XPT" run --log - --no-file -- $train
is table_rows $calls "$(sed '/^Summary$/,$d' out | grep -c ' cu')"
holds table_80_columns [ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ]
gives quiet 0 "driver library" "$XPT" run -q --log - --no-file -- $train
is quiet_first Summary "$(head -n 1 out)"
gives head 0 "driver library" sh -c '"$0" run --log - --no-file -- $1 | head -n 2' "$XPT" "$train"
holds head_silent sh -c '! grep -q "^xputrace" err'
gives full 1 "cannot write standard output: No space" sh -c '"$0" run --log - --no-file -- $1 >/dev/full' \
	"$XPT" "$train"
is full_told_once 1 "$(grep -c '^xputrace' err)"
gives closed 0 "driver library" sh -c '"$0" run -o c.xtr -- $1 >&-' "$XPT" "$train"
holds closed_recording_good "$XPT" report c.xtr >/dev/null
gives all_closed 0 "" sh -c '"$0" run -o d.xtr -- $1 <&- >&- 2>&-' "$XPT" "$train"
holds all_closed_recording_good "$XPT" report d.xtr >/dev/null

# --- killed in the middle -----------------------------------------------------------
XPT_TRUTH=$T/truth "$XPT" run --as-root -q -o k.xtr -o k.jsonl -- "$E/train" --iterations 1000000 \
	--bytes 4M --seconds 250 --until "$T/enough" >/dev/null 2>&1 &
pid=$!
until_ bigger k.xtr 50000
until_ bigger k.jsonl 400000
child=$(pgrep -P $pid train)
kill -9 $pid
wait $pid
is killed_status 137 $?
holds killed_program_goes_on kill -0 "$child"
holds killed_recording "$XPT" report k.xtr >k.report
holds killed_recording_says grep -q "the trace was cut" k.report
holds killed_lines lines_are_whole k.jsonl
: >"$T/enough"
holds killed_program_ends until_ gone "$child"
is killed_program_unharmed 0 "$(jq '.errors | length' truth)"
exit $failed
