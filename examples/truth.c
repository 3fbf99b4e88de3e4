/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts what an example did and writes it as one line of JSON:
 *   {"workload","pid","library","calls":{NAME:N},"errors":{NAME:{CODE:N}},
 *    "allocations","frees","allocated_bytes","freed_bytes",
 *    "implicit_frees","implicit_bytes",
 *    "leaks":[{"function","count","bytes"}],"leaked_count","leaked_bytes",
 *    "copied":{"HtoD","DtoH","DtoD"},"copies":{...},"launches","unreturned"}
 * "launches" and "copied" count successful calls only; "unreturned" calls are
 * in "calls" and never came back. One lock: an example
 * is not measured by its own bookkeeping.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run.h"
#include "truth.h"

#define MAX_NAMES 256
#define MAX_ERRORS 256

struct open_memory {
	const char *function;
	uint64_t address, bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char library[512];
static struct { const char *name; uint64_t n; } calls[MAX_NAMES];
static struct { const char *name; int code; uint64_t n; } errors[MAX_ERRORS];
static unsigned int nr_calls, nr_errors;
static struct open_memory *opened;
static size_t nr_opened, max_opened;
static uint64_t allocations, frees, allocated_bytes, freed_bytes, launches;
static uint64_t dropped, dropped_bytes, unreturned;
static uint64_t copied[RUN_NR_DIRS], copies[RUN_NR_DIRS];

void truth_library(const char *path)
{
	snprintf(library, sizeof(library), "%s", path);
}

void truth_call(const char *function)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_calls && calls[i].name != function && strcmp(calls[i].name, function); i++)
		;
	if (i == nr_calls && nr_calls < MAX_NAMES)
		calls[nr_calls++].name = function;
	if (i < MAX_NAMES)
		calls[i].n++;
	pthread_mutex_unlock(&lock);
}

void truth_result(const char *function, int result)
{
	unsigned int i;

	if (!result)
		return;
	pthread_mutex_lock(&lock);
	for (i = 0; i < nr_errors && (strcmp(errors[i].name, function) || errors[i].code != result); i++)
		;
	if (i == nr_errors && nr_errors < MAX_ERRORS) {
		errors[i].name = function;
		errors[i].code = result;
		nr_errors++;
	}
	if (i < MAX_ERRORS)
		errors[i].n++;
	pthread_mutex_unlock(&lock);
}

void truth_other(const char *function, int result)
{
	truth_call(function);
	truth_result(function, result);
}

void truth_opened(const char *function, uint64_t address, uint64_t bytes)
{
	pthread_mutex_lock(&lock);
	if (nr_opened == max_opened) {
		max_opened = max_opened ? max_opened * 2 : 64;
		opened = realloc(opened, max_opened * sizeof(*opened));
		if (!opened)
			abort();
	}
	opened[nr_opened++] = (struct open_memory){ function, address, bytes };
	allocations++;
	allocated_bytes += bytes;
	pthread_mutex_unlock(&lock);
}

