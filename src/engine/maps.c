// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Readers of /proc: mappings, names, the list of processes. Used to find the
 * libraries of running processes and to say who a process is.
 */
#include "engine/maps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"

/* "start-end prot offset dev inode   path\n"; false: not an executable mapping. */
static bool parse_line(char *line, struct xpt_mapping *ret_m)
{
	char prot[8];
	int pos = 0;
	char *nl;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %n",
		   &ret_m->start, &ret_m->end, prot, &ret_m->offset, &ret_m->ino, &pos) != 5 || !pos)
		return false;
	if (!strchr(prot, 'x'))
		return false;
	nl = strchr(line + pos, '\n');
	if (nl)
		*nl = '\0';
	ret_m->path = line + pos;
	return true;
}

static int each(int pid, bool files, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m),
		void *ctx)
{
	char path[64], *line = NULL;
	size_t cap = 0;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && getline(&line, &cap, f) > 0) {
		struct xpt_mapping m;

		if (parse_line(line, &m) && (!files || m.path[0] == '/'))
			err = fn(ctx, pid, &m);
	}
	free(line);
	fclose(f);
	return err;
}

int xpt_maps__each(int pid, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m), void *ctx)
{
	return each(pid, true, fn, ctx);
}

int xpt_maps__each_code(int pid, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m),
			void *ctx)
{
	return each(pid, false, fn, ctx);
}

void xpt_maps__open_path(int pid, const struct xpt_mapping *m, char *buf, size_t n)
{
	snprintf(buf, n, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start, m->end);
	if (access(buf, R_OK))
		snprintf(buf, n, "/proc/%d/root%s", pid, m->path);
}

int xpt_maps__open(int pid, const struct xpt_mapping *m)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	char path[4096];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start,
		 m->end);
	fd = open(path, flags);
	if (fd >= 0)
		return fd;
	/* Not allowed, or gone from there in the meantime. */
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m->path);
	fd = open(path, flags);
	if (fd < 0)
		return -errno;
	if (m->ino && !fstat(fd, &st) && st.st_ino != m->ino) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* Reads up to n - 1 bytes of /proc/PID/name; the length or -errno. */
static ssize_t read_proc(int pid, const char *name, char *buf, size_t n)
{
	char path[64];
	ssize_t len;
	int fd;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, buf, n - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	buf[len > 0 ? len : 0] = '\0';
	return len;
}

/* Fields of /proc/PID/stat behind the command, which may hold any character. */
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
	if (read_proc(pid, "comm", ret_info->comm, sizeof(ret_info->comm)) < 0)
		return -ESRCH;
	ret_info->comm[strcspn(ret_info->comm, "\n")] = '\0';
	n = read_proc(pid, "cmdline", ret_info->cmdline, sizeof(ret_info->cmdline));
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
