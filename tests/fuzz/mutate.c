/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Drives a fuzz target where libFuzzer is not to be had: every file of the
 * given folders as it is, then random mutations of them with a fixed seed.
 * Understands of libFuzzer's options -seed, -max_total_time, -max_len and
 * -artifact_prefix; the input that is being tried lies in the file
 * <artifact_prefix>current, so that it survives a crash.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/parse.h"
#include "base/time.h"

#define MAX_SEEDS 1024
#define INPUT_MAX 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seed {
	uint8_t *data;
	size_t size;
};

static struct seed seeds[MAX_SEEDS];
static size_t nr_seeds;
static uint64_t rng = 1, seconds = 5, max_len = 4096;
static uint8_t *current;	/* shared mapping of the file; INPUT_MAX bytes */

static uint64_t next_random(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static void load_file(int dirfd, const char *name)
{
	static uint8_t buf[INPUT_MAX];
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf));

	if (fd >= 0)
		close(fd);
	if (n < 0 || nr_seeds == MAX_SEEDS)
		return;
	seeds[nr_seeds].data = malloc((size_t)n + 1);
	if (!seeds[nr_seeds].data)
		return;
	memcpy(seeds[nr_seeds].data, buf, (size_t)n);
	seeds[nr_seeds++].size = (size_t)n;
}

static void load_folder(const char *path)
{
	struct dirent **list;
	int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int n = dirfd < 0 ? -1 : scandir(path, &list, NULL, alphasort);
	int i;

	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			load_file(dirfd, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	if (dirfd >= 0)
		close(dirfd);
}

static void map_current(const char *prefix)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%scurrent", prefix);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, INPUT_MAX)) {
		perror(path);
		exit(2);
	}
	current = mmap(NULL, INPUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (current == MAP_FAILED) {
		perror(path);
		exit(2);
	}
}

/* The target gets an allocation of exact size, so that overreads are seen. */
static void try_input(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(2);
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t mutate(size_t size)
{
	static const uint8_t edge[] = { 0, 1, 7, 8, 0x7f, 0x80, 0xfe, 0xff, '"', '*', '\n' };
	uint64_t n = next_random() % 8 + 1, at, len;

	for (; n; n--) {
		at = size ? next_random() % size : 0;
		len = next_random() % 16 + 1;
		switch (next_random() % 5) {
		case 0:
			if (size)
				current[at] ^= (uint8_t)(1u << next_random() % 8);
			break;
		case 1:
			if (size)
				current[at] = edge[next_random() % sizeof(edge)];
			break;
		case 2:	/* cut the end */
			size = at;
			break;
		case 3:	/* insert */
			if (size + len > max_len)
				break;
			memmove(current + at + len, current + at, size - at);
			memset(current + at, (int)next_random(), len);
			size += len;
			break;
		case 4:	/* part of another seed */
			len = nr_seeds ? next_random() % nr_seeds : 0;
			if (nr_seeds && at + seeds[len].size <= max_len) {
				memcpy(current + at, seeds[len].data, seeds[len].size);
				size = at + seeds[len].size > size ? at + seeds[len].size : size;
			}
			break;
		}
	}
	return size;
}

static const char *option(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) ? NULL : arg + n;
}

int main(int argc, char **argv)
{
	const char *prefix = "", *v;
	uint64_t end, runs = 0;
	size_t size, i;
	int a;

	for (a = 1; a < argc; a++) {
		if ((v = option(argv[a], "-seed=")))
			xpt_parse_u64(v, 1, UINT64_MAX, &rng);
		else if ((v = option(argv[a], "-max_total_time=")))
			xpt_parse_u64(v, 0, 86400, &seconds);
		else if ((v = option(argv[a], "-max_len=")))
			xpt_parse_u64(v, 1, INPUT_MAX, &max_len);
		else if ((v = option(argv[a], "-artifact_prefix=")))
			prefix = v;
		else if (argv[a][0] != '-')
			load_folder(argv[a]);
	}
	map_current(prefix);
	for (i = 0; i < nr_seeds; i++)
		try_input(seeds[i].data, seeds[i].size);
	for (end = xpt_now_ns() + seconds * 1000000000ull; xpt_now_ns() < end; runs++) {
		size = nr_seeds ? seeds[runs % nr_seeds].size : 0;
		size = size < max_len ? size : max_len;
		if (size)
			memcpy(current, seeds[runs % nr_seeds].data, size);
		size = mutate(size);
		try_input(current, size);
	}
	printf("%llu runs from %zu seeds\n", (unsigned long long)runs, nr_seeds);
	for (i = 0; i < nr_seeds; i++)
		free(seeds[i].data);
	return 0;
}
