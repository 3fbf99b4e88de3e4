#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: python3
# uses: simulated_library
#
# The command line without privileges: help, mistakes and what is said about
# them, errors, list, and what report, replay and convert do with odd files
# and closed outputs.
# shellcheck disable=SC2016 # $0 of an inner shell
set -u
. tests/cli.lib
rec=$PWD/tests/replay/train.xtr

# --- help and mistakes ------------------------------------------------------------
gives no_command 2 "" "$XPT"
gives help 0 "" "$XPT" --help
gives help_h 0 "" "$XPT" -h
gives help_word 0 "" "$XPT" help
gives version 0 "" "$XPT" --version
is version_text "xputrace" "$(cut -d ' ' -f 1 "$T/out")"
for cmd in run attach list doctor report replay convert errors spdk script; do
	gives "help_$cmd" 0 "" "$XPT" $cmd --help
	cp "$T/out" "$T/help"
	gives "help_word_$cmd" 0 "" "$XPT" help $cmd
	holds "help_same_$cmd" cmp -s "$T/help" "$T/out"
	gives "wrong_option_$cmd" 2 "unknown option '--bogus'" "$XPT" $cmd --bogus
	holds "help_80_columns_$cmd" awk 'length > 80 { exit 1 }' "$T/help"
done
gives wrong_command 2 "unknown command 'reprot': did you mean report?" "$XPT" reprot
gives wrong_command_far 2 "unknown command 'xyzzy'$" "$XPT" xyzzy
gives wrong_letter 2 "unknown option '-Z'" "$XPT" report -Z
gives near_option 2 "unknown option '--conters': did you mean --counters?" "$XPT" run --conters -- true
gives no_value 2 "option '-o' needs a value" "$XPT" run -o
gives flag_value 2 "option '--quiet' takes no value" "$XPT" run --quiet=3 -- true
gives wrong_size 2 "'abc' is not a size" "$XPT" run --ring abc -- true
gives wrong_choice 2 "'foo' is not one of" "$XPT" run --attach foo -- true
gives no_cmd 2 "which command?" "$XPT" run -q --
gives no_target 2 "which processes?" "$XPT" attach
gives two_targets 2 "exclude each other" "$XPT" attach -p 1 --all
gives two_targets_short 2 "exclude each other" "$XPT" attach -p 1 -a
gives pid_without_p 2 "a process id needs -p" "$XPT" attach 4711
gives not_a_pid 2 "'abc' is not a process id" "$XPT" attach -p 1,abc
gives wrong_env 2 "'FOO' is not VAR=VALUE" "$XPT" run -E FOO -- true
# Options that take the command, or each other, as their value.
gives kernel_takes_command 2 "--kernel needs MODULE:GLOB, and 'sh' is a command: 'xputrace run --kernel MODULE:GLOB -- sh ...' runs it" \
	"$XPT" run --kernel sh x.sh
gives kernel_takes_command_letter 2 "'sh' is a command" "$XPT" run -k sh x.sh
gives kernel_no_pattern 2 "--kernel: 'no-such-command' is not MODULE:GLOB" "$XPT" run -k no-such-command -- true
gives kernel_half_pattern 2 "'nvidia:' is not MODULE:GLOB" "$XPT" attach -k nvidia: -p 1
gives probe_takes_command 2 "--probe needs PROBE, and 'sh' is a command" "$XPT" run --probe sh x.sh
gives env_takes_command 2 "--env needs VAR=VALUE, and 'sh' is a command" "$XPT" hook -e x -E sh x.sh
for o in -d -f -o --layers --device --hook; do
	gives "taken_$o" 127 "'sh' was taken as the [A-Z]* of --.*: 'xputrace run --.* -- sh ...' runs it" \
		"$XPT" run $o sh no-such-script.sh
	gives "taken_alone_$o" 2 "'sh' was taken as the" "$XPT" run $o sh
	gives "taken_option_$o" 2 "unknown option '--epochs' (is it one of 'sh'?" "$XPT" run $o sh --epochs 3
	gives "taken_dashes_$o" 2 "needs .* before the '--'" "$XPT" run $o -- true
	gives "taken_other_$o" 2 "and '--json' is an option" "$XPT" run $o --json -- true
