// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A simulated libnccl: communicators, unique ids, groups and collectives of one
 * process, without any device work of its own. As in the real one, memory and
 * kernels come from libcuda, so that calls nest: a collective launches, in a
 * group only when that ends. Errors are those that a wrong call gets.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { SUCCESS, CUDA_ERROR, SYSTEM_ERROR, INTERNAL_ERROR, BAD_ARGUMENT, BAD_USAGE, REMOTE, PROGRESS };

struct id {
	char internal[128];
};

struct comm {
	int nranks, rank, error;
};

static struct {
	int (*alloc)(uint64_t *p, size_t n);
	int (*free)(uint64_t p);
	int (*launch)(void *fn, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
		      unsigned bz, unsigned shared, void *stream, void **params, void **extra);
} cu;

static void *kernel;		/* what a collective launches */
static _Thread_local int depth, queued;
static unsigned ids;

static int load(void)
{
	void *so = cu.alloc ? NULL : dlopen("libcuda.so.1", RTLD_NOW);

	if (so) {
		int (*init)(unsigned), (*retain)(void **, int), (*current)(void *);
		int (*load_module)(void **, const void *), (*get_function)(void **, void *, const char *);
		void *ctx = NULL, *module = NULL;

		*(void **)&init = dlsym(so, "cuInit");
		*(void **)&retain = dlsym(so, "cuDevicePrimaryCtxRetain");
		*(void **)&current = dlsym(so, "cuCtxSetCurrent");
		*(void **)&load_module = dlsym(so, "cuModuleLoadData");
		*(void **)&get_function = dlsym(so, "cuModuleGetFunction");
		if (init(0) || retain(&ctx, 0) || current(ctx) || load_module(&module, "any image") ||
		    get_function(&kernel, module, "ncclDevKernel"))
			return CUDA_ERROR;
		*(void **)&cu.alloc = dlsym(so, "cuMemAlloc_v2");
		*(void **)&cu.free = dlsym(so, "cuMemFree_v2");
		*(void **)&cu.launch = dlsym(so, "cuLaunchKernel");
	}
	return cu.alloc && cu.free && cu.launch ? SUCCESS : SYSTEM_ERROR;
}

/* A launch that fails, for example on a wrong stream, is not reported. */
static int launch(void *stream)
{
	int err = load();

	if (!err)
		cu.launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
	return err;
}

static int submit(struct comm *comm, size_t count, unsigned type, void *stream)
{
	(void)count;
	if (!comm || type > 11)
		return BAD_ARGUMENT;
	if (comm->error)
		return comm->error;
	if (!depth)
		return launch(stream);
	queued++;
	return SUCCESS;
}

API int ncclGetUniqueId(struct id *id)
{
	unsigned i;

	if (!id)
		return BAD_ARGUMENT;
	for (i = 0; i < sizeof(id->internal); i++)
		id->internal[i] = (char)(ids * 7 + i * 31);
	ids++;
	return SUCCESS;
}

/* A network that the program brings, as plugins do: connected to by a thread of the library. */
static int connect_net(void)
{
	void *(*net)(void *);
	void *failed = NULL;
	pthread_t thread;

	*(void **)&net = dlsym(RTLD_DEFAULT, "fake_nccl_net");
	if (!net)
		return SUCCESS;
	if (pthread_create(&thread, NULL, net, NULL) || pthread_join(thread, &failed))
		return SYSTEM_ERROR;
	return failed ? SYSTEM_ERROR : SUCCESS;
}

API int ncclCommInitRank(struct comm **comm, int nranks, struct id id, int rank)
{
	struct comm *c;

	if (!comm || rank < 0 || rank >= nranks || !id.internal[1])
		return BAD_ARGUMENT;
	c = calloc(1, sizeof(*c));
	if (!c)
		return SYSTEM_ERROR;
	c->nranks = nranks;
	c->rank = rank;
	*comm = c;
	return connect_net();
}

API int ncclCommInitRankScalable(struct comm **comm, int nranks, int rank, int n, struct id *ids_,
				 void *config)
{
	(void)config;
	return n < 1 || !ids_ ? BAD_ARGUMENT : ncclCommInitRank(comm, nranks, ids_[0], rank);
}

API int ncclCommDestroy(struct comm *comm)
{
	free(comm);
	return SUCCESS;
}

API int ncclCommAbort(struct comm *comm)
{
	free(comm);
	return SUCCESS;
}

/* Only here: what another rank's failure does to a communicator. */
API int ncclCommRevoke(struct comm *comm, int flags)
{
	(void)flags;
	comm->error = REMOTE;
	return SUCCESS;
}

API int ncclGroupStart(void)
{
	depth++;
	return SUCCESS;
}

API int ncclGroupEnd(void)
{
	int n = queued;

	if (!depth)
		return BAD_USAGE;
	if (--depth)
		return SUCCESS;
	queued = 0;
	return n ? launch(NULL) : SUCCESS;
}

API int ncclAllReduce(const void *send, void *recv, size_t count, unsigned type, unsigned op,
		      struct comm *comm, void *stream)
{
	(void)op;
	return send && recv ? submit(comm, count, type, stream) : BAD_ARGUMENT;
}

API int ncclReduce(const void *send, void *recv, size_t count, unsigned type, unsigned op, int root,
		   struct comm *comm, void *stream)
{
	(void)op;
	(void)root;
	return send && recv ? submit(comm, count, type, stream) : BAD_ARGUMENT;
}

API int ncclSend(const void *send, size_t count, unsigned type, int peer, struct comm *comm,
		 void *stream)
{
	return send && peer >= 0 ? submit(comm, count, type, stream) : BAD_ARGUMENT;
}

API int ncclMemAlloc(void **p, size_t n)
{
	return load() ? SYSTEM_ERROR : cu.alloc((uint64_t *)p, n) ? CUDA_ERROR : SUCCESS;
}

API int ncclMemFree(void *p)
{
	return load() ? SYSTEM_ERROR : cu.free((uint64_t)p) ? CUDA_ERROR : SUCCESS;
}
