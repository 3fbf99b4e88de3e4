// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Small CUDA programs whose truth is known beforehand: truth NAME runs one.
 *
 * tests/bpf/truth.sh says of each what an expert would say of it, with the
 * settings of the simulated driver that some need. They are written from what
 * CUDA programs do, and not from what the analyzers look for. Loops are as long
 * as a judgement needs and no longer.
 */
#include <semaphore.h>
#include "truth_steps.h"

static CUcontext shared;	/* of the threads */

static int do_pipeline(void)
{
	start();
	return run_pipeline(40);
}

/* --- healthy ----------------------------------------------------------------------- */

static void *pipeline_thread(void *arg)
{
	(void)arg;
	CU(cuCtxSetCurrent, shared);
	run_pipeline(25);
	return NULL;
}

static int run_threads(void *(*body)(void *), int n)
{
	pthread_t threads[8];

	CU(cuCtxGetCurrent, &shared);
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, body, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int do_threads(void)
{
	start();
	return run_threads(pipeline_thread, 4);
}

/* Memory that comes from a pool and goes back, each round: what pools are for. */
static int do_pool(void)
{
	CUpoolProps props = { .allocType = 1, .location = { 1, 0 } };
	CUmemoryPool pool = NULL;
	CUstream stream;

	start();
	CU(cuStreamCreate, &stream, 1);
	CU(cuMemPoolCreate, &pool, &props);
	for (int i = 0; i < 50; i++) {
		CUdeviceptr a = 0, b = 0;

		if (!CU(cuMemAllocAsync, &a, MIB, stream))
			truth_opened("cuMemAllocAsync", a, MIB);
		if (!CU(cuMemAllocFromPoolAsync, &b, 2 * MIB, pool, stream))
			truth_opened("cuMemAllocFromPoolAsync", b, 2 * MIB);
		launch(nop, stream);
		launch(nop, stream);
		if (!CU(cuMemFreeAsync, a, stream))
			truth_closed(a);
		if (!CU(cuMemFreeAsync, b, stream))
			truth_closed(b);
	}
	CU(cuStreamSynchronize, stream);
	CU(cuMemPoolDestroy, pool);
	CU(cuStreamDestroy_v2, stream);
	return 0;
}

static atomic_bool gate;

static void wait_at_gate(void *data)
{
	(void)data;
	while (!gate)
		usleep(1000);
}

/* What runtimes and libraries ask at their start, to learn what there is. */
static int do_probing(void)
{
	const char *const unknown[] = { "cuFutureOne", "cuFutureTwo", "cuFutureThree" };
	CUstream stream;
	CUevent event;
	int v, status;
	void *fn;

	start();
	for (size_t i = 0; i < 3; i++)
		CU(cuGetProcAddress_v2, unknown[i], &fn, 13000, 0, &status);
	CU(cuDeviceGetAttribute, &v, 9999, 0);
	OTHER(cuGetExportTable, HOST(&fn), HOST("0123456789abcdef"));
	OTHER(cuDeviceGetP2PAttribute, HOST(&v), 1, 0, 0);
	OTHER(cuCtxEnablePeerAccess, 0, 0);	/* XPT_FAKE_FAULT: it is enabled already */
	CU(cuStreamCreate, &stream, 1);
	CU(cuEventCreate, &event, 2);
	CU(cuLaunchHostFunc, stream, wait_at_gate, NULL);
	CU(cuEventRecord, event, stream);
	for (int i = 0; i < 10; i++) {
		CU(cuStreamQuery, stream);
		CU(cuEventQuery, event);
	}
	gate = true;
	CU(cuStreamSynchronize, stream);
	CU(cuEventQuery, event);
	CU(cuEventDestroy_v2, event);
	CU(cuStreamDestroy_v2, stream);
	return run_pipeline(10);
}

/* A good program on the runtime API. */
static int do_runtime(void)
{
	uint64_t in = 0, out = 0, buf = 0, stream = 0;
	int n = 0;

	RT(cudaGetDeviceCount, HOST(&n));
	RT(cudaSetDevice, 0);
	RT(cudaMallocHost, HOST(&in), BUF);
	RT(cudaMallocHost, HOST(&out), BUF);
	RT(cudaMalloc, HOST(&buf), BUF);
	RT(cudaStreamCreate, HOST(&stream));
	for (int i = 0; i < 20; i++) {
		RT(cudaMemcpyAsync, buf, in, BUF, 1, stream);
		RT(cudaMemsetAsync, buf, 0, BUF, stream);
		RT(cudaMemcpyAsync, out, buf, BUF, 2, stream);
		RT(cudaStreamSynchronize, stream);
		RT(cudaGetLastError, 0);
	}
	RT(cudaStreamDestroy, stream);
	RT(cudaFree, buf);
	RT(cudaFreeHost, in);
	RT(cudaFreeHost, out);
	return 0;
}

/* Too much at first, then as much as there is: the program lives with it. */
static int do_oom_retry(void)
{
	CUdeviceptr buf = 0;
	size_t bytes = 512 * MIB;

	start();
	while (run_alloc(&buf, bytes) == CU_OUT_OF_MEMORY && bytes > MIB)
		bytes /= 2;
	for (int i = 0; i < 20; i++)
		launch(nop, NULL);
	CU(cuCtxSynchronize);
	run_free(buf);
	return 0;
}

/* 120 long kernels, each waited for: the device is busy all the time. */
static int do_long_kernels(void)
{
	start();
	for (int i = 0; i < 120; i++) {
		launch(nop, NULL);
		CU(cuCtxSynchronize);
	}
	return 0;
}

static CUgraphExec capture_graph(CUstream stream, CUdeviceptr buf, void *in)
{
	CUgraphExec exec = NULL;
	CUgraph graph = NULL;

	CU(cuStreamBeginCapture_v2, stream, 0);
	CU(cuMemcpyHtoDAsync_v2, buf, in, BUF, stream);
	for (int i = 0; i < 3; i++)
		CU(cuLaunchKernel, nop, 4, 1, 1, 64, 1, 1, 0, stream, NULL, NULL);
	CU(cuStreamEndCapture, stream, &graph);
	CU(cuGraphInstantiateWithFlags, &exec, graph, 0);
	CU(cuGraphDestroy, graph);
	return exec;
}

/* Captured once, launched a hundred times. */
static int do_graph(void)
{
	void *in;
	CUdeviceptr buf = 0;
	CUgraphExec exec;
	CUstream stream;

	start();
	in = get_pinned(BUF);
	run_alloc(&buf, BUF);
	CU(cuStreamCreate, &stream, 1);
	exec = capture_graph(stream, buf, in);
	for (int i = 0; i < 100; i++) {
		CU(cuGraphLaunch, exec, stream);
		if (i % 10 == 9)
			CU(cuStreamSynchronize, stream);
	}
	CU(cuGraphExecDestroy, exec);
	CU(cuStreamDestroy_v2, stream);
	run_free(buf);
	put_pinned(in);
	return 0;
}

/* Rows and boxes; the descriptor alone says from where to where. */
static int do_copies(void)
{
	CUmemcpy2D to = { .srcMemoryType = MINI_HOST, .srcPitch = 256, .dstMemoryType = MINI_DEVICE,
			  .dstPitch = 512, .WidthInBytes = 200, .Height = 8 };
	CUmemcpy2D back = { .srcMemoryType = MINI_DEVICE, .srcPitch = 512, .dstMemoryType = MINI_HOST,
			    .dstPitch = 256, .WidthInBytes = 100, .Height = 8 };
	CUmemcpy2D across = { .srcMemoryType = MINI_DEVICE, .srcPitch = 512, .dstMemoryType = MINI_DEVICE,
			      .dstPitch = 512, .WidthInBytes = 50, .Height = 4 };
	CUmemcpy3D box = { .srcMemoryType = MINI_HOST, .srcPitch = 64, .srcHeight = 4,
			   .dstMemoryType = MINI_DEVICE, .dstPitch = 64, .dstHeight = 4,
			   .WidthInBytes = 32, .Height = 4, .Depth = 5 };
	CUdeviceptr buf = 0, other = 0;
	char *host = calloc(1, BUF);

	start();
	run_alloc(&buf, BUF);
	run_alloc(&other, BUF);
	to.srcHost = box.srcHost = host;
	back.dstHost = host;
	to.dstDevice = back.srcDevice = across.srcDevice = box.dstDevice = buf;
	across.dstDevice = other;
	for (int i = 0; i < 10; i++) {
		CU(cuMemcpy2D_v2, &to);			/* 1600 bytes */
		CU(cuMemcpy2D_v2, &back);		/* 800 */
		CU(cuMemcpy2DAsync_v2, &across, NULL);	/* 200 */
		CU(cuMemcpy3D_v2, &box);		/* 640 */
	}
	CU(cuCtxSynchronize);
	run_free(buf);
	run_free(other);
	free(host);
	return 0;
}

static atomic_int called_back;

static void count_callback(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status, (void)data;
	called_back++;
}

static void count_host_function(void *data)
{
	(void)data;
	called_back++;
}

static int do_callbacks(void)
{
	CUstream stream;

	start();
	CU(cuStreamCreate, &stream, 1);
	for (int i = 0; i < 20; i++) {
		launch(nop, stream);
		CU(cuStreamAddCallback, stream, count_callback, NULL, 0);
		CU(cuLaunchHostFunc, stream, count_host_function, NULL);
	}
	CU(cuStreamSynchronize, stream);
	CU(cuStreamDestroy_v2, stream);
	return called_back == 40 ? 0 : 1;
}

/* Blocks that are too large for the kernel, then smaller ones: how autotuners find out.
 * XPT_FAKE_FAULT: the first two launches. */
static int do_autotune(void)
{
	unsigned int threads = 1024;

	start();
	while (run_launch(nop, 4, threads, NULL, NULL) && threads > 32)
		threads /= 2;
	for (int i = 0; i < 50; i++)
		run_launch(nop, 4, threads, NULL, NULL);
	CU(cuCtxSynchronize);
	return 0;
}

/* What a context still has, its end gives back. */
static int do_context_end(void)
{
	CUcontext ctx = NULL;
	CUdeviceptr buf[3] = { 0 };

	start();
	for (int i = 0; i < 3; i++)
		run_alloc(&buf[i], BUF);
	launch(nop, NULL);
	CU(cuCtxSynchronize);
	CU(cuCtxGetCurrent, &ctx);
	CU(cuCtxDestroy_v2, ctx);
	return 0;
}

/* Two buffers: a thread fills one on its own stream while the kernels work on the other. */
static struct { CUdeviceptr buf; void *in; CUevent filled, used; } halves[2];
static CUstream fill_stream;
static sem_t may_fill, may_use;

static void *fill_thread(void *arg)
{
	(void)arg;
	CU(cuCtxSetCurrent, shared);
	for (int i = 0; i < 60; i++) {
		sem_wait(&may_fill);
		CU(cuStreamWaitEvent, fill_stream, halves[i % 2].used, 0);
		copy_in(halves[i % 2].buf, halves[i % 2].in, fill_stream);
		CU(cuEventRecord, halves[i % 2].filled, fill_stream);
		sem_post(&may_use);
	}
	return NULL;
}

static void use_halves(CUstream stream)
{
	for (int i = 0; i < 60; i++) {
		sem_wait(&may_use);
		CU(cuStreamWaitEvent, stream, halves[i % 2].filled, 0);
		for (int k = 0; k < 4; k++)
			launch(nop, stream);
		CU(cuEventRecord, halves[i % 2].used, stream);
		sem_post(&may_fill);
	}
	CU(cuStreamSynchronize, stream);
}

static int do_overlap(void)
{
	CUstream stream;
	pthread_t thread;

	start();
	CU(cuCtxGetCurrent, &shared);
	CU(cuStreamCreate, &stream, 1);
	CU(cuStreamCreate, &fill_stream, 1);
	sem_init(&may_fill, 0, 2);
	sem_init(&may_use, 0, 0);
	for (int i = 0; i < 2; i++) {
		run_alloc(&halves[i].buf, BUF);
		halves[i].in = get_pinned(BUF);
		CU(cuEventCreate, &halves[i].filled, 2);
		CU(cuEventCreate, &halves[i].used, 2);
	}
	pthread_create(&thread, NULL, fill_thread, NULL);
	use_halves(stream);
	pthread_join(thread, NULL);
	CU(cuStreamSynchronize, fill_stream);
	for (int i = 0; i < 2; i++) {
		run_free(halves[i].buf);
		put_pinned(halves[i].in);
		CU(cuEventDestroy_v2, halves[i].filled);
		CU(cuEventDestroy_v2, halves[i].used);
	}
	CU(cuStreamDestroy_v2, stream);
	CU(cuStreamDestroy_v2, fill_stream);
	return 0;
}

/* A server: a graph a request, waited for; the device works nearly all of the time. */
static int do_serve(void)
{
	CUgraphExec exec;
	CUstream stream;
	CUdeviceptr buf = 0;
	void *in;

	start();
	in = get_pinned(BUF);
	run_alloc(&buf, BUF);
	CU(cuStreamCreate, &stream, 1);
	exec = capture_graph(stream, buf, in);
	for (int i = 0; i < 150; i++) {
		CU(cuGraphLaunch, exec, stream);
		CU(cuStreamSynchronize, stream);
	}
	CU(cuGraphExecDestroy, exec);
	CU(cuStreamDestroy_v2, stream);
	run_free(buf);
	put_pinned(in);
	return 0;
}

/* --- memory ------------------------------------------------------------------------ */

/* XPT_FAKE_KERNEL_TIME: the device works all the time. A block a round stays. */
static int do_leak(void)
{
	start();
	for (int i = 0; i < 60; i++) {
		CUdeviceptr forgotten = 0, used = 0;

		run_alloc(&forgotten, MIB);
		if (i < 5)
			run_alloc(&used, 2 * MIB);
		launch(nop, NULL);
		launch(nop, NULL);
		CU(cuCtxSynchronize);
		if (i < 5)
			run_free(used);
	}
	return 0;
}

static int do_leak_pinned(void)
{
	static char memory[16 * KIB] __attribute__((aligned(4096)));

	start();
	for (int i = 0; i < 10; i++)
		get_pinned(BUF);
	put_pinned(get_pinned(BUF));
	if (!CU(cuMemHostRegister_v2, memory, sizeof(memory), 0))
		truth_opened("cuMemHostRegister_v2", HOST(memory), sizeof(memory));
	launch(nop, NULL);
	CU(cuCtxSynchronize);
	return 0;
}

/* XPT_FAKE_LATENCY: an allocation takes what it takes on a real device. */
static int do_churn(void)
{
	start();
	for (int i = 0; i < 200; i++) {
		CUdeviceptr buf = 0;

		run_alloc(&buf, 8 * MIB);
		for (int k = 0; k < 4; k++)
			launch(nop, NULL);
		CU(cuCtxSynchronize);
		run_free(buf);
	}
	return 0;
}

#define RACE_ROUNDS 400

/* Blocks of one size, freed and allocated by four threads at once: addresses come back
 * while the call that freed them is still under way. Each thread keeps its last 25. */
static void *race_thread(void *arg)
{
	CUdeviceptr mine[25] = { 0 };

	(void)arg;
	CU(cuCtxSetCurrent, shared);
	for (int i = 0; i < RACE_ROUNDS; i++) {
		CUdeviceptr *p = &mine[i % 25];

		if (*p)
			CU(cuMemFree_v2, *p);
		CU(cuMemAlloc_v2, p, 4096);
	}
	return NULL;
}

static int do_race(void)
{
	start();
	return run_threads(race_thread, 4);
}

/* --- slow -------------------------------------------------------------------------- */

static void compute(long ns)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < ns);
}

