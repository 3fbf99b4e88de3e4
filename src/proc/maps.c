// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Readers of /proc: mappings, names, the list of processes. Used to find the
 * libraries of running processes and to say who a process is.
 */
#include "proc/maps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/parse.h"
#include "proc/remote/remote.h"

bool xpt_maps__parse(char *line, struct xpt_mapping *ret_m)
{
	char prot[8];
	unsigned major, minor;
	int pos = 0;
	char *nl;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &ret_m->start,
		   &ret_m->end, prot, &ret_m->offset, &major, &minor, &ret_m->ino, &pos) != 7 || !pos)
		return false;
	ret_m->dev = makedev(major, minor);
	if (!strchr(prot, 'x'))
		return false;
	nl = strchr(line + pos, '\n');
	if (nl)
		*nl = '\0';
	ret_m->path = line + pos;
	ret_m->at_ns = 0;
	return true;
}

static int each_mapping(int pid, bool files, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m),
			void *ctx)
{
	int fd = xpt_remote__proc(pid, "maps", XPT_REMOTE_TEXT), err = 0;
	char *line = NULL;
	size_t cap = 0, bytes = 0;
	ssize_t n;
	FILE *f;

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (n = getline(&line, &cap, f)) > 0) {
		struct xpt_mapping m;

		bytes += (size_t)n;
		if (xpt_maps__parse(line, &m) && (!files || m.path[0] == '/'))
			err = fn(ctx, pid, &m);
	}
	free(line);
	fclose(f);
	return !err && xpt_remote__is_distrusting() && bytes >= XPT_REMOTE_TEXT ? -EFBIG : err;
}

int xpt_maps__each(int pid, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m), void *ctx)
{
	return each_mapping(pid, true, fn, ctx);
}

int xpt_maps__each_code(int pid, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m),
			void *ctx)
{
	return each_mapping(pid, false, fn, ctx);
}

int xpt_maps__open(int pid, const struct xpt_mapping *m)
{
	const struct xpt_file_id id = { m->dev, m->ino };
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start,
		 m->end);
	fd = xpt_regular__open(path, &id);	/* something else may be mapped there by now */
	if (fd >= 0 || fd == -ENOEXEC || fd == -EREMOTE || fd == -ETIMEDOUT || fd == -EBUSY ||
	    fd == -ETIME)
		return fd;
	/* Not allowed, or gone from there in the meantime. */
	return xpt_regular__open_of(pid, m->path, &id);
}

/* Reads up to n - 1 bytes of the file, which is closed; the length or -errno. */
static ssize_t read_text(int fd, char *buf, size_t n)
{
	ssize_t len;

	buf[0] = '\0';
	if (fd < 0)
		return fd;
	len = read(fd, buf, n - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	buf[len > 0 ? len : 0] = '\0';
	return len;
}

/* Reads a file /proc/PID/name for which the kernel does not read the process's memory. */
static ssize_t read_proc(int pid, const char *name, char *buf, size_t n)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return read_text(fd < 0 ? -errno : fd, buf, n);
}

/* Fields of /proc/PID/stat after the command, which may hold any character. */
static void read_stat(int pid, struct xpt_procinfo *info)
{
	char buf[1024], *p;
	unsigned long long ticks = 0;
	long hz = sysconf(_SC_CLK_TCK);

	if (read_proc(pid, "stat", buf, sizeof(buf)) <= 0)
		return;
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 1, " %*c %" SCNu32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d"
			 " %*d %*d %*d %*d %*d %llu", &info->ppid, &ticks) != 2)
		return;
	if (hz > 0)
		info->start_ns = ticks * (1000000000ull / (unsigned long long)hz);
}

/* "NSpid: 4711 12 1": the innermost namespace's last. */
static uint32_t last_number(const char *p)
{
	uint32_t last = 0;
	int n;

	while (sscanf(p, "%" SCNu32 "%n", &last, &n) == 1) {
		p += n;
		if (*p == '\n')
			break;
	}
	return last;
}

static void read_status(int pid, struct xpt_procinfo *info)
{
	char buf[4096], *p;

	if (read_proc(pid, "status", buf, sizeof(buf)) <= 0)
		return;
	p = strstr(buf, "\nUid:");
	if (p)
		sscanf(p, "\nUid: %" SCNu32, &info->uid);
	p = strstr(buf, "\nNSpid:");
	if (p)
		info->ns_pid = last_number(p + strlen("\nNSpid:"));
	if (info->ns_pid == (uint32_t)pid)
		info->ns_pid = 0;
}

int xpt_proc__read(int pid, struct xpt_procinfo *ret_info)
{
	char path[64];
	ssize_t n, i;

	memset(ret_info, 0, sizeof(*ret_info));
	ret_info->uid = XPT_NO_UID;
	if (read_proc(pid, "comm", ret_info->comm, sizeof(ret_info->comm)) < 0)
		return -ESRCH;
	ret_info->comm[strcspn(ret_info->comm, "\n")] = '\0';
	n = read_text(xpt_remote__proc(pid, "cmdline", sizeof(ret_info->cmdline)), ret_info->cmdline, sizeof(ret_info->cmdline));
	while (n > 0 && ret_info->cmdline[n - 1] == '\0')
		n--;
	for (i = 0; i < n; i++)
		if (ret_info->cmdline[i] == '\0')
			ret_info->cmdline[i] = ' ';
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, ret_info->exe, sizeof(ret_info->exe) - 1);
	ret_info->exe[n > 0 ? n : 0] = '\0';
	read_stat(pid, ret_info);
	read_status(pid, ret_info);
	return 0;
}

int xpt_proc__each(int (*fn)(void *ctx, int pid), void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *de;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (de = readdir(dir))) {
		uint64_t pid;

		if (isdigit((unsigned char)de->d_name[0]) &&
		    !xpt_parse_u64(de->d_name, 1, INT32_MAX, &pid))
			err = fn(ctx, (int)pid);
	}
	closedir(dir);
	return err;
}
