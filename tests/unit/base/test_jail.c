/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/process/jail.h: what a reader that its file has taken over can still do. Each attempt fails or ends the
 * child; what it wrote before that arrives. A child that waits in the jail is looked at in /proc.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/process/jail.h"
#include "base/process/pidfd.h"

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1		/* shadow memory takes terabytes of addresses: no limit */
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif
#define CANARY 4242	/* in memory that is shared */

static int victim = -1;		/* a descriptor that is none of the child's */
static char *shared;
static char name[] = "/tmp/xputrace-jail-XXXXXX";

/* Each returns 0 where it got what it wanted. */
static int try_open(void) { return open("/etc/passwd", O_RDONLY) < 0; }
static int try_create(void) { return creat(name, 0600) < 0; }
static int try_openat2(void) { return syscall(SYS_openat2, AT_FDCWD, "/", (uint64_t[3]){ 0 }, 24) < 0; }
static int try_stat(void) { struct stat st; return stat("/etc/passwd", &st) < 0; }
static int try_unlink(void) { return unlink(name) < 0; }
static int try_chmod(void) { return chmod(name, 0777) < 0; }
static int try_socket(void) { return socket(AF_INET, SOCK_STREAM, 0) < 0; }
static int try_unix(void) { return socket(AF_UNIX, SOCK_DGRAM, 0) < 0; }
static int try_exec(void) { char *argv[] = { (char *)"true", NULL }; return execv("/bin/true", argv) < 0; }
static int try_fork(void) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0; }
static int try_ptrace(void) { return ptrace(PTRACE_ATTACH, getppid(), 0, 0) < 0; }
static int try_trace_me(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0) < 0; }
static int try_kill(void) { return syscall(SYS_kill, 1, 0) < 0; }
static int try_kill_all(void) { return syscall(SYS_kill, -1, SIGTERM) < 0; }
static int try_bpf(void) { return syscall(SYS_bpf, 0, NULL, 0) < 0; }
static int try_perf(void) { return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) < 0; }
static int try_keys(void) { return syscall(SYS_keyctl, 0, -3, 0) < 0; }
static int try_io_uring(void) { return syscall(SYS_io_uring_setup, 1, NULL) < 0; }
static int try_root(void) { return syscall(SYS_setresuid, 0, 0, 0) < 0; }
static int try_unshare(void) { return unshare(CLONE_NEWUSER) < 0; }
static int try_write_other(void) { return write(2, "not from the jail\n", 18) < 0; }
static int try_write_victim(void) { return write(victim, "x", 1) < 0; }
static int try_write_mmap_nr(void) { return write(SYS_mmap, "x", 1) < 0; }	/* as a descriptor */
static int try_dup(void) { return dup(victim) < 0; }
static int try_limit(void) { return syscall(SYS_prlimit64, 0, 7, (uint64_t[2]){ 64, 64 }, NULL) < 0; }

static int try_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}

