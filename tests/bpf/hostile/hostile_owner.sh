#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 300
# alone
# needs: bpf jq user
#
# A stranger is the first to map another user's library, and then uses up his share of places with libraries of his own, so
# that those of his files that nobody maps are given back. The other's library, which its user has mapped in between, is not
# among them: each call of his next program is seen, from the first one on. So it is with a hook on a function of it.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/hostile/hostile.lib
strangers hostile_owner
mkdir "$T/others"
cp "$B/fake/libcuda.so.1" "$T/others/"
cp "$E/train" "$T/owner-train"
chown -R 65533 "$T/others"
library "$T/api" cuAab 1
chmod -R a+rX "$T"

begin owner --hook 'call:libcuda.so*:cuInit count by comm as n'
places_are_given_back() {
	as_stranger "$T/hostile" maps "$T/api/libcuda.so.1" "$T/theirs" 300 >/dev/null 2>&1
	grep -q 'gave back their places' "$T/owner/stderr"
}
is_seen() { # USER whose program's calls are seen
	LD_LIBRARY_PATH=$T/others setpriv --reuid "$1" --clear-groups "$T/owner-train" --iterations 1 >/dev/null 2>&1
	grep '"comm":"owner-train"' "$T/owner/t.jsonl" | grep -q "\"name\":\"cuInit\""
}
holds owner_stranger_is_first wait_for is_seen $U
LD_LIBRARY_PATH=$T/others known owner "$T/owner-train" --iterations 20
holds owner_given_back wait_for places_are_given_back
for _ in 1 2 3; do
	as_stranger "$T/hostile" maps "$T/api/libcuda.so.1" "$T/theirs" 300 >/dev/null 2>&1
	LD_LIBRARY_PATH=$T/others known owner "$T/owner-train" --iterations 20
done
end owner
is owner_status 0 $o_status
sees_all owner
hits=$(sed -n 's/^@n\[owner-train\]: //p' "$T/owner/summary")
calls=$(grep '"comm":"owner-train"' "$T/owner/t.jsonl" | grep -c '"name":"cuInit"')
holds owner_hook [ "${hits:-0}" -ge 5 ]
echo "note ${hits:-0} hits of the hook, $calls events of its function"
exit $failed