/* A wait behind each short kernel, and a little of the program's own work behind that. */
static int do_serial(void)
{
	start();
	for (int i = 0; i < 1000; i++) {
		launch(nop, NULL);
		CU(cuCtxSynchronize);
		compute(40000);
	}
	return 0;
}

/* Work, then another program in the same process. */
static int do_exec(void)
{
	start();
	run_pipeline(5);
	run_end(0);
	execl("/proc/self/exe", "truth", "pipeline", NULL);
	return 1;
}

static const struct program programs[] = {
	{ "pipeline", do_pipeline }, { "threads", do_threads },
	{ "pool", do_pool }, { "probing", do_probing },
	{ "runtime", do_runtime }, { "oom_retry", do_oom_retry },
	{ "long_kernels", do_long_kernels }, { "graph", do_graph },
	{ "copies", do_copies }, { "leak", do_leak },
	{ "leak_pinned", do_leak_pinned }, { "churn", do_churn },
	{ "race", do_race }, { "exec", do_exec },
	{ "serial", do_serial }, { "callbacks", do_callbacks },
	{ "autotune", do_autotune }, { "context_end", do_context_end },
	{ "overlap", do_overlap }, { "serve", do_serve },
};

int main(int argc, char **argv)
{
	return run_program(programs, sizeof(programs) / sizeof(*programs), argc, argv);
}
