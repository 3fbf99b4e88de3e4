// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes ioctls that a trace must see, and others that it must not:
 *   ioctls DEVICE [N]   N rounds (default 10) of one that works (RNDGETENTCNT), one
 *                       that the driver does not know, one with a bad pointer;
 *                       meanwhile descriptors that are closed, huge, or of other files.
 *   ioctls hang DEVICE MS   one whose answer goes to a page that arrives after MS
 *   ioctls loop DEVICE N    N of the one that works, nothing else
 *   ioctls race DEVICE N    the same while another thread closes and opens the descriptor
 *   ioctls rm DEVICE    commands of NVIDIA's driver; DEVICE refuses them
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIP 77

static int fd;
static volatile int done;

static int rounds(int n)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), entropy, i, pipefd[2];

	if (file < 0 || pipe(pipefd))
		return 1;
	for (i = 0; i < n; i++) {
		if (ioctl(fd, RNDGETENTCNT, &entropy))
			return 1;
		if (ioctl(fd, 0xc020462a, &entropy) != -1 || errno == EFAULT)
			return 1;
		if (ioctl(fd, RNDGETENTCNT, (void *)8) != -1 || errno != EFAULT)
			return 1;
		ioctl(-1, RNDGETENTCNT, &entropy);
		ioctl(1 << 30, RNDGETENTCNT, &entropy);
		ioctl(file, RNDGETENTCNT, &entropy);
		ioctl(pipefd[0], RNDGETENTCNT, &entropy);
	}
	return 0;
}

static int loop(int n)
{
	int entropy, i;

	for (i = 0; i < n; i++)
		if (ioctl(fd, RNDGETENTCNT, &entropy) && errno != EBADF)
			return 1;
	return 0;
}

static void *reopen(void *path)
{
	while (!done) {
		close(fd);
		if (open(path, O_RDONLY | O_CLOEXEC) < 0)
			break;
	}
	return NULL;
}

static int race(char *path, int n)
{
	pthread_t t;
	int err;

	if (pthread_create(&t, NULL, reopen, path))
		return 1;
	err = loop(n);
	done = 1;
	pthread_join(t, NULL);
	return err;
}

/* --- a page that comes late -------------------------------------------------------- */

struct late {
	int uffd, ms;
	char *page;
};

static void *serve(void *ctx)
{
	struct late *l = ctx;
	static char zero[4096];
	struct uffdio_copy copy = { .dst = (uintptr_t)l->page, .src = (uintptr_t)zero,
				    .len = sizeof(zero) };
	struct pollfd p = { .fd = l->uffd, .events = POLLIN };
	struct uffd_msg msg;

	if (poll(&p, 1, -1) == 1 && read(l->uffd, &msg, sizeof(msg)) == sizeof(msg)) {
		usleep((useconds_t)l->ms * 1000);
		ioctl(l->uffd, UFFDIO_COPY, &copy);
	}
	return NULL;
}

static int hang(int ms)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct late l = { .ms = ms };
	pthread_t t;

	l.uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (l.uffd < 0 || ioctl(l.uffd, UFFDIO_API, &api))
		return SKIP;
	l.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uintptr_t)l.page;
	reg.range.len = 4096;
	if (l.page == MAP_FAILED || ioctl(l.uffd, UFFDIO_REGISTER, &reg) ||
	    pthread_create(&t, NULL, serve, &l))
		return SKIP;
	if (ioctl(fd, RNDGETENTCNT, l.page))
		return 1;
	pthread_join(t, NULL);
	return 0;
}

/* --- commands of a driver that is not here ----------------------------------------- */

struct rm_alloc {		/* nvos.h: NVOS64_PARAMETERS */
	uint32_t root, parent, object, cls;
	uint64_t params, rights;
	uint32_t params_size, flags, status, pad;
};

struct rm_control {		/* NVOS54_PARAMETERS */
	uint32_t client, object, cmd, flags;
	uint64_t params;
	uint32_t params_size, status;
};

struct xfer {
	uint32_t cmd, size;
	uint64_t ptr;
};

static int rm(void)
{
	uint64_t memory[16] = { [8] = 1 << 20 };	/* NV_MEMORY_ALLOCATION_PARAMS: size */
	struct rm_alloc a = { .cls = 0x40, .params = (uintptr_t)memory };
	struct rm_control c = { .cmd = 0xa06f0103 };
	struct xfer x = { .cmd = 0x2b, .size = sizeof(a), .ptr = (uintptr_t)&a };

	ioctl(fd, _IOWR('F', 0x2b, struct rm_alloc), &a);
	a.cls = 0xc56f;
	ioctl(fd, _IOWR('F', 0x2b, struct rm_alloc), &a);
	a.cls = 0xdead;
	ioctl(fd, _IOWR('F', 0xd3, struct xfer), &x);
	ioctl(fd, _IOWR('F', 0x2a, struct rm_control), &c);
	ioctl(fd, _IOWR('F', 0x2a, struct rm_control), (void *)16);
	x.ptr = 24;
	ioctl(fd, _IOWR('F', 0xd3, struct xfer), &x);
	ioctl(fd, _IOWR('F', 0xd3, struct xfer), (void *)32);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 && argv[1][0] != '/' ? argv[1] : "rounds";
	int at = strcmp(what, "rounds") ? 2 : 1, n = 10;

	if (argc <= at || (argc > at + 1 && sscanf(argv[at + 1], "%d", &n) != 1))
		return 2;
	fd = open(argv[at], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return SKIP;
	if (!strcmp(what, "hang"))
		return hang(n);
	if (!strcmp(what, "loop"))
		return loop(n);
	if (!strcmp(what, "race"))
		return race(argv[at], n);
	return strcmp(what, "rm") ? rounds(n) : rm();
}
