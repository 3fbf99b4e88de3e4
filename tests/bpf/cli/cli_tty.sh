#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 tmux
#
# At a terminal: the table fits 80 columns and uses wider ones, Ctrl-C ends the
# command and gives the summary, Ctrl-Z and fg work, input reaches the command.
# shellcheck disable=SC2317 # functions called by name
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf
S=xpt-cli-$$
t() { tmux -L $S -f /dev/null "$@"; }
screen() { t capture-pane -p -J -S - -t tty; }
shows() { screen | grep -q -e "$1"; }
# type TEXT...: keys, after the screen and its history were cleared
type_() {
	t send-keys -R -t tty
	t clear-history -t tty
	t send-keys -t tty "$@"
}
if ! t new-session -d -s tty -x 80 -y 24 "env PS1='> ' LD_LIBRARY_PATH=$B/fake sh -i" 2>"$T/err"; then
	echo "skip cli_tty: tmux does not start: $(head -n 1 "$T/err")"
	exit 0
fi
trap 't kill-server' EXIT
t send-keys -t tty "cd $T" Enter
run="$XPT run --no-file --no-summary --as-root"

type_ "clear; $run -- $E/train --iterations 2 --bytes 4M; echo status=\$?" Enter
holds narrow_ends until_ shows 'status=0'
holds narrow_row shows ' cuMemAlloc_v2  *4.0 MiB  *[0-9.]* .s ok$'
is narrow_unwrapped 0 "$(t capture-pane -p -S - -t tty | grep ' cu' | awk 'length > 80' | wc -l)"
is narrow_no_arguments 0 "$(screen | grep -c 'bytesize=')"

type_ "clear; $XPT doctor; echo status=\$?" Enter
holds doctor_ends until_ shows 'status=0'
is doctor_unwrapped 0 "$(t capture-pane -p -J -S - -t tty | awk 'length > 80' | grep -vc /)"

type_ "clear; $XPT list -v --lib $B/fake/libcuda.so.1 'cu*'; echo status=\$?" Enter
holds list_ends until_ shows 'status=0'
is list_unwrapped 0 "$(t capture-pane -p -J -S - -t tty | awk 'length > 80' | grep -vc /)"
holds list_reason shows '^  the first emulated instruction that every call passes$'

# Messages are broken between words, and what goes on is indented.
type_ "clear; $XPT hook -e 'call:libcuda.so*:cuMemAloc_v2 count' -- true; echo status=\$?" Enter
holds message_ends until_ shows 'status=3'
holds message_folded shows "^  'cuMemAloc_v2': did you mean cuMemAlloc_v2"

t resize-window -t tty -x 150 -y 40 2>/dev/null
type_ "clear; $run -- $E/train --iterations 2 --bytes 4M; echo status=\$?" Enter
holds wide_ends until_ shows 'status=0'
holds wide_arguments shows ' cuMemAlloc_v2 .*bytesize=4194304'

type_ "clear; $XPT run -o $T/interrupted.jsonl -q --as-root -- $E/train --iterations 100000000 --bytes 4M; echo status=\$?" Enter
holds interrupt_starts until_ shows 'driver library'
holds interrupt_calls until_ test -s "$T/interrupted.jsonl"
t send-keys -t tty C-c
holds interrupt_ends until_ shows 'status=130'
holds interrupt_summary shows '^Summary'
holds interrupt_says shows 'killed by signal 2'

# More calls than anybody can read: sums, one table below the other while a command may write
# between them, one in the place of the other where nobody does.
storm="$E/launch_storm --iterations 1000000000 --until $T/enough"
type_ "clear; XPT_TRUTH=$T/truth $run -- $storm; echo status=\$?" Enter
holds storm_sums until_ shows 'too many for lines'
holds storm_goes_on until_ sh -c "[ \"\$(tmux -L $S -f /dev/null capture-pane -p -J -S - -t tty | grep -c 'too many for lines')\" -gt 2 ]"
: >"$T/enough"
holds storm_ends until_ shows 'status=0'
rm "$T/enough"
# No call is left out: the last table of each flood and the lines between them are all there were.
type_ "clear; LD_LIBRARY_PATH=$B/fake $storm & $XPT attach --no-file --no-summary -p \$!; echo status=\$?" Enter
holds storm_attached until_ shows 'cuLaunchKernel  *[0-9,]*[0-9] '
sleep 1
is storm_in_place 1 "$(screen | grep -c 'too many for lines')"
: >"$T/enough"
holds storm_attached_ends until_ shows 'status=0'

# What ignores Ctrl-C is left alone by the second one.
type_ "clear; $run -q -- sh -c 'trap \"\" INT; echo rea''dy; sleep 60'; echo status=\$?" Enter
holds stubborn_starts until_ shows '^ready'
t send-keys -t tty C-c
sleep 1
t send-keys -t tty C-c
holds stubborn_left until_ shows 'interrupted twice: leaving process [0-9]* running'
holds stubborn_status until_ shows 'status=130'
left=$(screen | sed -n 's/.*leaving process \([0-9]*\) .*/\1/p' | head -n 1)
holds stubborn_runs kill -0 "$left"
kill -9 "$left"

# A command that reads the terminal, stopped and continued.
type_ "clear; $run -q -- sh -c 'echo rea''dy; read l; echo \"<\$l>\"; read l; echo \"<\$l>\"'; echo status=\$?" Enter
holds input_starts until_ shows '^ready'
t send-keys -t tty hello Enter
holds input until_ shows '^<hello>'
t send-keys -t tty C-z
holds stopped until_ shows 'Stopped\|suspended'
t send-keys -t tty fg Enter
t send-keys -t tty again Enter
holds continued until_ shows '^<again>'
exit $failed
