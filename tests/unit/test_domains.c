/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The CUDA domains as the engine and the analyzers meet them: which row a real
 * export takes, what the key functions capture, what results mean. Every other
 * row is compared with CUDA's headers by tests/contract/check-cuda-tables.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/parse.h"
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "model/kernel/ioctl_table.h"

static const struct xpt_domain *cuda, *cudart;

static int find_domains(void **state)
{
	(void)state;
	cuda = xpt_domain__find("cuda");
	cudart = xpt_domain__find("cudart");
	return cuda && cudart ? 0 : -1;
}

/* The row that sym takes must be called want; NULL: none. */
static void check_row(const struct xpt_domain *d, const char *sym, const char *want)
{
	const struct xpt_fn_row *row = xpt_domain__row(d, sym);

	if (!row != !want || (row && strcmp(row->sym, want)))
		fail_msg("%s takes row %s, not %s", sym, row ? row->sym : "none",
			 want ? want : "none");
}

static void test_suffixes(void **state)
{
	(void)state;
	/* One ABI under several names. */
	check_row(cuda, "cuStreamSynchronize", "cuStreamSynchronize");
	check_row(cuda, "cuStreamSynchronize_ptsz", "cuStreamSynchronize");
	check_row(cuda, "cuCtxDestroy_v2", "cuCtxDestroy");
	check_row(cuda, "cuMemHostRegister_v2", "cuMemHostRegister");
	check_row(cuda, "cuGraphInstantiate_v2", "cuGraphInstantiate");
	check_row(cuda, "cuGetProcAddress_v2", "cuGetProcAddress");
	check_row(cuda, "cuStreamGetCaptureInfo_v3_ptsz", "cuStreamGetCaptureInfo");
	/* Another ABI: a row of its own. */
	check_row(cuda, "cuMemAlloc", "cuMemAlloc");
	check_row(cuda, "cuMemAlloc_v2", "cuMemAlloc_v2");
	check_row(cuda, "cuMemcpyHtoD_v2_ptds", "cuMemcpyHtoD_v2");
	check_row(cuda, "cuMemcpyHtoDAsync_v2_ptsz", "cuMemcpyHtoDAsync_v2");
	check_row(cuda, "cuCtxSynchronize_v2", "cuCtxSynchronize_v2");
	check_row(cuda, "cuCtxCreate_v2", "cuCtxCreate");
	check_row(cuda, "cuCtxCreate_v3", "cuCtxCreate_v3");
	check_row(cuda, "cuCtxCreate_v4", "cuCtxCreate_v4");
	check_row(cuda, "cuMemPrefetchAsync_v2_ptsz", "cuMemPrefetchAsync_v2");
	check_row(cuda, "cuMemcpyBatchAsync_v2_ptsz", "cuMemcpyBatchAsync_v2");
	/* Digits and letters that are part of the name. */
	check_row(cuda, "cuMemsetD2D8_v2_ptds", "cuMemsetD2D8_v2");
	check_row(cuda, "cuStreamWriteValue32_v2_ptsz", "cuStreamWriteValue32");
	check_row(cuda, "cuMemAllocFoo", NULL);
	check_row(cuda, "cuMemAlloc_v", NULL);
	check_row(cudart, "cudaMemcpyAsync_ptsz", "cudaMemcpyAsync");
	check_row(cudart, "cudaGetDeviceProperties_v2", "cudaGetDeviceProperties");
	check_row(cudart, "__cudaLaunchKernel_ptsz", "__cudaLaunchKernel");
	check_row(cudart, "cuMemAlloc_v2", NULL);
}

/* Functions of `uverbs` are those of the kernel's interface. */
static unsigned count_uverbs(const char *glob)
{
	const struct xpt_ioctls *t = xpt_domain__find("ioctl")->ioctls;
	char name[XPT_IOCTL_NAME_MAX];
	struct xpt_ioctl_key key;
	unsigned n = 0;

	for (size_t i = 0; xpt_ioctl__uverbs(t, i, &key); i++)
		n += xpt_glob_match(glob, xpt_ioctl__name(t, &key, name, sizeof(name)));
	return n;
}

static unsigned count_matches(const struct xpt_domain *d, const char *glob)
{
	unsigned n = strcmp(d->name, "uverbs") ? 0 : count_uverbs(glob);

	for (size_t i = 0; i < d->nr_rows; i++)
		n += xpt_glob_match(glob, d->rows[i].sym);
	return n;
}

