/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CUDA runtime API, libcudart, as a library or linked into a program. Its
 * calls contain calls of libcuda of the same class, so totals count them once.
 * docs/domains/cudart.md explains the choices.
 */
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "domains/cudart/cudart_sigs.h"

static const struct xpt_fn_row rows[] = {
#include "domains/cudart/rows.h"
};

#define XPT_CUDA_BOTH(kind, code, driver, runtime, text) XPT_##kind(code, runtime, text),
#define XPT_CUDA_DRIVER(kind, code, name, text)
#define XPT_CUDA_RUNTIME(kind, code, name, text) XPT_##kind(code, name, text),
static const struct xpt_result results[] = {
#include "model/domain/cuda_results.h"
};

static const struct xpt_expected expected[] = {
#include "domains/cudart/expected.h"
};

static const struct xpt_sigs sigs = XPT_SIGS;

/* The second form is how wheels name the copy that they bundle. */
static const char *const libs[] = { "libcudart.so*", "libcudart-*.so*", NULL };
static const char *const sonames[] = { "libcudart.so.13", "libcudart.so.12",
				       "libcudart.so.11.0", NULL };
/* nvcc links a copy into each program; every program with a kernel calls the first. */
static const char *const marks[] = { "__cudaRegisterFatBinary", "cudaMalloc", "cudaLaunchKernel",
				     NULL };
/* Not __cuda*: registration and launch helpers of the compiler, see the page. */
static const char *const catch_all[] = { "cuda*", NULL };

/* The state of the library in the process does not survive fork(2). */
static const struct xpt_result forked = XPT_RESULT(3, cudaErrorInitializationError,
	"CUDA was initialized before fork(2), and a forked child cannot use it: start such processes with "
	"exec (Python: the start method \"spawn\"), or initialize CUDA in the children only.");

const struct xpt_domain xpt_domain_cudart = {
	.name = "cudart",
	.help = "CUDA runtime API (libcudart): the calls behind cudaMalloc and <<<>>>",
	.layer = XPT_LAYER_API,
	.on_by_default = true,
	.libs = libs,
	.sonames = sonames,
	.marks = marks,
	.marks_section = ".nv_fatbin",
	.catch_all = catch_all,
	.catch_all_ret = XPT_RET_STATUS,
	XPT_TABLES,
	.forked = &forked,
	.expected = expected,
	.sigs = &sigs,
};
