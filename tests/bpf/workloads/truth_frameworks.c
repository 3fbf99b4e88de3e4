// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs as frameworks and their users build them, with known truth: see truth.c.
 *
 * Pipelines of threads, callbacks, caching allocators, runtimes that try what there is,
 * forked workers, and ends that are no fault of CUDA. tests/bpf/truth_frameworks.sh says of each
 * what an expert would say of it.
 */
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "threads.h"
#include "truth_steps.h"

#define SLOTS 4
#define BATCHES 30

struct slot {
	void *host;
	CUdeviceptr dev;
	CUevent copied;
	sem_t empty, full;
};

static CUcontext shared;		/* of the threads */
static struct slot slots[SLOTS];
static sem_t callbacks;

/* --- healthy ----------------------------------------------------------------------- */

static void make_slots(void)
{
	for (int i = 0; i < SLOTS; i++) {
		slots[i].host = get_pinned(BUF);
		run_alloc(&slots[i].dev, BUF);
		CU(cuEventCreate, &slots[i].copied, 2);
		sem_init(&slots[i].empty, 0, 1);
		sem_init(&slots[i].full, 0, 0);
	}
}

static void free_slots(void)
{
	for (int i = 0; i < SLOTS; i++) {
		CU(cuEventDestroy_v2, slots[i].copied);
		run_free(slots[i].dev);
		put_pinned(slots[i].host);
	}
}

static void *load_batches(void *arg)
{
	CUstream stream;

	(void)arg;
	CU(cuCtxSetCurrent, shared);
	CU(cuStreamCreate, &stream, 1);
	for (int i = 0; i < BATCHES; i++) {
		struct slot *s = &slots[i % SLOTS];

		sem_wait(&s->empty);
		copy_in(s->dev, s->host, stream);
		CU(cuEventRecord, s->copied, stream);
		sem_post(&s->full);
	}
	CU(cuStreamSynchronize, stream);
	CU(cuStreamDestroy_v2, stream);
	return NULL;
}

/* One thread loads, another one computes; an event per batch is the order between their streams. */
static int do_stages(void)
{
	pthread_t loader;
	CUstream stream;

	start();
	CU(cuCtxGetCurrent, &shared);
	make_slots();
	CU(cuStreamCreate, &stream, 1);
	pthread_create(&loader, NULL, load_batches, NULL);
	for (int i = 0; i < BATCHES; i++) {
		struct slot *s = &slots[i % SLOTS];

		sem_wait(&s->full);
		CU(cuStreamWaitEvent, stream, s->copied, 0);
		launch(nop, stream);
		launch(nop, stream);
		CU(cuStreamSynchronize, stream);
		sem_post(&s->empty);
	}
	pthread_join(loader, NULL);
	CU(cuStreamDestroy_v2, stream);
	free_slots();
	return 0;
}

static void give_back(void *data)
{
	sem_post(&((struct slot *)data)->empty);
	sem_post(&callbacks);
}

static void note_end(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)data;
	if (!status)
		sem_post(&callbacks);
}

/* Nobody waits for the device: its callbacks give the buffers back. */
static int do_callbacks(void)
{
	CUstream stream;
	int n = 0;

	start();
	make_slots();
	sem_init(&callbacks, 0, 0);
	CU(cuStreamCreate, &stream, 1);
	for (int i = 0; i < BATCHES; i++) {
		struct slot *s = &slots[i % SLOTS];

		sem_wait(&s->empty);
		copy_in(s->dev, s->host, stream);
		launch(nop, stream);
		copy_out(s->host, s->dev, stream);
		CU(cuLaunchHostFunc, stream, give_back, s);
	}
	CU(cuStreamAddCallback, stream, note_end, NULL, 0);
	while (n < BATCHES + 1 && !sem_wait(&callbacks))
		n++;
	CU(cuStreamDestroy_v2, stream);
	free_slots();
	return 0;
}

/* What a framework tries at its start. Most of it fails on most machines, by the settings of the
 * simulated driver where it has to. Then it works. */
