#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 sdt
# uses: traced_kernel_functions
#
# The recipes of docs/hooks.md, each run as it is written there, on programs that count
# what they do. A recipe without a check here is a failure. Those that need a GPU driver
# run in the virtual machine (tests/vm/driver.sh), and here on a function that is there.
. tests/bpf/lib.sh
need_bpf

mkdir "$T/bin" "$T/recipes"
printf '#!/bin/sh\nexec "$@"\n' >"$T/bin/sudo"
chmod +x "$T/bin/sudo"
ln -s "$XPT" "$T/bin/xputrace"
for w in train error; do ln -s "$E/$w" "$T/recipes/"; done
for w in sdt ioctls; do ln -s "$W/$w" "$T/recipes/"; done
ln -s "$B/fake/spdk_tgt_new" "$T/recipes/nvmf_tgt"
doc=$PWD/docs/hooks.md
export XPUTRACE_HOOKS=$PWD/examples/hooks
cd "$T/recipes" || exit 1
unset SUDO_UID SUDO_GID SUDO_USER

# --- what came out, and what is true ------------------------------------------------------
rows() { # "KEYS COUNT" of rows "@NAME[KEYS]: COUNT", sorted
	sed -n 's/^@[A-Za-z_0-9]*\[\(.*\)\]: \([0-9]*\)$/\1 \2/p' out | LC_ALL=C sort
}
truth() { # JQ: "KEY COUNT" lines
	jq -r "$1" truth | LC_ALL=C sort
}
calls() { truth '.calls | to_entries[] | "\(.key) \(.value)"'; }
errors() { # by function, with the result or without
	if [ "${1-}" = result ]; then
		truth '.errors | to_entries[] | .key as $f | .value | to_entries[] | "\($f), \(.key) \(.value)"'
	else
		truth '.errors | to_entries[] | "\(.key) \([.value[]] | add)"'
	fi
}
# Names that two functions share have their addresses behind them.
messages() { rows | sed 's/ (0x[0-9a-f]*)//' | awk '{ n[$1] += $2 } END { for (f in n) print f, n[f] }' | LC_ALL=C sort; }
true_messages() { truth '.messages | to_entries[] | "\(.key) \(.value)"'; }
# Rows "[LOW, HIGH) COUNT |" of a histogram that have hits.
buckets() { sed -n 's/^\(\[.*)\) *\([1-9][0-9]*\) |.*/\1 \2/p' out; }
hits() { buckets | awk '{ n += $NF } END { print n + 0 }'; }

