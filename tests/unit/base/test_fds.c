/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * base/process/fds.h: a child that has let go of its descriptors keeps nobody waiting for
 * the end of a pipe, and has what the kernel made for it, and folders, still.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/process/fds.h"

enum { MANY = 300 };

/* Exit status 0: what must stay is there, what must not is closed. */
static int child(const int *pipes, int epoll, int folder, int file, int kept)
{
	int i;

	xpt_fds__let_go(&kept, 1);
	for (i = 0; i < MANY; i++)
		if (fcntl(pipes[i], F_GETFD) >= 0)
			return 1;
	if (fcntl(0, F_GETFD) >= 0 || fcntl(1, F_GETFD) >= 0 || fcntl(file, F_GETFD) >= 0)
		return 2;
	return fcntl(epoll, F_GETFD) < 0 || fcntl(folder, F_GETFD) < 0 || fcntl(kept, F_GETFD) < 0 ? 3 : 0;
}

static void test_close_all(void **state)
{
	int fds[MANY], i;

	(void)state;
	for (i = 0; i < MANY; i++)
		assert_true((fds[i] = dup(0)) >= 0);
	xpt_fds__close_all(fds, 1);
	assert_true(fcntl(fds[0], F_GETFD) < 0 && fcntl(fds[1], F_GETFD) >= 0);
	xpt_fds__close_all(fds + 1, MANY - 1);
	for (i = 0; i < MANY; i++)
		assert_true(fcntl(fds[i], F_GETFD) < 0);
	assert_true((fds[0] = dup(0)) >= 0);
	xpt_fds__close_all(NULL, 0);
	assert_true(fcntl(fds[0], F_GETFD) >= 0);
	close(fds[0]);
}

static void test_let_go(void **state)
{
	int end[2], pipes[MANY], epoll = epoll_create1(0), status, i;
	int folder = open("/", O_RDONLY | O_DIRECTORY), file = open("/proc/self/exe", O_RDONLY);
	int kept = open("/proc/self/exe", O_RDONLY);
	char c;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(end), 0);
	assert_true(epoll >= 0 && folder >= 0 && file >= 0 && kept >= 0);
	for (i = 0; i < MANY; i++)
		assert_true((pipes[i] = dup(end[1])) >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		status = child(pipes, epoll, folder, file, kept);
		if (!status)
			raise(SIGSTOP);
		_exit(status);
	}
	for (i = 0; i < MANY; i++)
		close(pipes[i]);
	close(end[1]);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));	/* else its exit status says what is wrong */
	assert_int_equal(read(end[0], &c, 1), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(end[0]);
	close(epoll);
	close(folder);
	close(file);
	close(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close_all), cmocka_unit_test(test_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
