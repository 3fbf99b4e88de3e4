#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# timeout: 600
# needs: bpf jq python3
#
# Small programs whose truth is written beside them (tests/bpf/workloads/truth.c and truth_fails.c): what was
# launched, copied, allocated and left, what failed first, and which findings an expert would
# write down. Whatever a report says beyond that is a false alarm, whatever it leaves out
# was missed. A program's own counts by function and result are compared as well.
. tests/bpf/lib.sh
need_bpf
. tests/bpf/truth_lib.sh

# --- healthy: numbers, and nothing else ----------------------------------------------
truth pipeline 0 <<'END'
launches 120 failed 0
copied HtoD calls 40 bytes 2621440
copied DtoH calls 40 bytes 2621440
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
END
truth threads 0 <<'END'
launches 300 failed 0
copied HtoD calls 100 bytes 6553600
copied DtoH calls 100 bytes 6553600
memory device allocated 4 bytes 262144 freed 4 left 0 bytes 0
memory host allocated 8 bytes 524288 freed 8 left 0 bytes 0
END
truth pool 0 <<'END'
launches 100 failed 0
memory pool allocated 100 bytes 157286400 freed 100 left 0 bytes 0
END
# What asks for what there may be is no failure, although it returns errors.
truth probing 0 XPT_FAKE_FAULT=cuCtxEnablePeerAccess=704,cuGetExportTable=1 <<'END'
launches 30 failed 0
copied HtoD calls 10 bytes 655360
copied DtoH calls 10 bytes 655360
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
END
truth runtime 0 <<'END'
copied HtoD calls 20 bytes 1310720
copied DtoH calls 20 bytes 1310720
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
END
# The allocation that failed was a failure, but the program found a way: no finding.
truth oom_retry 0 XPT_FAKE_MEM=256M <<'END'
launches 20 failed 0
memory device allocated 1 bytes 268435456 freed 1 left 0 bytes 0
failed first cuMemAlloc_v2 2
END
# To wait for each kernel costs nothing where kernels are long.
truth long_kernels 0 XPT_FAKE_KERNEL_TIME=2ms <<'END'
launches 120 failed 0
END
# What is captured is neither launched nor copied: the graph is, a hundred times.
truth graph 0 <<'END'
launches 100 failed 0
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 1 bytes 65536 freed 1 left 0 bytes 0
END
# The kernel's counters have the captured calls too; the totals that rest on them do not.
is graph_totals "launch 100, launches 100, transfers 0" "$(jq -r '
	([.operations[] | select(.operation | test("launch|copy")) | "\(.operation) \(.calls)"] | join(" ")) +
	", launches \(.statistics.kernel_launches), transfers \(.statistics.transfers)"' "$D/report.json")"
truth copies 0 <<'END'
copied HtoD calls 20 bytes 22400
copied DtoH calls 10 bytes 8000
copied DtoD calls 10 bytes 2000
memory device allocated 2 bytes 131072 freed 2 left 0 bytes 0
END
truth overlap 0 XPT_FAKE_KERNEL_TIME=300us <<'END'
launches 240 failed 0
copied HtoD calls 60 bytes 3932160
memory device allocated 2 bytes 131072 freed 2 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
END
truth serve 0 XPT_FAKE_KERNEL_TIME=500us <<'END'
launches 150 failed 0
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 1 bytes 65536 freed 1 left 0 bytes 0
END
truth callbacks 0 <<'END'
launches 20 failed 0
END
truth autotune 0 XPT_FAKE_FAULT=cuLaunchKernel@1=701,cuLaunchKernel@2=701 <<'END'
launches 51 failed 2
failed first cuLaunchKernel 701
END
truth context_end 0 <<'END'
launches 1 failed 0
memory device allocated 3 bytes 196608 freed 3 left 0 bytes 0
END
program=truth_fails
truth cancel 0 'XPT_FAKE_LATENCY=cuMemGetInfo_v2@2=60s' <<'END'
launches 30 failed 0
copied HtoD calls 10 bytes 655360
copied DtoH calls 10 bytes 655360
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
left cuMemGetInfo_v2 calls 1
END
program=truth
truth exec 0 <<'END'
launches 135 failed 0
copied HtoD calls 45 bytes 2949120
copied DtoH calls 45 bytes 2949120
memory device allocated 2 bytes 131072 freed 2 left 0 bytes 0
memory host allocated 4 bytes 262144 freed 4 left 0 bytes 0
END

