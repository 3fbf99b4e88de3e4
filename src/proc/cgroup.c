// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Control groups, see cgroup.h. Names of containers are no interface of the kernel: this file recognises the forms
 * that docker, containerd, CRI-O, podman, ECS agents, LXC and nspawn give to the folders of theirs.
 */
#include "proc/cgroup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* include/uapi/linux/magic.h */
#define CGROUP2_MAGIC 0x63677270

#define MAX_DEPTH 32	/* folders below each other; the kernel's limit is far above the depth in use */
#define MOUNTS_BYTES 65536u	/* of the list of a process, which its owner makes as long as he likes */
#define HEX_ID 64
#define ECS_ID 32
#define POD_DIGITS 32	/* of a pod that a file of the node describes */

int xpt_cgroup__mount(char *ret_path, size_t n)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t cap = 0;
	int err = -ENOENT;

	if (!f)
		return -errno;
	/* "36 35 98:0 /root /mount/point options - cgroup2 source options" */
	while (err && getline(&line, &cap, f) > 0) {
		char *sep = strstr(line, " - cgroup2 "), at[512];

		if (!sep || sscanf(line, "%*s %*s %*s %*s %511s", at) != 1)
			continue;
		err = (size_t)snprintf(ret_path, n, "%s", at) < n ? 0 : -ENAMETOOLONG;
	}
	free(line);
	fclose(f);
	return err;
}

/* Whether path is root, or below it. */
static bool is_below(const char *path, const char *root)
{
	size_t n = strlen(root);

	return !strncmp(path, root, n) && (!path[n] || path[n] == '/');
}

/* Reads the beginning of a file of /proc. The caller frees it. NULL: it cannot be read, or is longer. */
static char *read_short(const char *name)
{
	char *text = malloc(MOUNTS_BYTES + 1);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t n = -1;

	while (text && fd >= 0 && size <= MOUNTS_BYTES && (n = read(fd, text + size, MOUNTS_BYTES + 1 - size)) > 0)
		size += (size_t)n;
	if (fd >= 0)
		close(fd);
	if (text && !n && size <= MOUNTS_BYTES) {
		text[size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

int xpt_cgroup__root_of_pid(int pid, const char *at, char *ret_path, size_t n)
{
	char name[64], root[1024], *text, *line, *rest;
	int err = -ENOENT;

	snprintf(name, sizeof(name), "/proc/%d/mountinfo", pid);
	text = read_short(name);
	if (!text)
		return -EFBIG;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		/*
		 * The outermost: it may have bound folders of its own cgroups elsewhere. "/" is that of the machine.
		 */
		if (!strstr(line, " - cgroup2 ") || sscanf(line, "%*s %*s %*s %1023s", root) != 1 || !root[1] ||
		    !is_below(at, root) || (!err && strlen(root) >= strlen(ret_path)))
			continue;
		err = (size_t)snprintf(ret_path, n, "%s", root) < n ? 0 : -ENAMETOOLONG;
	}
	free(text);
	return err;
}

/* 0: a folder of cgroup v2. Outside of /sys and /proc (tests) any folder will do. */
static int check_folder(const char *root, const char *path)
{
	struct statfs fs, root_fs;
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (statfs(path, &fs) || statfs(root, &root_fs))
		return -errno;
	return root_fs.f_type == CGROUP2_MAGIC && fs.f_type != CGROUP2_MAGIC ? -EXDEV : 0;
}

int xpt_cgroup__resolve(const char *root, const char *arg, char *ret_path, size_t n)
{
	size_t len = strlen(root), end;
	bool below = !strncmp(arg, root, len) && (arg[len] == '/' || !arg[len]);
	int err;

	if (strstr(arg, ".."))
		return -ENOENT;
	if ((size_t)snprintf(ret_path, n, "%s%s%s", below ? "" : root,
			     below || arg[0] == '/' ? "" : "/", arg) >= n)
		return -ENAMETOOLONG;
	for (end = strlen(ret_path); end > 1 && ret_path[end - 1] == '/'; end--)
		ret_path[end - 1] = '\0';
	err = check_folder(root, ret_path);
	/* Not in the tree of v2, but an absolute path to something else. */
	if (err == -ENOENT && arg[0] == '/' && !check_folder(root, arg))
		err = -EXDEV;
	else if (err == -ENOENT && arg[0] == '/' && check_folder(root, arg) == -EXDEV)
		err = -EXDEV;
	return err;
}

/* --- containers by name ---------------------------------------------------------- */

static size_t hex_run(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && isxdigit((unsigned char)s[i]) && !isupper((unsigned char)s[i]))
		i++;
	return i;
}

/* Exactly 64 hex digits between the n characters' other ones. */
static bool hex_id(const char *s, size_t n, const char **ret_at)
{
	size_t i = 0, run;

	while (i < n) {
		run = hex_run(s + i, n - i);
		if (run == HEX_ID && (!i || !isalnum((unsigned char)s[i - 1]))) {
			*ret_at = s + i;
			return true;
		}
		i += run ? run : 1;
	}
	return false;
}

static bool ecs_id(const char *s, size_t n)
{
	size_t i;

	if (n < ECS_ID + 2 || hex_run(s, n) != ECS_ID || s[ECS_ID] != '-')
		return false;
	for (i = ECS_ID + 1; i < n && isdigit((unsigned char)s[i]); i++)
		;
	return i == n;
}

/* Finds the text after prefix, and before a suffix if there is one. */
static bool find_named(const char *s, size_t n, const char *prefix, const char *suffix,
		       const char **ret_at, size_t *ret_n)
{
	size_t p = strlen(prefix), q = strlen(suffix);

	if (n <= p || strncmp(s, prefix, p) != 0)
		return false;
	if (q && n > p + q && !strncmp(s + n - q, suffix, q))
		n -= q;
	*ret_at = s + p;
	*ret_n = n - p;
	return true;
}

/* One folder's name. Those of monitors carry the id too, but are no containers. */
static bool container_name(const char *s, size_t n, const char **ret_at, size_t *ret_n)
{
	if (n > 5 && memmem(s, n, "conmon", 6))
		return false;
	*ret_n = HEX_ID;
	if (hex_id(s, n, ret_at))
		return true;
	*ret_at = s;
	*ret_n = n;
	return ecs_id(s, n) || find_named(s, n, "lxc.payload.", "", ret_at, ret_n) ||
	       find_named(s, n, "systemd-nspawn@", ".service", ret_at, ret_n);
}

bool xpt_cgroup__container(const char *path, char *ret_id, size_t n)
{
	const char *at;
	size_t end = strlen(path), begin, len;

	for (; end > 0; end = begin ? begin - 1 : 0) {
		for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--)
			;
		if (container_name(path + begin, end - begin, &at, &len) && len < n) {
			memcpy(ret_id, at, len);
			ret_id[len] = '\0';
			return true;
		}
	}
	ret_id[0] = '\0';
	return false;
}

