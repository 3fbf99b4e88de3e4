#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: jq
#
# report --compare: what is listed and what is noise, from recordings of known
# counters and from those of the examples.
# shellcheck disable=SC2016 # $0 of an inner shell
set -u
. tests/cli.lib
rec=$PWD/tests/replay

# run NAME ARGUMENT...: a recording $T/NAME.xtr
run() {
	r_name=$1
	shift
	"$rec/make-run" "$T/$r_name.xtr" "$@" || not_ok "make_$r_name" "make-run failed"
}

# says NAME A B JQ_EXPRESSION WANT: of the JSON form
says() {
	s_got=$("$XPT" report --compare "$T/$2.xtr" "$T/$3.xtr" --json | jq -rc "$4")
	is "$1" "$5" "$s_got"
}

compare() { # NAME STATUS TEXT A B [OPTION...]
	c_name=$1 c_status=$2 c_text=$3 c_a=$T/$4.xtr c_b=$T/$5.xtr
	shift 5
	gives "$c_name" "$c_status" "$c_text" "$XPT" report --compare "$c_a" "$c_b" "$@"
}

run base cuMemAlloc_v2:100:20000:1048576 cuLaunchKernel:100000:5000 cuCtxSynchronize:100:1000000

# The same program twice: nothing but the sums.
compare same 0 "" base base --fail-above 0%
is same_titles Comparison "$(grep '^[^ ]' "$T/out")"
says same_keys base base 'keys_unsorted|join(" ")' "schema_version comparison records_dropped"
says same_price base base '.comparison.price' 1

# Slower launches: 20 % and 0.1 s of 10 s.
run slower cuMemAlloc_v2:100:20000:1048576 cuLaunchKernel:100000:6000 cuCtxSynchronize:100:1000000
says slower base slower '.changed_functions|map([.function,.mean_a_ns,.mean_b_ns,.extra_ns])' \
	'[["cuLaunchKernel",5000,6000,100000000]]'
says faster slower base '.changed_functions|map(.extra_ns)' '[-100000000]'
says slower_counts base slower '.changed_counts' null
compare slower_fails 1 "calls are 16.6 % slower than before" base slower --fail-above 16%
compare slower_passes 0 "" base slower --fail-above 17%
compare slower_no_limit 0 "" base slower
compare faster_passes 0 "" slower base --fail-above 0%

# Times whose sums no integer holds, as a damaged recording has them.
run beyond cuLaunchKernel:4000000000000000000:4 cuInit:1:1
run before cuLaunchKernel:20:1 cuInit:1:1
compare beyond_ends 0 "" before beyond
says beyond before beyond '.changed_functions|map(.extra_ns > 9e18)' '[true]'

# Not beyond noise: 9 % slower; or 30 % of what takes 2 ms of 10 s.
run noise cuMemAlloc_v2:100:26000:1048576 cuLaunchKernel:100000:5450 cuCtxSynchronize:100:1000000
says noise base noise '.changed_functions' null
# Too few calls for a mean.
run few_a cuModuleLoadData:4:100000000 cuInit:5:1
run few_b cuModuleLoadData:4:300000000 cuInit:5:1
says few few_a few_b '.changed_functions' null

# Calls: twice as many in the same time; as many a second for twice as long; as
# many in half the time.
run more cuMemAlloc_v2:100:20000:2097152 cuLaunchKernel:200000:5000 cuCtxSynchronize:100:1000000
says more base more '.changed_counts|map([.function,.calls_a,.calls_b,.change,.bytes_change])' \
	'[["cuLaunchKernel",100000,200000,1,null],["cuMemAlloc_v2",100,100,0,1]]'
compare more_fails 1 "calls take 83.1 % more time than before" base more --fail-above 50%
run longer --wall 20 cuMemAlloc_v2:200:20000:2097152 cuLaunchKernel:200000:5000 \
	cuCtxSynchronize:200:1000000
says longer base longer '.changed_counts' null
compare longer_passes 0 "" base longer --fail-above 0%
run quicker --wall 5 cuMemAlloc_v2:100:20000:1048576 cuLaunchKernel:100000:5000 \
	cuCtxSynchronize:100:1000000
says quicker base quicker '.changed_counts' null
run other_fn cuMemAlloc_v2:100:20000:1048576 cuLaunchKernelEx:100000:5000 cuCtxSynchronize:100:1000000
says new_and_gone base other_fn '.changed_counts|map([.function,.calls_a,.calls_b])' \
	'[["cuLaunchKernel",100000,0],["cuLaunchKernelEx",0,100000]]'

# Errors that were not there before.
run failing cuMemAlloc_v2:100:20000:1048576:2 cuLaunchKernel:100000:5000 cuCtxSynchronize:100:1000000
says new_errors base failing '.new_errors|map([.function,.error,.calls_b])' \
	'[["cuMemAlloc_v2","CUDA_ERROR_OUT_OF_MEMORY",100]]'
says old_errors failing failing '.new_errors' null

# Runs that cannot be compared say so, and do not pass a limit.
run other --program serve cuLaunchKernel:100000:5000
run partial --partial "only a sample" cuLaunchKernel:100000:5000
run cut --cut cuLaunchKernel:100000:5000
says other_program base other .comparison.comparable "no: different programs, train and serve"
says partial_b base partial .comparison.comparable "no: $T/partial.xtr is partial: only a sample"
says both_partial partial partial .comparison.comparable yes
says cut_short base cut .comparison.comparable "no: $T/cut.xtr was cut short"
compare other_fails 1 "cannot be compared (no: different programs" base other --fail-above 50%
compare other_is_shown 0 "" base other

# The examples: text of 80 columns, findings, memory.
gives examples 0 "" sh -c 'cd "$1" && LC_ALL=C "$0" report --compare train.xtr error.xtr' "$XPT" "$rec"
holds examples_80_columns awk 'length > 80 { exit 1 }' "$T/out"
holds examples_finding grep -q "CUDA_ERROR_ILLEGAL_ADDRESS" "$T/out"
holds examples_memory grep -q "device *1.0 GiB *1.0 KiB" "$T/out"
gives as_csv 0 "" "$XPT" report --compare "$T/base.xtr" "$T/slower.xtr" --csv
holds as_csv_row grep -q "^cuLaunchKernel,100000,100000,5000,6000,0.2," "$T/out"

# The command line.
gives one_file 2 "compare .* with what?" "$XPT" report --compare "$T/base.xtr"
gives three_files 2 "unexpected 'c'" "$XPT" report --compare a b c
gives two_stdin 2 "only one of them" "$XPT" report --compare - -
gives not_a_share 2 "'5' is not a share, such as 5%" "$XPT" report --compare a b --fail-above 5
gives limit_alone 2 "is for --compare" "$XPT" report "$T/base.xtr" --fail-above 5%
gives no_section 2 "not for comparisons" "$XPT" report --compare a b -s leaks
gives no_file 1 "No such file" "$XPT" report --compare "$T/base.xtr" "$T/none.xtr"
gives full 1 "cannot write standard output: No space" \
	sh -c '"$0" report --compare "$1" "$1" >/dev/full' "$XPT" "$T/base.xtr"
gives damaged 1 "is damaged" sh -c '{ cat "$1"; echo rubbish of more than 24 bytes; } >"$2.xtr"
	"$0" report --compare "$1" "$2.xtr"' "$XPT" "$T/base.xtr" "$T/bad"
gives stdin_ok 0 "" sh -c '"$0" report --compare - "$1" <"$1"' "$XPT" "$T/base.xtr"
exit $failed
