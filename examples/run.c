/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The harness of the examples: command line, library, kernels, end. See run.h.
 *
 * The kernels are a few lines of PTX of our own, which a real driver compiles
 * when the module is loaded; the simulated driver takes any image.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "run.h"
#include "truth.h"

struct cu_api cu;
struct run_opts run = { .library = "libcuda.so.1" };

static struct timespec started;

static const char *const fn_names[] = {
#define X(name, args) #name,
	MINICUDA_DRIVER(X)
#undef X
};

const char run_ptx[] =
	".version 6.4\n"
	".target sm_52\n"
	".address_size 64\n"
	".visible .entry xpt_nop()\n"
	"{\n"
	"	ret;\n"
	"}\n"
	".visible .entry xpt_add(.param .u64 pc, .param .u64 pa, .param .u64 pb, .param .u32 pn)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b32 %i, %n, %x, %y, %z;\n"
	"	.reg .f32 %u, %v;\n"
	"	.reg .b64 %a, %b, %c, %o;\n"
	"	ld.param.u64 %c, [pc];\n"
	"	ld.param.u64 %a, [pa];\n"
	"	ld.param.u64 %b, [pb];\n"
	"	ld.param.u32 %n, [pn];\n"
	"	mov.u32 %x, %ctaid.x;\n"
	"	mov.u32 %y, %ntid.x;\n"
	"	mov.u32 %z, %tid.x;\n"
	"	mad.lo.u32 %i, %x, %y, %z;\n"
	"	setp.ge.u32 %p, %i, %n;\n"
	"	@%p bra done;\n"
	"	mul.wide.u32 %o, %i, 4;\n"
	"	add.u64 %a, %a, %o;\n"
	"	add.u64 %b, %b, %o;\n"
	"	add.u64 %c, %c, %o;\n"
	"	ld.global.f32 %u, [%a];\n"
	"	ld.global.f32 %v, [%b];\n"
	"	add.f32 %u, %u, %v;\n"
	"	st.global.f32 [%c], %u;\n"
	"done:\n"
	"	ret;\n"
	"}\n";

static const struct option options[] = {
	{ "library", required_argument, NULL, 'l' }, { "iterations", required_argument, NULL, 'n' },
	{ "bytes", required_argument, NULL, 'b' },   { "launches", required_argument, NULL, 'k' },
	{ "threads", required_argument, NULL, 't' }, { "delay", required_argument, NULL, 'd' },
	{ "seconds", required_argument, NULL, 's' }, { "leak", no_argument, NULL, 'L' },
	{ "async", no_argument, NULL, 'a' },	     { "oom", no_argument, NULL, 'o' },
	{ "until", required_argument, NULL, 'u' },   { "after", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *f)
{
	fprintf(f,
		"%s: %s\n"
		"  --library PATH   the CUDA driver library (%s)\n"
		"  --iterations N   (%llu)\n"
		"  --bytes SIZE     with K, M or G (%llu)\n"
		"  --launches N     kernels per iteration (%llu)\n"
		"  --threads N      (%llu)\n"
		"  --delay MS       before the work starts (%llu)\n"
		"  --after FILE     once the delay is over, wait until there is such a file\n"
		"  --seconds N      end then at the latest (%llu, 0: never)\n"
		"  --until FILE     end then, when there is such a file\n"
		"  --leak --async --oom   as the example says\n"
		"XPT_TRUTH names the file for the line of JSON that tells what was done.\n",
		run.name, run.help, run.library, (unsigned long long)run.iterations,
		(unsigned long long)run.bytes, (unsigned long long)run.launches,
		(unsigned long long)run.threads, (unsigned long long)run.delay_ms,
		(unsigned long long)run.seconds);
}

static uint64_t number(const char *text)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (*end && strchr("KMG", *end)) {
		v <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
		end++;
	}
	if (errno || end == text || *end || *text == '-') {
		fprintf(stderr, "%s: not a number: '%s'\n", run.name, text);
		exit(2);
	}
	return v;
}

void run_args(int argc, char **argv)
{
	const char *path = getenv("XPT_CUDA_LIBRARY");
	int c;

	if (path && *path)
		run.library = path;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'l': run.library = optarg; break;
		case 'n': run.iterations = number(optarg); break;
		case 'b': run.bytes = number(optarg); break;
		case 'k': run.launches = number(optarg); break;
		case 't': run.threads = number(optarg); break;
		case 'd': run.delay_ms = number(optarg); break;
		case 'f': run.after = optarg; break;
		case 's': run.seconds = number(optarg); break;
		case 'u': run.until = optarg; break;
		case 'L': run.leak = true; break;
		case 'a': run.async = true; break;
		case 'o': run.oom = true; break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
}

