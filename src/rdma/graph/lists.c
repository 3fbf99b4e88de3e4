// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See lists.h. Lines come from the kernel, or from a copy that anybody may
 * have written: their number is bounded, their length by getline's buffer.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/pseudo_fs.h"
#include "base/files/regular.h"
#include "rdma/graph/lists.h"

enum { MAX_LINES = 4 << 20, MAX_BYTES = 128 << 20, MAX_LINE = 4096, MAX_NOTES = 64 << 10 };

/* Adds the entry of a line. Returns -errno. */
typedef int (*line_fn)(struct xpt_hashmap *map, char *line);

static int count_key(struct xpt_hashmap *map, const char *key)
{
	uint64_t h = xpt_hash(key, strlen(key));
	uint32_t *n = xpt_hashmap__get(map, &h, NULL);

	if (!n)
		return -ENOMEM;
	++*n;
	return 0;
}

static int count_line(struct xpt_hashmap *map, char *line)
{
	return count_key(map, line);
}

/* "ffffffff81000000 T name\t[module]" */
static int count_symbol(struct xpt_hashmap *map, char *line)
{
	char *p = strchr(line, ' ');

	if (!p || !strchr("tTwW", p[1]) || p[1] == '\0' || p[2] != ' ')
		return 0;
	p[3 + strcspn(p + 3, "\t ")] = '\0';
	return count_key(map, p + 3);
}

/* "mlx5_ib 450560 0 - Live 0x0000000000000000" */
static int count_module(struct xpt_hashmap *map, char *line)
{
	line[strcspn(line, " ")] = '\0';
	return count_key(map, line);
}

static int read_lines(FILE *f, line_fn fn, struct xpt_hashmap *map)
{
	char line[MAX_LINE];
	uint32_t nr = 0, bytes = 0;
	int err = 0;

	while (!err && fgets(line, sizeof(line), f)) {
		if (!line[0])	/* a hole, of which there may be terabytes */
			return -EINVAL;
		line[strcspn(line, "\n")] = '\0';
		bytes += (uint32_t)strlen(line) + 1;
		err = ++nr > MAX_LINES || bytes > MAX_BYTES ? -E2BIG : fn(map, line);
	}
	return err ? err : ferror(f) ? -EIO : 0;
}

/* Takes ownership of fd, which may be a negative errno. Returns 0 or a negative errno. */
static int open_stream(int fd, FILE **ret_f)
{
	if (fd < 0)
		return fd;
	*ret_f = fdopen(fd, "r");
	if (*ret_f)
		return 0;
	close(fd);
	return -ENOMEM;
}

/* Reads the list in an open file. Takes ownership of fd, which may be a negative errno. */
static int read_open(int fd, line_fn fn, struct xpt_hashmap **ret_map)
{
	struct xpt_hashmap *map = NULL;
	FILE *f;
	int err;

	err = open_stream(fd, &f);
	if (err)
		return err;
	err = xpt_hashmap__new(8, 4, MAX_LINES, &map);
	if (!err)
		err = read_lines(f, fn, map);
	fclose(f);
	if (!err && !xpt_hashmap__len(map))
		err = -ENOENT;
	if (err)
		xpt_hashmap__free(map);
	else
		*ret_map = map;
	return err;
}

/* A regular file below root. */
static int read_list(const char *root, const char *file, line_fn fn, struct xpt_hashmap **ret_map)
{
	return read_open(xpt_regular__open_in(root, file), fn, ret_map);
}

int xpt_rdma_lists__traceable(const char *root, struct xpt_hashmap **ret_map)
{
	static const char list[] = "available_filter_functions";
	int err = read_list(root, "/sys/kernel/tracing/available_filter_functions", count_line,
			    ret_map);

	if (err)
		err = read_list(root, "/sys/kernel/debug/tracing/available_filter_functions",
				count_line, ret_map);
	if (err == -ENOENT && !*root)
		err = read_open(xpt_pseudo_fs__open("tracefs", "/sys/kernel/tracing", list), count_line, ret_map);
	return err;
}

int xpt_rdma_lists__counts(const char *root, struct xpt_hashmap **ret_map)
{
	return read_list(root, "/proc/kallsyms", count_symbol, ret_map);
}

int xpt_rdma_lists__modules(const char *root, struct xpt_hashmap **ret_map)
{
	return read_list(root, "/proc/modules", count_module, ret_map);
}

bool xpt_rdma_lists__has(const struct xpt_hashmap *map, const char *key)
{
	uint64_t h = xpt_hash(key, strlen(key));

	return map && xpt_hashmap__find(map, &h);
}

static void to_hex(const uint8_t *p, size_t len, char *buf, size_t n)
{
	size_t i;

	for (i = 0; i < len && 2 * i + 3 <= n; i++)
		snprintf(buf + 2 * i, 3, "%02x", p[i]);
}

bool xpt_rdma_lists__build_id(const char *root, const char *path, char *buf, size_t n)
{
	uint8_t data[MAX_NOTES];
	Elf64_Nhdr nh;
	size_t len, at = 0;
	FILE *f;

	if (open_stream(xpt_regular__open_in(root, path), &f))
		return false;
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	while (len - at >= sizeof(nh)) {
		size_t name = at + sizeof(nh), desc;

		memcpy(&nh, data + at, sizeof(nh));
		if (nh.n_namesz > len || nh.n_descsz > len)
			return false;
		desc = name + ((nh.n_namesz + 3u) & ~3u);
		if (desc > len || nh.n_descsz > len - desc)
			return false;
		if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 &&
		    !memcmp(data + name, "GNU", 4)) {
			to_hex(data + desc, nh.n_descsz, buf, n);
			return nh.n_descsz > 0;
		}
		at = desc + ((nh.n_descsz + 3u) & ~3u);
		if (at > len)
			return false;
	}
	return false;
}
