/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See remote.h. The child is started with the first question, or before, and answers one after the other. One
 * that does not answer in time is killed; it may live on in the kernel for as long as the page's owner likes, so
 * it is not waited for, and their number is limited.
 */
#include "proc/remote/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/log.h"
#include "base/process/caps.h"
#include "base/process/pidfd.h"
#include "base/process/priority.h"
#include "base/time.h"
#include "proc/owner.h"
#include "proc/remote/allowance.h"
#include "proc/remote/bans.h"
#include "proc/remote/blocked.h"
#include "proc/remote/constant.h"

enum { CHUNK = 4096, MAX_STUCK = 16 };

#define LIMIT_NS 300000000ull		/* for one read */
#define BUSY_LIMIT_NS 5000000000ull	/* where the machine has no processor for the child */
#define LOOK_MS 50			/* between two looks whether that is so */
#define REST 9				/* times that pass before anything is read again */
#define MOST_NS 5000000000ull	/* an owner's files and mappings can be slow to read, such as paths of 100,000 folders */
#define PER_MILLE 50u

enum kind { CONSTANT, PATH, LINK, TEXT };

struct question {
	enum kind kind;
	int pid;
	uint32_t n;
	uint64_t addr;
	char name[PATH_MAX];	/* last: sent as far as it is used */
};

struct answer {
	int64_t result;		/* but of CONSTANT: 0, and a descriptor comes along */
	char bytes[CHUNK];
};

static bool distrust;
static struct {
	pid_t pid;		/* 0: none */
	int fd;
	struct {
		pid_t pid;	/* killed, and not reaped yet; 0: none */
		uint64_t owner;	/* whose memory or files it waits for */
	} stuck[MAX_STUCK];
	struct xpt_bans bans;
	bool has_banned;	/* ever */
	uint64_t rest_ns;	/* no constants are read until then, */
	uint64_t starved_ns;	/* and nothing at all until then */
	struct xpt_allowance time;	/* of a processor, for the child's reading of each owner's processes */
} reader = { .time = { .most_ns = MOST_NS, .per_mille = PER_MILLE } };

/* --- the child ----------------------------------------------------------------------------- */

static int open_proc(int pid, const char *name, int flags)
{
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Returns the path as the process sees it, without access to the file there. */
static int walk_path(int pid, const char *path)
{
	int root, fd;

	root = open_proc(pid, "root", O_PATH | O_DIRECTORY);
	if (root < 0)
		return root;
	fd = xpt_regular__walk(root, path);
	close(root);
	return fd;
}

/* Returns a copy of the file below /proc/PID: whole, or of at least max bytes. */
static int copy_text(int pid, const char *name, uint32_t max)
{
	static char buf[16 * CHUNK];
	int in = open_proc(pid, name, O_RDONLY), out = in < 0 ? in : memfd_create(name, MFD_CLOEXEC), err = 0;
	ssize_t n = 0, total = 0;

	if (in >= 0 && out < 0)
		err = -errno;
	while (in >= 0 && out >= 0 && !err && total < max &&
	       (n = read(in, buf, sizeof(buf))) > 0) {
		err = write(out, buf, (size_t)n) == n ? 0 : -ENOSPC;
		total += n;
	}
	if (n < 0)
		err = -errno;
	if (in >= 0)
		close(in);
	if (err && out >= 0)
		close(out);
	return err ? err : out < 0 || !lseek(out, 0, SEEK_SET) ? out : -EIO;
}

/* fd: it goes along and is closed here; negative: none. */
static bool send_answer(const struct answer *a, size_t bytes, int fd)
{
	struct iovec iov = { (void *)a, sizeof(a->result) + bytes };
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u = { 0 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = u.space;
		m.msg_controllen = sizeof(u.space);
		*CMSG_FIRSTHDR(&m) = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof(fd));
	}
	n = sendmsg(0, &m, MSG_NOSIGNAL);
	if (fd >= 0)
		close(fd);
	return n >= 0;
}

static bool answer_question(const struct question *q, struct answer *a)
{
	int fd = -1;

	if (q->kind == CONSTANT) {
		a->result = xpt_constant__read(q->pid, q->addr, a->bytes, q->n);
		return send_answer(a, a->result > 0 ? (size_t)a->result : 0, -1);
	}
	fd = q->kind == PATH ? walk_path(q->pid, q->name) :
	     q->kind == LINK ? open_proc(q->pid, q->name, O_PATH) : copy_text(q->pid, q->name, q->n);
	a->result = fd < 0 ? fd : 0;
	return send_answer(a, 0, fd);
}

