#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf jq python3
#
# Programs as frameworks and their users build them, and what an expert would say of each, as in
# truth.sh: pipelines of threads, callbacks, allocators, runtimes that try what there is, workers,
# ranks, libraries that stand before others (tests/bpf/workloads/truth_frameworks.c, truth_ranks.c).
. tests/bpf/lib.sh
need_bpf
. tests/bpf/truth_lib.sh
program=truth_frameworks

# Whether the findings have these kinds, in this order.
in_order() { # NAME KINDS
	is "$1_order" "$2" "$(jq -r '[.verdict[]?.kind] | join(" ")' "$T/$1/report.json")"
}

advises() { # NAME REGEX [false]: some finding or first failure of the program gives this advice
	is "$1_advice" "${3:-true}" "$(jq --arg r "$2" '[.verdict[]?.advice, .first_failures[]?.text | select(.) | test($r)] | any' "$T/$1/report.json")"
}

# --- healthy -------------------------------------------------------------------------
truth stages 0 <<'END'
launches 60 failed 0
copied HtoD calls 30 bytes 1966080
memory device allocated 4 bytes 262144 freed 4 left 0 bytes 0
memory host allocated 4 bytes 262144 freed 4 left 0 bytes 0
END
truth callbacks 0 <<'END'
launches 30 failed 0
copied HtoD calls 30 bytes 1966080
copied DtoH calls 30 bytes 1966080
memory device allocated 4 bytes 262144 freed 4 left 0 bytes 0
memory host allocated 4 bytes 262144 freed 4 left 0 bytes 0
END
truth framework_start 0 XPT_FAKE_FAULT=cuGetExportTable=1,cuCtxEnablePeerAccess=217,cuPointerGetAttribute=1,cuMemCreate=800 <<'END'
launches 30 failed 0
copied HtoD calls 10 bytes 655360
copied DtoH calls 10 bytes 655360
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
END
truth images 0 XPT_FAKE_FAULT=cuModuleLoadData@1=209,cuModuleLoadData@2=209 <<'END'
launches 20 failed 0
failed first cuModuleLoadData 209
END
truth unpinned 0 XPT_FAKE_FAULT=cuMemHostAlloc=2 <<'END'
launches 8 failed 0
copied HtoD calls 8 bytes 524288
copied DtoH calls 8 bytes 524288
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
failed first cuMemHostAlloc 2
END
# Four launches, and four graphs of 25 launches each; what was captured is none.
truth graph_shapes 0 <<'END'
launches 104 failed 0
END
truth images_2d 0 <<'END'
copied HtoD calls 5 bytes 5120
copied DtoD calls 5 bytes 5120
copied DtoH calls 5 bytes 5120
memory array allocated 1 bytes 1024 freed 1 left 0 bytes 0
memory device allocated 1 bytes 8192 freed 1 left 0 bytes 0
END
truth exit_as_it_is 0 <<'END'
launches 20 failed 0
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
END
# The frees of destructors after a reset fail, which harms nobody.
aside='cuMemFree_v2 1\|cudaFree 1'	# one failure
truth late_frees 0 <<'END'
memory device allocated 3 bytes 196608 freed 3 left 0 bytes 0
failed first cuMemFree_v2 1
END
aside='^$'
truth prefork 0 <<'END'
launches 90 failed 0
copied HtoD calls 30 bytes 1966080
copied DtoH calls 30 bytes 1966080
memory device allocated 3 bytes 196608 freed 3 left 0 bytes 0
memory host allocated 6 bytes 393216 freed 6 left 0 bytes 0
END

# --- allocators ----------------------------------------------------------------------
aside='cuMemAlloc_v2 2\|cudaMalloc 2\|cudaGetLastError 2'	# one failure, counted where it came from
# What is tried again and finds room then is what such allocators are for.
truth caching 0 XPT_FAKE_MEM=256M <<'END'
memory device allocated 13 bytes 335544320 freed 13 left 0 bytes 0
END
truth caching_full 1 XPT_FAKE_MEM=256M <<'END'
memory device allocated 12 bytes 201326592 freed 12 left 0 bytes 0
failed first cuMemAlloc_v2 2
finding fatal_error
END
tells caching_full '536870912.*OUT_OF_MEMORY'
aside='^$'
truth segments_full 1 XPT_FAKE_MEM=256M <<'END'
failed first cuMemCreate 2
finding fatal_error
END
advises segments_full '[Uu]se cuMemCreate|with cuMemCreate' false

# --- failures ------------------------------------------------------------------------
aside='cuLaunchKernel 1\|cudaLaunchKernel 1'	# one failure
truth silent_threads 0 XPT_FAKE_FAULT=cuLaunchKernel=1 <<'END'
launches 0 failed 200
failed first cuLaunchKernel 1
finding ignored_error
END
tells silent_threads '200 of 200 launches failed'
aside='cuLaunchKernel 209\|cudaLaunchKernel 209\|cudaGetLastError 209'
truth falls_back 0 XPT_FAKE_FAULT=cuLaunchKernel=209 <<'END'
launches 0 failed 1
failed first cuLaunchKernel 209
END
aside='cuGetProcAddress_v2 500'	# the runtime's own
truth cpu_instead 0 'XPT_FAKE_FAULT=cuGetProcAddress_v2@53=500' <<'END'
failed first cudaGetDeviceCount 35
END
truth driver_too_old 1 'XPT_FAKE_FAULT=cuGetProcAddress_v2@53=500' <<'END'
failed first cudaGetDeviceCount 35
finding fatal_error
END
aside='^$'
advises driver_too_old 'update the driver'
tells driver_too_old 'cudaGetDeviceCount.*cudaErrorInsufficientDriver'
truth fork_after_init 1 <<'END'
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
failed first cuMemAlloc_v2 3
finding fatal_error
END
advises fork_after_init 'before fork.*spawn'
truth workers 1 XPT_FAKE_MEM=256M <<'END'
failed first cuMemAlloc_v2 2 in 12 processes
finding fatal_error
END
is workers_processes 12 "$(jq '.verdict[0].processes' "$D/report.json")"

