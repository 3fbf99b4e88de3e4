// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See jail.h. The filter is written by hand: it is forty instructions, and libseccomp would be one
 * more library, which the static binary does not have. System calls are made directly where
 * the C library would do the same for all threads.
 */
#include "base/process/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process/caps.h"
#include "base/process/pidfd.h"
#include "base/time.h"

#define LIMIT_NS 5000000000ull	/* for a file, by the clock and of the CPU: 1 GB of units take less */
#define WAIT_MS 20	/* between two calls of who has other work */
#define LIMIT_BYTES (4ull << 30)	/* of address space, in which the file is mapped */
#define SERVICE_BYTES (1ull << 30)
#define SERVICE_FILES 256
#define NOBODY 65534		/* the kernel's own number for users that it has no number for */
/*
 * A user of its own for each child: others of the same user could end or stop it. Of the numbers from 1,879,048,192
 * to 2,147,483,647, which systemd's list of users and groups (docs/UIDS-GIDS.md) leaves unused; processes have
 * numbers below 2^22 (PID_MAX_LIMIT, include/linux/threads.h).
 */
#define OWN_USER 0x7f000000

enum end { ANSWERED, NOTHING, NO_JAIL, NOT_READ };	/* exit status of the child */

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1		/* sanitizers map terabytes and make other system calls */
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "name the architecture of system calls here"
#endif

/* --- the child's system calls ----------------------------------------------------------- */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
/* Loads the low half of an argument. */
#define LOAD_ARG(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[n]))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define IF_IS(k, then) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, 1), RETURN(then)
#define UNLESS(k, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, (skip))
#define ALLOW(call) IF_IS(SYS_##call, SECCOMP_RET_ALLOW)
#define REFUSE(call) IF_IS(SYS_##call, SECCOMP_RET_ERRNO | EACCES)
#define KILL (SANITIZED ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_KILL_PROCESS)

#define ONLY_OUR_ARCH LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS), \
		LOAD(nr)	/* those of x32 have a bit of their own, so they are none of these */
#define COMPUTE ALLOW(read), ALLOW(pread64), ALLOW(lseek), ALLOW(fstat), ALLOW(brk), ALLOW(munmap), ALLOW(mremap), \
		ALLOW(madvise), ALLOW(exit), ALLOW(exit_group), \
		IF_IS(SYS_sigaltstack, SANITIZED ? SECCOMP_RET_ALLOW : KILL)
/* Calls of libraries that may fail: opening files of their own choice, asking for the size of
 * the machine. */
#define REFUSE_FILES REFUSE(openat), REFUSE(newfstatat), REFUSE(faccessat), REFUSE(readlinkat), \
		IF_IS(SYS_futex, SECCOMP_RET_ERRNO | 0),	/* there is one thread: as if nobody waited */ \
		REFUSE(sysinfo), REFUSE(sched_getaffinity), REFUSE(getrandom)
#ifdef SYS_open
#define REFUSE_OLD REFUSE(open), REFUSE(stat), REFUSE(lstat), REFUSE(access), REFUSE(readlink)
#else
#define REFUSE_OLD REFUSE_FILES
#endif
/* A call unless its argument n has one of these bits, or is that. */
#define ALLOW_WITHOUT(call, n, bits) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4), LOAD_ARG(n), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), RETURN(KILL), RETURN(SECCOMP_RET_ALLOW)
#define ALLOW_BUT(call, n, value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4), LOAD_ARG(n), \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1), RETURN(KILL), RETURN(SECCOMP_RET_ALLOW)
/* The last rules: memory that is no code, and nothing else. */
#define MAP_DATA_ONLY BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0), UNLESS(SYS_mprotect, 3), LOAD_ARG(2), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), RETURN(SECCOMP_RET_ALLOW), RETURN(KILL)

static int install_filter(struct sock_filter *code, size_t n)
{
	struct sock_fprog prog = { (unsigned short)n, code };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) ? -errno : 0;
}