/* All that reading takes; without them, only files and processes of our own user can be read. */
#define CHILD_CAPS (XPT_CAP(SYS_PTRACE) | XPT_CAP(DAC_READ_SEARCH) | XPT_CAP(CHECKPOINT_RESTORE))

/* Holds no descriptor but its own: the programs that we have attached must end with us. */
static _Noreturn void serve_questions(int fd, pid_t parent)
{
	static struct answer a;
	static struct question q;
	ssize_t n;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, "xputrace-read");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	xpt_priority__raise_session();
	xpt_caps__keep(CHILD_CAPS);
	if (getppid() != parent || dup2(fd, 0) || syscall(SYS_close_range, 1u, ~0u, 0u))
		_exit(1);
	do {
		n = recv(0, &q, sizeof(q), 0);
	} while (n > (ssize_t)offsetof(struct question, name) &&
		 q.n <= (q.kind == CONSTANT ? CHUNK : XPT_REMOTE_TEXT) && answer_question(&q, &a));
	_exit(0);
}

/* --- the parent ------------------------------------------------------------------------------ */

/* A place for one that may get stuck; MAX_STUCK: there is none. */
static unsigned reap_child(void)
{
	unsigned i, place = MAX_STUCK;

	for (i = 0; i < MAX_STUCK; i++) {
		if (reader.stuck[i].pid && waitpid(reader.stuck[i].pid, NULL, WNOHANG))
			reader.stuck[i].pid = 0;
		if (!reader.stuck[i].pid)
			place = i;
	}
	return place;
}

/* owner: of whom it was asked last. */
static void give_up(uint64_t owner)
{
	unsigned i = reap_child();

	if (!reader.pid)
		return;
	close(reader.fd);
	xpt_pidfd__end_child(reader.pid);
	if (i < MAX_STUCK) {
		reader.stuck[i].pid = reader.pid;
		reader.stuck[i].owner = owner;
	}
	reader.pid = 0;
}

static int start_child(void)
{
	pid_t parent = getpid();
	int ends[2];

	if (reader.pid)
		return 0;
	if (reap_child() == MAX_STUCK)
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	reader.pid = fork();
	if (!reader.pid)
		serve_questions(ends[1], parent);
	close(ends[1]);
	reader.fd = ends[0];
	if (reader.pid > 0)
		return 0;
	close(ends[0]);
	reader.pid = 0;
	return -ENOMEM;
}

/* For a while, and for as long as a child waits for that user: nobody has more than one place for such. */
static bool is_banned(uint64_t owner, uint64_t now)
{
	unsigned i;

	if (xpt_bans__has(&reader.bans, owner, now))
		return true;
	reap_child();
	for (i = 0; i < MAX_STUCK; i++)
		if (reader.stuck[i].pid && reader.stuck[i].owner == owner)
			return true;
	return false;
}

static void ban_process(int pid, uint64_t owner, uint64_t now)
{
	if (!reader.has_banned)
		xpt_debug("memory or files of process %d (user %u, container %u) cannot be read in time: names in calls "
			  "of that user may be missing", pid, XPT_OWNER_UID(owner),
			  XPT_OWNER_GROUP(owner));
	reader.has_banned = true;
	xpt_bans__add(&reader.bans, owner, now);
}