/* "pod" and a UUID or 32 digits, and nothing after it. */
static bool pod_name(const char *s, size_t n, char *ret_uid)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t i;

	if (n == POD_DIGITS && hex_run(s, n) == n) {
		memcpy(ret_uid, s, n);
		ret_uid[n] = '\0';
		return true;
	}
	for (i = 0; i < n && i < sizeof(form) - 1; i++) {
		if (form[i] == '-' ? s[i] != '-' && s[i] != '_' : !hex_run(s + i, 1))
			return false;
		ret_uid[i] = (char)(form[i] == '-' ? '-' : s[i]);
	}
	ret_uid[i] = '\0';
	return i == n && i == sizeof(form) - 1;
}

bool xpt_cgroup__pod(const char *path, char *ret_uid, size_t n)
{
	static const char slice[] = ".slice";
	const char *at = strstr(path, "kubepods");
	size_t len;

	while (at && n >= XPT_POD_LEN && (at = strstr(at, "pod")) != NULL) {
		bool begins = at[-1] == '/' || at[-1] == '-';

		at += strlen("pod");
		len = strcspn(at, "/");
		if (len > strlen(slice) && !strncmp(at + len - strlen(slice), slice, strlen(slice)))
			len -= strlen(slice);
		if (begins && pod_name(at, len, ret_uid))
			return true;
	}
	ret_uid[0] = '\0';
	return false;
}

/* --- searching the tree ------------------------------------------------------------ */

