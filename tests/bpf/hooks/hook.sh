#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 sdt
# uses: libdw mount_namespace tracefs
#
# Hooks: what they add up is what the programs did, in each way of attaching; the
# recording says the same; events go everywhere; mistakes are told before anything
# runs. The recipes of docs/hooks.md are in hook_recipes.sh.
. tests/bpf/lib.sh
need_bpf

# sums NAME OPTION... : of 20 messages; the lines that begin with @, joined.
sums() {
	name=$1
	shift
	"$XPT" hook -q --as-root "$@" -- "$W/sdt" 20 >"$T/$name.out" 2>"$T/$name.err" ||
		not_ok "$name" "$(tail -n 1 "$T/$name.err")"
	got=$(sed -n 's/^@//p' "$T/$name.out" | xargs)
}

# Every 5th message fails, every 4th is a write.
for kind in auto multi perf; do
	sums $kind --attach $kind -e 'uprobe:__EXE__:send_msg count by usym(arg1) as sent' \
		-e 'call:__EXE__:send_msg /i32(retval) < 0/ count by i32(retval), comm as failed' \
		-e 'call:__EXE__:on_* count by func' -e 'usdt:__EXE__:prov:several sum(arg0)' \
		-e 'usdt:__EXE__:prov:text /str(arg0) == "nqn.two" and not arg1 == 1/ max(arg1) by str(arg0)'
	is "$kind" "sent[on_read]: 15 sent[on_write]: 5 failed[-12, sdt]: 4 on_[on_read]: 15 on_[on_write]: 5 several: 280 text[nqn.two]: 19" \
		"$got"
done
sums stack -e 'uprobe:__EXE__:on_* count by stack'
is stacks true "$(printf '%s' "$got" | grep -q '^on_\[send_msg+0x.*\]: 20$' && echo true)"
sums same_name -e 'uprobe:__EXE__:on_read count as n' -e 'uprobe:__EXE__:on_write count as n'
is same_name "n: 20" "$got"
sums linear -e 'usdt:__EXE__:prov:mixed lhist(arg4, 0, 10, 5)'
is linear "5 5 10" "$(awk '/^\[/ { print $3 }' "$T/linear.out" | xargs)"
sums gap -e 'call:__EXE__:send_msg hist(gap)'
is gaps 19 "$(awk '/^\[/ { n += $(NF - 1) ~ /^\|/ ? $(NF - 2) : 0; for (i = 2; i < NF; i++) if ($(i + 1) ~ /^\|/) m += $i } END { print m }' "$T/gap.out")"

# Without symbols there are addresses in the file; callbacks stay apart.
cat >"$T/bare.c" <<'END'
#include <stdlib.h>
__attribute__((noinline)) void give(void (*fn)(int), int i) { fn(i); }
static volatile int n;
static void first(int i) { n += i; }
static void second(int i) { n -= i; }
int main(int argc, char **argv)
{
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); i++)
		give(i % 3 ? first : second, i);
	return 0;
}
END
cc -O1 -rdynamic -o "$T/bare" "$T/bare.c" && strip "$T/bare"
"$XPT" hook -q --as-root -e 'uprobe:__EXE__:give count by usym(arg0)' -- "$T/bare" 12 >"$T/bare.out" 2>"$T/bare.err"
is bare_addresses "8 4" "$(sed -n 's/^@give\[bare+0x[0-9a-f]*\]: //p' "$T/bare.out" | xargs)"

# refused NAME STATUS TEXT HOOK: the program does not run.
refused() {
	"$XPT" hook -e "$4" -- touch "$T/ran" >"$T/out" 2>"$T/err"
	is "$1" "$2" $?
	holds "$1_text" grep -q -e "$3" "$T/err"
	holds "$1_early" test ! -e "$T/ran"
}