/* Every expected failure is one: of a function that there is, with a code that is no success. */
static void test_expected(void **state)
{
	const struct xpt_expected *e;

	(void)state;
	for (size_t i = 0; i < xpt_nr_domains; i++)
		for (e = xpt_domains[i]->expected; e && e->fn; e++) {
			const struct xpt_fn_row *row = xpt_domain__row(xpt_domains[i], e->fn);
			const struct xpt_result *r = xpt_domain__result(xpt_domains[i], e->code);
			bool pointer = row && row->ret == XPT_RET_POINTER;

			if (!count_matches(xpt_domains[i], e->fn) && !xpt_domain__traces(xpt_domains[i], e->fn))
				fail_msg("%s: no such function", e->fn);
			if (pointer ? e->code != 0 : !e->code || !r || r->benign)
				fail_msg("%s: %d is no failure", e->fn, (int)e->code);
			assert_int_equal(e->reason[strlen(e->reason) - 1], '.');
		}
}

static void test_verbs_expected(void **state)
{
	const struct xpt_domain *verbs = xpt_domain__find("verbs");

	(void)state;
	assert_non_null(xpt_domain__expected(verbs, "ibv_reg_dmabuf_mr", 0));
	assert_non_null(xpt_domain__expected(verbs, "ibv_get_async_event", -1));
	assert_non_null(xpt_domain__expected(verbs, "_ibv_query_gid_ex", 61));
	assert_null(xpt_domain__expected(verbs, "_ibv_query_gid_ex", 22));
	assert_null(xpt_domain__expected(verbs, "ibv_reg_mr", 0));
	assert_null(xpt_domain__expected(verbs, "ibv_create_qp", 0));
}

static void test_nvidia_expected(void **state)
{
	const struct xpt_domain *driver = xpt_domain__find("cuda"), *nvml = xpt_domain__find("nvml");
	const struct xpt_domain *nccl = xpt_domain__find("nccl");

	(void)state;
	assert_non_null(xpt_domain__expected(driver, "cuMemCreate", 801));	/* first with a fabric handle */
	assert_null(xpt_domain__expected(driver, "cuMemCreate", 2));
	assert_null(xpt_domain__expected(driver, "cuModuleGetFunction", 500));
	/* PyTorch ends with these; a launch after the driver has shut down is a mistake. */
	assert_non_null(xpt_domain__expected(driver, "cuLibraryUnload", 4));
	assert_non_null(xpt_domain__expected(driver, "cuDevicePrimaryCtxRelease_v2", 4));
	assert_null(xpt_domain__expected(driver, "cuLaunchKernel", 4));
	assert_non_null(xpt_domain__expected(nvml, "nvmlDeviceGetMigDeviceHandleByIndex", 6));
	assert_non_null(xpt_domain__expected(nvml, "nvmlDeviceGetNvLinkRemotePciInfo_v2", 2));
	assert_non_null(xpt_domain__expected(nvml, "nvmlDeviceGetGpuInstanceProfileInfoV", 2));
	assert_null(xpt_domain__expected(nvml, "nvmlDeviceGetNvLinkState", 15));
	assert_null(xpt_domain__expected(nvml, "nvmlDeviceGetHandleByIndex_v2", 2));
	assert_null(nccl->expected);		/* its one answer is no failure */
	assert_true(xpt_domain__result(nccl, 7)->benign);
}

static void test_traced(void **state)
{
	(void)state;
	assert_true(xpt_domain__traces(cuda, "cuMemAlloc_v2"));
	assert_true(xpt_domain__traces(cuda, "cuGraphicsGLRegisterBuffer"));
	assert_true(xpt_domain__traces(cuda, "cuFunctionOfNextYear_v7_ptsz"));
	assert_false(xpt_domain__traces(cuda, "cudbgApiInit"));
	assert_false(xpt_domain__traces(cuda, "cudaMalloc"));
	assert_false(xpt_domain__traces(cuda, "malloc"));
	assert_true(xpt_domain__traces(cudart, "cudaGLMapBufferObject"));
	assert_true(xpt_domain__traces(cudart, "__cudaRegisterFatBinary"));
	assert_true(xpt_domain__traces(cudart, "__cudaRegisterFunction"));
	assert_false(xpt_domain__traces(cudart, "__cudaRegisterVar"));
	assert_false(xpt_domain__traces(cudart, "__cudaPushCallConfiguration"));
	assert_false(xpt_domain__traces(cudart, "cuMemAlloc_v2"));
}

