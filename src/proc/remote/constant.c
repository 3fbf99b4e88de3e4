// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See constant.h. Linux 6.11 finds the mapping of an address at once (PROCMAP_QUERY of
 * include/uapi/linux/fs.h); before, /proc/PID/maps is read from its begin, for a limited time.
 */
#include "proc/remote/constant.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/time.h"

#define WALK_NS 5000000ull	/* some 5,000 mappings */

/* The mapping that was found last by reading, for the strings of a process lie beside each other. */
#define KEPT_NS 5000000ull
static struct {
	int pid;
	uint64_t start, end, at_ns;
} last;

/* struct procmap_query: headers of these days do not have it. */
struct query {
	uint64_t size, flags, addr;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name_addr, build_id_addr;
};

#define QUERY _IOWR('f', 17, struct query)
#define VMA_READABLE 1u
#define VMA_WRITABLE 2u
#define VMA_SHARED 8u

/* Returns the end of the mapping of fd's process that holds addr. -ENOTTY: this kernel has no such question. */
static int query_end(int fd, uint64_t addr, uint64_t *ret_end)
{
	struct query q = { .size = sizeof(q), .addr = addr };

	if (ioctl(fd, QUERY, &q))
		return errno == ENOENT ? -EFAULT : -errno;
	if ((q.vma_flags & (VMA_READABLE | VMA_WRITABLE | VMA_SHARED)) != VMA_READABLE || !q.inode)
		return -EFAULT;
	*ret_end = q.end;
	return 0;
}

static int walk_to_end(int pid, FILE *f, uint64_t addr, uint64_t *ret_end)
{
	uint64_t start, end, inode, now = xpt_now_ns(), until = now + WALK_NS;
	char line[512], prot[8];

	*ret_end = last.end;
	if (last.pid == pid && addr >= last.start && addr < last.end && now - last.at_ns < KEPT_NS)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (xpt_now_ns() > until)
			return -EBUSY;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %" SCNu64, &start, &end, prot, &inode) != 4 ||
		    addr < start || addr >= end)
			continue;
		if (prot[0] != 'r' || prot[1] == 'w' || prot[3] != 'p' || !inode)
			return -EFAULT;
		last.pid = pid;
		last.start = start;
		last.end = *ret_end = end;
		last.at_ns = now;
		return 0;
	}
	return -EFAULT;
}

static int find_end(int pid, uint64_t addr, uint64_t *ret_end)
{
	char path[32];
	int err;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	err = query_end(fileno(f), addr, ret_end);
	if (err == -ENOTTY)
		err = walk_to_end(pid, f, addr, ret_end);
	fclose(f);
	return err;
}

ssize_t xpt_constant__read(int pid, uint64_t addr, void *buf, size_t n)
{
	struct iovec local = { buf, n }, remote = { (void *)(uintptr_t)addr, n };
	uint64_t end;
	int err = find_end(pid, addr, &end);
	ssize_t got;

	if (err)
		return err;
	if (remote.iov_len > end - addr)
		local.iov_len = remote.iov_len = (size_t)(end - addr);
	got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	return got < 0 ? -errno : got;
}