static void closed(uint64_t address, uint64_t *count, uint64_t *bytes)
{
	pthread_mutex_lock(&lock);
	for (size_t i = nr_opened; i-- > 0;) {
		if (opened[i].address == address) {
			*count += 1;
			*bytes += opened[i].bytes;
			opened[i] = opened[--nr_opened];
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

void truth_closed(uint64_t address)
{
	closed(address, &frees, &freed_bytes);
}

void truth_dropped(uint64_t address)
{
	closed(address, &dropped, &dropped_bytes);
}

void truth_copied(enum run_dir dir, uint64_t bytes)
{
	__atomic_add_fetch(&copied[dir], bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch(&copies[dir], 1, __ATOMIC_RELAXED);
}

void truth_launched(void)
{
	__atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
}

void truth_unreturned(void)
{
	__atomic_add_fetch(&unreturned, 1, __ATOMIC_RELAXED);
}

void truth_forget(void)
{
	pthread_mutex_init(&lock, NULL);
	nr_calls = nr_errors = 0;
	memset(calls, 0, sizeof(calls));
	memset(errors, 0, sizeof(errors));
	nr_opened = 0;
	dropped = dropped_bytes = unreturned = allocations = frees = allocated_bytes = freed_bytes = launches = 0;
	memset(copied, 0, sizeof(copied));
	memset(copies, 0, sizeof(copies));
}

static void write_calls(FILE *f)
{
	const char *sep = "";

	fputs(",\"calls\":{", f);
	for (unsigned int i = 0; i < nr_calls; i++)
		fprintf(f, "%s\"%s\":%llu", i ? "," : "", calls[i].name, (unsigned long long)calls[i].n);
	fputs("},\"errors\":{", f);
	for (unsigned int i = 0; i < nr_errors; i++) {
		unsigned int k;

		for (k = 0; k < i && strcmp(errors[k].name, errors[i].name); k++)
			;
		if (k < i)	/* written with the first of its name */
			continue;
		fprintf(f, "%s\"%s\":{", sep, errors[i].name);
		for (sep = ""; k < nr_errors; k++) {
			if (strcmp(errors[k].name, errors[i].name))
				continue;
			fprintf(f, "%s\"%d\":%llu", sep, errors[k].code, (unsigned long long)errors[k].n);
			sep = ",";
		}
		fputs("}", f);
		sep = ",";
	}
	fputs("}", f);
}

static int by_function(const void *a, const void *b)
{
	return strcmp(((const struct open_memory *)a)->function, ((const struct open_memory *)b)->function);
}

static void write_leaks(FILE *f)
{
	uint64_t total = 0;

	if (nr_opened)
		qsort(opened, nr_opened, sizeof(*opened), by_function);
	fputs(",\"leaks\":[", f);
	for (size_t i = 0, next; i < nr_opened; i = next) {
		uint64_t bytes = 0;

		for (next = i; next < nr_opened && !by_function(&opened[i], &opened[next]); next++)
			bytes += opened[next].bytes;
		fprintf(f, "%s{\"function\":\"%s\",\"count\":%zu,\"bytes\":%llu}", i ? "," : "",
			opened[i].function, next - i, (unsigned long long)bytes);
		total += bytes;
	}
	fprintf(f, "],\"leaked_count\":%zu,\"leaked_bytes\":%llu", nr_opened, (unsigned long long)total);
}

static void write_dirs(FILE *f, const char *key, const uint64_t v[RUN_NR_DIRS])
{
	fprintf(f, ",\"%s\":{\"HtoD\":%llu,\"DtoH\":%llu,\"DtoD\":%llu}", key, (unsigned long long)v[RUN_H2D],
		(unsigned long long)v[RUN_D2H], (unsigned long long)v[RUN_D2D]);
}

void truth_write(const char *workload)
{
	const char *path = getenv("XPT_TRUTH");
	char *line = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&line, &n);
	int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : 2;

	if (!f || fd < 0) {
		fprintf(stderr, "%s: cannot write the truth\n", workload);
		exit(1);
	}
	pthread_mutex_lock(&lock);
	fprintf(f, "{\"workload\":\"%s\",\"pid\":%d,\"library\":\"%s\"", workload, (int)getpid(), library);
	write_calls(f);
	fprintf(f, ",\"allocations\":%llu,\"frees\":%llu,\"allocated_bytes\":%llu,\"freed_bytes\":%llu",
		(unsigned long long)allocations, (unsigned long long)frees,
		(unsigned long long)allocated_bytes, (unsigned long long)freed_bytes);
	fprintf(f, ",\"implicit_frees\":%llu,\"implicit_bytes\":%llu", (unsigned long long)dropped,
		(unsigned long long)dropped_bytes);
	write_leaks(f);
	write_dirs(f, "copied", copied);
	write_dirs(f, "copies", copies);
	fprintf(f, ",\"launches\":%llu,\"unreturned\":%llu}\n", (unsigned long long)launches,
		(unsigned long long)unreturned);
	pthread_mutex_unlock(&lock);
	fclose(f);
	/* One write, so that lines of several processes do not mix. */
	if (write(fd, line, n) != (ssize_t)n)
		fprintf(stderr, "%s: the truth was cut\n", workload);
	if (fd != 2)
		close(fd);
	free(line);
	free(opened);
	opened = NULL;
	nr_opened = max_opened = 0;
}
