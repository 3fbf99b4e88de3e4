/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * page_faults [OPTION...] [FILE]: copies from and to pages that are not in memory but in FILE, which it writes first.
 * Each of --threads takes --iterations steps: it copies --launches pages to the device, then one page from it, then
 * reads --bytes itself, outside of calls. Prints what the kernel counted for its threads (ru_majflt) in each, as a
 * line of JSON. Without FILE the pages are anonymous memory that has been written to, and no page is read from disk.
 */
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "run.h"

enum { PAGE = 4096 };

static char *memory;
static size_t step_bytes;
static long to_device, from_device, outside;	/* faults, of all threads */
static CUcontext context;
static volatile char seen;

static long faults(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return ru.ru_majflt;
}

/* Of the file: written to disk and no longer in memory. Read-ahead would bring more than the page that is read. */
static char *map(const char *path, size_t bytes)
{
	int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	char *page = calloc(1, PAGE), *at;

	for (size_t i = 0; path && i < bytes / PAGE; i++)
		if (write(fd, page, PAGE) != PAGE)
			return MAP_FAILED;
	if (path && (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)))
		return MAP_FAILED;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, path ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (at == MAP_FAILED)
		return at;
	if (path && madvise(at, bytes, MADV_RANDOM))
		return MAP_FAILED;
	if (!path)
		memset(at, 1, bytes);
	free(page);
	return at;
}

static CUresult step(char *at, CUdeviceptr buffer)
{
	size_t n = run.launches * PAGE;
	long begin = faults(), end;
	CUresult err = run_h2d(buffer, at, n);

	end = faults();
	__atomic_add_fetch(&to_device, end - begin, __ATOMIC_RELAXED);
	if (!err)
		err = run_d2h(at + n, buffer, PAGE);
	begin = faults();
	__atomic_add_fetch(&from_device, begin - end, __ATOMIC_RELAXED);
	for (size_t i = 0; i < run.bytes; i += PAGE)
		seen = at[n + PAGE + i];
	__atomic_add_fetch(&outside, faults() - begin, __ATOMIC_RELAXED);
	return err;
}

static void *work(void *first)
{
	CUdeviceptr buffer;
	CUresult err = CU(cuCtxSetCurrent, context);

	if (!err)
		err = run_alloc(&buffer, run.launches * PAGE);
	for (uint64_t i = 0; !err && i < run.iterations; i++)
		err = step((char *)first + i * step_bytes, buffer);
	return (void *)(intptr_t)(err ? err : run_free(buffer));
}

static int run_threads(void)
{
	pthread_t *thread = calloc(run.threads, sizeof(*thread));
	int status = 0;

	for (uint64_t i = 0; i < run.threads; i++)
		if (pthread_create(&thread[i], NULL, work, memory + i * run.iterations * step_bytes))
			exit(1);
	for (uint64_t i = 0; i < run.threads; i++) {
		void *err = NULL;

		pthread_join(thread[i], &err);
		status |= err != NULL;
	}
	free(thread);
	return status;
}

int main(int argc, char **argv)
{
	int status;

	run.name = "page_faults";
	run.help = "copies whose pages are read from disk";
	run.iterations = 20;
	run.launches = 1;
	run.threads = 1;
	run.bytes = PAGE;
	run_start(argc, argv);
	step_bytes = (run.launches + 1) * PAGE + run.bytes;
	memory = map(argv[optind], run.threads * run.iterations * step_bytes);
	if (memory == MAP_FAILED || CU(cuCtxGetCurrent, &context)) {
		perror("page_faults");
		return run_end(1);
	}
	run_wait();
	status = run_threads();
	printf("{\"to_device\":%ld,\"from_device\":%ld,\"outside\":%ld}\n", to_device, from_device, outside);
	return run_end(status);
}