done
# The other way round: what is meant as their value stands where the command or nothing is looked for.
for o in --stacks --devices; do
	gives "alone_$o" 127 "if 'cuMem\*' is the .* of $o, write $o=cuMem\*" "$XPT" run $o 'cuMem*' -- true
	gives "alone_attach_$o" 2 "if 'cuMem\*' is the .* of $o, write $o=cuMem\*" "$XPT" attach -p 1 $o 'cuMem*' --json
done
gives alone_not 127 "no such command" "$XPT" run --stacks -q no-such-command-anywhere
holds alone_not_silent sh -c '! grep -q "write --stacks" "$1"' - "$T/err"
gives not_taken 127 "no such command" "$XPT" run -d sh -- no-such-command-anywhere
holds not_taken_silent sh -c '! grep -q "was taken" "$1"' - "$T/err"
gives not_found 127 "no such command" "$XPT" run -- "$T/nothing"
gives not_found_path 127 "no such command" "$XPT" run -- no-such-command-anywhere
gives directory 126 "Is a directory" "$XPT" run -- /etc
: >"$T/plain"
gives not_executable 126 "Permission denied" "$XPT" run -- "$T/plain"

# --- errors -----------------------------------------------------------------------
gives errors_code 0 "" "$XPT" errors 700
is errors_code_both 2 "$(grep -c '^cud.* 700 ' "$T/out")"
holds errors_80_columns awk 'length > 80 { exit 1 }' "$T/out"
gives errors_name 0 "" "$XPT" errors OUT_OF_MEMORY
holds errors_name_text grep -q 'CUDA_ERROR_OUT_OF_MEMORY' "$T/out"
gives errors_words 0 "" "$XPT" errors 'illegal address' --domain cuda
is errors_domain 1 "$(grep -c '^cuda ' "$T/out")"
gives errors_nonsense 1 "no result 'nonsense' is known" "$XPT" errors nonsense
gives errors_near 1 "did you mean CUDA_ERROR_OUT_OF_MEMORY" "$XPT" errors CUDA_ERROR_OUT_OF_MEMROY
gives errors_empty 1 "no result '' is known" "$XPT" errors ''
gives errors_two 2 "unexpected '701'" "$XPT" errors 700 701
gives errors_domains 2 "no domain 'cuda,nvml': there are cuda, cudart, .*verbs; -d names one" "$XPT" errors -d cuda,nvml
gives errors_wrong_domain 2 "no domain 'x'" "$XPT" errors -d x

# --- list -------------------------------------------------------------------------
export LD_LIBRARY_PATH="$PWD/build/fake"
if [ -e build/fake/libcuda.so.1 ]; then
	gives list_glob 0 "" "$XPT" list 'cuMemAlloc_v?'
	is list_glob_names cuMemAlloc_v2 "$(grep -v '^#' "$T/out")"
	gives list_options_behind 0 "" "$XPT" list 'cuMemAlloc_v?' -v
	holds list_sites grep -q '^cuMemAlloc_v2 .* alloc ' "$T/out"
	holds list_costs grep -q '^cuMemAlloc_v2 .* emulated *1.70 us moved ' "$T/out"
	gives list_json 0 "" "$XPT" list --json 'cuMemAlloc*'
	holds list_json_valid python3 -m json.tool "$T/out" /dev/null
	gives list_near 3 "no function matches 'cuMemAlok': did you mean cuMemAlloc" "$XPT" list cuMemAlok
	gives list_all 0 "" "$XPT" list
	holds list_many [ "$(wc -l <"$T/out")" -gt 600 ]
	gives list_full 1 "cannot write standard output" sh -c '"$0" list >/dev/full' "$XPT"
else
	echo "skip list_library: no simulated library (make fake)"
