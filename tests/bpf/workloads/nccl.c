/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls of libnccl in one thread: four ranks of a communicator and one of
 * another, collectives alone and in a group, memory, errors of each kind, and a
 * communicator that another rank has spoiled. Writes `NAME CALLS FAILED` for
 * every function to the file that the argument names.
 *   nccl FILE [LIBRARY]
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct id {
	char internal[128];
};

enum { RANKS = 4, FLOAT16 = 6, FLOAT64 = 8, BAD_TYPE = 14 };

static struct {
	const char *name;
	unsigned calls, failed;
} fns[32];

static void *so;

static int note(const char *name, int result)
{
	int i;

	for (i = 0; fns[i].name && fns[i].name != name; i++)
		;
	fns[i].name = name;
	fns[i].calls++;
	fns[i].failed += result != 0;
	return result;
}

static void *sym(const char *name)
{
	void *p = dlsym(so, name);

	if (!p) {
		fprintf(stderr, "no %s\n", name);
		exit(1);
	}
	return p;
}

#define CALL(name, types, ...) note(name, ((int (*) types)sym(name))(__VA_ARGS__))

static char buf[64];

static int reduce(size_t n, unsigned type, void *comm)
{
	static const char name[] = "ncclAllReduce";

	return CALL(name, (void *, void *, size_t, unsigned, unsigned, void *, void *), buf, buf, n,
		    type, 0, comm, NULL);
}

static void communicators(void **comm)
{
	static const char init[] = "ncclCommInitRank", get_id[] = "ncclGetUniqueId";
	struct id id = { { 0 } }, other = { { 0 } };
	int i;

	CALL(get_id, (struct id *), &id);
	CALL(get_id, (struct id *), &other);
	for (i = 0; i < RANKS; i++)
		CALL(init, (void **, int, struct id, int), &comm[i], RANKS, id, i);
	CALL(init, (void **, int, struct id, int), &comm[RANKS], 9, other, 8);
	CALL(init, (void **, int, struct id, int), &comm[RANKS + 1], 4, other, 4);
	CALL("ncclCommInitRankScalable", (void **, int, int, int, struct id *, void *),
	     &comm[RANKS + 1], 2, 1, 1, &other, NULL);
	CALL(get_id, (struct id *), NULL);
}

static void work(void **comm)
{
	static const char start[] = "ncclGroupStart", end[] = "ncclGroupEnd";
	int i;

	CALL("ncclReduce", (void *, void *, size_t, unsigned, unsigned, int, void *, void *), buf, buf,
	     100, FLOAT64, 2, 3, comm[0], (void *)0x70);
	CALL(start, (void));
	for (i = 0; i < RANKS; i++)
		reduce(1000, FLOAT16, comm[i]);
	CALL("ncclSend", (void *, size_t, unsigned, int, void *, void *), buf, 33, 0, 2, comm[1], NULL);
	CALL(end, (void));
	CALL(end, (void));
	reduce(5, BAD_TYPE, comm[0]);
	reduce(5, FLOAT64, NULL);
	CALL("ncclCommRevoke", (void *, int), comm[RANKS], 0);
	reduce(7, FLOAT64, comm[RANKS]);
	reduce(7, FLOAT64, comm[RANKS]);
}

int main(int argc, char **argv)
{
	void *comm[RANKS + 2] = { NULL }, *p = NULL;
	FILE *f = argc > 1 ? fopen(argv[1], "w") : NULL;
	int i;

	so = dlopen(argc > 2 ? argv[2] : "libnccl.so.2", RTLD_NOW);
	if (!so || !f) {
		fprintf(stderr, "%s\n", so ? "usage: nccl FILE [LIBRARY]" : dlerror());
		return 1;
	}
	communicators(comm);
	work(comm);
	CALL("ncclMemAlloc", (void **, size_t), &p, 4096);
	CALL("ncclMemFree", (void *), p);
	for (i = 0; i < RANKS + 1; i++)
		CALL("ncclCommDestroy", (void *), comm[i]);
	CALL("ncclCommAbort", (void *), comm[RANKS + 1]);
	for (i = 0; fns[i].name; i++)
		fprintf(f, "%s %u %u\n", fns[i].name, fns[i].calls, fns[i].failed);
	return fclose(f) ? 1 : 0;
}
