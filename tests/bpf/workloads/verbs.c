/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of the simulated libibverbs: two regions over the same memory, of which
 * one is never deregistered, a queue pair that is taken through its states and
 * once where it cannot go, failures with NULL, and both versions of a function.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *so;

static void *sym(const char *name, const char *version)
{
	void *p = version ? dlvsym(so, name, version) : dlsym(so, name);

	if (!p) {
		fprintf(stderr, "no %s\n", name);
		exit(1);
	}
	return p;
}

#define CALL(ret, name, types, ...) (((ret (*) types)sym(name, NULL))(__VA_ARGS__))

static void queue_pair(void *pd)
{
	uint32_t attr[36] = { 0 }, init[16] = { [8] = 128, [9] = 64, [13] = 2 };
	void *qp = CALL(void *, "ibv_create_qp", (void *, void *), pd, init);
	int i;

	attr[7] = 4242;		/* the other side */
	for (i = 1; i <= 3; i++) {
		attr[0] = (uint32_t)i;
		CALL(int, "ibv_modify_qp", (void *, void *, int), qp, attr, 1 | (i == 2) << 20);
	}
	attr[0] = 1;
	CALL(int, "ibv_modify_qp", (void *, void *, int), qp, attr, 1);
	CALL(int, "ibv_destroy_qp", (void *), qp);
	CALL(void *, "ibv_create_qp", (void *, void *), pd, NULL);
}

static void versions(void)
{
	int (*f)(void *, uint8_t, int, uint16_t *);
	uint16_t key;
	int i;

	*(void **)&f = sym("ibv_query_pkey", "IBVERBS_1.1");
	for (i = 0; i < 3; i++)
		f(NULL, 1, i, &key);
	*(void **)&f = sym("ibv_query_pkey", "IBVERBS_1.0");
	for (i = 0; i < 5; i++)
		f(NULL, 1, i, &key);
}

int main(void)
{
	static char memory[8192];
	void *pd, *mr;

	so = dlopen("libibverbs.so.1", RTLD_NOW);
	if (!so) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	pd = CALL(void *, "ibv_alloc_pd", (void *), memory);
	mr = CALL(void *, "ibv_reg_mr", (void *, void *, size_t, int), pd, memory, 4096, 7);
	CALL(void *, "ibv_reg_mr", (void *, void *, size_t, int), pd, memory, 8192, 1);
	CALL(void *, "ibv_reg_mr", (void *, void *, size_t, int), pd, memory, 0, 1);
	CALL(int, "ibv_dereg_mr", (void *), mr);
	queue_pair(pd);
	versions();
	return 0;
}
