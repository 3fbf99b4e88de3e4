/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * See regular.h. Needs openat2(2) of Linux 5.6: without it, links below another root cannot be followed safely,
 * because the owner of the folders can exchange these meanwhile.
 */
#include "base/files/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

#define SECOND_NS 1000000000u

#define MAX_PIECES 4096	/* of a file with holes that are looked for */
#define MAX_RATIO 64u	/* how much better than that no file system compresses */
#define TRIES 64	/* of a path on which folders are being moved (-EAGAIN) */

/* Not in linux/magic.h of all kernels. */
#define CONFIGFS_MAGIC 0x62656570
#define FUSECTL_MAGIC 0x65735543
#define MQUEUE_MAGIC 0x19800202
#define BCACHEFS_MAGIC 0xca451a4e

/* File systems whose files are not stored bytes. */
static bool is_made_up(const struct statfs *fs)
{
	static const uint32_t types[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC, SELINUX_MAGIC,
		SMACK_MAGIC, BPF_FS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, CONFIGFS_MAGIC,
		EFIVARFS_MAGIC, PSTOREFS_MAGIC, DEVPTS_SUPER_MAGIC, BINFMTFS_MAGIC, NSFS_MAGIC, FUSECTL_MAGIC,
		MQUEUE_MAGIC, AUTOFS_SUPER_MAGIC,
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if ((uint32_t)fs->f_type == types[i])
			return true;
	return false;
}

/* File systems for whose files stat(2) reports another device than /proc/PID/maps. */
static bool has_several_devices(const struct statfs *fs)
{
	uint32_t type = (uint32_t)fs->f_type;

	return type == BTRFS_SUPER_MAGIC || type == OVERLAYFS_SUPER_MAGIC || type == BCACHEFS_MAGIC;
}

static int check_file(int fd, const struct xpt_file_id *id)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) || fstatfs(fd, &fs))
		return -errno;
	if (id && id->ino && (st.st_ino != id->ino || (id->dev && st.st_dev != id->dev && !has_several_devices(&fs))))
		return -ESTALE;	/* checked before the type, as it is another file */
	return S_ISREG(st.st_mode) && !is_made_up(&fs) ? 0 : -ENOEXEC;
}

/* Counts bytes by the holes of the file, or by blocks where holes are not known. Moves the file's position. */
static uint64_t count_data(int fd, uint64_t size, uint64_t blocks)
{
	off_t at = 0, end;
	uint64_t sum = 0;
	int i;

	if (blocks > size)
		blocks = size;
	for (i = 0; i < MAX_PIECES && (uint64_t)at < size; i++) {
		at = lseek(fd, at, SEEK_DATA);
		if (at < 0)
			return errno == ENXIO ? sum : blocks;
		end = lseek(fd, at, SEEK_HOLE);
		if (end <= at)
			return blocks;
		sum += (uint64_t)(end - at);
		at = end;
	}
	return (uint64_t)at < size ? blocks : sum;
}

/* The kernel takes times of files from the coarse clock; a file system may keep whole seconds of them. */
uint64_t xpt_regular__changed_ns(const struct stat *st)
{
	uint64_t changed = (uint64_t)st->st_ctim.tv_sec * SECOND_NS + (uint64_t)st->st_ctim.tv_nsec;
	uint64_t tick = xpt_clock_ns(CLOCK_REALTIME_COARSE);

	if (!st->st_ctim.tv_nsec)
		tick -= tick % SECOND_NS;
	return changed >= tick && changed <= xpt_clock_ns(CLOCK_REALTIME) ? 0 : changed;
}

uint64_t xpt_regular__stored(int fd, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size, blocks = (uint64_t)st->st_blocks * 512, sum;
	struct statfs fs;
	off_t before;

	if (!fstatfs(fd, &fs) && is_made_up(&fs))
		return size;
	before = lseek(fd, 0, SEEK_CUR);
	sum = count_data(fd, size, blocks);
	if (before >= 0)
		lseek(fd, before, SEEK_SET);
	/* File systems without holes report that all is data; they may count blocks. */
	return blocks && sum / MAX_RATIO > blocks ? blocks * MAX_RATIO : sum;
}

static const struct xpt_regular_guard *guard;

