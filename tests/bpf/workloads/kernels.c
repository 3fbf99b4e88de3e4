/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Launches kernels with all kinds of names, over handles that are used again
 * for other kernels, and writes the name that each launch should be shown with
 * to the file that XPT_KERNELS names. --async: through the runtime, by the
 * addresses of host functions. --seconds: one kernel again and again, looked up
 * before the file is there. Simulated libraries only.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "run.h"

#define RUNTIME "libcudart.so.12"

struct dim3 { unsigned int x, y, z; };

static FILE *told;
static CUmodule module;
static unsigned int reused;

/* The exported function, or the end. */
static void get(const char *library, const char *name, void *ret_fn)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL), *fn = lib ? dlsym(lib, name) : NULL;

	if (!fn) {
		fprintf(stderr, "kernels: no %s in %s\n", name, library);
		exit(3);
	}
	memcpy(ret_fn, &fn, sizeof(fn));
}

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "kernels: %s: error %d\n", what, err);
	exit(1);
}

static void load(void)
{
	must(CU(cuModuleLoadData, &module, run_ptx), "load");
}

static CUfunction look_up(const char *name)
{
	static CUfunction last;
	CUfunction fn;

	must(CU(cuModuleGetFunction, &fn, module, name), name);
	reused += fn == last;
	last = fn;
	return fn;
}

static void launch(CUfunction fn, const char *shown)
{
	fprintf(told, "%s\n", shown);
	must(run_launch(fn, 4, 32, NULL, NULL), shown);
}

/* Longer than what is captured of a string. */
static void long_name(void)
{
	char name[1600] = "_ZN7cutlass6KernelI";

	for (size_t n = strlen(name); n + 8 < sizeof(name); n += 6)
		memcpy(name + n, "2abS1_", 7);
	launch(look_up(name), "cutlass::Kernel<...>");
}

static void by_library(void)
{
	CUresult (*library_load)(CUlibrary *, const void *, int *, void **, unsigned int, int *, void **,
				 unsigned int);
	CUresult (*get_kernel)(CUkernel *, CUlibrary, const char *);
	CUresult (*get_function)(CUfunction *, CUkernel);
	CUresult (*library_unload)(CUlibrary);
	CUlibrary library;
	CUkernel kernel;
	CUfunction fn;

	get(run.library, "cuLibraryLoadData", &library_load);
	get(run.library, "cuLibraryGetKernel", &get_kernel);
	get(run.library, "cuKernelGetFunction", &get_function);
	get(run.library, "cuLibraryUnload", &library_unload);
	must(library_load(&library, run_ptx, NULL, NULL, 0, NULL, NULL, 0), "library");
	must(get_kernel(&kernel, library, "_ZN2ns3libEv"), "kernel");
	launch((CUfunction)kernel, "ns::lib()");
	must(get_function(&fn, kernel), "function");
	launch(fn, "ns::lib()");
	must(library_unload(library), "unload");
}

/* A constant on a page that nobody has touched when the call returns. */
static void untouched(void)
{
	static const char far[1 << 18] = { [1 << 17] = 'f', 'a', 'r' };
	CUresult (*initialize)(const char *, const char *, int);

	get(run.library, "cuProfilerInitialize", &initialize);
	initialize(far + (1 << 17), NULL, 0);
}

static void by_driver(void)
{
	char name[32];

	untouched();
	load();
	launch(look_up("_Z4gemmIfLi128EEvPT_i"), "void gemm<float, 128>(float*, int)");
	launch(look_up("plain_name"), "plain_name");
	long_name();
	for (uint64_t i = 0; i < run.iterations; i++) {
		must(CU(cuModuleUnload, module), "unload");
		load();
		snprintf(name, sizeof(name), "kernel_%llu", (unsigned long long)i);
		launch(look_up(name), name);
	}
	by_library();
}

static void by_runtime(void)
{
	void **(*register_binary)(void *);
	void (*register_function)(void **, const char *, char *, const char *, int, void *, void *, void *,
				  void *, int *);
	void (*unregister)(void **);
	int (*start)(const void *, struct dim3, struct dim3, void **, size_t, CUstream);
	static const char stub;
	struct dim3 grid = { 4, 1, 1 }, block = { 32, 1, 1 };
	char mangled[32], shown[32];
	void **binary;

	get(RUNTIME, "__cudaRegisterFatBinary", &register_binary);
	get(RUNTIME, "__cudaRegisterFunction", &register_function);
	get(RUNTIME, "__cudaUnregisterFatBinary", &unregister);
	get(RUNTIME, "cudaLaunchKernel", &start);
	for (int i = 0; i < 5; i++) {
		snprintf(mangled, sizeof(mangled), "_Z4stepILi%dEEvPf", i);
		snprintf(shown, sizeof(shown), "void step<%d>(float*)", i);
		binary = register_binary((void *)run_ptx);
		register_function(binary, &stub, mangled, mangled, -1, NULL, NULL, NULL, NULL, NULL);
		fprintf(told, "%s\n", shown);
		must(start(&stub, grid, block, NULL, 0, NULL), shown);
		unregister(binary);
	}
}

static void again_and_again(void)
{
	struct timespec nap = { 0, 10000000 };
	CUfunction fn;

	load();
	fn = look_up("early");
	do {
		launch(fn, "early");
		fflush(told);
		nanosleep(&nap, NULL);
	} while (run_in_time());
}

int main(int argc, char **argv)
{
	run.name = "kernels";
	run.help = "launches kernels with all kinds of names (simulated libraries only)";
	run.iterations = 50;
	run_start(argc, argv);
	told = getenv("XPT_KERNELS") ? fopen(getenv("XPT_KERNELS"), "w") : stdout;
	if (!told)
		return run_end(1);
	if (run.seconds)
		again_and_again();
	else if (run.async)
		by_runtime();
	else
		by_driver();
	fprintf(stderr, "kernels: %u handles were the same as the one before\n", reused);
	fclose(told);
	while (run.until && access(run.until, F_OK))	/* what was captured late is read from a process that lives */
		usleep(1000);
	return run_end(0);
}