program=truth_fails

# --- errors --------------------------------------------------------------------------
# The driver does not know a function that the runtime needs (cuLibraryLoadData): the runtime's
# error is the failure, and not the question that it asked.
aside='cuGetProcAddress_v2 500'	# the runtime's own
truth old_driver 1 'XPT_FAKE_FAULT=cuGetProcAddress_v2@53=500' <<'END'
failed first cudaGetDeviceCount 35
finding fatal_error
END
aside='^$'
tells old_driver 'cudaGetDeviceCount.*cudaErrorInsufficientDriver'
truth wrong_pointer 1 <<'END'
launches 1 failed 10
memory device allocated 1 bytes 65536 freed 0 left 1 bytes 65536
leak cuMemAlloc_v2 device blocks 1 bytes 65536
failed first cuMemcpyHtoD_v2 1
failed first cuCtxSynchronize 700
finding sticky_error
END
tells wrong_pointer 'cuCtxSynchronize.*xpt_add'
truth nobody_looks 0 XPT_FAKE_FAULT=cuLaunchKernel=701 <<'END'
launches 0 failed 200
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
failed first cuLaunchKernel 701
finding ignored_error
END
tells nobody_looks 'cuLaunchKernel'
truth lost_copies 0 <<'END'
launches 1 failed 0
failed first cuMemcpyHtoD_v2 1
finding ignored_error
END
# The result did not come back, and the status says that all is well.
truth last_copy 0 XPT_FAKE_FAULT=cuMemcpyDtoH_v2=1 <<'END'
launches 1 failed 0
memory device allocated 1 bytes 65536 freed 0 left 1 bytes 65536
leak cuMemAlloc_v2 device blocks 1 bytes 65536
failed first cuMemcpyDtoH_v2 1
finding ignored_error
END
tells last_copy '1 of 1 copy failed; first cuMemcpyDtoH_v2.*; nobody asked for the error'
truth last_copy_told 0 XPT_FAKE_FAULT=cuMemcpyDtoH_v2=1 <<'END'
launches 1 failed 0
memory device allocated 1 bytes 65536 freed 0 left 1 bytes 65536
leak cuMemAlloc_v2 device blocks 1 bytes 65536
failed first cuMemcpyDtoH_v2 1
END
# What it asked about was another error, before.
truth asked_before 0 XPT_FAKE_FAULT=cuCtxGetDevice=201,cuLaunchKernel=701 <<'END'
launches 0 failed 50
failed first cuLaunchKernel 701
finding ignored_error
END
tells asked_before '50 of 50 launches failed'
# What means nothing in most programs may have stopped this one.
truth probe_dies 1 XPT_FAKE_FAULT=cuMemCreate=801 <<'END'
finding possible_cause
END
tells probe_dies 'cuMemCreate.*NOT_SUPPORTED.*ended with status 1.*possibly for this'
truth probe_goes_on 1 XPT_FAKE_FAULT=cuCtxGetDevice=201 <<'END'
launches 30 failed 0
copied HtoD calls 10 bytes 655360
copied DtoH calls 10 bytes 655360
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
memory host allocated 2 bytes 131072 freed 2 left 0 bytes 0
END
truth one_lost 0 XPT_FAKE_FAULT=cuLaunchKernel@20=701 <<'END'
launches 49 failed 1
failed first cuLaunchKernel 701
finding ignored_error
END
tells one_lost '1 of 50 launches'
truth one_lost_exit 1 XPT_FAKE_FAULT=cuLaunchKernel@20=701 <<'END'
launches 49 failed 1
failed first cuLaunchKernel 701
finding ignored_error
END
tells one_lost_exit 'ended with status 1: 1 of 50 launches'
# The driver's and the runtime's name of one error.
aside='cuInit 100'	# the runtime's own
truth no_device 1 XPT_FAKE_DEVICES=0 <<'END'
failed first cuInit 100
finding fatal_error
END
is no_device_same "2 of 2" "$(jq -r '.first_failures[0] | "\(.later_same) of \(.later_failures)"' "$D/report.json")"
aside='^$'
aside='cuMemAlloc_v2 2\|cudaMalloc 2'	# one failure, counted where it came from
truth runtime_oom 1 XPT_FAKE_MEM=256M <<'END'
failed first cuMemAlloc_v2 2
finding fatal_error
END
aside='^$'
truth oom 1 XPT_FAKE_MEM=256M <<'END'
launches 1 failed 0
memory device allocated 1 bytes 16777216 freed 0 left 1 bytes 16777216
leak cuMemAlloc_v2 device blocks 1 bytes 16777216
failed first cuMemAlloc_v2 2
finding fatal_error
END
tells oom 'cuMemAlloc_v2.*536870912.*OUT_OF_MEMORY'
truth abort 134 <<'END'
launches 1 failed 0
failed first cuMemcpyHtoD_v2 1
finding fatal_error
END
tells abort 'cuMemcpyHtoD_v2.*INVALID_VALUE'
truth not_initialized 1 <<'END'
failed first cuMemAlloc_v2 3
finding fatal_error
END
is not_initialized_advice false "$(jq '[.verdict[]?.advice, .first_failures[]?.text] | any(test("leak|shrink|[Mm]emory was"))' "$D/report.json")"
truth free_twice 0 <<'END'
launches 1 failed 0
memory device allocated 1 bytes 65536 freed 1 left 0 bytes 0
failed first cuMemFree_v2 1
finding double_free
END
# Four processes, one sentence.
truth fork 1 XPT_FAKE_DEVICES=0 <<'END'
failed first cuInit 100 in 4 processes
finding fatal_error
END
tells fork 'cuInit'
is fork_processes 4 "$(jq '.verdict[0].processes' "$D/report.json")"