fi
gives list_no_match 3 "no function matches 'xyzzy'$" "$XPT" list xyzzy
gives list_two 2 "quote the pattern" "$XPT" list a b
gives list_own_pid 3 "no library of a traced domain" "$XPT" list -p $$
gives list_no_pid 3 "does not exist" "$XPT" list -p 2147483646
gives list_bad_pid 2 "not a process id" "$XPT" list -p abc
gives list_no_file 1 "No such file" "$XPT" list --lib "$T/libcuda.so.1"
cp /bin/sh "$T/libother.so"
gives list_other_file 3 "not a library that is traced" "$XPT" list --lib "$T/libother.so"
echo nothing >"$T/libcuda.so.1"
gives list_bad_file 1 "not a library, or damaged" "$XPT" list --lib "$T/libcuda.so.1"
gives list_no_domain 2 "no domain 'x'" "$XPT" list -d x

# --- recordings -------------------------------------------------------------------
: >"$T/empty.xtr"
echo '{"traceEvents":[{"name":"cuInit","ph":"X","ts":1,"dur":2,"pid":3,"tid":3}]}' >"$T/other.json"
printf 'XPTRACE\0\001\0\0\0\030\0\0\0\0\0\0\0\377\377\377\377' >"$T/header.xtr"
mkdir -p "$T/here/traces"
: >"$T/here/traces/trace_latest.xtr"
for cmd in report replay convert timeline; do
	gives "${cmd}_newest" 2 "which recording?.* traces/trace_latest.xtr is the newest here" \
		sh -c 'cd "$1" && exec "$2" $3' - "$T/here" "$XPT" $cmd
done
for cmd in report replay; do
	gives "${cmd}_none" 2 "which recording?" "$XPT" $cmd
	holds "${cmd}_none_here" sh -c '! grep -q trace_latest "$1"' - "$T/err"
	gives "${cmd}_two" 2 "unexpected 'b'" "$XPT" $cmd a b
	gives "${cmd}_folder" 1 "Is a directory" "$XPT" $cmd "$T"
	gives "${cmd}_empty" 1 "is not a recording" "$XPT" $cmd "$T/empty.xtr"
	gives "${cmd}_program" 1 "is not a recording" "$XPT" $cmd /bin/sh
	gives "${cmd}_json" 1 "holds JSON, but does not begin with a line of a trace" "$XPT" $cmd "$T/other.json"
	gives "${cmd}_bad_header" 1 "damaged in its header" "$XPT" $cmd "$T/header.xtr"
	gives "${cmd}_stdin" 0 "" sh -c '"$0" "$1" - --raw <"$2"' "$XPT" $cmd "$rec"
	cp "$T/out" "$T/from_stdin"
	gives "${cmd}_file" 0 "" "$XPT" $cmd "$rec" --raw
	holds "${cmd}_stdin_same" cmp -s "$T/from_stdin" "$T/out"
	gives "${cmd}_head" 0 "" sh -c '"$0" "$1" "$2" | head -n 2' "$XPT" $cmd "$rec"
	gives "${cmd}_full" 1 "cannot write standard output: No space" \
		sh -c '"$0" "$1" "$2" >/dev/full' "$XPT" $cmd "$rec"
	is "${cmd}_full_told_once" 1 "$(wc -l <"$T/err")"
	gives "${cmd}_closed" 0 "" sh -c '"$0" "$1" "$2" >&-' "$XPT" $cmd "$rec"
done
gives section 0 "" "$XPT" report "$rec" --section leaks,verdict
is section_titles "Memory not freed,Findings" "$(grep '^[^ ]' "$T/out" | paste -sd ,)"
gives section_twice 0 "" "$XPT" report "$rec" -s leaks -s verdict
is section_twice_titles "Memory not freed,Findings" "$(grep '^[^ ]' "$T/out" | paste -sd ,)"
gives section_unknown 2 "no section 'foo': there are summary, .*functions.* verdict$" \
	"$XPT" report "$rec" -s leaks,foo
