#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
#
# Standard output is the command's, or data; table and summary are beside it:
# on standard error, in a log, and never in somebody's pipe.
# shellcheck disable=SC2016,SC2086 # $0 of an inner shell; $train is a list
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf
train="$E/train --iterations 40 --bytes 4M"
calls=$((6 + 13 * 40))	# what it makes: 6 before the loop, 13 in each round
cd "$T" || exit 1
printf '#!/no/such\n' >s
chmod 755 s

echo='echo "{\"a\": 7}"; exec '
gives ours_is_stderr 0 "^Summary$" "$XPT" run --no-file -- sh -c "$echo $train"
is command_alone 7 "$(jq .a out)"
is ours_is_stderr_rows $calls "$(sed '/^Summary$/,$d' err | grep -c ' cu')"
gives log_file 0 "driver library" "$XPT" run --no-file --log log.txt -- sh -c "$echo $train"
is log_command_alone 7 "$(jq .a out)"
is log_rows $calls "$(sed '/^Summary$/,$d' log.txt | grep -c ' cu')"
holds log_stderr_silent sh -c '! grep -q Summary err'
gives log_again 0 "driver library" "$XPT" run -q --no-file --log log.txt -- $train
is log_is_new Summary "$(head -n 1 log.txt)"
gives log_json 0 "driver library" "$XPT" run --json --no-file --log log.json -- sh -c "$echo $train"
is log_json_calls $calls "$(jq .summary.calls log.json)"
is log_json_command_alone 7 "$(jq .a out)"
gives log_same 2 "are the same file" "$XPT" run -o x.jsonl --log x.jsonl -- $train
gives log_removed 126 "interpreter" "$XPT" run --no-file --log removed.txt -- ./s
holds log_is_removed [ ! -e removed.txt ]
gives log_full 1 "cannot write /dev/full: No space" "$XPT" run --no-file --log /dev/full -- $train
gives lines 0 "^Summary$" "$XPT" run -o - -- sh -c "$echo $train"
is lines_pure $calls "$(jq -s 'map(select(.name)) | length' out)"
holds lines_command_output grep -qx '{"a": 7}' err
gives lines_head 0 "driver library" sh -c '"$0" run -q -o - -- $1 | head -n 1 >one' "$XPT" "$train"
is lines_head_one cuInit "$(jq -r .name one)"
gives lines_and_json 2 "both want standard output" "$XPT" run --json -o - -- $train
gives lines_and_log 2 "both want standard output" "$XPT" run --log - -o - -- $train
gives lines_and_json_log 0 "driver library" "$XPT" run --json --log log.json -o - -- $train
is lines_and_json_log_both "$calls $calls" "$(jq -s length out) $(jq .summary.calls log.json)"
"$XPT" run --as-root -q -o conv.xtr -- $train >/dev/null 2>&1
gives convert_lines 0 "" "$XPT" convert conv.xtr -o -
is convert_lines_all $calls "$(jq -s length out)"
gives append 0 "" sh -c 'echo first >appended; "$0" convert conv.xtr -o - >>appended' "$XPT"
is append_keeps first "$(head -n 1 appended)"
exit $failed
