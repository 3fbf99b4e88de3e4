/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plays the steps that it is given, one after the other: so many calls of
 * cuInit, another name, user or cgroup, and children of every kind. What a
 * tracer must have seen is known from the steps alone.
 *
 *   N           so many calls           name=X      another name
 *   thread=N    calls on a new thread   uid=N       another user
 *   fork=N      calls in a child        cgroup=DIR  into that cgroup
 *   vfork=N     the same by vfork and exec
 *   orphan=N    calls in a grandchild whose parent is gone
 *   daemon=N    the same, in a session of its own, not waited for
 *   wait=FILE   until there is one      exec=PATH   goes on as that program
 *   done=FILE   makes one               shell=N     calls in a child of sh
 *   crowd=S     for S seconds one process after the other, of 5 calls each; their number on stdout
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char self[4096];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static unsigned number(const char *s)
{
	unsigned n;

	if (sscanf(s, "%u", &n) != 1)
		die(s);
	return n;
}

static void calls(const char *n)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned flags) = NULL;
	unsigned i;

	if (lib)
		*(void **)&init = dlsym(lib, "cuInit");
	if (!init)
		die("libcuda.so.1");
	for (i = number(n); i > 0; i--)
		init(0);
}

static void *thread(void *n)
{
	calls(n);
	return NULL;
}

static void in_thread(const char *n)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread, (void *)(uintptr_t)n) || pthread_join(t, NULL))
		die("thread");
}

static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die("child");
}

static void in_child(const char *n)
{
	pid_t pid = fork();

	if (!pid) {
		calls(n);
		_exit(0);
	}
	wait_for(pid);
}

static void in_program(const char *path, const char *n)
{
	pid_t pid = vfork();

	if (!pid) {
		execl(path, path, n, (char *)NULL);
		_exit(127);
	}
	wait_for(pid);
}

static void crowd(unsigned seconds)
{
	struct timespec begin, now;
	unsigned n = 0;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		in_program(self, "5");
		n++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < (time_t)seconds);
	printf("%u\n", n);
}

static void in_shell(const char *n)
{
	char cmd[4200];

	snprintf(cmd, sizeof(cmd), "'%s' %s; true", self, n);
	if (system(cmd))
		die("sh");
}

/* The grandchild begins when its parent is gone; the pipe tells when it ends. */
static void in_grandchild(const char *n, int daemon)
{
	int done[2];
	pid_t pid;
	char c;

	if (pipe(done))
		die("pipe");
	pid = fork();
	if (!pid) {
		pid_t parent = getpid();

		if (daemon)
			setsid();
		if (fork())
			_exit(0);
		if (daemon)
			close(done[1]);
		while (getppid() == parent || (daemon && access(getenv("ACTOR_GO"), F_OK)))
			usleep(1000);
		calls(n);
		_exit(0);
	}
	wait_for(pid);
	close(done[1]);
	while (!daemon && read(done[0], &c, 1) > 0)
		;
	close(done[0]);
}

static void become(uid_t uid)
{
	if (setuid(uid))
		die("setuid");
}

static void move(const char *dir)
{
	char path[4200], pid[16];
	int fd;
	ssize_t n = snprintf(pid, sizeof(pid), "%d", getpid());

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, pid, (size_t)n) != n)
		die(path);
	close(fd);
}

static void touch(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);

	if (fd < 0)
		die(path);
	close(fd);
}

static int is(const char *step, const char *name, const char **ret_value)
{
	size_t n = strlen(name);

	*ret_value = step + n + 1;
	return !strncmp(step, name, n) && step[n] == '=';
}

static void play(char **step)
{
	const char *v;

	if (is(*step, "name", &v))
		prctl(PR_SET_NAME, v);
	else if (is(*step, "uid", &v))
		become(number(v));
	else if (is(*step, "cgroup", &v))
		move(v);
	else if (is(*step, "thread", &v))
		in_thread(v);
	else if (is(*step, "fork", &v))
		in_child(v);
	else if (is(*step, "vfork", &v))
		in_program(self, v);
	else if (is(*step, "shell", &v))
		in_shell(v);
	else if (is(*step, "crowd", &v))
		crowd(number(v));
	else if (is(*step, "orphan", &v))
		in_grandchild(v, 0);
	else if (is(*step, "daemon", &v))
		in_grandchild(v, 1);
	else if (is(*step, "done", &v))
		touch(v);
	else if (is(*step, "wait", &v))
		while (access(v, F_OK))
			usleep(1000);
	else if (is(*step, "exec", &v)) {
		*step = (char *)(uintptr_t)v;
		execv(v, step);
		die(v);
	} else if (!strchr(*step, '=')) {
		calls(*step);
	}
}

int main(int argc, char **argv)
{
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("self");
	for (int i = 1; i < argc; i++)
		play(argv + i);
	return 0;
}