static int set_filter(int to)
{
	struct sock_filter code[] = {
		ONLY_OUR_ARCH, COMPUTE, REFUSE_FILES, REFUSE_OLD,
		UNLESS(SYS_write, 4),
		LOAD_ARG(0),
		IF_IS((uint32_t)to, SECCOMP_RET_ALLOW),
		RETURN(KILL),
		MAP_DATA_ONLY,
	};

	return install_filter(code, sizeof(code) / sizeof(code[0]));
}

/*
 * It reaches nothing but its open descriptors: no call here makes a new one but those for a connection and a
 * message. The listening socket is shared with those who start it again, so it cannot be shut down, nor made
 * to connect by sending.
 */
static int set_service_filter(int listen_fd)
{
	struct sock_filter code[] = {
		ONLY_OUR_ARCH, COMPUTE, REFUSE_FILES, REFUSE_OLD,
		ALLOW(write), ALLOW(writev), ALLOW(close), ALLOW(fcntl),
		ALLOW(accept4), ALLOW(recvfrom), ALLOW(recvmsg),
		ALLOW_WITHOUT(sendto, 3, MSG_FASTOPEN), ALLOW_WITHOUT(sendmsg, 2, MSG_FASTOPEN),
		ALLOW_BUT(shutdown, 0, (uint32_t)listen_fd),
		ALLOW(setsockopt), ALLOW(getsockopt), ALLOW(getsockname), ALLOW(getpeername),
		ALLOW(epoll_ctl), ALLOW(epoll_pwait), ALLOW(ppoll), ALLOW(restart_syscall), ALLOW(rt_sigreturn),
		ALLOW(clock_gettime), ALLOW(gettimeofday),
#ifdef SYS_poll
		ALLOW(poll), ALLOW(epoll_wait), ALLOW(time),
#endif
		MAP_DATA_ONLY,
	};

	return install_filter(code, sizeof(code) / sizeof(code[0]));
}

/* --- memory, descriptors and rights of the child ---------------------------------------- */

static void set_limit(int what, uint64_t value)
{
	struct rlimit lim = { value, value };

	setrlimit(what, &lim);	/* where it fails, the limit is lower already */
}

static int close_others(int fd, int to)
{
	unsigned low = (unsigned)(fd < to ? fd : to), high = (unsigned)(fd < to ? to : fd);
	int err = 0;

	if (low == ~0u)		/* -1 */
		low = high;
	if (high == ~0u)
		return syscall(SYS_close_range, 0u, ~0u, 0u) ? -errno : 0;
	if (low > 0)
		err = (int)syscall(SYS_close_range, 0u, low - 1, 0u);
	if (!err && high > low + 1)
		err = (int)syscall(SYS_close_range, low + 1, high - 1, 0u);
	if (!err)
		err = (int)syscall(SYS_close_range, high + 1, ~0u, 0u);
	return err ? -errno : 0;
}

/* Unmaps shared memory. Rings and tables of programs in the kernel are among it: writes to them
 * have effects. */
static int unmap_shared(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long from, to;
	size_t room = 0;
	char *line = NULL, kind;
	int err = 0;

	if (!f)
		return -errno;
	while (!err && getline(&line, &room, f) > 0)
		if (sscanf(line, "%lx-%lx %*3c%c", &from, &to, &kind) == 3 && kind == 's' &&
		    munmap((void *)from, to - from))
			err = -errno;
	free(line);
	fclose(f);
	return err;
}

/* Without CAP_SETUID it stays who it is, without any right that root has by capabilities. */
static int drop_rights(void)
{
	unsigned own = OWN_USER + (unsigned)getpid();
	int err;

	xpt_caps__bound(0);
	if (!geteuid()) {
		syscall(SYS_setgroups, 0, NULL);
		/* If the user namespace has few ids, the id of "nobody" is used. */
		if (syscall(SYS_setresgid, own, own, own))
			syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY);
		if (syscall(SYS_setresuid, own, own, own))
			syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
	}
	err = xpt_caps__keep(0);
	if (err)
		return err;
	prctl(PR_SET_DUMPABLE, 0);	/* if it is "nobody": no other process of that user may read it */
	return 0;
}