# Arguments by name and members of structs, by the program's debug information.
cat >"$T/typed.c" <<'END'
#include <stdint.h>
#include <stdio.h>
struct leaf { char pad[3]; int16_t small; unsigned flag : 3; int neg : 5; char tag[8]; const char *name; };
struct node { double weight; struct { struct leaf in; }; const struct leaf *leaf; struct node *next; };
typedef const struct node *node_t;
__attribute__((noinline)) int visit(float scale, node_t node, unsigned char level, long total)
{
	printf("%d %s %d %ld\n", node->leaf->small, node->next->leaf->name, level, total);
	return scale > 0 ? -level : level;
}
int main(void)
{
	struct leaf a = { .small = -7, .name = "first", .tag = "ta", .flag = 5, .neg = -3 }, b = { .small = 9, .name = "second", .tag = "tb", .flag = 2, .neg = 4 };
	struct node n2 = { .leaf = &b, .in = a }, n1 = { .leaf = &a, .next = &n2, .in = b };
	for (int i = 1; i <= 5; i++)
		visit(0.5f, i & 1 ? &n1 : &n1, (unsigned char)(250 + i), i * 1000L);
	n2.next = &n1;
	visit(0.5f, &n2, 1, 7);
	return 0;
}
END
cc -g -O1 -rdynamic -o "$T/typed" "$T/typed.c"
"$XPT" hook -q --as-root -o "$T/typed.jsonl" -e 'call:__EXE__:visit small=node->leaf->small nest=node->in.small s=str(node->next->leaf->name) t=str(node->leaf->tag) level' \
	-e 'uprobe:__EXE__:visit sum(total) by i16(node->leaf->small), str(arg1->next->leaf->name) as sums' \
	-e 'call:__EXE__:visit if level > 252 count by node->leaf->small as big' -- "$T/typed" >"$T/typed.out" 2>"$T/typed.err"
if grep -q 'argument .node. that is known' "$T/typed.err"; then
	echo "skip typed: built without libdw"
else
	is typed_events "-7 9 second ta 251;9 -7 first tb 1" "$(jq -r 'select(.layer) | .args | "\(.small) \(.nest) \(.s) \(.t) \(.level)"' "$T/typed.jsonl" |
		sed -n '1p;$p' | paste -sd ';')"
	is typed_sums "sums[-7, second]: 15000 sums[9, first]: 7 big[-7]: 3" "$(sed -n 's/^@//p' "$T/typed.out" | xargs)"
	# Stripped, with a debug file beside it: the same names of functions and arguments; without it, what is missing.
	cc -g -O1 -o "$T/typed_bare" "$T/typed.c"
	objcopy --only-keep-debug "$T/typed_bare" "$T/typed_bare.debug"
	strip "$T/typed_bare"
	refused stripped 3 "nothing there matches 'visit'" "call:$T/typed_bare:visit level"
	objcopy --add-gnu-debuglink="$T/typed_bare.debug" "$T/typed_bare"
	for place in __EXE__ "$T/typed_bare"; do
		"$XPT" hook -q --as-root -o "$T/linked.jsonl" -e "call:$place:visit small=node->leaf->small level" -- \
			"$T/typed_bare" >"$T/linked.out" 2>"$T/linked.err"
		is linked_names "6 visit -7 251" "$(jq -s -r 'map(select(.name == "visit")) | "\(length) \(.[0].name) \(.[0].args | "\(.small) \(.level)")"' "$T/linked.jsonl")"
	done
	holds linked_listed sh -c '"$0" list "call:$1:visit" | grep -q ":visit$"' "$XPT" "$T/typed_bare"
	# By build id, as distributions have it, without a link.
	id=$(readelf -n "$T/typed" | sed -n 's/.*Build ID: //p')
	debug=/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)
	cp "$T/typed" "$T/typed_id"
	strip -g "$T/typed_id"
	if mkdir -p "$debug" 2>/dev/null && objcopy --only-keep-debug "$T/typed" "$debug/$(echo "$id" | cut -c 3-).debug" 2>/dev/null; then
		"$XPT" hook -q --as-root -o "$T/id.jsonl" -e "call:$T/typed_id:visit level" -- "$T/typed_id" >/dev/null 2>"$T/id.err"
		is build_id "6 251" "$(jq -s -r 'map(select(.name == "visit")) | "\(length) \(.[0].args.level)"' "$T/id.jsonl")"
		rm -f "$debug/$(echo "$id" | cut -c 3-).debug"
		rmdir -p --ignore-fail-on-non-empty "$debug" 2>/dev/null
	fi
	refused typed_no_member 2 "visit: there is no member 'smal'" "call:$T/typed:visit count by node->leaf->smal"
	"$XPT" hook -q --as-root -e 'uprobe:__EXE__:visit count by node->leaf->flag, node->leaf->neg as bits' \
		-e 'call:__EXE__:visit if total == 7 count by node->next->next->next->leaf->small as far' \
		-- "$T/typed" >"$T/typed.out" 2>"$T/typed.err"
	is typed_bits "bits[2, 4]: 1 bits[5, -3]: 5 far[-7]: 1" "$(sed -n 's/^@//p' "$T/typed.out" | LC_ALL=C sort | xargs)"
	# As older compilers describe them, from the top of what holds them.
	cc -g -gdwarf-3 -gstrict-dwarf -O1 -rdynamic -o "$T/typed3" "$T/typed.c"
	"$XPT" hook -q --as-root -e 'uprobe:__EXE__:visit count by node->leaf->flag, node->leaf->neg as bits' \
		-- "$T/typed3" >"$T/typed.out" 2>"$T/typed.err"
	is typed_bits_3 "bits[2, 4]: 1 bits[5, -3]: 5" "$(sed -n 's/^@//p' "$T/typed.out" | LC_ALL=C sort | xargs)"
	refused typed_no_argument 2 "no argument 'nod' that is known: it has node, level, total" "call:$T/typed:visit nod"