void xpt_regular__set_guard(const struct xpt_regular_guard *g)
{
	guard = g;
}

/* Opens the file of an O_PATH descriptor for reading, and closes that. fd may be -errno. */
static int reopen_file(int fd, const struct xpt_file_id *id)
{
	char link[32];
	int err, opened;

	if (fd < 0)
		return fd;
	err = guard ? guard->check(guard->ctx, fd) : 0;
	if (!err)
		err = check_file(fd, id);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	opened = err ? err : open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (!err && opened < 0)
		opened = -errno;
	close(fd);
	return opened;
}

static int open_path(int dir, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };
	int fd = -EAGAIN, i;

	for (i = 0; i < TRIES && fd == -EAGAIN; i++) {
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd < 0)
			fd = -errno;
	}
	return fd;
}

int xpt_regular__walk(int root, const char *path)
{
	return open_path(root, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

int xpt_regular__open_of(int pid, const char *path, const struct xpt_file_id *id)
{
	char link[32];
	int root, fd;

	if (guard)
		return reopen_file(guard->walk(pid, path), id);
	snprintf(link, sizeof(link), "/proc/%d/root", pid);
	root = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = xpt_regular__walk(root, path);
	close(root);
	return reopen_file(fd, id);
}

/* Returns the process if path is a magic link of /proc, which leads to a file and not to a name; else 0. */
static int is_link_to_file(const char *path, const char **ret_name)
{
	int pid, name = 0, n = 0;

	if (sscanf(path, "/proc/%d/%n", &pid, &name) != 1 || !name)
		return 0;
	*ret_name = path + name;
	sscanf(*ret_name, "map_files/%*[0-9a-f]-%*[0-9a-f]%n", &n);
	return (n && !(*ret_name)[n]) || !strcmp(*ret_name, "exe") ? pid : 0;
}

static int open_guarded(const char *path)
{
	const char *name;
	int pid = is_link_to_file(path, &name);

	return pid ? guard->link(pid, name) : open_path(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS);
}

int xpt_regular__open(const char *path, const struct xpt_file_id *id)
{
	int pid, n = 0, fd;

	if (sscanf(path, "/proc/%d/root%n", &pid, &n) == 1 && n && path[n] == '/')
		return xpt_regular__open_of(pid, path + n, id);
	if (guard)
		return reopen_file(open_guarded(path), id);
	fd = open(path, O_PATH | O_CLOEXEC);
	return reopen_file(fd < 0 ? -errno : fd, id);
}

int xpt_regular__look(const char *path, struct stat *ret_st)
{
	int fd = open_path(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS), err;

	if (fd < 0)
		return fd;
	err = guard ? guard->check(guard->ctx, fd) : 0;	/* its file system may never answer */
	if (!err && fstat(fd, ret_st))
		err = -errno;
	close(fd);
	return err;
}

int xpt_regular__open_below(int root, const char *path)
{
	int fd = root < 0 ? open(path, O_PATH | O_CLOEXEC) : xpt_regular__walk(root, path), opened = -1, err = 0;
	struct stat st;
	char link[32];

	if (fd < 0)
		return root < 0 ? -errno : fd;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -ENOEXEC;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!err) {
		opened = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		err = opened < 0 ? -errno : 0;
	}
	close(fd);
	return err ? err : opened;
}

/* A descriptor of root for open_below(): -1 for this machine, or another -errno. */
static int open_root(const char *root)
{
	int fd = *root ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	return *root && fd < 0 ? (errno == EPERM ? -EACCES : -errno) : fd;
}

int xpt_regular__open_in(const char *root, const char *path)
{
	int dir = open_root(root), fd;

	if (dir < -1)
		return dir;
	fd = xpt_regular__open_below(dir, path);
	if (dir >= 0)
		close(dir);
	return fd;
}

int xpt_regular__folder_in(const char *root, const char *path)
{
	int dir = open_root(root), fd, err = 0;
	struct stat st;

	if (dir < -1)
		return dir;
	fd = dir < 0 ? open(path, O_PATH | O_CLOEXEC) : xpt_regular__walk(dir, path);
	if (fd < 0)
		err = dir < 0 ? -errno : fd;
	else if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (dir >= 0)
		close(dir);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}