int xpt_cgroup__by_inode(const char *root, uint32_t inode, char *ret_path, size_t n)
{
	char *const roots[] = { (char *)root, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	int err = tree ? -ENOENT : -errno;
	FTSENT *at;

	while (err == -ENOENT && (at = fts_read(tree))) {
		if (at->fts_info != FTS_D || (uint32_t)at->fts_statp->st_ino != inode)
			continue;
		err = (size_t)snprintf(ret_path, n, "%s", at->fts_path + strlen(root)) < n ? 0 : -ENAMETOOLONG;
	}
	if (tree)
		fts_close(tree);
	return err;
}

struct search {
	const char *want;
	int (*fn)(void *ctx, const char *path, const char *id);
	void *ctx;
	char path[4096];
};

static bool is_wanted(const struct search *s, const char *name, char *id, size_t n)
{
	size_t len = strlen(s->want);
	const char *rest = name + len;

	if (xpt_cgroup__container(name, id, n))
		return !strncmp(id, s->want, len) || !strcmp(name, s->want) ||
		       (!strncmp(name, s->want, len) && !strcmp(rest, ".scope"));
	snprintf(id, n, "%s", s->want);
	return !strncmp(name, s->want, len) &&
	       (!*rest || !strcmp(rest, ".scope") || !strcmp(rest, ".service"));
}

static int search_below(struct search *s, size_t at, int depth)
{
	DIR *dir = opendir(s->path);
	char id[XPT_CONTAINER_LEN];
	struct dirent *de;
	int err = 0;

	if (!dir)
		return errno == ENOENT || errno == EACCES ? 0 : -errno;
	while (!err && (de = readdir(dir))) {
		size_t len = strlen(de->d_name);

		if (de->d_type != DT_DIR || de->d_name[0] == '.' ||
		    at + len + 2 > sizeof(s->path))
			continue;
		s->path[at] = '/';
		memcpy(s->path + at + 1, de->d_name, len + 1);
		if (is_wanted(s, de->d_name, id, sizeof(id)))
			err = s->fn(s->ctx, s->path, id);
		else if (depth < MAX_DEPTH)
			err = search_below(s, at + 1 + len, depth + 1);
		s->path[at] = '\0';
	}
	closedir(dir);
	return err;
}

int xpt_cgroup__find_container(const char *root, const char *id,
			       int (*fn)(void *ctx, const char *path, const char *id), void *ctx)
{
	struct search s = { .want = id, .fn = fn, .ctx = ctx };
	size_t len = strlen(root);

	if (len >= sizeof(s.path) || !id[0])
		return -EINVAL;
	memcpy(s.path, root, len + 1);
	return search_below(&s, len, 0);
}

/* The folder after those of slurmd; NULL: the path is not below them. */
static const char *below_slurmd(const char *path)
{
	static const char system[] = "/system.slice/", scope[] = "slurmstepd.scope/", slurm[] = "/slurm";
	const char *at;

	if (!strncmp(path, slurm, strlen(slurm)) && (path[6] == '/' || path[6] == '_')) {
		at = strchr(path + 6, '/');
		return at ? at + 1 : NULL;
	}
	if (strncmp(path, system, strlen(system)))
		return NULL;
	path += strlen(system);
	at = strstr(path, scope);
	if (!at || (at > path && at[-1] != '_') || memchr(path, '/', (size_t)(at - path)))
		return NULL;
	return at + strlen(scope);
}

bool xpt_cgroup__slurm_job(const char *path, char *ret_job, size_t n)
{
	const char *at = below_slurmd(path);
	size_t digits;

	ret_job[0] = '\0';
	if (at && !strncmp(at, "uid_", 4)) {
		at = strchr(at, '/');
		at = at ? at + 1 : NULL;
	}
	if (!at || strncmp(at, "job_", 4))
		return false;
	at += 4;
	digits = strspn(at, "0123456789");
	if (!digits || digits >= n || digits >= XPT_SLURM_JOB_LEN || (at[digits] && at[digits] != '/'))
		return false;
	snprintf(ret_job, n, "%.*s", (int)digits, at);
	return true;
}

/* --- of a process ------------------------------------------------------------------- */

/* Calls fn for each line until it returns true: it has its value. Lines are "id:controllers:path\n". */
static int each_line(int pid, bool (*fn)(char *line, char *ret, size_t n), char *ret, size_t n)
{
	char path[64], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	f = fopen(path, "re");
	if (!f)
		return -ESRCH;
	while (!found && getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = fn(line, ret, n);
	}
	free(line);
	fclose(f);
	return found ? 0 : -ENOENT;
}

static bool is_v2(char *line, char *ret, size_t n)
{
	return !strncmp(line, "0::", 3) && (size_t)snprintf(ret, n, "%s", line + 3) < n;
}

static bool has_container(char *line, char *ret, size_t n)
{
	const char *p = strchr(line, ':');

	p = p ? strchr(p + 1, ':') : NULL;
	return p && xpt_cgroup__container(p + 1, ret, n);
}

/* Adds the values that this line names and none before it did. Returns true when nothing is missing. */
static bool add_workload(char *line, char *workload, size_t n)
{
	struct xpt_workload *w = (struct xpt_workload *)workload;
	const char *p = strchr(line, ':');

	(void)n;
	p = p ? strchr(p + 1, ':') : NULL;
	if (!p)
		return false;
	if (!w->container[0])
		xpt_cgroup__container(p + 1, w->container, sizeof(w->container));
	if (!w->pod[0])
		xpt_cgroup__pod(p + 1, w->pod, sizeof(w->pod));
	if (!w->slurm_job[0])
		xpt_cgroup__slurm_job(p + 1, w->slurm_job, sizeof(w->slurm_job));
	return w->container[0] && w->pod[0] && w->slurm_job[0];
}

int xpt_cgroup__of_pid(int pid, char *ret_path, size_t n)
{
	return each_line(pid, is_v2, ret_path, n);
}

bool xpt_cgroup__container_of_pid(int pid, char *ret_id, size_t n)
{
	ret_id[0] = '\0';
	return !each_line(pid, has_container, ret_id, n);
}

void xpt_cgroup__workload_of_pid(int pid, struct xpt_workload *ret)
{
	memset(ret, 0, sizeof(*ret));
	each_line(pid, add_workload, (char *)ret, sizeof(*ret));
}