fi

# --- events, recordings, JSON ---------------------------------------------------------
"$XPT" hook --as-root --json -o "$T/h.xtr" -o "$T/h.jsonl" -o "$T/pic.pftrace" -o "$T/pic.json" -e 'call:__EXE__:send_msg fn=arg1 if i32(retval) < 0' \
	-e 'call:__EXE__:send_msg hist(duration) as time' -- "$W/sdt" 20 >"$T/h.json" 2>"$T/h.err"
is events "4 fn" "$(jq -s -r '"\(length) \(map(.args | keys[]) | unique | join(" "))"' "$T/h.jsonl")"
is picture_chrome 4 "$(jq '[.. | objects | select(.ph? == "X" and .name? == "send_msg")] | length' "$T/pic.json")"
holds picture_perfetto python3 tests/replay/check_perfetto.py "$T/pic.pftrace" any-track
is json "time hist 20 true" "$(jq -r '.hooks[] | "\(.hook) \(.action) \(.hits) \(.sum > 0 and .avg > 0)"' "$T/h.json")"
is buckets true "$(jq '([.hook_buckets[].hits] | add) == 20 and (.hook_buckets | all(.high == 2 * .low))' "$T/h.json")"
"$XPT" report --section hooks "$T/h.xtr" >"$T/report"
holds report grep -q '^@time: 20 values, average ' "$T/report"
is report_same "$(jq -c .hooks "$T/h.json")" "$("$XPT" report --json --all "$T/h.xtr" | jq -c .hooks)"
"$XPT" convert "$T/h.xtr" -o "$T/h2.xtr" 2>/dev/null
is convert_same "$(cat "$T/report")" "$("$XPT" report --section hooks "$T/h2.xtr")"

# Beside libraries: the same calls, once as cuda's and once as the hook's.
XPT_TRUTH=$T/beside.truth "$XPT" run -q --log - --as-root -o "$T/beside.xtr" --hook 'call:libcuda.so.1:cuMemAlloc_v2 sum(bytesize) by result' \
	-- "$E/train" --iterations 5 >"$T/beside.out" 2>"$T/beside.err"
"$XPT" report --json "$T/beside.xtr" >"$T/beside.json"
is beside "cuMemAlloc_v2 CUDA_SUCCESS 5" "$(jq -r '.hooks[] | "\(.hook) \(.key) \(.hits)"' "$T/beside.json")"
is beside_bytes "$(jq .allocated_bytes "$T/beside.truth")" "$(jq '.hooks[0].sum' "$T/beside.json")"
is beside_calls "$(jq '.calls | add' "$T/beside.truth")" "$(jq '[.functions[] | select(.function != "cuMemAlloc_v2") | .calls] | add + 5' "$T/beside.json")"
holds beside_summary grep -q '^@cuMemAlloc_v2\[CUDA_SUCCESS\]: [0-9]*$' "$T/beside.out"