int xpt_jail__enter(int fd, int to)
{
	int err = unmap_shared();

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	if (!err)
		err = close_others(fd, to);
	if (!err)
		err = drop_rights();
	if (err)
		return err;
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* a change of user took it back */
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_NOFILE, 0);
	set_limit(RLIMIT_CPU, LIMIT_NS / 1000000000);
	if (!SANITIZED)
		set_limit(RLIMIT_AS, LIMIT_BYTES);
	return set_filter(to);
}

int xpt_jail__enter_service(int listen_fd)
{
	int err = drop_rights();

	if (err)
		return err;
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_NOFILE, SERVICE_FILES);
	if (!SANITIZED)
		set_limit(RLIMIT_AS, SERVICE_BYTES);
	return set_service_filter(listen_fd);
}

/* --- the parent's side ------------------------------------------------------------------ */

static struct {
	int (*fn)(void *ctx);
	void *ctx;
} waiting;

void xpt_jail__while_waiting(int (*fn)(void *ctx), void *ctx)
{
	waiting.fn = fn;
	waiting.ctx = ctx;
}

/* How long to wait at once, in ms. */
static int wait_ms(uint64_t left_ns)
{
	int ms = (int)(left_ns / 1000000) + 1;

	return waiting.fn && ms > WAIT_MS ? WAIT_MS : ms;
}

/* All that the child writes within the limit. */
static int take_answer(int from, char *answer, size_t max, size_t *ret_size)
{
	uint64_t until = xpt_now_ns() + LIMIT_NS;
	struct pollfd p = { .fd = from, .events = POLLIN };

	while (*ret_size < max) {
		uint64_t now = xpt_now_ns();
		int err = waiting.fn ? waiting.fn(waiting.ctx) : 0;
		ssize_t n;

		until += waiting.fn ? xpt_now_ns() - now : 0;	/* the child is not to blame for that */
		now = xpt_now_ns();
		if (err)
			return err;
		if (now >= until)
			return -ETIMEDOUT;
		n = poll(&p, 1, wait_ms(until - now));
		n = n > 0 ? read(from, answer + *ret_size, max - *ret_size) : n < 0 ? n : -2;
		if (n == -1 && errno != EINTR)
			return -errno;
		if (!n)
			break;
		*ret_size += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Ends it and returns how it ended: changes nothing where it closed the pipe by dying. */
static int end_of(pid_t pid)
{
	int status = 0;

	xpt_pidfd__end_child(pid);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return SIGKILL;		/* not known, so do not count it as an answer */
	}
	return status;
}

/* Makes the child the first process that the kernel ends if memory runs out. */
static void offer_to_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, "1000", 4);

	(void)n;	/* it works all the same */
	if (fd >= 0)
		close(fd);
}

_Noreturn static void work(xpt_jail_fn fn, int fd, int to, const void *ctx)
{
	int err;

	offer_to_oom_killer();
	err = xpt_jail__enter(fd, to);
	if (err)
		_exit(NO_JAIL);
	err = fn(fd, to, ctx);
	_exit(!err ? ANSWERED : err == -ENOENT || err == -ENOTSUP ? NOTHING : NOT_READ);
}

int xpt_jail__run(xpt_jail_fn fn, int fd, const void *ctx, void *ret_answer, size_t max, size_t *ret_size)
{
	int ends[2], err, status;
	pid_t pid;

	*ret_size = 0;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (!pid)
		work(fn, fd, ends[1], ctx);
	close(ends[1]);
	if (!err)
		err = take_answer(ends[0], ret_answer, max, ret_size);
	close(ends[0]);
	if (pid < 0)
		return err;
	status = end_of(pid);
	if (err || *ret_size == max)
		return err;
	if (!WIFEXITED(status) || WEXITSTATUS(status) == NOT_READ)
		return -EBADMSG;
	if (WEXITSTATUS(status) == NO_JAIL)
		return -EPERM;
	return *ret_size ? 0 : -ENOENT;
}
