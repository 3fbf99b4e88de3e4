/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sub_user USER N COMMAND...: a user with subordinate ids (subuid(5)), as newuidmap(1) would let him have them. Run by
 * root: makes a user namespace of USER in which 0 is that user, and 1 and so on are the ids from 100000 on; the
 * command runs as N there, in no namespace that it has made itself. Ends with the command's status.
 */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST 100000
#define NR 65536

static bool write_map(pid_t pid, const char *name, unsigned user)
{
	char path[64], text[64];
	int fd, n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	n = snprintf(text, sizeof(text), "0 %u 1\n1 %u %u\n", user, FIRST, NR);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, text, (size_t)n) == n && !close(fd);
}

static _Noreturn void be(unsigned user, unsigned id, int ready, int go, char **command)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user) ||
	    unshare(CLONE_NEWUSER) || write(ready, "", 1) != 1 || read(go, &c, 1) != 1 ||
	    setresgid(id, id, id) || setresuid(id, id, id)) {
		perror("sub_user");
		_exit(126);
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* a change of user took it back */
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	unsigned user = argc < 4 ? 0 : (unsigned)strtoul(argv[1], NULL, 10);
	int ready[2], go[2], status;
	pid_t pid;
	char c;

	if (argc < 4 || pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC)) {
		fprintf(stderr, "usage: sub_user USER N COMMAND...\n");
		return 125;
	}
	pid = fork();
	if (!pid)
		be(user, (unsigned)strtoul(argv[2], NULL, 10), ready[1], go[0], argv + 3);
	close(ready[1]);
	if (pid < 0 || read(ready[0], &c, 1) != 1 || !write_map(pid, "gid_map", user) ||
	    !write_map(pid, "uid_map", user) || write(go[1], "", 1) != 1) {
		perror("sub_user: no namespace");
		return 125;
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
