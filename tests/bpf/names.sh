#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 120
# needs: bpf jq python3
#
# Kernel names, traced: each launch is shown with the name under which the
# program looked its kernel up or registered it, also when handles are used
# again; what was looked up before tracing is unknown and never wrong.
. tests/bpf/lib.sh
need_bpf

# kernels NAME DOMAIN: the names of the launches of that domain, one a line.
kernels() {
	jq -r --arg d "$2" 'select(.class == "launch" and .domain == $d) | .kernel' "$T/$1/t.jsonl"
}

same() { # NAME DOMAIN WANT_FILE
	kernels "$1" "$2" >"$T/got"
	if cmp -s "$3" "$T/got"; then ok "$1_$2"; else
		not_ok "$1_$2" "$(diff "$3" "$T/got" | head -n 4 | tr '\n' ';')"; fi
}

export XPT_KERNELS="$T/driver.want"
# The program stays until the text on the page that nobody had touched was read.
mkdir "$T/driver"
(
	for _ in $(seq 1200); do
		! grep -qs '"far"' "$T/driver/t.jsonl" || break
		sleep 0.05
	done
	: >"$T/driver/end"
) &
if trace driver -- "$W/kernels" --until "$T/driver/end"; then
	same driver cuda "$T/driver.want"
	is driver_launches "$(wc -l <"$T/driver.want")" "$(kernels driver cuda | wc -l)"
	# The simulated driver hands out addresses of its heap: they come again.
	holds driver_reuse grep -q 'kernels: [1-9][0-9]* handles' "$T/driver/stderr"
	is driver_untouched far \
		"$(jq -r 'select(.name == "cuProfilerInitialize") | .args.configFile' "$T/driver/t.jsonl")"
	is driver_table "ns::lib 2 <<<4,32>>>" \
		"$(field driver '.launches[] | select(.kernel == "ns::lib") | "\(.kernel) \(.launches) \(.shape)"')"
	is driver_total "$(wc -l <"$T/driver.want")" "$(field driver '[.launches[].launches] | add')"
else
	not_ok driver "exit status $status"
fi

XPT_KERNELS="$T/runtime.want"
if trace runtime -- "$W/kernels" --async; then
	same runtime cudart "$T/runtime.want"
	same runtime cuda "$T/runtime.want"
	is runtime_table "step 5" "$(field runtime '.launches[] | "\(.kernel) \(.launches)"')"
else
	not_ok runtime "exit status $status"
fi

# What the examples launch.
if trace train -- "$E/train" --iterations 5; then
	is train_kernels "xpt_add xpt_nop" "$(kernels train cuda | sort -u | tr '\n' ' ' | sed 's/ $//')"
	is train_launches "$(jq .launches "$T/train/truth")" "$(field train '[.launches[].launches] | add')"
else
	not_ok train "exit status $status"
fi
if trace families --min-duration 10s -- "$E/families"; then
	is filter_filters 0 "$(kernels families cuda | wc -l)"
	is filter_hides "" "$(jq -r 'select(.phase == "X") | .name' "$T/families/t.jsonl" | sort -u | xargs)"
else
	not_ok families "exit status $status"
fi
# Calls that tell names pass every filter in the kernel, and are shown by none.
export XPT_FAKE_LATENCY=cuLaunchKernel=20ms
if trace named --min-duration 15ms -- "$E/train" --iterations 2; then
	is filter_keeps_names "xpt_add xpt_nop" "$(kernels named cuda | sort -u | xargs)"
	is filter_shows "" "$(jq -r 'select(.phase == "X" and .name == "cuModuleGetFunction") | .name' "$T/named/t.jsonl")"
else
	not_ok named "exit status $status"
fi
unset XPT_FAKE_LATENCY

# Attached after the look-up.
XPT_KERNELS="$T/late.want"
mkdir "$T/late"
"$W/kernels" --seconds 100 >/dev/null 2>&1 &
pid=$!
until [ -s "$T/late.want" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
"$XPT" attach -q -o "$T/late/t.jsonl" -p $pid >"$T/late/out" 2>&1 &
tracer=$!
until grep -qs '"cuLaunchKernel"' "$T/late/t.jsonl" || ! kill -0 $pid 2>/dev/null ||
	! kill -0 $tracer 2>/dev/null; do sleep 0.05; done
kill $pid
wait $tracer
is late unknown "$(kernels late cuda | sed 's/(0x[0-9a-f]*)$//' | sort -u)"
exit $failed