static int try_protect(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED || mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

static int try_shared(void)
{
	*(volatile int *)shared = 1;	/* nothing is mapped there any more */
	return 0;
}

static int try_memory(void)
{
	return SANITIZED || mmap(NULL, 5ull << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;
}

static int try_32_bit(void)
{
#ifdef __x86_64__
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(20) : "memory", "r8", "r9", "r10", "r11");	/* getpid */
	return ret < 0;
#else
	return 1;
#endif
}

static const struct attempt {
	const char *what;
	int (*fn)(void);
} attempts[] = {
	{ "open", try_open }, { "create", try_create }, { "openat2", try_openat2 }, { "stat", try_stat },
	{ "unlink", try_unlink }, { "chmod", try_chmod }, { "socket", try_socket }, { "unix socket", try_unix },
	{ "execve", try_exec }, { "fork", try_fork }, { "ptrace", try_ptrace }, { "traceme", try_trace_me },
	{ "kill", try_kill }, { "kill all", try_kill_all }, { "bpf", try_bpf }, { "perf", try_perf },
	{ "keyctl", try_keys }, { "io_uring", try_io_uring }, { "setuid", try_root },
	{ "unshare", try_unshare }, { "stderr", try_write_other }, { "other descriptor", try_write_victim },
	{ "descriptor of a call's number", try_write_mmap_nr }, { "dup", try_dup }, { "prlimit", try_limit },
	{ "mmap exec", try_code }, { "mprotect exec", try_protect }, { "shared memory", try_shared },
	{ "32 bit call", try_32_bit },
	{ "5 GiB", try_memory },
};

/* 'b' before, 's' behind an attempt that got what it wanted, 'f' behind one that failed. */
static int attempt(int fd, int to, const void *ctx)
{
	const struct attempt *a = ctx;

	(void)fd;
	if (write(to, "b", 1) != 1)
		return -EIO;
	return write(to, a->fn() ? "f" : "s", 1) == 1 ? 0 : -EIO;
}

static void test_attempts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		char answer[8] = "";
		size_t n = 0;
		int err = xpt_jail__run(attempt, -1, &attempts[i], answer, sizeof(answer), &n);

		if (answer[0] != 'b' || (n == 1 ? err != -EBADMSG : answer[1] != 'f' || err))
			fail_msg("%s: %d, %zu bytes '%s'", attempts[i].what, err, n, answer);
	}
	assert_int_equal(*(int *)shared, CANARY);
}

/* What it is for: a file is read and mapped, memory is used, an answer given. */
static int read_file(int fd, int to, const void *ctx)
{
	char *m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), *p = malloc(64 << 20), buf[4];

	(void)ctx;
	if (m == MAP_FAILED || !p || pread(fd, buf, 4, 0) != 4 || memcmp(buf, m, 4) != 0)
		return -EIO;
	memset(p, 1, 64 << 20);
	p = realloc(p, 128 << 20);
	if (!p || lseek(fd, 0, SEEK_END) <= 0)
		return -EIO;
	free(p);
	return write(to, buf, 4) == 4 ? 0 : -EIO;
}

static void test_read(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char answer[64];
	size_t n = 0;

	(void)state;
	assert_int_equal(xpt_jail__run(read_file, fd, NULL, answer, sizeof(answer), &n), 0);
	assert_int_equal(n, 4);
	assert_memory_equal(answer, "\177ELF", 4);
	close(fd);
}

static int never_ends(int fd, int to, const void *ctx)
{
	(void)fd;
	(void)ctx;
	for (volatile unsigned i = 0; write(to, "", 0) == 0; i++)
		;
	return 0;
}

static int answer_nothing(int fd, int to, const void *ctx)
{
	(void)fd;
	(void)to;
	return *(const int *)ctx;
}

static void test_ends(void **state)
{
	static const struct { int ret, want; } ends[] = { { 0, -ENOENT }, { -ENOENT, -ENOENT }, { -ENOMEM, -EBADMSG } };
	char answer[4];
	size_t n = 9;
	int err;

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		assert_int_equal(xpt_jail__run(answer_nothing, -1, &ends[i].ret, answer, sizeof(answer), &n), ends[i].want);
		assert_int_equal(n, 0);
	}
	err = xpt_jail__run(never_ends, -1, NULL, answer, sizeof(answer), &n);
	assert_true(err == -ETIMEDOUT || err == -EBADMSG);	/* by the clock or by the processor's time */
}

static void of_status(pid_t pid, const char *key, char *value, size_t room)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	value[0] = '\0';
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			snprintf(value, room, "%s", line + strlen(key) + 2);
	fclose(f);
	value[strcspn(value, "\n")] = '\0';
}

static void is_status(pid_t pid, const char *key, const char *want)
{
	char value[128];

	of_status(pid, key, value, sizeof(value));
	if (strcmp(value, want) != 0)
		fail_msg("%s: '%s', expected '%s'", key, value, want);
}

