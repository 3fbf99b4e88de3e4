#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# alone
# needs: bpf jq python3
#
# At a hundred thousand calls a second nothing is lost, from one thread and from
# four. What else runs on the machine would be measured, too.
. tests/bpf/lib.sh
need_bpf

no_lines=1
compare paced -- "$W/storm" --launches 100 --iterations 300000
compare paced_threads -- "$W/storm" --launches 25 --iterations 50000 --threads 4
exit $failed