void run_load(void)
{
	void **slots = (void **)&cu;
	struct link_map *map = NULL;
	void *lib;

	clock_gettime(CLOCK_MONOTONIC, &started);
	lib = dlopen(run.library, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		fprintf(stderr, "%s: cannot load %s: %s\n", run.name, run.library, dlerror());
		exit(3);
	}
	for (int i = 0; i < CU_NR_FNS; i++) {
		slots[i] = dlsym(lib, fn_names[i]);
		if (!slots[i])
			fprintf(stderr, "%s: %s has no %s\n", run.name, run.library, fn_names[i]);
	}
	dlinfo(lib, RTLD_DI_LINKMAP, &map);
	truth_library(map ? map->l_name : run.library);
	fprintf(stderr, "%s: driver library %s\n", run.name, map ? map->l_name : run.library);
}

static void must(CUresult err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s failed: CUDA error %d\n", run.name, what, err);
	exit(run_end(1));
}

CUcontext run_context(void)
{
	CUcontext ctx = NULL;
	CUdevice dev = 0;

	must(CU(cuDeviceGet, &dev, 0), "cuDeviceGet");
	must(CU(cuCtxCreate_v2, &ctx, 0, dev), "cuCtxCreate_v2");
	return ctx;
}

void run_start(int argc, char **argv)
{
	run_args(argc, argv);
	run_load();
	must(CU(cuInit, 0), "cuInit");
	run_context();
}

CUfunction run_kernel(CUmodule *ret_module, const char *name)
{
	CUfunction fn = NULL;

	must(CU(cuModuleLoadData, ret_module, run_ptx), "cuModuleLoadData");
	must(CU(cuModuleGetFunction, &fn, *ret_module, name), "cuModuleGetFunction");
	return fn;
}

void run_wait(void)
{
	usleep((useconds_t)run.delay_ms * 1000);
	while (run.after && access(run.after, F_OK))
		usleep(1000);
}

bool run_in_time(void)
{
	struct timespec now;

	if (run.until && !access(run.until, F_OK))
		return false;
	if (!run.seconds)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - started.tv_sec) * 1000 + (now.tv_nsec - started.tv_nsec) / 1000000 <
	       (long)run.seconds * 1000;
}

void cu_begin(enum cu_fn fn)
{
	truth_call(fn_names[fn]);
}

CUresult cu_end(enum cu_fn fn, CUresult result)
{
	truth_result(fn_names[fn], result);
	return result;
}

CUresult run_alloc(CUdeviceptr *ret_ptr, size_t bytes)
{
	CUresult err = CU(cuMemAlloc_v2, ret_ptr, bytes);

	if (!err)
		truth_opened("cuMemAlloc_v2", *ret_ptr, bytes);
	return err;
}

CUresult run_free(CUdeviceptr ptr)
{
	CUresult err = CU(cuMemFree_v2, ptr);

	if (!err)
		truth_closed(ptr);
	return err;
}

CUresult run_h2d(CUdeviceptr dst, const void *src, size_t bytes)
{
	CUresult err = CU(cuMemcpyHtoD_v2, dst, src, bytes);

	if (!err)
		truth_copied(RUN_H2D, bytes);
	return err;
}

CUresult run_d2h(void *dst, CUdeviceptr src, size_t bytes)
{
	CUresult err = CU(cuMemcpyDtoH_v2, dst, src, bytes);

	if (!err)
		truth_copied(RUN_D2H, bytes);
	return err;
}

CUresult run_d2d(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	CUresult err = CU(cuMemcpyDtoD_v2, dst, src, bytes);

	if (!err)
		truth_copied(RUN_D2D, bytes);
	return err;
}

CUresult run_launch(CUfunction fn, unsigned int blocks, unsigned int threads, CUstream stream, void **params)
{
	CUresult err = CU(cuLaunchKernel, fn, blocks, 1, 1, threads, 1, 1, 0, stream, params, NULL);

	if (!err)
		truth_launched();
	return err;
}

int run_end(int status)
{
	truth_write(run.name);
	return status;
}