static bool in_libs(const struct xpt_domain *d, const char *file)
{
	const char *const *glob;

	for (glob = d->libs; *glob; glob++)
		if (xpt_glob_match(*glob, file))
			return true;
	return false;
}

static void test_libraries(void **state)
{
	(void)state;
	assert_true(in_libs(cuda, "libcuda.so.1"));
	assert_true(in_libs(cuda, "libcuda.so.535.261.03"));
	assert_false(in_libs(cuda, "libcudart.so.12"));
	assert_false(in_libs(cuda, "libcudadebugger.so.1"));
	assert_true(in_libs(cudart, "libcudart.so.12.8.90"));
	assert_true(in_libs(cudart, "libcudart-d0da41ae.so.11.0"));
	assert_false(in_libs(cudart, "libcuda.so.1"));
}

struct want {
	uint8_t op, arg, width, role;
	int32_t off;
};

/* sym's captures must be exactly want[0..nr). */
static void check_spec(const struct xpt_domain *d, const char *sym, uint8_t cls, uint8_t kind,
		       const struct want *want, size_t nr)
{
	struct xpt_wire_fn spec;
	size_t i;

	xpt_domain__spec(d, xpt_domain__row(d, sym), &spec);
	if (spec.cls != cls || spec.kind != kind || spec.nr_caps != nr)
		fail_msg("%s: class %u, kind %u, %u captures", sym, spec.cls, spec.kind,
			 spec.nr_caps);
	for (i = 0; i < nr; i++) {
		const struct xpt_wire_cap *c = &spec.cap[i];

		if (c->op != want[i].op || c->arg != want[i].arg || c->width != want[i].width ||
		    c->role != want[i].role || c->off != want[i].off)
			fail_msg("%s: capture %zu: op %u arg %u width %u role %u off %d", sym, i,
				 c->op, c->arg, c->width, c->role, c->off);
	}
}

