// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes ioctls that a trace must see, and others that it must not:
 *   ioctls DEVICE [N]   N rounds (default 10) of one that works (RNDGETENTCNT), one
 *                       that the driver does not know, one with a bad pointer;
 *                       meanwhile descriptors that are closed, huge, or of other files.
 *   ioctls hang DEVICE MS   one whose answer goes to a page that arrives after MS
 *   ioctls loop DEVICE N    N of the one that works, nothing else
 *   ioctls race DEVICE N    the same while another thread closes and opens the descriptor
 *   ioctls map DEVICE N     N rounds of two mmaps, the second of no length, among others;
 *                       prints the addresses of those that worked
 *   ioctls poll DEVICE N    N rounds of 6 polls on the device (which is always ready):
 *                       3 find it, one waits, 2 fail; and 5 that nobody is told of
 *   ioctls look DEVICE N    N polls and N ppolls that wait for nothing
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
#include <time.h>
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

/* --- mmap and poll ------------------------------------------------------------------ */

static int map(int n)
{
	const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), i;
	void *p, *other[3];

	for (i = 0; i < n; i++) {
		p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 4096);
		if (p != MAP_FAILED)
			printf("%p\n", p);
		else if (errno != ENODEV)
			return 1;
		if (mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED || errno != EINVAL)
			return 1;
		other[0] = mmap(NULL, 4096, PROT_READ, anonymous, fd, 0);
		other[1] = mmap(NULL, 4096, PROT_READ, anonymous, -1, 0);
		other[2] = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
		if (other[0] == MAP_FAILED || other[1] == MAP_FAILED || other[2] == MAP_FAILED)
			return 1;
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -1, 0);
	}
	return fflush(stdout);
}

static int poll_device(const int *pipefd, struct pollfd *fixed)
{
	struct pollfd p[9];
	struct timespec t = { .tv_nsec = 1500000 };
	int i;

	for (i = 0; i < 9; i++)
		p[i] = (struct pollfd){ .fd = i & 1 ? -1 : pipefd[0], .events = POLLIN };
	p[7].fd = fd;		/* the last that is looked at */
	if (poll(p, 8, -1) != 1 || poll(p, 7, 0) != 0 || poll(p, 0, 0) != 0)
		return 1;
	p[7].fd = -1;
	p[8].fd = fd;
	if (poll(p, 9, 0) != 1 || poll(p, 8, 0) != 0)
		return 1;
	p[0].fd = fd;
	if (poll(p, 1, 100) != 1 || ppoll(p, 1, &t, NULL) != 1)
		return 1;
	p[0].events = 0;
	if (poll(p, 1, 20) != 0)
		return 1;
	if (syscall(SYS_poll, p, 1 << 30, 0) != -1 || errno != EINVAL)
		return 1;
	if (poll(fixed, 1, 0) != -1 || errno != EFAULT)	/* it can be read, not written */
		return 1;
	return syscall(SYS_poll, 8, 1, 0) != -1 || errno != EFAULT;
}

static int polls(int n)
{
	struct pollfd *fixed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pipefd[2], i, err = 0;

	if (fixed == MAP_FAILED || pipe(pipefd))
		return 1;
	*fixed = (struct pollfd){ .fd = fd, .events = POLLIN };
	mprotect(fixed, 4096, PROT_READ);
	for (i = 0; !err && i < n; i++)
		err = poll_device(pipefd, fixed);
	return err;
}

static int look(int n)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct timespec none = { 0 };
	int i;

	for (i = 0; i < n; i++)
		if (poll(&p, 1, 0) < 0 || ppoll(&p, 1, &none, NULL) < 0)
			return 1;
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
	if (!strcmp(what, "map"))
		return map(n);
	if (!strcmp(what, "poll"))
		return polls(n);
	if (!strcmp(what, "look"))
		return look(n);
	if (!strcmp(what, "race"))
		return race(argv[at], n);
	return strcmp(what, "rm") ? rounds(n) : rm();
}