program=truth

# --- memory --------------------------------------------------------------------------
# Long enough that a moment without a processor is no part of its time.
truth leak 0 XPT_FAKE_KERNEL_TIME=30ms <<'END'
launches 120 failed 0
memory device allocated 65 bytes 73400320 freed 5 left 60 bytes 62914560
leak cuMemAlloc_v2 device blocks 60 bytes 62914560
finding memory_growth
END
truth leak_pinned 0 <<'END'
launches 1 failed 0
memory host allocated 11 bytes 720896 freed 1 left 10 bytes 655360
memory registered allocated 1 bytes 16384 freed 0 left 1 bytes 16384
leak cuMemHostAlloc host blocks 10 bytes 655360
leak cuMemHostRegister_v2 registered blocks 1 bytes 16384
END
# The allocations take some time, so that doing without them is worth a sentence on any machine.
truth race 0 XPT_FAKE_LATENCY=cuMemAlloc_v2=20us <<'END'
memory device allocated 1600 bytes 6553600 freed 1500 left 100 bytes 409600
leak cuMemAlloc_v2 device blocks 100 bytes 409600
finding churn
END
# The allocations are most of the time, and the device waits for them.
truth churn 0 XPT_FAKE_LATENCY=cuMemAlloc_v2=100us <<'END'
launches 800 failed 0
memory device allocated 200 bytes 1677721600 freed 200 left 0 bytes 0
finding churn
finding idle_gaps
END

program=truth_fails

# --- ends ----------------------------------------------------------------------------
truth crash_inside 139 <<'END'
memory device allocated 1 bytes 65536 freed 0 left 1 bytes 65536
leak cuMemAlloc_v2 device blocks 1 bytes 65536
in flight cuMemcpyHtoD_v2
finding crash
END
tells crash_inside 'cuMemcpyHtoD_v2'
# The thread in cuCtxSynchronize has nothing to do with it.
truth crash_beside 139 <<'END'
in flight cuCtxSynchronize
END
truth crash_two 139 <<'END'
memory device allocated 1 bytes 65536 freed 0 left 1 bytes 65536
leak cuMemAlloc_v2 device blocks 1 bytes 65536
in flight cuCtxSynchronize
in flight cuMemcpy2D_v2
finding crash
END
tells crash_two 'cuMemcpy2D_v2'
# Whoever sends SIGTERM has the right to.
under="sh $T/stop 0 $T/stopped/out"
truth stopped 124 <<'END'
launches 1 failed 0
in flight cuCtxSynchronize
END
# Something else killed it, after it had stood still for longer than anybody waits.
under="sh $T/stop 11 $T/hang/out"
truth hang 124 'XPT_FAKE_HANG=cuCtxSynchronize@3' <<'END'
launches 3 failed 0
in flight cuCtxSynchronize
finding hang
END
under=
tells hang 'cuCtxSynchronize.*xpt_nop'

program=truth

# --- slow ----------------------------------------------------------------------------
truth serial 0 XPT_FAKE_KERNEL_TIME=30us <<'END'
launches 1000 failed 0
finding sync_every_launch
END
exit $failed
