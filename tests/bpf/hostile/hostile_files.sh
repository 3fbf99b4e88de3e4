#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# needs: bpf jq python3 user
#
# Output files among strangers: user 65534 owns the folder, or has put links, pipes and files
# where xputrace writes. Nothing of root's may change, nothing may hang, and under sudo
# what is written has the rights of the user who called it.
. tests/bpf/lib.sh
. tests/cli.lib
need_bpf
U=65534 V=65533
as() { # UID COMMAND...
	u=$1
	shift
	setpriv --reuid "$u" --regid "$u" --clear-groups "$@"
}
chmod 755 "$T"
cd "$T" || exit 1
echo precious >victim
umask 022
run() { timeout -k 5 60 "$XPT" run -q --no-summary --as-root "$@" -- "$E/train" --iterations 1 >out 2>err </dev/null; }
refuses() { # NAME TEXT: the last run failed with it, and the victim is as it was
	if [ "$got" = 0 ] || [ "$got" = 124 ]; then
		not_ok "$1" "exit status $got"
	elif ! grep -q -e "$2" err; then
		not_ok "$1" "no '$2' in: $(head -n 2 err)"
	else
		is "$1" precious "$(cat "$T/victim")"
	fi
}

# --- the folder of files without a name ----------------------------------------------
mkdir theirs
chown $U:$U theirs
as $U mkdir theirs/traces
(cd theirs && run; echo $? >"$T/status"; mv out err "$T")
got=$(cat status)
refuses traces_of_stranger "belongs to user $U"
holds traces_of_stranger_empty [ -z "$(ls theirs/traces)" ]
as $U sh -c 'rmdir theirs/traces && mkdir theirs/elsewhere && ln -s ../theirs/elsewhere theirs/traces'
(cd theirs && run; echo $? >"$T/status"; mv out err "$T")
got=$(cat status)
refuses traces_is_link "is no folder, or a link"
mkdir open
mkdir -m 777 open/traces
(cd open && run; echo $? >"$T/status"; mv out err "$T")
got=$(cat status)
refuses traces_open_to_all "can be written by other users"

