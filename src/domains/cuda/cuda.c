/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CUDA driver API, libcuda: the layer through which every CUDA program
 * passes, whatever runtime or library it uses. The rows lie in alphabetical
 * order in the rows_*.h files; docs/domains/cuda.md explains the choices.
 */
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "wire/array.h"
#include "domains/cuda/cuda_sigs.h"

static const struct xpt_fn_row rows[] = {
#include "domains/cuda/rows_a_f.h"
#include "domains/cuda/rows_g_l.h"
#include "domains/cuda/rows_m.h"
#include "domains/cuda/rows_o_w.h"
};

#define XPT_CUDA_BOTH(kind, code, driver, runtime, text) XPT_##kind(code, driver, text),
#define XPT_CUDA_DRIVER(kind, code, name, text) XPT_##kind(code, name, text),
#define XPT_CUDA_RUNTIME(kind, code, name, text)
static const struct xpt_result results[] = {
#include "model/domain/cuda_results.h"
};

static const struct xpt_expected expected[] = {
#include "domains/cuda/expected.h"
};

static const struct xpt_sigs sigs = XPT_SIGS;

static const char *const libs[] = { "libcuda.so*", NULL };
static const char *const sonames[] = { "libcuda.so.1", NULL };
/* All but cudbg*: the debugger's private interface, with results of its own. */
static const char *const catch_all[] = {
	"cuA*", "cuB*", "cuC*", "cuD*", "cuE*", "cuF*", "cuG*", "cuH*", "cuI*",
	"cuJ*", "cuK*", "cuL*", "cuM*", "cuN*", "cuO*", "cuP*", "cuQ*", "cuR*",
	"cuS*", "cuT*", "cuU*", "cuV*", "cuW*", "cuX*", "cuY*", "cuZ*", NULL
};

/* They ask a function of the program how much shared memory a block of a size takes. Other
 * callbacks run on threads of the driver. */
static const char *const calls_back[] = {
	"cuOccupancyMaxPotentialBlockSize", "cuOccupancyMaxPotentialBlockSizeWithFlags", NULL
};

/* The state of the library in the process does not survive fork(2). */
static const struct xpt_result forked = XPT_RESULT(3, CUDA_ERROR_NOT_INITIALIZED,
	"CUDA was initialized before fork(2), and a forked child cannot use it: start such processes with "
	"exec (Python: the start method \"spawn\"), or initialize CUDA in the children only.");

const struct xpt_domain xpt_domain_cuda = {
	.name = "cuda",
	.help = "CUDA driver API (libcuda): memory, copies, launches, streams, graphs",
	.layer = XPT_LAYER_API,
	.on_by_default = true,
	.libs = libs,
	.sonames = sonames,
	.catch_all = catch_all,
	.catch_all_ret = XPT_RET_STATUS,
	XPT_TABLES,
	.forked = &forked,
	.expected = expected,
	.sigs = &sigs,
	.calls_back = calls_back,
};
