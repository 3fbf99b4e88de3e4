// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A child with limits of time and memory that reads debug information, see dwarf_child.h.
 */
#include "engine/dwarf_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"

#define LIMIT_NS 5000000000ull	/* for a file, by the clock and of the CPU: 1 GB of units take less */
#define LIMIT_BYTES (4ull << 30)	/* of address space, in which the file is mapped */

#ifdef __SANITIZE_ADDRESS__
#define SHADOW_MEMORY 1		/* of terabytes that nobody uses */
#elif defined(__has_feature)
#define SHADOW_MEMORY __has_feature(address_sanitizer)
#else
#define SHADOW_MEMORY 0
#endif

static void limit(int what, uint64_t value)
{
	struct rlimit lim = { value, value };

	setrlimit(what, &lim);
}

_Noreturn static void read_and_die(xpt_dwarf_child_fn fn, int fd, int to, const void *ctx)
{
	static const int deadly[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGTERM, SIGINT };

	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		signal(deadly[i], SIG_DFL);
	limit(RLIMIT_CORE, 0);
	if (!SHADOW_MEMORY)
		limit(RLIMIT_AS, LIMIT_BYTES);
	limit(RLIMIT_CPU, LIMIT_NS / 1000000000);
	_exit(fn(fd, to, ctx) ? 1 : 0);
}

/* All that the child writes within the limit. */
static int take_answer(int from, char *answer, size_t max, size_t *ret_size)
{
	uint64_t until = xpt_now_ns() + LIMIT_NS;
	struct pollfd p = { .fd = from, .events = POLLIN };
	size_t at = 0;

	while (at < max) {
		uint64_t now = xpt_now_ns();
		ssize_t n;

		if (now >= until)
			return -ETIMEDOUT;
		n = poll(&p, 1, (int)((until - now) / 1000000) + 1);
		n = n > 0 ? read(from, answer + at, max - at) : n < 0 ? n : -2;
		if (n == -1 && errno != EINTR)
			return -errno;
		if (!n)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	*ret_size = at;
	return at ? 0 : -ENOENT;
}

int xpt_dwarf_child__run(xpt_dwarf_child_fn fn, int fd, const void *ctx, void *ret_answer, size_t max,
			 size_t *ret_size)
{
	int ends[2], err;
	pid_t pid;

	if (pipe(ends))
		return -errno;
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (!pid) {
		close(ends[0]);
		read_and_die(fn, fd, ends[1], ctx);
	}
	close(ends[1]);
	if (!err)
		err = take_answer(ends[0], ret_answer, max, ret_size);
	close(ends[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return err;
}

void xpt_dwarf_child__clean(char *name, size_t max)
{
	name[max - 1] = '\0';
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == 0x7f)
			*name = '?';
}