static int do_framework_start(void)
{
	const char *const wanted[] = { "cuTensorMapEncodeNowhere", "cuGreenCtxNowhere", "cuMulticastNowhere" };
	CUmemProp fabric = { .type = 1, .requestedHandleTypes = 8, .location = { 1, 0 } };
	CUmemHandle handle = 0;
	CUmodule module;
	CUdevice device;
	int value, status;
	void *table;

	run_load();
	OTHER(cuGetExportTable, HOST(&table), HOST("fedcba9876543210"));
	for (size_t i = 0; i < 3; i++)
		CU(cuGetProcAddress_v2, wanted[i], &table, 12080, 0, &status);
	if (CU(cuInit, 0))
		return 1;
	CU(cuCtxGetDevice, &device);			/* 201: there is no context yet */
	for (int attribute = 990; attribute < 1000; attribute++)
		CU(cuDeviceGetAttribute, &value, attribute, 0);
	run_context();
	OTHER(cuDeviceCanAccessPeer, HOST(&value), 0, 0);
	OTHER(cuDeviceGetP2PAttribute, HOST(&value), 1, 0, 0);
	OTHER(cuCtxEnablePeerAccess, 0, 0);
	OTHER(cuPointerGetAttribute, HOST(&value), 2, HOST(&value));	/* host memory: unknown to CUDA */
	CU(cuMemCreate, &handle, 2 * MIB, &fabric, 0);
	nop = run_kernel(&module, "xpt_nop");
	return run_pipeline(10);
}

/* The images for other devices do not load; that with PTX does. XPT_FAKE_FAULT: the first two. */
static int do_images(void)
{
	CUmodule module = NULL;
	CUfunction fn = NULL;
	int err = 1;

	run_load();
	CU(cuInit, 0);
	run_context();
	for (int i = 0; err && i < 3; i++)
		err = CU(cuModuleLoadData, &module, run_ptx);
	CU(cuModuleGetFunction, &fn, module, "xpt_nop");
	for (int i = 0; !err && i < 20; i++)
		launch(fn, NULL);
	CU(cuCtxSynchronize);
	CU(cuModuleUnload, module);
	return err;
}

/* Pinned memory is a limited good: without it the program takes what malloc() gives.
 * Few copies: more of them were a finding. XPT_FAKE_FAULT: there is none. */
static int do_unpinned(void)
{
	void *host;
	CUdeviceptr dev = 0;

	start();
	host = get_pinned(BUF);
	if (!host)
		host = calloc(1, BUF);
	run_alloc(&dev, BUF);
	for (int i = 0; i < 8; i++) {
		run_h2d(dev, host, BUF);
		launch(nop, NULL);
		run_d2h(host, dev, BUF);
	}
	run_free(dev);
	free(host);
	return 0;
}

static CUgraphExec capture_shape(CUstream stream, int kernels)
{
	CUgraphExec exec = NULL;
	CUgraph graph = NULL;

	CU(cuStreamBeginCapture_v2, stream, 1);
	for (int k = 0; k < kernels; k++)
		CU(cuLaunchKernel, nop, 4, 1, 1, 64, 1, 1, 0, stream, NULL, NULL);
	CU(cuStreamEndCapture, stream, &graph);
	CU(cuGraphInstantiateWithFlags, &exec, graph, 0);
	CU(cuGraphDestroy, graph);
	return exec;
}

/* A graph for each of four shapes, captured in a thread of its own and launched 25 times there,
 * with a launch of the usual kind before. */
static void *run_shape(void *arg)
{
	CUgraphExec exec;
	CUstream stream;

	CU(cuCtxSetCurrent, shared);
	CU(cuStreamCreate, &stream, 1);
	launch(nop, stream);
	exec = capture_shape(stream, 2 + (int)(intptr_t)arg);
	for (int i = 0; i < 25; i++)
		if (!CU(cuGraphLaunch, exec, stream))
			truth_launched();
	CU(cuStreamSynchronize, stream);
	CU(cuGraphExecDestroy, exec);
	CU(cuStreamDestroy_v2, stream);
	return NULL;
}