# Whoever owns the current folder exchanges traces/ for a link to root's while the trace
# begins: the file stays in the folder that was opened.
cat >swap.sh <<'END'
cd "$1" || exit 1
while [ ! -e stop ]; do
	set -- traces/* "$2"
	if [ -e "$1" ]; then
		mv traces was && ln -s "$2" traces && : >swapped
		exit
	fi
done
END
mkdir -m 777 race
mkdir roots
as $U sh swap.sh "$T/race" "$T/roots" &
swapper=$!
(cd race && run; mv out err "$T")
: >race/stop
wait $swapper
holds race_was_run [ -e race/swapped ]
is race_roots_folder "" "$(ls roots)"
holds race_file_is_whole sh -c '"$XPT" replay race/was/trace_[0-9]*.xtr | grep -q cuInit'
holds race_lines_are_whole sh -c 'jq -r .name race/was/trace_[0-9]*.jsonl | grep -qx cuInit'

# In a folder of many users, a link of one of them with the name of ours: it is neither followed nor replaced.
mkdir sticky
mkdir -m 1777 sticky/traces
as $U ln -s "$T/victim" sticky/traces/trace_latest.jsonl
(cd sticky && run; echo $? >"$T/status"; mv out err "$T")
is link_of_stranger_traced 0 "$(cat status)"
holds link_of_stranger_told grep -q "trace_latest.jsonl does not lead to this trace: it is another user's" err
is link_of_stranger_kept "$T/victim precious" "$(readlink sticky/traces/trace_latest.jsonl) $(cat victim)"
holds link_of_ours sh -c '"$XPT" replay sticky/traces/trace_latest.xtr | grep -q cuInit'
# Lines of root and beside them a recording that somebody else put there: what root reads is root's.
mv sticky/traces/trace_[0-9]*.xtr kept.xtr
lines=$(echo sticky/traces/trace_[0-9]*.jsonl)
as $U cp "$OLDPWD/tests/replay/error.xtr" "${lines%jsonl}xtr"
is beside_of_stranger "$(wc -l <"$lines")" "$("$XPT" report --json "$lines" 2>err | jq .summary.calls)"
as $U rm "${lines%jsonl}xtr"
as $U ln -s "$T/kept.xtr" "${lines%jsonl}xtr"
holds beside_is_link sh -c '"$XPT" report --all "$0" | grep -q "JSON lines tell no exact counts"' "$lines"
as $U rm "${lines%jsonl}xtr"
as $U mkfifo "${lines%jsonl}xtr"
is beside_is_pipe "$(wc -l <"$lines")" "$(timeout 60 "$XPT" report --json "$lines" 2>err | jq .summary.calls)"

# --- names that are given -------------------------------------------------------------------
mkdir -m 1777 tmp
as $U ln -s "$T/victim" tmp/link.jsonl
run -o tmp/link.jsonl
got=$?
refuses link "another user's"
as $U ln -s "$T/new" tmp/dangling.jsonl
run -o tmp/dangling.jsonl
got=$?
refuses dangling_link "another user's"
holds dangling_link_not_made [ ! -e new ]
as $U ln -s "$T" tmp/folder
run -o tmp/folder/inside.jsonl
got=$?
refuses link_to_folder "another user's"
holds link_to_folder_not_made [ ! -e inside.jsonl ]
as $U sh -c 'echo theirs >tmp/file.jsonl'
run -o tmp/file.jsonl
got=$?
refuses file_of_stranger "another user's"
is file_of_stranger_kept theirs "$(cat tmp/file.jsonl)"
as $U ln -s "$T/victim" theirs/link.jsonl
run -o theirs/link.jsonl
got=$?
refuses link_in_their_folder "another user's"
ln victim theirs/hard.jsonl
run -o theirs/hard.jsonl
got=$?
refuses hard_link "another user's"
rm theirs/hard.jsonl
as $U mkfifo tmp/pipe.jsonl
run -o tmp/pipe.jsonl
got=$?
refuses pipe_of_stranger "another user's"
mkfifo nobody.jsonl
run -o nobody.jsonl
got=$?
refuses pipe_without_reader "nobody reads this pipe"
mkfifo read.jsonl
cat read.jsonl >read.out &
run -o read.jsonl
is pipe_with_reader 0 $?
wait
holds pipe_has_calls grep -q cuInit read.out
ln -s own.jsonl mine.jsonl
run -o mine.jsonl
is own_link 0 $?
holds own_link_followed grep -q cuInit own.jsonl
is mode 600 "$(stat -c %a own.jsonl)"

# Replaced as a whole: metrics, the store, rules.
as $U ln -s "$T/victim" tmp/rules
timeout 60 "$XPT" rdma expected add --expected tmp/rules modify_qp rdma_get_gid_attr ENODATA why >out 2>err
got=$?
refuses rules_link "another user's"
python3 "$OLDPWD/tests/replay/rdma_traces.py" good-rtr 1 >good
mkdir -m 777 db
as $U ln -s "$T/new.lines" db/store.jsonl
timeout 60 "$XPT" rdma baseline import --store db/store.jsonl good >out 2>err
got=$?
refuses store_link "another user's"
holds store_not_made [ ! -e new.lines ]
# A new store is made where others can write, too: by its descriptor, and nobody else can read it.
for store in db/new.jsonl tmp/new.jsonl; do
	timeout 60 "$XPT" rdma baseline import --store $store good >out 2>err
	is "store_$(echo $store | tr / _)" "0 600 $(id -u)" "$? $(stat -c '%a %u' $store)"
	holds "store_has_lines_$(echo $store | tr / _)" [ -s $store ]
done

# --- under sudo -----------------------------------------------------------------------------
mkdir -m 777 shared
SUDO_UID=$U SUDO_GID=$U
export SUDO_UID SUDO_GID
run -o shared/new.xtr -o shared/new.jsonl
is sudo_writes 0 $?
is sudo_owner "$U:$U:600 $U:$U:600" "$(stat -c %u:%g:%a shared/new.xtr) $(stat -c %u:%g:%a shared/new.jsonl)"
run -o victim.jsonl
got=$?
refuses sudo_closed_folder "as user $U, who called sudo: Permission denied"
holds sudo_closed_folder_empty [ ! -e victim.jsonl ]
mv victim victim.jsonl
run -o victim.jsonl
got=$?
mv victim.jsonl victim
refuses sudo_closed_file "as user $U, who called sudo: Permission denied"
as $V ln -s "$T/shared/new.jsonl" tmp/third.jsonl
run -o tmp/third.jsonl
got=$?
refuses sudo_link_of_third "another user's"
# The folder of xputrace's own files is root's, whoever runs it.
cat >state.sh <<'END'
mount -t tmpfs none /var/lib && mkdir /var/lib/xputrace && cp victim /var/lib/xputrace/rules.jsonl &&
	"$XPT" run -q --no-summary --as-root -o /var/lib/xputrace/rules.jsonl -- "$1" --iterations 1 >out 2>err </dev/null
echo $? >status
cp /var/lib/xputrace/rules.jsonl state
END
timeout 60 unshare -m sh state.sh "$E/train"
got=$(cat status)
refuses sudo_state_folder "as user $U, who called sudo: Permission denied"
holds sudo_state_file cmp state victim
# bpftrace opens files as root: it gets one that is open.
mkdir bin
cat >bin/bpftrace <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo text >"$2"
END
chmod +x bin/bpftrace
echo 'BEGIN { exit(); }' >s.bt
script() { timeout 60 env PATH="$T/bin:$PATH" "$XPT" script s.bt -p $$ -o "$1" >out 2>err </dev/null; }
as $V ln -s "$T/victim" shared/script_link
script shared/script_link
got=$?
refuses sudo_script_link "another user's"
script victim.txt
got=$?
refuses sudo_script_closed_folder "as user $U, who called sudo: Permission denied"
script shared/script
is sudo_script 0 $?
is sudo_script_file "$U text" "$(stat -c %u shared/script) $(cat shared/script)"
(cd shared && run; echo $? >"$T/status"; mv out err "$T")
is sudo_default 0 "$(cat status)"
is sudo_default_owner "$U:755 $U:600 $U:600" \
	"$(stat -c %u:%a shared/traces) $(stat -c %u:%a shared/traces/trace_[0-9]*.xtr shared/traces/trace_[0-9]*.jsonl | xargs)"
is sudo_default_links "$U $U" "$(stat -c %u shared/traces/trace_latest.xtr shared/traces/trace_latest.jsonl | xargs)"
timeout 60 env TMPDIR="$T/shared" "$XPT" hist cuInit -- "$E/train" --iterations 1 >out 2>err
is sudo_hist 0 $?
holds sudo_hist_has_calls grep -q cuInit out
holds sudo_hist_cleaned sh -c '! ls shared | grep -q xputrace-'
exit $failed