#define SPEC(d, sym, cls, kind, want) \
	check_spec(d, sym, XPT_CLASS_##cls, XPT_KIND_##kind, want, sizeof(want) / sizeof(*(want)))

static void test_alloc(void **state)
{
	static const struct want alloc[] = {
		{ XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 },
		{ XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 },
	};
	static const struct want old_alloc[] = {
		{ XPT_CAP_OUT, 0, 4, XPT_ROLE_ADDR, 0 },
		{ XPT_CAP_VAL, 1, 4, XPT_ROLE_SIZE, 0 },
	};
	static const struct want pitched[] = {	/* cudaPitchedPtr *, then 24 bytes by value */
		{ XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 },
		{ XPT_CAP_OUT, 0, 8, XPT_ROLE_PITCH, 8 },
		{ XPT_CAP_VAL, 6, 8, XPT_ROLE_WIDTH, 0 },
		{ XPT_CAP_VAL, 7, 8, XPT_ROLE_HEIGHT, 0 },
		{ XPT_CAP_VAL, 8, 8, XPT_ROLE_DEPTH, 0 },
	};
	static const struct want release[] = { { XPT_CAP_VAL, 0, 8, XPT_ROLE_HANDLE, 0 } };
	static const struct want release_addr[] = { { XPT_CAP_VAL, 0, 8, XPT_ROLE_ADDR, 0 } };

	(void)state;
	SPEC(cuda, "cuMemAlloc_v2", ALLOC, DEVICE, alloc);
	SPEC(cuda, "cuMemAlloc", ALLOC, DEVICE, old_alloc);
	SPEC(cuda, "cuMemAllocHost_v2", ALLOC, HOST, alloc);
	SPEC(cudart, "cudaMalloc", ALLOC, DEVICE, alloc);
	SPEC(cudart, "cudaMalloc3D", ALLOC, DEVICE, pitched);
	SPEC(cuda, "cuMemRelease", FREE, VMM, release);
	SPEC(cuda, "cuArrayDestroy", FREE, ARRAY, release);
	SPEC(cuda, "cuMemFree_v2", FREE, NONE, release_addr);
	SPEC(cudart, "cudaFree", FREE, NONE, release_addr);
}

static void test_launch(void **state)
{
	static const struct want driver[] = {
		{ XPT_CAP_VAL, 0, 8, XPT_ROLE_FUNC, 0 },
		{ XPT_CAP_VAL, 1, 4, XPT_ROLE_GRID_X, 0 },
		{ XPT_CAP_VAL, 2, 4, XPT_ROLE_GRID_Y, 0 },
		{ XPT_CAP_VAL, 3, 4, XPT_ROLE_GRID_Z, 0 },
		{ XPT_CAP_VAL, 4, 4, XPT_ROLE_BLOCK_X, 0 },
		{ XPT_CAP_VAL, 5, 4, XPT_ROLE_BLOCK_Y, 0 },
		{ XPT_CAP_VAL, 6, 4, XPT_ROLE_BLOCK_Z, 0 },
		{ XPT_CAP_VAL, 7, 4, XPT_ROLE_SHMEM, 0 },
		{ XPT_CAP_VAL, 8, 8, XPT_ROLE_STREAM, 0 },
	};
	/* A dim3 by value: x and y share one register, z has the next. */
	static const struct want runtime[] = {
		{ XPT_CAP_VAL, 0, 8, XPT_ROLE_FUNC, 0 },
		{ XPT_CAP_VAL, 1, 4, XPT_ROLE_GRID_X, 0 },
		{ XPT_CAP_VAL, 1, 4, XPT_ROLE_GRID_Y, 32 },
		{ XPT_CAP_VAL, 2, 4, XPT_ROLE_GRID_Z, 0 },
		{ XPT_CAP_VAL, 3, 4, XPT_ROLE_BLOCK_X, 0 },
		{ XPT_CAP_VAL, 3, 4, XPT_ROLE_BLOCK_Y, 32 },
		{ XPT_CAP_VAL, 4, 4, XPT_ROLE_BLOCK_Z, 0 },
		{ XPT_CAP_VAL, 6, 8, XPT_ROLE_SHMEM, 0 },
		{ XPT_CAP_VAL, 7, 8, XPT_ROLE_STREAM, 0 },
	};
	static const struct want graph[] = {
		{ XPT_CAP_VAL, 0, 8, XPT_ROLE_GRAPH, 0 },
		{ XPT_CAP_VAL, 1, 8, XPT_ROLE_STREAM, 0 },
	};
	struct xpt_wire_fn spec;

	(void)state;
	SPEC(cuda, "cuLaunchKernel", LAUNCH, NONE, driver);
	SPEC(cuda, "cuLaunchCooperativeKernel_ptsz", LAUNCH, NONE, driver);
	SPEC(cudart, "cudaLaunchKernel", LAUNCH, NONE, runtime);
	SPEC(cudart, "__cudaLaunchKernel", LAUNCH, NONE, runtime);
	SPEC(cuda, "cuGraphLaunch_ptsz", LAUNCH, NONE, graph);
	SPEC(cudart, "cudaGraphLaunch", LAUNCH, NONE, graph);
	xpt_domain__spec(cuda, xpt_domain__row(cuda, "cuLaunchKernel"), &spec);
	assert_int_equal(spec.nr_stack, 3);
	assert_int_equal(spec.out_mask, 0);
	xpt_domain__spec(cudart, xpt_domain__row(cudart, "cudaLaunchKernel"), &spec);
	assert_int_equal(spec.nr_stack, 2);
}

static void test_copy(void **state)
{
	static const struct want htod[] = {
		{ XPT_CAP_VAL, 0, 8, XPT_ROLE_DST, 0 },
		{ XPT_CAP_VAL, 1, 8, XPT_ROLE_SRC, 0 },
		{ XPT_CAP_VAL, 2, 8, XPT_ROLE_SIZE, 0 },
		{ XPT_CAP_CONST, 0, 4, XPT_ROLE_DIR, XPT_DIR_H2D },
	};
	static const struct want kind[] = {
		{ XPT_CAP_VAL, 0, 8, XPT_ROLE_DST, 0 },
		{ XPT_CAP_VAL, 1, 8, XPT_ROLE_SRC, 0 },
		{ XPT_CAP_VAL, 2, 8, XPT_ROLE_SIZE, 0 },
		{ XPT_CAP_VAL, 3, 4, XPT_ROLE_DIR, 0 },
	};
	/* Elements of 4 bytes: SIZE is always bytes. */
	static const struct want fill[] = {
		{ XPT_CAP_VAL, 0, 8, XPT_ROLE_DST, 0 },
		{ XPT_CAP_VAL, 1, 4, XPT_ROLE_VALUE, 0 },
		{ XPT_CAP_VAL, 2, 8, XPT_ROLE_SIZE, -2 },
	};
	struct xpt_wire_fn spec;

	(void)state;
	SPEC(cuda, "cuMemcpyHtoD_v2", COPY, NONE, htod);
	SPEC(cudart, "cudaMemcpy", COPY, NONE, kind);
	SPEC(cuda, "cuMemsetD32_v2", SET, NONE, fill);
	xpt_domain__spec(cudart, xpt_domain__row(cudart, "cudaMemcpy"), &spec);
	assert_int_equal(spec.size_cap, 2);
	assert_int_equal(spec.dir_cap, 3);
}

/* Every copy says where to, every stream-ordered function says on which stream. */
static void test_families(void **state)
{
	const struct xpt_domain *domains[] = { cuda, cudart };
	struct xpt_wire_fn spec;
	size_t d, r, i, copies = 0;
	bool stream;

	(void)state;
	for (d = 0; d < 2; d++) {
		for (r = 0; r < domains[d]->nr_rows; r++) {
			const struct xpt_fn_row *row = &domains[d]->rows[r];
			const char *async = strstr(row->sym, "Async");

			xpt_domain__spec(domains[d], row, &spec);
			for (i = 0, stream = false; i < spec.nr_caps; i++)
				stream |= spec.cap[i].role == XPT_ROLE_STREAM;
			if (row->cls == XPT_CLASS_COPY) {
				copies++;
				if (spec.dir_cap == 0xff)
					fail_msg("%s: no direction", row->sym);
			}
			/* The runtime moved the stream of these between its versions. */
			if (async && !strstr(row->sym, "Notification") && !stream &&
			    strcmp(row->sym, "cudaMemPrefetchAsync") &&
			    !strstr(row->sym, "BatchAsync"))
				fail_msg("%s: no stream", row->sym);
		}
	}
	assert_true(copies > 60);
}

static void check_result(const struct xpt_domain *d, int64_t code, const char *name, bool benign,
			 bool sticky)
{
	const struct xpt_result *r = xpt_domain__result(d, code);

	assert_non_null(r);
	assert_string_equal(r->name, name);
	assert_int_equal(r->benign, benign);
	assert_int_equal(r->sticky, sticky);
}

static void test_results(void **state)
{
	(void)state;
	check_result(cuda, 0, "CUDA_SUCCESS", false, false);
	check_result(cuda, 2, "CUDA_ERROR_OUT_OF_MEMORY", false, false);
	check_result(cuda, 600, "CUDA_ERROR_NOT_READY", true, false);
	check_result(cuda, 700, "CUDA_ERROR_ILLEGAL_ADDRESS", false, true);
	check_result(cuda, 999, "CUDA_ERROR_UNKNOWN", false, false);
	check_result(cudart, 2, "cudaErrorMemoryAllocation", false, false);
	check_result(cudart, 600, "cudaErrorNotReady", true, false);
	check_result(cudart, 719, "cudaErrorLaunchFailure", false, true);
	assert_null(xpt_domain__result(cuda, 9));	/* the runtime's own */
	assert_null(xpt_domain__result(cuda, -1));
	assert_null(xpt_domain__result(cudart, INT64_MAX));
}

/* Functions whose return value is no status of their own must not count as errors. */
static void test_returns(void **state)
{
	(void)state;
	assert_int_equal(xpt_domain__row(cudart, "cudaGetLastError")->ret, XPT_RET_VALUE);
	assert_int_equal(xpt_domain__row(cudart, "cudaPeekAtLastError")->ret, XPT_RET_VALUE);
	assert_int_equal(xpt_domain__row(cudart, "cudaGetErrorString")->ret, XPT_RET_POINTER);
	assert_int_equal(xpt_domain__row(cuda, "cuGetErrorString")->ret, XPT_RET_STATUS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suffixes),
		cmocka_unit_test(test_traced),
		cmocka_unit_test(test_libraries),
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_expected),
		cmocka_unit_test(test_verbs_expected), cmocka_unit_test(test_nvidia_expected),
	};

	return cmocka_run_group_tests(tests, find_domains, NULL);
}
