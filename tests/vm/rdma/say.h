/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the programs of this folder share: each fault runs in a process whose
 * name is the fault's, which is how traces of it are found, and says in a line
 * of JSON which call failed and how, as a program sees it.
 */
#ifndef RDMA_SAY_H
#define RDMA_SAY_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

struct fault {
	const char *name;
	int (*run)(void);	/* 0 if the fault came as it should, and was said */
};

/* Whether a file has the verdict on a fault. */
static inline int is_told(const char *path, const char *fault)
{
	FILE *f = fopen(path, "re");
	char process[64], *line = NULL;
	int told = 0;
	size_t n = 0;

	snprintf(process, sizeof(process), "\"process\":\"%s\"", fault);
	while (f && !told && getline(&line, &n, f) > 0)
		told = strstr(line, "\"rdma_verdict\"") && strstr(line, process);
	free(line);
	if (f)
		fclose(f);
	return told;
}

/* Milliseconds from now until the file XPT_TOLD has the verdict; -1: it had none after 10 s. */
static inline int told_after(const char *fault)
{
	const char *path = getenv("XPT_TOLD");
	struct timespec t0, t;
	int ms = 0;

	if (!path)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	while (!is_told(path, fault) && ms < 10000) {
		usleep(5000);
		clock_gettime(CLOCK_MONOTONIC, &t);
		ms = (int)((t.tv_sec - t0.tv_sec) * 1000 + (t.tv_nsec - t0.tv_nsec) / 1000000);
	}
	return ms < 10000 ? ms : -1;
}

/*
 * @err: the errno; 0 is a fault that did not come; negative: what came is a positive number, and no
 * errno. The value for struct fault.run.
 */
static inline int say(const char *fault, const char *call, int err)
{
	int told_ms = told_after(fault);
	char number[16];

	snprintf(number, sizeof(number), "+%d", -err);
	printf("{\"fault\":\"%s\",\"pid\":%d,\"call\":\"%s\",\"errno\":%d,\"error\":\"%s\"", fault,
	       getpid(), call, abs(err), err < 0 ? number : err ? strerrorname_np(err) : "");
	if (told_ms >= 0)
		printf(",\"told_ms\":%d", told_ms);
	printf("}\n");
	fflush(stdout);
	return err ? 0 : 1;
}

/* What must not fail did: the fault could not be tried. */
static inline void must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(3);
}

/* The program's main: PROGRAM FAULT; without one it lists them. */
static inline int run_fault(const struct fault *f, int argc, char **argv)
{
	for (; f->name; f++) {
		if (argc < 2) {
			printf("%s\n", f->name);
		} else if (!strcmp(argv[1], f->name)) {
			prctl(PR_SET_NAME, f->name);
			return f->run();
		}
	}
	return argc < 2 ? 0 : 2;
}

#endif