static void test_status(void **state)
{
	int in[2], out[2], status;
	char path[64], line[256], own[64];
	pid_t pid;
	FILE *f;

	(void)state;
	assert_true(!pipe(in) && !pipe(out));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char c = 'x';

		if (xpt_jail__enter(in[0], out[1]) || write(out[1], &c, 1) != 1 || read(in[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(out[1]);
	assert_int_equal(read(out[0], line, 1), 1);
	is_status(pid, "CapInh", "0000000000000000");
	is_status(pid, "CapPrm", "0000000000000000");
	is_status(pid, "CapEff", "0000000000000000");
	is_status(pid, "CapAmb", "0000000000000000");
	is_status(pid, "NoNewPrivs", "1");
	is_status(pid, "Seccomp", "2");
	if (!geteuid()) {
		is_status(pid, "CapBnd", "0000000000000000");
		snprintf(own, sizeof(own), "%1$d\t%1$d\t%1$d\t%1$d", 0x7f000000 + (int)pid);
		is_status(pid, "Uid", own);
		is_status(pid, "Gid", own);
		is_status(pid, "Groups", " ");
	}
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		assert_null(strstr(line, "-s "));
	fclose(f);
	assert_int_equal(write(in[1], "x", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
}

static int setup(void **state)
{
	(void)state;
	victim = mkstemp(name);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (victim < 0 || shared == MAP_FAILED)
		return -1;
	*(int *)shared = CANARY;
	return 0;
}

static int teardown(void **state)
{
	struct stat st;

	(void)state;
	if (fstat(victim, &st) || st.st_size || unlink(name))
		return -1;
	return close(victim);
}

static unsigned strangers;	/* numbers that no child of ours had any more when they got a signal */

/* In place of the C library's: by then a child that nobody waits for may have left, and here it has. */
int kill(pid_t pid, int sig)
{
	siginfo_t si;
	int gone;

	while (!(gone = waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT)) && strangers)
		usleep(1000);
	strangers += gone && errno == ECHILD;
	return (int)syscall(SYS_kill, pid, sig);
}

static int answer_end(int fd, int to, const void *ctx)
{
	(void)fd;
	(void)ctx;
	return write(to, "y", 1) == 1 ? 0 : -EIO;
}

/* Where SIGCHLD is ignored, a child's number is free as soon as it has ended: nothing is sent to it then. */
static void test_unwaited(void **state)
{
	char answer[16];
	size_t n;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	strangers = 1;		/* wait until it has gone */
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(xpt_jail__run(answer_end, fd, NULL, answer, sizeof(answer), &n), -EBADMSG);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(n, 1);
	assert_int_equal(strangers, 1);
	strangers = 0;
	assert_int_equal(xpt_jail__run(answer_end, fd, NULL, answer, sizeof(answer), &n), 0);
	assert_int_equal(n, 1);
	close(fd);
}

/* By descriptor: a child, but no child's child and nobody else. */
static void test_end_child(void **state)
{
	int ends[2], status;
	pid_t child, other;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		other = fork();
		if (other && write(ends[1], &other, sizeof(other)) != sizeof(other))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &other, sizeof(other)), sizeof(other));
	assert_int_equal(xpt_pidfd__end_child(other), -ECHILD);
	assert_int_equal(xpt_pidfd__end_child(getppid()), -ECHILD);
	assert_int_equal(syscall(SYS_kill, other, 0), 0);
	syscall(SYS_kill, other, SIGKILL);
	assert_int_equal(xpt_pidfd__end_child(child), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(xpt_pidfd__end_child(child), -ECHILD);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attempts), cmocka_unit_test(test_read),
		cmocka_unit_test(test_ends), cmocka_unit_test(test_status),
		cmocka_unit_test(test_unwaited), cmocka_unit_test(test_end_child),
	};

	return cmocka_run_group_tests_name("jail", tests, setup, teardown);
}
