/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A CUDA driver API program for the real libcuda, with or without a GPU: some
 * calls by their exported names, some through the pointers that
 * cuGetProcAddress returns, N times each. Prints what it did as JSON: for each
 * exported function the number of calls and the last result. This is the
 * truth that a trace of it is compared with.
 *   driver_api [N [OUT]]    libcuda.so.1 is found by the loader (LD_LIBRARY_PATH)
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FNS 32

typedef int (*fn2)(void *a, size_t b);
typedef int (*fn3)(void *a, void *b, size_t c);
typedef int (*get_proc_v2)(const char *sym, void **ret_fn, int version, unsigned long long flags,
			   int *ret_status);

/* name: as asked for; sym: the export that answers. */
struct call {
	const char *name, *sym;
	void *fn;
	unsigned long calls;
	int ret;
	int by_pointer;
};

static struct call calls[MAX_FNS];
static unsigned nr_calls;
static void *lib;

static struct call *add(const char *name, const char *sym, void *fn, int by_pointer)
{
	struct call *c = &calls[nr_calls++];

	c->name = name;
	c->sym = sym;
	c->fn = fn;
	c->by_pointer = by_pointer;
	return c;
}

static struct call *by_name(const char *name)
{
	void *fn = dlsym(lib, name);

	if (!fn) {
		fprintf(stderr, "driver_api: no %s: %s\n", name, dlerror());
		exit(1);
	}
	return add(name, name, fn, 0);
}

/* The function behind name as libcudart asks for it; counts the request too. */
static struct call *by_proc(struct call *get, const char *name, int version)
{
	void *fn = NULL;
	int status = -1;
	Dl_info info;

	get->calls++;
	get->ret = ((get_proc_v2)get->fn)(name, &fn, version, 0, &status);
	if (get->ret || !fn) {
		fprintf(stderr, "driver_api: cuGetProcAddress_v2(%s) = %d\n", name, get->ret);
		exit(1);
	}
	if (!dladdr(fn, &info) || !info.dli_sname || info.dli_saddr != fn) {
		fprintf(stderr, "driver_api: %s is not at an exported function\n", name);
		exit(1);
	}
	return add(name, info.dli_sname, fn, 1);
}

static void call2(struct call *c, void *a, size_t b)
{
	c->ret = ((fn2)c->fn)(a, b);
	c->calls++;
}

static void call3(struct call *c, void *a, void *b, size_t n)
{
	c->ret = ((fn3)c->fn)(a, b, n);
	c->calls++;
}

static void work(unsigned long n)
{
	struct call *init = by_name("cuInit"), *alloc = by_name("cuMemAlloc_v2");
	struct call *version = by_name("cuDriverGetVersion");
	struct call *get = by_name("cuGetProcAddress_v2");
	struct call *free_p = by_proc(get, "cuMemFree", 12000);
	struct call *copy_p = by_proc(get, "cuMemcpyHtoD", 12000);
	struct call *sync_p = by_proc(get, "cuStreamSynchronize", 12000);
	unsigned long long ptr = 0;
	char buf[64] = "";
	int v = 0;

	call2(init, NULL, 0);
	for (unsigned long i = 0; i < n; i++) {
		call2(alloc, &ptr, 4096 + i);
		call2(version, &v, 0);
		/* Null addresses: without a context refused, with one harmless. */
		call3(copy_p, NULL, buf, sizeof(buf));
		call2(free_p, NULL, 0);
		call2(sync_p, NULL, 0);
	}
}

static int print(const char *path)
{
	FILE *f = path ? fopen(path, "we") : stdout;

	if (!f) {
		fprintf(stderr, "driver_api: cannot write %s\n", path);
		return 1;
	}
	fprintf(f, "{\"calls\":{");
	for (unsigned i = 0; i < nr_calls; i++)
		fprintf(f, "%s\"%s\":{\"calls\":%lu,\"result\":%d,\"by_pointer\":%s}",
			i ? "," : "", calls[i].sym, calls[i].calls, calls[i].ret,
			calls[i].by_pointer ? "true" : "false");
	fprintf(f, "}}\n");
	return fclose(f) ? 1 : 0;
}

int main(int argc, char **argv)
{
	char *end = NULL;
	unsigned long n = argc > 1 ? strtoul(argv[1], &end, 10) : 1000;

	if (argc > 3 || (end && *end) || !n) {
		fprintf(stderr, "usage: driver_api [N [OUT]]\n");
		return 2;
	}
	lib = dlopen("libcuda.so.1", RTLD_NOW);
	if (!lib) {
		fprintf(stderr, "driver_api: %s\n", dlerror());
		return 1;
	}
	work(n);
	return print(argc > 2 ? argv[2] : NULL);
}
