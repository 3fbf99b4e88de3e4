#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 200
# needs: bpf jq python3
#
# What the report says of every example, but for times, addresses and process
# ids, is what golden/NAME.txt says; what the example itself counted in that run
# (its truth) is compared too, and explains the numbers. `XPT_GOLDEN=write` and
# `tests/run bpf/golden.sh` write the files anew; look at what changed.
. tests/bpf/lib.sh
need_bpf

golden() { # NAME [CHECK_OPTION...] -- COMMAND...
	g_name=$1
	g_file=$here/golden/$1.txt
	compare "$@"
	jq -rf "$here/golden.jq" "$T/$g_name/report.json" >"$T/$g_name/facts"
	[ "${XPT_GOLDEN:-}" != write ] || cp "$T/$g_name/facts" "$g_file"
	if diff "$g_file" "$T/$g_name/facts" >"$T/$g_name/diff" 2>&1; then
		ok "${g_name}_golden"
	else
		not_ok "${g_name}_golden" "$(head -n 6 "$T/$g_name/diff" | tr '\n' ';')"
	fi
}

golden train -- "$E/train" --leak --iterations 20 --launches 3 --bytes 16M
golden leak -- "$E/leak"
golden leak_context -- "$E/leak" --leak
golden error -- "$E/error"
golden error_oom -- "$E/error" --oom
golden copy_bound -- "$E/copy_bound" --iterations 10 --bytes 1M
golden copy_async -- "$E/copy_bound" --iterations 10 --bytes 1M --async
golden families --auto -- "$E/families" --iterations 3
golden launch_storm -- "$E/launch_storm" --iterations 5
golden graphs -- "$E/launch_storm" --iterations 5 --async
golden graph_memory -- "$W/graph_memory"
golden threads -- "$E/threads" --threads 8 --iterations 40
golden fork -- "$E/fork" --leak
golden grow -- "$E/grow"
XPT_FAKE_MEM=1G golden fragment -- "$E/fragment"
golden runtime_train --only cudart -- "$E/runtime_train" --leak --iterations 10 --bytes 16M
golden late_dlopen -- "$E/late_dlopen" --delay 0
golden hang --unreturned cuStreamSynchronize:inflight -- "$E/hang" --iterations 10
exit $failed
