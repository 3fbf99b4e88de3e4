# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by ../boot for a script with the line `# wants: peers`: bpftrace with its
# libraries, some 200 MB, where this machine has it, and what bench/ measures with.

put_peers() { # ROOT
	put_programs "$1" "$B/bench/syscalls"
	if peer=$(command -v bpftrace); then
		put_programs "$1" "$peer"
	fi
}
