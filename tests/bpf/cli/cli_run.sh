#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3
# uses: programs_32
#
# run: exit statuses, commands of every kind, what is asked for with -f, -d and
# --require, and the environment of the command.
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf
run() { # NAME STATUS TEXT [OPTION...] -- COMMAND...
	n=$1 s=$2 t=$3
	shift 3
	gives "$n" "$s" "$t" "$XPT" run --as-root -q --no-summary --no-file "$@"
}

for s in 0 3 126 127 255; do
	run "exit_$s" $s "none was called" -- sh -c "exit $s"
done
run exit_signal 137 "killed by signal 9 (Killed)" -- sh -c 'kill -9 $$'
run exit_abort 134 "killed by signal 6 (Aborted)" -- sh -c 'ulimit -c 0; kill -ABRT $$'
run not_found 127 "no such command" -- no-such-command-anywhere
run in_path 0 "none was called" -- true
run dash_argument 0 "none was called" -- echo -n --help
is dash_argument_text --help "$(cat "$T/out")"
run no_dashes 4 "none was called" sh -c 'exit 4' --json
run stdin 0 "none was called" -- cat

# --- kinds of programs --------------------------------------------------------------
cd "$T" || exit 1
printf '#!/bin/sh\necho "script $*"; exit 5\n' >script
printf 'echo "plain $*"; exit 6\n' >plain
printf '#!/no/such/interpreter -x\n' >orphan
: >empty
chmod 755 script plain orphan empty
run script 5 "none was called" -- ./script a -b
is script_arguments "script a -b" "$(cat out)"
run without_interpreter_line 6 "none was called" -- ./plain a -b
is without_interpreter_arguments "plain a -b" "$(cat out)"
run empty 0 "none was called" -- ./empty
run no_interpreter 126 "interpreter /no/such/interpreter: No such file" -- ./orphan
tiny_elf static 64 7
run static 7 "statically linked" -- ./static
tiny_elf other_machine arm 0
run other_machine 126 "for another machine" -- ./other_machine
head -c 70 static >cut_elf
chmod 755 cut_elf
run cut_elf 126 "Exec format error" -- ./cut_elf
tiny_elf narrow 32 8
if ./narrow 2>/dev/null; [ $? = 8 ]; then
	run 32_bit 8 "is a 32-bit program" -- ./narrow
else
	echo "skip 32_bit: this kernel runs no 32-bit programs"
fi
cp "$E/train" stripped
strip stripped 2>/dev/null
run stripped 0 "driver library" -f 'cuMemAlloc*' --require -- ./stripped --iterations 2
cd - >/dev/null || exit 1

# --- environment --------------------------------------------------------------------
# What tracing needs for itself, the command does not get: ignored signals, more files.
# shellcheck disable=SC2016
(
	ulimit -Sn 256
	echo 'echo "$(grep SigIgn /proc/self/status) $(ulimit -Sn)"' >"$T/inherited"
	sh "$T/inherited" >"$T/without"
	"$XPT" run --as-root -q --no-summary --no-file -- sh "$T/inherited" >"$T/with" 2>/dev/null
	"$XPT" run --as-root -q --no-summary --no-file -k 'vmlinux:vfs_*' --kernel-max 3000 -- \
		sh "$T/inherited" >"$T/with_kernel" 2>/dev/null
)
is inherited "$(cat "$T/without")" "$(cat "$T/with")"
is inherited_kernel "$(cat "$T/without")" "$(cat "$T/with_kernel")"
# shellcheck disable=SC2016
run env 0 "none was called" --env A=1 -E "B=x y" -E A=2 -E C= -- sh -c 'echo "$A$B${C-unset}"'
is env_text "2x y" "$(cat "$T/out")"
run env_library 0 "driver library" -E "LD_LIBRARY_PATH=$B/fake" --require -- "$E/train" --iterations 1
# What this script itself was started with is inherited by both: only more than that is a leak.
count_fds='ls /proc/self/fd | grep -vcx "[0123]" || :'
run fds 0 "none was called" -- sh -c "$count_fds"
own=$(sh -c "$count_fds" </dev/null)
is no_extra_fds "$own" "$(cat "$T/out")"

# --- what is traced -----------------------------------------------------------------
run require_nothing 3 "none was called" --require -- true
run require_own_failure 9 "none was called" --require -- sh -c 'exit 9'
run require_something 0 "driver library" --require -- "$E/train" --iterations 1
run near_function 3 "no function matches 'cuMemAlok\*': did you mean cuMemAlloc" \
	-f 'cuMemAlok*' -- touch "$T/started"
holds near_function_not_started [ ! -e "$T/started" ]
gives one_function 0 "no function matches 'cuFoo'$" "$XPT" run -q --no-summary -o "$T/f.jsonl" \
	-f cuMemFree -f cuFoo -- "$E/train" --iterations 3
is one_function_name "3 cuMemFree_v2" "$(jq -r .name "$T/f.jsonl" | sort | uniq -c | sed 's/^ *//')"
gives one_domain 0 "driver library" "$XPT" run -q --no-summary -o "$T/d.jsonl" -d cudart -d cuda \
	-- "$E/train" --iterations 3
is one_domain_name cuda "$(jq -r .domain "$T/d.jsonl" | sort -u)"
run wrong_domain 2 "no domain 'x'" -d x -- true
for kind in session multi perf; do
	gives "attach_$kind" 0 "driver library" "$XPT" run -q --no-summary -o "$T/$kind.jsonl" \
		--attach $kind -f cuInit -- "$E/train" --iterations 1
	is "attach_${kind}_call" cuInit "$(jq -r .name "$T/$kind.jsonl")"
done
exit $failed
