/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whether the command of a script was started, by the kernel's events of executions. The kernel is played by this program,
 * bpftrace by true(1).
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/fanotify.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/spdk/bpftrace_run.h"

static struct fanotify_event_metadata event;
static unsigned init_flags;

/* In place of libc's: a pipe with one event, if there is one. */
int fanotify_init(unsigned flags, unsigned event_f_flags)
{
	int fds[2];

	(void)event_f_flags;
	init_flags = flags;
	assert_return_code(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	if (event.event_len)
		assert_int_equal(write(fds[1], &event, sizeof(event)), sizeof(event));
	close(fds[1]);
	return fds[0];
}

int fanotify_mark(int fd, unsigned flags, uint64_t mask, int dir, const char *path)
{
	(void)fd, (void)flags, (void)mask, (void)dir, (void)path;
	return 0;
}

static bool is_started(uint64_t mask, int pid)
{
	char *const argv[] = { "true", NULL };
	struct xpt_bpftrace_end end;

	event = (struct fanotify_event_metadata){
		.event_len = mask ? sizeof(event) : 0, .vers = FANOTIFY_METADATA_VERSION, .metadata_len = sizeof(event),
		.mask = mask, .fd = FAN_NOFD, .pid = pid,
	};
	assert_int_equal(xpt_bpftrace__run(argv, "/bin/true", &end), 0);
	assert_true(WIFEXITED(end.status) && !WEXITSTATUS(end.status));
	return end.started;
}

static void test_started(void **state)
{
	(void)state;
	assert_false(is_started(0, 0));
	assert_false(is_started(FAN_OPEN_EXEC, getpid()));	/* a stranger's, who is there */
	assert_true(is_started(FAN_OPEN_EXEC, 0x7ffffff0));	/* may have been bpftrace's child: it has ended */
}

/* Events that found no room say nothing about the command; so all of them find room. */
static void test_overflow(void **state)
{
	(void)state;
	assert_false(is_started(FAN_Q_OVERFLOW, 0));
	assert_true(init_flags & FAN_UNLIMITED_QUEUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_started), cmocka_unit_test(test_overflow) };

	return cmocka_run_group_tests_name("bpftrace_run", tests, NULL, NULL);
}