/* The descriptor that came along, or -1. */
static int taken_fd(const struct msghdr *m)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static ssize_t receive_answer(struct answer *a, int *ret_fd)
{
	struct iovec iov = { a, sizeof(*a) };
	union {
		char space[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} u;
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = u.space, .msg_controllen = sizeof(u.space),
	};
	ssize_t n = recvmsg(reader.fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*ret_fd = n >= 0 ? taken_fd(&m) : -1;
	return n >= (ssize_t)sizeof(a->result) ? n : -EPIPE;
}

/* Processor time that the child has used; 0: not known. */
static uint64_t used_ns(void)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(reader.pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t used_since(uint64_t used)
{
	uint64_t now = used_ns();

	return now > used ? now - used : 0;
}

/*
 * The answer's size; -ETIMEDOUT; -ETIME: the child found no processor; -EPIPE: it has ended. used: its processor time
 * before the question.
 */
static ssize_t wait_for(struct answer *a, uint64_t began_ns, uint64_t used, int *ret_fd)
{
	struct pollfd p = { .fd = reader.fd, .events = POLLIN };
	struct xpt_blocked blocked;
	bool is_slow, is_starved;

	xpt_blocked__begin(&blocked, reader.pid);
	for (;;) {
		if (poll(&p, 1, LOOK_MS) > 0)
			return receive_answer(a, ret_fd);
		/* A child that computes for so long reads something that somebody has made slow to read. */
		is_slow = xpt_blocked__look(&blocked, reader.pid) >= LIMIT_NS || used_since(used) >= LIMIT_NS;
		is_starved = xpt_now_ns() - began_ns >= BUSY_LIMIT_NS;
		if (!is_slow && !is_starved)
			continue;
		if (poll(&p, 1, 0) > 0)	/* it may be us who found no processor */
			return receive_answer(a, ret_fd);
		return is_slow ? -ETIMEDOUT : -ETIME;
	}
}

/* 0, or why nothing is asked: -errno. */
static int may_ask(const struct question *q, uint64_t now, uint64_t *ret_owner)
{
	/* Where only names are missing, they can wait. */
	if (q->kind == CONSTANT && now < reader.rest_ns)
		return -EBUSY;
	if (now < reader.starved_ns)
		return -ETIME;
	if (xpt_owner__of_process(q->pid, ret_owner))
		return q->kind == CONSTANT ? -ESRCH : -ENOENT;
	return is_banned(*ret_owner, now) || !xpt_allowance__has(&reader.time, *ret_owner, now) ? -EBUSY : start_child();
}

/* Returns the size of the data after the result, or -errno, the child's own too. */
static ssize_t ask_child(const struct question *q, struct answer *a, int *ret_fd)
{
	size_t n = offsetof(struct question, name) + strlen(q->name) + 1;
	uint64_t began = xpt_now_ns();
	uint64_t owner, used;
	ssize_t size;
	int err;

	*ret_fd = -1;
	err = may_ask(q, began, &owner);
	if (err)
		return err;
	used = used_ns();
	size = send(reader.fd, q, n, MSG_NOSIGNAL) == (ssize_t)n ? wait_for(a, began, used, ret_fd) : -EPIPE;
	xpt_allowance__spend(&reader.time, owner, used_since(used), xpt_now_ns());
	if (size >= 0)
		return a->result < 0 ? (ssize_t)a->result : size - (ssize_t)sizeof(a->result);
	give_up(size == -ETIME ? XPT_OWNER_NOBODY : owner);
	if (size == -ETIMEDOUT)
		ban_process(q->pid, owner, xpt_now_ns());
	if (size == -ETIMEDOUT || size == -ETIME)
		reader.rest_ns = xpt_now_ns() + REST * (xpt_now_ns() - began);
	if (size == -ETIME)		/* the next child would find none either */
		reader.starved_ns = reader.rest_ns;
	return size;
}

/* A descriptor, or -errno. */
static int ask_for_file(enum kind kind, int pid, const char *name, uint32_t max)
{
	struct question q = { .kind = kind, .pid = pid, .n = max };
	size_t n = strlen(name) + 1;
	struct answer a;
	ssize_t size;
	int fd;

	if (n > sizeof(q.name))
		return -ENAMETOOLONG;
	memcpy(q.name, name, n);
	size = ask_child(&q, &a, &fd);
	if (size < 0)
		return (int)size;
	return fd < 0 ? -EIO : fd;
}

ssize_t xpt_remote__read_constant(int pid, uint64_t addr, void *buf, size_t n)
{
	const struct question q = { .kind = CONSTANT, .pid = pid, .n = n < CHUNK ? (uint32_t)n : CHUNK, .addr = addr };
	static struct answer a;
	int fd;
	ssize_t size = ask_child(&q, &a, &fd);

	if (fd >= 0)
		close(fd);
	if (size < 0)
		return size;
	if (fd >= 0 || size != a.result || (size_t)size > q.n)
		return -EIO;
	memcpy(buf, a.bytes, (size_t)size);
	return size;
}

int xpt_remote__walk(int pid, const char *path)
{
	return distrust ? ask_for_file(PATH, pid, path, 0) : walk_path(pid, path);
}

int xpt_remote__link(int pid, const char *name)
{
	return distrust ? ask_for_file(LINK, pid, name, 0) : open_proc(pid, name, O_PATH);
}

int xpt_remote__proc(int pid, const char *name, uint32_t max)
{
	return distrust ? ask_for_file(TEXT, pid, name, max) : open_proc(pid, name, O_RDONLY);
}

bool xpt_remote__is_distrusting(void)
{
	return distrust;
}

void xpt_remote__distrust(void)
{
	distrust = true;
}

void xpt_remote__prepare(void)
{
	start_child();
}

void xpt_remote__close(void)
{
	give_up(0);
	reap_child();
}