static int do_graph_shapes(void)
{
	pthread_t threads[4];

	start();
	CU(cuCtxGetCurrent, &shared);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_shape, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* Images to arrays, arrays to rows, rows to the host. */
static int do_images_2d(void)
{
	CUarrayDesc desc = { .Width = 64, .Height = 16, .Format = 1, .NumChannels = 1 };
	CUmemcpy2D in = { .srcMemoryType = MINI_HOST, .srcPitch = 64, .dstMemoryType = MINI_ARRAY,
			  .WidthInBytes = 64, .Height = 16 };
	CUmemcpy2D over = { .srcMemoryType = MINI_ARRAY, .dstMemoryType = MINI_DEVICE, .WidthInBytes = 64,
			    .Height = 16 };
	CUmemcpy2D out = { .srcMemoryType = MINI_DEVICE, .dstMemoryType = MINI_HOST, .dstPitch = 64,
			   .WidthInBytes = 64, .Height = 16 };
	CUdeviceptr rows = 0;
	size_t pitch = 0;

	start();
	in.srcHost = out.dstHost = calloc(16, 64);
	CU(cuArrayCreate_v2, &in.dstArray, &desc);
	if (!CU(cuMemAllocPitch_v2, &rows, &pitch, 64, 16, 4))
		truth_opened("cuMemAllocPitch_v2", rows, pitch * 16);
	over.srcArray = in.dstArray;
	over.dstDevice = out.srcDevice = rows;
	over.dstPitch = out.srcPitch = pitch;
	for (int i = 0; i < 5; i++) {
		CU(cuMemcpy2D_v2, &in);
		CU(cuMemcpy2DAsync_v2, &over, NULL);
		CU(cuCtxSynchronize);
		CU(cuMemcpy2D_v2, &out);
	}
	CU(cuArrayDestroy, in.dstArray);
	run_free(rows);
	free((void *)in.srcHost);
	return 0;
}

/* Ends with exit(), as programs do: context, stream, event and module are left to the driver. */
static int do_exit_as_it_is(void)
{
	CUstream stream;
	CUevent event;
	CUdeviceptr buf;

	start();
	CU(cuStreamCreate, &stream, 0);
	CU(cuEventCreate, &event, 0);
	run_alloc(&buf, BUF);
	for (int i = 0; i < 20; i++)
		launch(nop, stream);
	CU(cuEventRecord, event, stream);
	CU(cuEventSynchronize, event);
	run_free(buf);
	return 0;
}

/* Destructors that run when the runtime has been reset: their frees find nothing, and nobody minds. */
static int do_late_frees(void)
{
	uint64_t buf[3] = { 0 };

	RT(cudaSetDevice, 0);
	for (int i = 0; i < 3; i++)
		if (!RT(cudaMalloc, HOST(&buf[i]), BUF))
			truth_opened("cudaMalloc", buf[i], BUF);
	RT(cudaMemset, buf[0], 0, BUF);
	RT(cudaDeviceSynchronize, 0);
	RT(cudaDeviceReset, 0);
	for (int i = 0; i < 3; i++)
		RT(cudaFree, buf[i]);
	return 0;
}

/* A server that forks its workers before it touches CUDA, as it should. */
static int do_prefork(void)
{
	int status, bad = 0;

	for (int i = 0; i < 3; i++) {
		if (fork())
			continue;
		start();
		exit(run_end(run_pipeline(10)));
	}
	while (wait(&status) > 0)
		bad |= status;
	return bad ? 1 : 0;
}

/* --- allocators -------------------------------------------------------------------- */

static uint64_t cached[64];
static int nr_cached;

static int cached_alloc(uint64_t *ret, size_t bytes)
{
	int err = RT(cudaMalloc, HOST(ret), bytes);

	if (!err)
		truth_opened("cudaMalloc", *ret, bytes);
	return err;
}

static void empty_cache(void)
{
	RT(cudaDeviceSynchronize, 0);
	while (nr_cached) {
		uint64_t p = cached[--nr_cached];

		if (!RT(cudaFree, p))
			truth_closed(p);
	}
}

/* As caching allocators do: a block of the cache, else a new one; when there is no room the
 * cache is emptied, and the same is asked for again. */
static int alloc_or_empty(uint64_t *ret, size_t bytes)
{
	if (!cached_alloc(ret, bytes))
		return 0;
	RT(cudaGetLastError, 0);
	empty_cache();
	return cached_alloc(ret, bytes);
}

static int fill_cache(void)
{
	uint64_t p = 0;

	RT(cudaSetDevice, 0);
	for (int i = 0; i < 12; i++) {
		if (alloc_or_empty(&p, 16 * MIB))
			return 1;
		RT(cudaMemset, p, 0, BUF);
		cached[nr_cached++] = p;
	}
	return 0;
}

/* XPT_FAKE_MEM: the cache is in the way of the large block; without it there is room. */
static int do_caching(void)
{
	uint64_t large = 0;

	if (fill_cache() || alloc_or_empty(&large, 128 * MIB))
		return 1;
	RT(cudaMemset, large, 0, BUF);
	cached[nr_cached++] = large;
	empty_cache();
	return 0;
}

/* The same, but the block is larger than the device. */
static int do_caching_full(void)
{
	uint64_t large = 0;

	if (fill_cache())
		return 1;
	if (alloc_or_empty(&large, 512 * MIB)) {
		fprintf(stderr, "out of memory: tried to allocate 512 MiB\n");
		return 1;
	}
	return 0;
}

/* Expandable segments: a range, and memory for it that is not there. XPT_FAKE_MEM */
static int do_segments_full(void)
{
	CUmemProp prop = { .type = 1, .location = { 1, 0 } };
	CUmemHandle handle = 0;
	CUdeviceptr range = 0;

	start();
	CU(cuMemAddressReserve, &range, 1024 * MIB, 0, 0, 0);
	if (CU(cuMemCreate, &handle, 512 * MIB, &prop, 0)) {
		CU(cuMemAddressFree, range, 1024 * MIB);
		return 1;
	}
	return 0;
}

/* --- failures ---------------------------------------------------------------------- */

struct dim3 { unsigned int x, y, z; };

static int launch_by_runtime(uint64_t kernel)
{
	int (*fn)(const void *, struct dim3, struct dim3, void **, size_t, CUstream);
	symbol any = find_symbol("libcudart.so.12", "cudaLaunchKernel");
	struct dim3 grid = { 16, 1, 1 }, block = { 64, 1, 1 };
	int err;

	memcpy(&fn, &any, sizeof(fn));
	truth_call("cudaLaunchKernel");
	err = fn((void *)(uintptr_t)kernel, grid, block, NULL, 0, NULL);
	truth_result("cudaLaunchKernel", err);
	if (!err)
		truth_launched();
	return err;
}

static uint64_t load_kernel(void)
{
	symbol load = find_symbol("libcudart.so.12", "cudaLibraryLoadData");
	uint64_t library = 0, kernel = 0;
	int (*fn)(uint64_t *, const void *, void *, void *, unsigned int, void *, void *, unsigned int);

	memcpy(&fn, &load, sizeof(fn));
	truth_call("cudaLibraryLoadData");
	truth_result("cudaLibraryLoadData", fn(&library, run_ptx, NULL, NULL, 0, NULL, NULL, 0));
	RT(cudaLibraryGetKernel, HOST(&kernel), library, HOST("xpt_nop"));
	return kernel;
}

static uint64_t kernel;

static void *launch_fifty(void *arg)
{
	(void)arg;
	RT(cudaSetDevice, 0);
	for (int i = 0; i < 50; i++)
		launch_by_runtime(kernel);
	return NULL;
}

/* Four threads launch what cannot be launched, and nobody looks. XPT_FAKE_FAULT */
static int do_silent_threads(void)
{
	pthread_t threads[4];

	RT(cudaSetDevice, 0);
	kernel = load_kernel();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, launch_fifty, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	RT(cudaDeviceSynchronize, 0);
	return 0;
}

/* The kernel cannot run here; the program says so and does the work itself. XPT_FAKE_FAULT */
static int do_falls_back(void)
{
	RT(cudaSetDevice, 0);
	kernel = load_kernel();
	launch_by_runtime(kernel);
	if (RT(cudaGetLastError, 0))
		fprintf(stderr, "no kernel image for this device: computing on the CPU\n");
	return 0;
}

/* The driver is older than the runtime: the program works without a device. */
static int do_cpu_instead(void)
{
	int n = 0;

	if (RT(cudaGetDeviceCount, HOST(&n)))
		fprintf(stderr, "no device: computing on the CPU\n");
	return 0;
}

/* The same, where the device is a must. */
static int do_driver_too_old(void)
{
	int n = 0;

	if (RT(cudaGetDeviceCount, HOST(&n))) {
		fprintf(stderr, "CUDA driver version is insufficient for CUDA runtime version\n");
		return 1;
	}
	return 0;
}

/* CUDA is there before fork(), and the child uses it: it cannot. */
static int do_fork_after_init(void)
{
	CUdeviceptr buf = 0;
	int status = 0;
	pid_t child;

	start();
	run_alloc(&buf, BUF);
	child = fork();
	if (!child) {
		truth_forget();
		exit(run_end(run_alloc(&buf, BUF) ? 1 : 0));
	}
	waitpid(child, &status, 0);
	run_free(buf);
	return status ? 1 : 0;
}

/* Twelve workers of one machine that share a device which is too small. XPT_FAKE_MEM */
static int do_workers(void)
{
	CUdeviceptr buf = 0;

	for (int i = 0; i < 12; i++) {
		if (fork())
			continue;
		start();
		exit(run_end(run_alloc(&buf, 512 * MIB) ? 1 : 0));
	}
	while (wait(NULL) > 0)
		;
	return 1;
}

/* --- ends -------------------------------------------------------------------------- */

static uint64_t result_buf;

static void *copy_to_constant(void *arg)
{
	RT(cudaSetDevice, 0);
	RT(cudaMemcpy, HOST(arg), result_buf, 4096, 2);
	return NULL;
}

/* A thread of a pool copies a result to memory that cannot be written to. */
static int do_crash_result(void)
{
	void *constant = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	RT(cudaSetDevice, 0);
	RT(cudaMalloc, HOST(&result_buf), BUF);
	pthread_create(&thread, NULL, copy_to_constant, constant);
	pthread_join(thread, NULL);
	return 0;
}

static volatile pid_t waiting;

static void crash_later(void *data)
{
	volatile int *nothing = data;

	wait_until_asleep(&waiting);
	*nothing = 1;
}

/* The program's own callback crashes, on a thread of the driver. */
static int do_crash_callback(void)
{
	CUstream stream;

	start();
	CU(cuStreamCreate, &stream, 1);
	launch(nop, stream);
	CU(cuLaunchHostFunc, stream, crash_later, NULL);
	waiting = thread_id();
	CU(cuStreamSynchronize, stream);
	return 0;
}

static void *wait_for_event(void *arg)
{
	CU(cuCtxSetCurrent, shared);
	waiting = thread_id();
	CU(cuEventSynchronize, arg);
	return NULL;
}

/* XPT_FAKE_HANG: a thread waits for an event that does not come, while the other one works on. */
static int do_hang_event(void)
{
	CUstream stream;
	CUevent event;
	pthread_t thread;

	start();
	CU(cuCtxGetCurrent, &shared);
	CU(cuStreamCreate, &stream, 1);
	CU(cuEventCreate, &event, 2);
	launch(nop, stream);
	CU(cuEventRecord, event, stream);
	pthread_create(&thread, NULL, wait_for_event, event);
	run_pipeline(10);
	wait_until_asleep(&waiting);
	puts("waits");
	fflush(stdout);
	pthread_join(thread, NULL);
	return 0;
}

static const struct program programs[] = {
	{ "stages", do_stages }, { "callbacks", do_callbacks },
	{ "framework_start", do_framework_start }, { "images", do_images },
	{ "unpinned", do_unpinned }, { "graph_shapes", do_graph_shapes },
	{ "images_2d", do_images_2d }, { "exit_as_it_is", do_exit_as_it_is },
	{ "late_frees", do_late_frees }, { "prefork", do_prefork },
	{ "caching", do_caching }, { "caching_full", do_caching_full },
	{ "segments_full", do_segments_full }, { "silent_threads", do_silent_threads },
	{ "falls_back", do_falls_back }, { "cpu_instead", do_cpu_instead },
	{ "driver_too_old", do_driver_too_old }, { "fork_after_init", do_fork_after_init },
	{ "workers", do_workers }, { "crash_result", do_crash_result },
	{ "crash_callback", do_crash_callback }, { "hang_event", do_hang_event },
};

int main(int argc, char **argv)
{
	return run_program(programs, sizeof(programs) / sizeof(*programs), argc, argv);
}
