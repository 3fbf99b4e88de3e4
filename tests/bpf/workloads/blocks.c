/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a user can do to a library of somebody else so that probes on it cannot be set, or not for long:
 *   blocks many FILE N    maps it N times, never to be executed: the kernel changes each mapping for each probe
 *   blocks copies FILE    maps it with a userfaultfd for minor faults: no page of a file in memory (tmpfs) can be copied
 * Says "ready", and waits for a signal.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

static int map_many(int fd, size_t size, unsigned long n)
{
	while (n--)
		if (mmap(NULL, size, PROT_NONE, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			return 1;
	return 0;
}

static int refuse_copies(int fd, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_MINOR_SHMEM };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MINOR };
	long u = syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE, fd, 0);

	if (u < 0 || p == MAP_FAILED || ioctl((int)u, UFFDIO_API, &api))
		return 1;
	range.range.start = (unsigned long)p;
	range.range.len = (size + 4095) & ~4095ul;
	return ioctl((int)u, UFFDIO_REGISTER, &range) ? 1 : 0;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDONLY) : -1, status = 2;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return 2;
	if (!strcmp(argv[1], "many") && argc == 4)
		status = map_many(fd, (size_t)st.st_size, strtoul(argv[3], NULL, 10));
	else if (!strcmp(argv[1], "copies"))
		status = refuse_copies(fd, (size_t)st.st_size);
	if (status)
		return status;
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