# SPDK's messages by callback, as the fixture counts them by name: two of its functions
# have the same one, and stay two rows. A process that runs, with sums meanwhile.
by_name() { # FILE
	sed -n 's/^@send_msg\[\([a-z_]*\).*\]: \([0-9]*\)$/\1 \2/p' "$1" | awk '{ n[$1] += $2 } END { for (f in n) print f, n[f] }' | sort
}
XPT_TRUTH=$T/spdk.truth "$B/fake/spdk_tgt_new" -g "$T/go" -w 120 -n 3 -r 3 &
pid=$!
"$XPT" hook -i 50ms -e 'uprobe:__EXE__:spdk_thread_send_msg /pid == __PID__/ count by usym(arg1) as send_msg' -p $pid >"$T/spdk.out" 2>"$T/spdk.err" &
tracer=$!
wait_for grep -q 'hooks are in place' "$T/spdk.err"
touch "$T/go"
wait $pid
wait $tracer
is attach_status 0 $?
sed -n '/^Hooks$/,$p' "$T/spdk.out" >"$T/spdk.end"
is messages "$(jq -r '.messages | to_entries | sort_by(.key)[] | "\(.key) \(.value)"' "$T/spdk.truth")" "$(by_name "$T/spdk.end")"
is same_names 2 "$(grep -c '^@send_msg\[_finish (0x[0-9a-f]*)\]' "$T/spdk.end")"
holds interval test "$(grep -c '^@send_msg\[send_add\]' "$T/spdk.out")" -gt 1

# Callbacks have their names when the process has ended, too: of a program that was replaced since
# its start, and of one that only its own mount namespace has, where the path means another here.
named() { # NAME PID PROBE
	rm -f "$T/named.err" "$T/named.truth"
	"$XPT" hook -q -e "uprobe:$3:spdk_thread_send_msg count by usym(arg1) as send_msg" -p "$2" >"$T/named.out" 2>"$T/named.err" &
	tracer=$!
	wait_for grep -q 'hooks are in place' "$T/named.err"
	touch "$T/go"
	wait $tracer
	is "$1" "$(jq -r '.messages | to_entries | sort_by(.key)[] | "\(.key) \(.value)"' "$T/named.truth")" "$(by_name "$T/named.out")"
	wait
}
cp "$B/fake/spdk_tgt_new" "$T/mine"
rm "$T/go"
XPT_TRUTH=$T/named.truth "$T/mine" -g "$T/go" -w 120 -n 3 -r 2 &
pid=$!
wait_for grep -q /mine /proc/$pid/maps
rm "$T/mine" && cp /bin/true "$T/mine"
named replaced $pid __EXE__
mkdir "$T/space" && cp /bin/true "$T/space/mine"
if unshare -m true 2>/dev/null; then
	rm "$T/go"
	XPT_TRUTH=$T/named.truth unshare -m sh -c "mount -t tmpfs none '$T/space' && cp '$B/fake/spdk_tgt_new' '$T/space/mine' &&
		exec '$T/space/mine' -g '$T/go' -w 120 -n 3 -r 2" &
	pid=$!
	wait_for grep -q space/mine /proc/$pid/maps
	named namespace $pid "$T/space/mine"
else
	echo "skip namespace: no mount namespaces here"
fi

# --- tracepoints and ioctls -----------------------------------------------------------------
# The bytes that the program wrote, by the fields of the system call's tracepoint; many at once.
"$XPT" hook -q --as-root -o "$T/tp.jsonl" -e 'tracepoint:syscalls:sys_enter_write /comm == "sdt"/ sum(arg.count) by arg.fd as bytes' \
	-e 'tracepoint:sched:sched_process_ex* name=str(arg.filename)' -e 'tracepoint:sched:sched_process_fork str(arg.child_comm)' \
	-e 'tracepoint:syscalls:sys_enter_write /comm == "sdt"/ count by stack as from' \
	-- sh -c "'$W/sdt' 20 >'$T/said'; true" >"$T/tp.out" 2>"$T/tp.err"
if grep -q 'tracepoints need tracefs' "$T/tp.err"; then
	echo "skip tracepoints: $(head -n 1 "$T/tp.err")"