gives section_empty_name 2 "no section ''" "$XPT" report "$rec" -s leaks,
gives section_none 0 "" "$XPT" report "$rec" -s errors
is section_none_text "" "$(cat "$T/out")"
gives csv_and_json 2 "not both" "$XPT" report "$rec" --csv --json
gives csv_one 0 "" "$XPT" report "$rec" --csv -s leaks
is csv_leaks "cuMemAlloc_v2,device,1048576,3,3145728" "$(sed -n 2p "$T/out" | cut -d , -f 1-5)"
gives csv_head 0 "" "$XPT" report "$rec" --csv -s errors
is csv_head_only "function,error,code,calls" "$(cat "$T/out")"
gives csv_full 1 "cannot write standard output: No space" \
	sh -c '"$0" report --csv "$1" >/dev/full' "$XPT" "$rec"
gives convert_none 2 "to what?" "$XPT" convert "$rec"
gives convert_unknown 2 "cannot tell the format of .*x.foo" "$XPT" convert "$rec" -o "$T/x.foo"
gives convert_no_folder 1 "No such file" "$XPT" convert "$rec" -o "$T/no/x.jsonl"
# Into a pipe or file nothing is cut; COLUMNS says how wide text may be.
shortened() { "$XPT" report --all tests/replay/error.xtr 2>&1 | grep -c '\(…\|~$\)'; }
is columns_pipe 0 "$(unset COLUMNS; shortened)"
holds columns_80 [ "$(COLUMNS=80 shortened)" -gt 0 ]
is columns_wide 0 "$(COLUMNS=300 shortened)"
is columns_no_number 0 "$(COLUMNS=x shortened)"
cp "$rec" "$T/a.xtr"
ln -s a.xtr "$T/link.xtr"
cd "$T" || exit 1
gives convert_itself 2 "would overwrite" "$XPT" convert a.xtr -o ./a.xtr
gives convert_link 2 "would overwrite" "$XPT" convert a.xtr -o link.xtr
gives convert_stdin_itself 2 "would overwrite" sh -c '"$0" convert - -o a.xtr <a.xtr' "$XPT"
holds convert_kept cmp -s a.xtr "$rec"
gives convert_twice 2 "are the same file" "$XPT" convert a.xtr -o b.jsonl -o ./b.jsonl
holds convert_twice_nothing_left [ ! -e b.jsonl ]
echo precious >c.jsonl
gives convert_one_wrong 2 "cannot tell" "$XPT" convert a.xtr -o c.jsonl -o d.foo
is convert_wrong_kept precious "$(cat c.jsonl)"
gives convert_both 0 "" "$XPT" convert a.xtr -o c.jsonl -o c.xtr
holds convert_lines [ "$(wc -l <c.jsonl)" -gt 100 ]
ln -s /dev/full full.jsonl
gives convert_full 1 "cannot write full.jsonl: No space" "$XPT" convert a.xtr -o full.jsonl
gives convert_limit 0 "has reached its limit of 4.0 KiB" "$XPT" convert a.xtr -o e.jsonl --max-size 4K
holds convert_limit_kept [ "$(wc -c <e.jsonl)" -le 4096 ]
# Names in a library that anybody may have made: no escape sequence and no second line reaches the terminal.
mkdir lib
name=cuXQA31mredZcuForged
printf '.globl %s\n.type %s,@function\n%s: ret\n.section .note.GNU-stack,"",@progbits\n' $name $name $name >lib/x.s
if cc -shared -nostdlib -Wl,-soname,libcuda.so.1 -o lib/libcuda.so.1 lib/x.s 2>/dev/null; then
	LC_ALL=C sed -i "s/$name/cuX\\x1b[31mred\\ncuForged/g" lib/libcuda.so.1
	for how in "" -v; do
		# shellcheck disable=SC2086 # none or one
		"$XPT" list $how --lib lib/libcuda.so.1 '*' >list.out 2>&1
		is "list_names$how" "1 0 0" "$(grep -c 'cuX?\[31mred?cuForged' list.out) $(grep -c '^cuForged' list.out) $(LC_ALL=C grep -c "$(printf '\033')" list.out)"
	done
else
	not_ok list_names "no library could be built"
fi
exit $failed