# same NAME WANT GOT: both may be long
same() {
	if [ -n "$2" ] && [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "expected '$(echo "$2" | head -n 3 | xargs)', got '$(echo "$3" | head -n 3 | xargs)'"
	fi
}

# --- one recipe ----------------------------------------------------------------------------
judge() { # NAME LINE
	case $2 in
	*"cu* count by func' -- ./train"*) same "$1" "$(calls)" "$(rows)" ;;
	*"cuMemAlloc_v2 hist(bytesize)"*)
		same "$1" "[1G, 2G) $(jq .calls.cuMemAlloc_v2 truth) $(jq .allocated_bytes truth)" \
			"$(buckets) $(jq -r '.hooks[0].sum' sums)" ;;
	*"if failed' -- ./error"*)
		same "$1" "$(errors | awk '{ n += $2 } END { print n }')" "$(grep -c ' CUDA_ERROR_' out)" ;;
	*"if failed count by func, result"*)
		same "$1" "$(errors result | awk '{ print $1 $3 }' | LC_ALL=C sort)" \
			"$(rows | awk '{ print $1 $3 }' | LC_ALL=C sort)" ;;
	*"-o calls.jsonl"*)
		same "$1" "$(calls)" "$(jq -r 'select(.phase == "X") | .name' calls.jsonl | LC_ALL=C sort | uniq -c |
			awk '{ print $2, $1 }')" ;;
	*"duration > 1us"*) same "$1" 0 "$(slow)" ;;
	*"hist(gap)"*) same "$1" "$(($(jq .calls.cuLaunchKernel truth) - 1))" "$(hits)" ;;
	*"-i 1s "*"spdk_thread_send_msg count by usym(arg1) as send_msg'"*)
		sed -n '/^Hooks$/,$p' out >last && mv last out
		same "$1" "$(true_messages)" "$(messages)" ;;
	*"spdk_thread_send_msg count by usym(arg1) as send_msg'"*) same "$1" "$(true_messages)" "$(messages)" ;;
	*"nvmf_* count by func"*)
		same "$1" "$(truth '.probes | to_entries[] | select(.key | startswith("nvmf_")) | "spdk:\(.key) \(.value)"')" "$(rows)" ;;
	*"nvmf_ctrlr_add_qpair count by str(arg4)"*)
		same "$1" "$(jq .probes.nvmf_ctrlr_add_qpair truth) 0" "$(rows | awk '{ n += $NF; bad += !/^nqn\./ } END { print n, bad + 0 }')" ;;
	*"nvmf_ctrlr_add_qpair count by str(arg3), str(arg4)"*)
		same "$1" "$(jq .probes.nvmf_ctrlr_add_qpair truth) 0" "$(rows | sed 's/cnode/host/' | awk '{ n += $NF; bad += !/^nqn\./ || $1 != $2 "," } END { print n, bad + 0 }')" ;;
	*"-f nvmf_states"*)
		same "$1" "$(jq '.probes | "\(.nvmf_tgt_state) \(.nvmf_subsystem_change_state)"' truth)" \
			"\"$(sed -n 's/^@target\[[A-Z_]*\]: //p' out | add_up) $(sed -n 's/^@subsystem\[[A-Z]*, [A-Z]*\]: //p' out | add_up)\"" ;;
	*"list --as-hooks cuda >cuda.hook"*) loads "$1" ;;
	*"kernel:nvidia:"*) holds "$1" grep -q '^@ksys_mmap_pgoff\[train\]: [1-9][0-9]* values, average [1-9]' out ;;
	*"tracepoint:syscalls:sys_enter_openat"*) holds "$1" grep -q '^@sys_enter_openat\[/etc/ld.so.cache\]: [1-9]' out ;;
	*"ioctl:/dev/random:RNDGETENTCNT"*)
		same "$1" "@RNDGETENTCNT[OK]: 10 values, average 256, largest 256" "$(grep '^@' out)" ;;
	*) not_ok "$1" "this recipe has no check: $2" ;;
	esac
}

# Rows by function and stack that cannot be: more than the program's calls, or no stack of its code.
slow() {
	rm -f stacks
	jq -r '.hooks[] | "\(.key | split(", ")[0]) \(.hits) \(.key | test(", [a-z_0-9]+\\+0x"))"' sums >stacks
	while read -r f n from_code; do
		[ "$n" -le "$(jq ".calls.$f // 0" truth)" ] && [ "$from_code" = true ] || echo "$f $n $from_code"
	done <stacks | wc -l
}

loads() { # NAME: what is printed is read again, and traces the same
	XPT_TRUTH=$PWD/truth xputrace hook -q -f cuda.hook -o calls.jsonl -- ./train >out 2>err
	status=$?
	same "$1" "0 $(calls)" "$status $(jq -r 'select(.phase == "X") | .name' calls.jsonl | LC_ALL=C sort | uniq -c | awk '{ print $2, $1 }')"
	holds "$1_check" xputrace hook --check -f cuda.hook
}

# Where the recipe needs sums as numbers, it runs again with --json.
recipe() { # NAME LINE
	line=$2
	case $line in *"'kernel:nvidia:"*)
		line=$(echo "$line" | sed "s/kernel:nvidia:[A-Za-z_]*/kernel:vmlinux:ksys_mmap_pgoff/")
		"$XPT" hook -q -e 'kernel:vmlinux:ksys_mmap_pgoff count' -- true >/dev/null 2>err ||
			{ echo "skip $1: $(tail -n 1 err)"; return; } ;;
	esac
	rm -f truth calls.jsonl sums out
	XPT_TRUTH=$PWD/truth sh -c "$line" >out 2>err </dev/null
	status=$?
	case $line in *"-- ./error") want=$(./error >/dev/null 2>&1; echo $?) ;; *) want=0 ;; esac
	[ $status = "$want" ] || { not_ok "$1" "exit status $status: $line ($(tail -n 1 err))"; return; }
	case $line in *bytesize* | *"duration > 1us"*)
		rm -f truth
		XPT_TRUTH=$PWD/truth sh -c "$(echo "$line" | sed 's/hook /hook --json /')" >sums 2>err </dev/null ;;
	esac
	judge "$1" "$2"
}

PATH=$T/bin:$PATH
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$doc" >"$T/lines"
nr=0
while read -r line; do
	nr=$((nr + 1))
	recipe recipe_$nr "$line"
done <"$T/lines"
holds recipes test "$nr" -ge 14
exit $failed