else
	is tp_sum "@bytes[1]: $(wc -c <"$T/said")" "$(grep '^@bytes' "$T/tp.out")"
	is tp_text "$W/sdt" "$(jq -r 'select(.name == "sched:sched_process_exec") | .args.name' "$T/tp.jsonl" | grep sdt)"
	is tp_array 1 "$(jq -r 'select(.name == "sched:sched_process_fork") | .args["str(arg.child_comm)"]' "$T/tp.jsonl" | grep -c '^sh$')"
	holds tp_stack grep -q '^@from\[.*write.*\]: [1-9]' "$T/tp.out"
	# Of a process that sleeps there is nothing to count, whatever xputrace's own processes do meanwhile.
	sleep 1000 &
	sleeper=$!
	"$XPT" hook -q -e 'tracepoint:raw_syscalls:sys_enter count by comm as calls' -p $sleeper >"$T/tp.own" 2>"$T/tp.err" &
	tracer=$!
	in_place() {
		grep -q 'hooks are in place' "$T/tp.err"
	}
	holds tp_in_place wait_for in_place
	kill -INT $tracer	# at its end it measures what a call costs
	wait $tracer
	is tp_nothing_of_ours "" "$(grep '^@' "$T/tp.own")"
	kill $sleeper
	refused tp_no_field 2 "no argument 'fiel' that is known: it has .*filename" 'tracepoint:sched:sched_process_exec fiel'
	nine=$(for i in 1 2 3 4 5 6 7 8 9; do echo "tracepoint:sched:sched_process_exit count as a$i"; done)
	refused tp_nine 2 'have 8 hooks at most: others before it are on sched_process_exit' "$nine"
	refused tp_none 3 "no tracepoint 'sched_swich': did you mean sched_switch" 'tracepoint:sched:sched_swich count'
fi
# Of three calls a round one works; the entropy is what the kernel always says. A device's own hook only.
if "$W/ioctls" /dev/random 1; then
	"$XPT" hook -q --as-root -o "$T/io.jsonl" -o "$T/io.xtr" -e 'ioctl:/dev/random:RND* bits=u32(*arg) if not failed' \
		-e 'ioctl:other:0xc020462a count by func, result as other' -- "$W/ioctls" /dev/random 10 >"$T/io.out" 2>"$T/io.err"
	is ioctl_events "10 256" "$(jq -r 'select(.name == "ioctl:RNDGETENTCNT") | .args.bits' "$T/io.jsonl" | sort | uniq -c | xargs)"
	is ioctl_sum "@other[ioctl(0xc020462a), EINVAL]: 10" "$(grep '^@' "$T/io.out")"
	is ioctl_nothing_else 10 "$(jq -s 'map(select(.layer)) | length' "$T/io.jsonl")"
	"$XPT" hook -q --as-root -e 'ioctl:/dev/null:* count' -- "$W/ioctls" /dev/random 10 >"$T/io.out" 2>&1
	is ioctl_other_device "" "$(grep '^@' "$T/io.out")"
	XPT_TRUTH= "$XPT" run -q --as-root --no-summary -o "$T/io2.jsonl" --layers ioctl --device /dev/random \
		--hook 'ioctl:/dev/random:RND* count by result' -- "$W/ioctls" /dev/random 10 >"$T/io.out" 2>&1
	is ioctl_beside_layer "ioctl(0xc020462a) 10" "$(jq -r 'select(.layer) | .name' "$T/io2.jsonl" | sort | uniq -c | awk '{ print $2, $1 }' | xargs)"
fi
refused ioctl_name 2 "no such command is known.*did you mean RNDGETENTCNT" 'ioctl:other:RNDGETENTCTN count'
refused ioctl_device 3 'cannot read /nonexistent' 'ioctl:/nonexistent:* count'
refused ioctl_taken 3 'belongs to earlier hooks' 'ioctl:/dev/null:* count
ioctl:/dev/null:RND* count'

