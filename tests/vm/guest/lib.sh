# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sourced by what runs in the virtual machine: one way to trace programs and to
# keep what is to be judged. To start xputrace takes seconds there, so a trace
# has many programs: its command is a shell that sources this too and calls step.

export COLUMNS=80	# texts are judged at that width
settings=/sys/module/nvidia/parameters
set -f	# patterns are xputrace's

# The time at which something begins; the host shows what took long.
mark() { # NAME
	read -r up _ </proc/uptime
	echo "$up $1" >>/out/times
}

counts() { # FILE: what the driver, if there is one, counted since it was told to begin
	[ ! -e $settings/counts ] || cat $settings/counts >"$1"
}

# trace NAME [OPTION...] -- COMMAND...
trace() {
	mark "$1"
	dir=/out/$1
	export dir
	shift
	mkdir -p "$dir"
	opts=
	while [ "$1" != -- ]; do
		opts="$opts $1"
		shift
	done
	shift
	[ ! -e $settings/counts ] || echo 0 >$settings/counts
	# shellcheck disable=SC2086 # options
	XPT_TRUTH=$dir/truth XPT_FAKE_COUNTS=$dir/counts \
		xputrace run --as-root -q --log - -o "$dir/t.xtr" -o "$dir/t.jsonl" $opts -- "$@" \
		>"$dir/summary" 2>"$dir/stderr"
	echo $? >"$dir/exit"
	counts "$dir/driver"
}

# One program of a trace: $dir/steps says its id and how it ended, driver.NAME what the
# driver counted, counts.NAME what the simulated library did.
step() { # NAME COMMAND...
	name=$1
	shift
	[ ! -e $settings/counts ] || echo 0 >$settings/counts
	XPT_FAKE_COUNTS=$dir/counts.$name "$@" >"$dir/stdout.$name" &
	pid=$!
	wait $pid
	echo "$name $pid $?" >>"$dir/steps"
	counts "$dir/driver.$name"
}

# What fails in the driver: NAME VALUE...
set_driver() {
	while [ $# -gt 0 ]; do
		echo "$2" >"$settings/$1"
		shift 2
	done
}

# The third memory object cannot be had: by errno, or by status.
third_fails() { # errno|status VALUE
	set_driver fail_errno 0 fail_status 0 "fail_$1" "$2" fail_nth 3 fail_object 64 fail_cmd 43
}

load() { # [FOLDER/]
	insmod "/x/modules/$1nvidia.ko" && insmod "/x/modules/$1nvidia_uvm.ko"
}

need_modules() {
	[ -e /x/modules/missing ] || return 0
	cp /x/modules/missing /out/missing
	exit 0
}

train() { # NAME [OPTION...]
	name=$1
	shift
	step "$name" /x/train --iterations 4 --bytes 1M "$@"
}