# --- ends ----------------------------------------------------------------------------
aside='^$'
truth crash_result 139 <<'END'
memory device allocated 1 bytes 65536 freed 0 left 1 bytes 65536
leak cudaMalloc device blocks 1 bytes 65536
in flight cudaMemcpy
in flight cuMemcpyDtoH_v2
finding crash
END
tells crash_result 'SIGSEGV inside (cudaMemcpy|cuMemcpyDtoH_v2)'
# A callback of the program is no call of CUDA, and the wait for it has nothing to do with it.
truth crash_callback 139 <<'END'
launches 1 failed 0
in flight cuStreamSynchronize
END
under="sh $T/stop 11 $T/hang_event/out"
truth hang_event 124 'XPT_FAKE_HANG=cuEventSynchronize@1' <<'END'
launches 31 failed 0
copied HtoD calls 10 bytes 655360
copied DtoH calls 10 bytes 655360
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
in flight cuEventSynchronize
finding hang
END
under=
tells hang_event 'cuEventSynchronize'

# --- ranks, and libraries beside CUDA ------------------------------------------------
program=truth_ranks
mkdir "$T/layer" "$T/tail" "$T/nvml"
gcc -O2 -fno-optimize-sibling-calls -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$T/layer/libcuda.so.1" \
	tests/bpf/workloads/lib/layer.c -ldl &&
	gcc -O2 -foptimize-sibling-calls -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$T/tail/libcuda.so.1" \
		tests/bpf/workloads/lib/layer.c -ldl &&
	gcc -O2 -fPIC -shared -Wl,-soname,libnvidia-ml.so.1 -o "$T/nvml/libnvidia-ml.so.1" tests/bpf/workloads/lib/nvml.c ||
	{ not_ok libraries "cannot be built"; exit 1; }
# What failed first is the cause; what the other ranks say of it comes after it.
uncounted=1
truth ranks 1 LD_LIBRARY_PATH="$B/fake/net:$B/fake" <<'END'
launches 16 failed 0
failed first cuCtxSynchronize 700
failed later ncclAllReduce 6 in 2 processes
finding sticky_error
finding sticky_error
END
is ranks_first cuCtxSynchronize "$(jq -r '.verdict[0].text | match("cuCtxSynchronize|ncclAllReduce").string' "$D/report.json")"
tells ranks 'ncclRemoteError.*its communicator cannot be used.*truth_ranks.[0-9]*. had failed .* before'
under="sh $T/stop 11 $T/ranks_hang/out"
truth ranks_hang 124 LD_LIBRARY_PATH="$B/fake/net:$B/fake" <<'END'
launches 16 failed 0
failed first cuCtxSynchronize 700
failed later ncclAllReduce 6
in flight cuCtxSynchronize
finding sticky_error
finding sticky_error
finding hang
END
under=
in_order ranks_hang "sticky_error sticky_error hang"
uncounted=
with="-d nvml"
truth gpu_lost 1 LD_LIBRARY_PATH="$T/nvml" <<'END'
failed first nvmlDeviceGetUtilizationRates 15
finding sticky_error
END
tells gpu_lost 'its device cannot be used'
advises gpu_lost 'CUDA_LAUNCH_BLOCKING|context' false
with=
# What the layer passes on nests in its own calls, also where it jumps to the other library as its last
# act, so that both calls have one stack pointer: the work is done once.
uncounted=1
for layer in layer tail; do
	truth layered 0 LD_LIBRARY_PATH="$T/$layer" LAYER_OF="$B/fake/libcuda.so.1" <<-'END'
		launches 60 failed 0
		copied HtoD calls 20 bytes 1310720
		copied DtoH calls 20 bytes 1310720
		memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
		memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
	END
	is ${layer}_functions "cuLaunchKernel (layer) 60 cuLaunchKernel 60" "$(jq -r '[.functions[] | select(.function | startswith("cuLaunchKernel")) | "\(.function) \(.calls)"] | sort_by(length) | reverse | join(" ")' "$D/report.json")"
	is ${layer}_note true "$(jq --arg l "$T/$layer/libcuda.so.1" 'any(.function_notes[]?.text; contains($l))' "$D/report.json")"
	is ${layer}_once true "$(jq '.statistics | 2 * .cuda_api_calls == .total_calls' "$D/report.json")"
	is ${layer}_losses "null null" "$(jq -r '"\(.losses) \(.left)"' "$D/report.json")"
	LD_LIBRARY_PATH="$T/$layer" LAYER_OF="$B/fake/libcuda.so.1" "$XPT" run --as-root --counters --json --log "$D/counters.json" \
		-- "$W/$program" layered >/dev/null 2>&1
	is ${layer}_counters "cuLaunchKernel (layer) 60 cuLaunchKernel 60" "$(jq -r '[.functions[] | select(.function | startswith("cuLaunchKernel")) | "\(.function) \(.calls)"] | sort_by(length) | reverse | join(" ")' "$D/counters.json")"
done
exit $failed
