/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls every function that a library exports, whatever it wants: each in a
 * process of its own, three times, with arguments of zero, under an alarm. The
 * names come from standard input. Prints `NAME CALLS` for those that came back
 * every time; those that crash or wait say nothing.
 *   exports LIBRARY <NAMES
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 3, SECONDS = 3 };

typedef long (*any)(long, long, long, long, long, long);

static void child(void *fn)
{
	struct rlimit no_core = { 0, 0 };
	int i, null = open("/dev/null", O_RDWR);

	setrlimit(RLIMIT_CORE, &no_core);
	for (i = 0; i < 3; i++)
		dup2(null, i);
	alarm(SECONDS);
	for (i = 0; i < TIMES; i++)
		((any)fn)(0, 0, 0, 0, 0, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	void *so = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	char name[256];

	if (!so) {
		fprintf(stderr, "exports: %s\n", argc == 2 ? dlerror() : "which library?");
		return 1;
	}
	while (fgets(name, sizeof(name), stdin)) {
		void *fn;
		int pid, status = -1;

		name[strcspn(name, "\n")] = '\0';
		fn = dlsym(so, name);
		if (!fn)
			continue;
		fflush(NULL);
		pid = fork();
		if (!pid)
			child(fn);
		if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
			printf("%s %d\n", name, TIMES);
	}
	return 0;
}
