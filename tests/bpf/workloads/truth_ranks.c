// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs of several ranks, and of libraries beside CUDA, with known truth: see truth.c.
 */
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "truth_steps.h"

#define RANKS 3
#define NCCL(name, ...) NCCL7(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define NCCL7(name, a, b, c, d, e, f, ...) call_other("libnccl.so.2", #name, a, b, c, d, e, f)
#define NVML(name, ...) NVML7(name, __VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define NVML7(name, a, b, c, d, e, f, ...) call_other("libnvidia-ml.so.1", #name, a, b, c, d, e, f)

struct id { char internal[128]; };

static sem_t *others;		/* shared by the ranks: the first one has failed */
static float data[64];

static void *join_ranks(int rank)
{
	int (*init)(void **, int, struct id, int);
	symbol any = find_symbol("libnccl.so.2", "ncclCommInitRank");
	void *comm = NULL;
	struct id id;

	NCCL(ncclGetUniqueId, HOST(&id));
	memcpy(&init, &any, sizeof(init));
	truth_call("ncclCommInitRank");
	truth_result("ncclCommInitRank", init(&comm, RANKS, id, rank));
	return comm;
}

static int all_reduce(void *comm)
{
	int (*fn)(const void *, void *, size_t, unsigned int, unsigned int, void *, void *);
	symbol any = find_symbol("libnccl.so.2", "ncclAllReduce");
	int err;

	memcpy(&fn, &any, sizeof(fn));
	truth_call("ncclAllReduce");
	err = fn(data, data, 64, 7, 0, comm, NULL);
	truth_result("ncclAllReduce", err);
	return err;
}

/* A kernel of this rank reads what is no memory. */
static int fail_first(void)
{
	CUdeviceptr wrong = 0x10;
	unsigned int n = 64;
	void *params[] = { &wrong, &wrong, &wrong, &n };

	run_launch(add, 1, 64, NULL, params);
	return CU(cuCtxSynchronize) ? 1 : 0;
}

static void wait_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
}

/* What a rank does after the failure of the first: its communicator is told of it, or it waits. */
static int fail_later(void *comm, bool hangs)
{
	sem_wait(others);
	if (hangs) {
		CU(cuLaunchHostFunc, NULL, wait_for_ever, NULL);
		puts("waits");
		fflush(stdout);
		return CU(cuCtxSynchronize);
	}
	NCCL(ncclCommRevoke, HOST(comm), 0);
	return all_reduce(comm) ? 1 : 0;
}

static int run_rank(int rank, int hanging)
{
	void *comm;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	start();
	comm = join_ranks(rank);
	for (int i = 0; i < 5; i++) {
		all_reduce(comm);
		CU(cuCtxSynchronize);
	}
	err = rank ? fail_later(comm, rank == hanging) : fail_first();
	return run_end(err);
}

static int run_ranks(int hanging)
{
	pid_t first = 0;
	int status;

	others = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(others, 1, 0);
	for (int i = 0; i < RANKS; i++) {
		pid_t child = fork();

		if (!child)
			exit(run_rank(i, hanging));
		first = first ? first : child;
	}
	waitpid(first, &status, 0);
	for (int i = 1; i < RANKS; i++)
		sem_post(others);
	while (wait(&status) > 0)
		;
	return 1;
}

/* Rank 0 fails; the others hear of it from NCCL. */
static int do_ranks(void)
{
	return run_ranks(-1);
}

/* Rank 0 fails, rank 1 hears of it, rank 2 waits until somebody ends it. */
static int do_ranks_hang(void)
{
	return run_ranks(2);
}

/* A monitor without CUDA that finds its device gone. */
static int do_gpu_lost(void)
{
	unsigned int utilization[2];
	uint64_t device = 0;
	int err = 0;

	NVML(nvmlInit_v2, 0);
	NVML(nvmlDeviceGetHandleByIndex_v2, 0, HOST(&device));
	for (int i = 0; !err && i < 10; i++)
		err = NVML(nvmlDeviceGetUtilizationRates, device, HOST(utilization));
	if (!err)
		return 0;
	fprintf(stderr, "cannot read the utilization: %d\n", err);
	return 1;
}

/* Under a layer, which passes on what it gets. */
static int do_layered(void)
{
	start();
	return run_pipeline(20);
}

static const struct program programs[] = {
	{ "ranks", do_ranks }, { "ranks_hang", do_ranks_hang }, { "gpu_lost", do_gpu_lost },
	{ "layered", do_layered },
};

int main(int argc, char **argv)
{
	return run_program(programs, sizeof(programs) / sizeof(*programs), argc, argv);
}