# --- mistakes ---------------------------------------------------------------------------
refused column 2 '^xputrace: hook, column 13: expected a value' 'uprobe:x:f /== 3/'
holds caret grep -q '^                ^$' "$T/err"
refused argument 2 'cuMemAlloc_v2 has no argument .siez.*it has dptr, bytesize' 'call:libcuda.so.1:cuMemAlloc_v2 hist(siez)'
refused address 3 "a bare address is no name" "call:$W/sdt:0x401000 count"
refused only_address 2 "a bare address is no name.*'call:PATH:FUNCTION'" "0x401000 count"
cp "$W/sdt" "$T/sdt.debug"
refused debug_file 3 "no code: name the program" "call:$T/sdt.debug:send_mgs count"
refused function 3 "nothing there matches 'send_mgs': did you mean send_msg" "call:$W/sdt:send_mgs count"
refused no_file 3 'cannot read /nonexistent' 'call:/nonexistent:f count'
python3 - "$T/many.s" <<'END'
import sys
with open(sys.argv[1], "w") as f:
    f.write(".text\n" + "".join(f".globl m{i}\n.type m{i},@function\nm{i}: push %rbp\npop %rbp\nret\n.size m{i},.-m{i}\n"
                                for i in range(100000)))
    f.write('.section .note.GNU-stack,"",@progbits\n')
END
cc -shared -nostdlib -o "$T/many.so" "$T/many.s"
refused many 2 'it matches 100000 places, more than' "call:$T/many.so:m* count"
printf '# a comment\nuprobe:__EXE__:on_* \\\n  count by comm\ncall:x:f count(\n' >"$T/x.hook"
"$XPT" hook -f "$T/x.hook" -- true 2>"$T/err"
is file_status 2 $?
holds file_line grep -q 'x.hook:4:16: expected' "$T/err"
sed -i '$d' "$T/x.hook"
XPUTRACE_HOOKS=/nonexistent:$T "$XPT" hook -q --as-root -f x -- "$W/sdt" 4 2>/dev/null | grep '^@' >"$T/out"
"$XPT" hook --check -e 'call:x:f count(' 2>/dev/null
is check 2 $?
is file_by_name "@on_[sdt]: 4" "$(cat "$T/out")"
"$XPT" hook --as-root -e 'call:nosuch.so:f count' -- true >/dev/null 2>"$T/err"
is nothing_loaded 3 $?

# --- files that come with it --------------------------------------------------------------
"$XPT" list --as-hooks cuda >"$T/cuda.hook"
"$XPT" hook -q --as-root -o "$T/cuda.jsonl" -f "$T/cuda.hook" -- "$E/train" --iterations 2 >"$T/out" 2>"$T/err"
holds domain_as_hooks grep -q '"domain":"cuda".*"name":"cuMemAlloc_v2".*"bytesize":[1-9]' "$T/cuda.jsonl"
for d in cuda cudart nccl nvml verbs; do
	"$XPT" list --as-hooks $d | sed -n '/^# One by one/,$s/^#\(call\)/\1/p' >"$T/rows"
	split -l 60 "$T/rows" "$T/part."
	for part in "$T"/part.*; do
		"$XPT" hook --check -f "$part" 2>&1
	done >"$T/$d.wrong"
	is "rows_$d" "" "$(head -n 3 "$T/$d.wrong")"
	rm "$T"/part.*
done
XPT_TRUTH=$T/s.truth "$XPT" hook -q --as-root -f nvmf_states -f messages -- "$B/fake/spdk_tgt_new" >"$T/states" 2>"$T/err"
is states "$(jq '.probes.nvmf_tgt_state' "$T/s.truth")" "$(sed -n 's/^@target\[[A-Z_]*\]: //p' "$T/states" | add_up)"
holds running grep -q '^@target\[RUNNING\]: 1$' "$T/states"
# The names are the release's: in 24.01 state 9 is STOPPED, later FINI_DESTROY_TARGET.
holds stopped grep -q '^@target\[STOPPED\]: 1$' "$T/states"
is stop_listen 0 "$(grep -c FINI_STOP_LISTEN "$T/states")"
strip -o "$T/stripped_tgt" "$B/fake/spdk_tgt_new"
"$XPT" hook -q --as-root -f nvmf_states -- "$T/stripped_tgt" >"$T/stripped" 2>"$T/err"
is states_of_release "$(grep '^@[ts][au]' "$T/states" | grep -v '^@spdk')" "$(grep '^@[ts][au]' "$T/stripped")"
# Any enum of the program; of one that it has not the numbers, which is told.
"$XPT" hook -q --as-root -e "usdt:__EXE__:spdk:nvmf_tgt_state count by enum(arg1, xpt_spdk_quirk) as quirk" \
	-- "$B/fake/spdk_tgt_new" >"$T/out" 2>"$T/err"
