#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 60
# alone
# needs: bpf jq python3 user
#
# A user with subordinate ids (subuid(5)) runs programs under forty of them, outside of all namespaces, as files of his
# with the setuid bit let him do. The reader is stopped meanwhile, so that the rings must overflow: another user's program
# loses no event, and the loss is reported as that of the user himself.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_subids
cp "$W/storm" "$T"
cp -a /etc "$T/etc"
echo "$U:200000:65536" >"$T/etc/subuid"
chmod 644 "$T/etc/subuid"
if ! unshare --mount mount --bind "$T/etc" /etc 2>/dev/null; then
	echo "skip hostile_subids: no file can be mounted here"
	exit 0
fi
cat >"$T/xputrace" <<-END
	#!/bin/sh
	# on a machine that has those ids
	exec unshare --mount sh -c 'mount --bind "$T/etc" /etc && exec "$XPT" "\$@"' xputrace "\$@"
END
cat >"$T/as_many" <<-'END'
	#!/bin/sh
	for uid in $(seq 200001 200040); do
		setpriv --reuid "$uid" --clear-groups "$@" || exit
	done
END
chmod 755 "$T/xputrace" "$T/as_many"
XPT=$T/xputrace
begin subids --ring 512K
kill -STOP $tracer
"$T/as_many" "$T/storm" --iterations 1500 --threads 4 >"$T/attacker" 2>&1 || not_ok subids_runs "$(tail -n 1 "$T/attacker")"
known subids "$T/storm" --iterations 200
kill -CONT $tracer
end subids
is subids_status 0 $o_status
sees_all subids
holds subids_told grep -q "calls of user $U (.*) were counted, but not sent as events" "$T/subids/stderr"
exit $failed