holds no_enum grep -q "quirk: no debug information of 'enum xpt_spdk_quirk'" "$T/err"
holds no_enum_numbers grep -q '^@quirk\[9\]: 1$' "$T/out"
# Two releases in one table: what they call differently has no name. Of a release that nobody knows there are none.
sed 's/SPDK v24.01/SPDK v21.07/' "$T/stripped_tgt" >"$T/older_tgt"
sed 's/SPDK v24.01/SPDK vXX.YY/' "$T/stripped_tgt" >"$T/unknown_tgt"
chmod +x "$T/older_tgt" "$T/unknown_tgt"
by_state() { # PROGRAM: the hook's line
	echo "usdt:$T/$1:spdk:nvmf_tgt_state count by enum(arg1, nvmf_tgt_state) as t"
}
"$XPT" hook -q --as-root -e "$(by_state stripped_tgt)" -e "$(by_state older_tgt)" \
	-- sh -c "'$T/stripped_tgt'; '$T/older_tgt'" >"$T/out" 2>"$T/err"
is two_releases "@t[9]: 2 @t[INIT_NONE]: 2" "$(grep '^@t\[\(9\|STOPPED\|ERROR\|INIT_NONE\)\]' "$T/out" | LC_ALL=C sort | xargs)"
"$XPT" hook -q --as-root -e "$(by_state unknown_tgt)" -- "$T/unknown_tgt" >"$T/out" 2>"$T/err"
is unknown_release "@t[0]: 1 @t[9]: 1" "$(grep '^@t\[[09]\]' "$T/out" | LC_ALL=C sort | xargs)"
holds unknown_release_said grep -q "t: no debug information of 'enum nvmf_tgt_state'" "$T/err"
# Two libraries in one table: their results have different names.
"$XPT" hook -q --as-root -e 'call:libcuda.so.1:cuMemAlloc_v2 count by result as r' -e 'call:libcudart.so.*:cudaMalloc count by result as r' \
	-- "$E/train" --iterations 2 >"$T/out" 2>"$T/err"
is two_libraries "@r[0]:" "$(sed -n 's/^\(@r\[.*\]:\) .*/\1/p' "$T/out")"
is channels "@for_each_channel[reset_channel]: 2" "$(grep '^@for_each_channel' "$T/states")"
holds transition grep -q '^@subsystem\[INACTIVE, ACTIVE\]: [1-9]' "$T/states"
cat >"$T/readv.py" <<'END'
import os
fd = os.open("/dev/zero", os.O_RDONLY)
for size in (100, 100, 5000):
    os.readv(fd, [bytearray(size)])
os.close(fd)
try:
    os.readv(fd, [bytearray(1)])
except OSError:
    pass
END
"$XPT" hook -q --as-root -o "$T/readv.xtr" -f readv -f syscalls -- python3 "$T/readv.py" >"$T/out" 2>"$T/err"
if grep -q 'tracepoints need tracefs' "$T/err"; then
	echo "skip readv_bytes: $(head -n 1 "$T/err")"
else
	is readv_bytes "[64, 128) 2 [4K, 8K) 1" "$(sed -n '/^@readv_bytes/,/^@w/s/^\(\[.*)\) *\([1-9][0-9]*\) |.*/\1 \2/p' "$T/out" | xargs)"
	is readv_failed "@failed[sys_exit_readv]: 1" "$(grep '^@failed' "$T/out")"
	# The kernel runs no program of a tracepoint while another one has that CPU; such hits are counted.
	readvs=$(sed -n 's/.*sys_enter_readv\]: //p' "$T/out")
	missed=$("$XPT" report --json "$T/readv.xtr" | jq '[.losses[]? | select(.loss == "kernel_missed").count] | add // 0')
	[ "$missed" = 0 ] || echo "note the kernel left out $missed hits of tracepoints"
	holds syscalls [ "$readvs" -le 4 ] && holds syscalls_missed [ $((readvs + missed)) -ge 4 ]
	# Each system call's first hit makes a row, as fast as the program begins: each finds memory for it.
	is syscalls_rows 0 "$("$XPT" report --json "$T/readv.xtr" | jq '[.losses[]? | select(.loss == "hook_keys").count] | add // 0')"
fi
exit $failed
