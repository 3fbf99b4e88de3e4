// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owners of processes and files, see owner.h. Root's files are the machine's only where the machine keeps its
 * programs: in a container, everybody may be root, and each container has a file system of its own. Ids of namespaces
 * that a user has made are his own, whatever subordinate ids (subuid(5)) they stand for, and so are those ids outside.
 */
#include "proc/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "proc/container_paths.h"
#include "proc/subids.h"
#include "proc/uid.h"

#define ROOT_ELSEWHERE 0xfffffffdu	/* in the place of a uid; the group is the device then */
#define MINOR_BITS 20
#define MAJOR_MASK 0xfffu
#define SHORT_ID 12		/* of a container, as its tools show it */

/* Folders of programs and libraries (hier(7)); if xputrace runs in a container, those of the host, too. */
static const char *const places[] = {
	"/", "/usr", "/usr/local", "/opt", "/proc/1/root/", "/proc/1/root/usr", "/proc/1/root/usr/local",
	"/proc/1/root/opt",
};
_Static_assert(sizeof(places) / sizeof(*places) <= XPT_OWN_DEVICES, "one for each place");

void xpt_owner__open(struct xpt_own_devices *own)
{
	struct stat st;

	own->nr = 0;
	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!stat(places[i], &st))
			own->dev[own->nr++] = st.st_dev;
}

/* --- processes ------------------------------------------------------------------------------- */

/* The inode of a namespace, 0: not to be had. pid 0: our own. */
static uint32_t ns_of(int pid, const char *kind)
{
	char path[64], link[64];
	uint32_t inode;
	ssize_t n;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kind);
	else
		snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	n = readlink(path, link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = '\0';	/* "user:[4026531837]" */
	return sscanf(link, "%*[a-z]:[%u", &inode) == 1 ? inode : 0;
}

static bool is_ns(int fd, uint32_t inode)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == inode;
}

static int open_ns(int pid, const char *kind)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kind);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Opens the outermost of a process's namespaces below `ours`; kind: one that has parents. -1. */
static int open_outermost(int pid, const char *kind, uint32_t ours)
{
	int fd = open_ns(pid, kind), above;

	for (unsigned i = 0; i < XPT_USER_NS_DEPTH && fd >= 0; i++) {
		above = ioctl(fd, NS_GET_PARENT);
		if (above < 0)	/* none that is ours to see */
			break;
		if (is_ns(above, ours)) {
			close(above);
			break;
		}
		close(fd);
		fd = above;
	}
	return fd;
}

/* The outermost of a process's user namespaces below `ours`, and who has made it. 0 or -errno. */
static int outermost_of(int pid, uint32_t ours, uint32_t *ret_inode, uint32_t *ret_uid)
{
	uid_t uid;
	struct stat st;
	int fd = open_outermost(pid, "user", ours), err;

	if (fd < 0)
		return -errno;
	err = ioctl(fd, NS_GET_OWNER_UID, &uid) || fstat(fd, &st) ? -errno : 0;
	close(fd);
	if (err)
		return err;
	*ret_uid = uid;
	*ret_inode = (uint32_t)st.st_ino;
	return 0;
}

/*
 * Finds the inode of a namespace if root has made it: it belongs to our own user namespace, or to one above, which
 * the kernel does not give us. Else *ret_inode is 0. Closes fd. Returns 0, or -ESRCH if fd is -1.
 */
static int inode_if_of_root(int fd, uint32_t own_users, uint32_t *ret_inode)
{
	struct stat st;
	int users;

	*ret_inode = 0;
	if (fd < 0)
		return -ESRCH;
	users = ioctl(fd, NS_GET_USERNS);
	if ((users < 0 ? errno == EPERM : is_ns(users, own_users)) && !fstat(fd, &st))
		*ret_inode = (uint32_t)st.st_ino;
	if (users >= 0)
		close(users);
	close(fd);
	return 0;
}

/*
 * The cgroup that root has made for the process's container, as xpt_container() of bpf/send/owner.bpf.h finds it: the
 * root of its namespace, or the nearest one above that is no user's. Without a mount of its own it cannot make
 * cgroups, and its own one is that root. Outside of the part of the tree that we see, and where its list of mounts is
 * too long, its namespace of cgroups has to do.
 */
static uint32_t cgroup_of(int pid, uint32_t cgroup_ns)
{
	char root[512], own[1024], at[1024], path[sizeof(root) + sizeof(at)];
	struct stat st;
	char *slash;
	int err;

	if (xpt_cgroup__of_pid(pid, own, sizeof(own)) || xpt_cgroup__mount(root, sizeof(root)))
		return XPT_DEEP_CGROUPS;	/* of version 1 alone */
	err = xpt_cgroup__root_of_pid(pid, own, at, sizeof(at));
	if (err == -EFBIG)
		return cgroup_ns;
	if (err)
		snprintf(at, sizeof(at), "%s", own);
	if (!strncmp(at, "/..", 3) && (at[3] == '/' || !at[3]))	/* "a..b" is a name like others */
		return cgroup_ns;
	for (unsigned i = 0; i < XPT_CGROUP_DEPTH; i++) {
		snprintf(path, sizeof(path), "%s%s", root, at);
		if (stat(path, &st))
			return cgroup_ns;
		if (!st.st_uid)
			return (uint32_t)st.st_ino;
		slash = strrchr(at, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	return XPT_DEEP_CGROUPS;
}

/* The group of the container that root has made around a process in *ret_group, 0: none. 0, -ESRCH: it has ended. */
static int container_of(int pid, uint32_t own_users, uint32_t *ret_group)
{
	uint32_t pids = ns_of(pid, "pid"), own_pids = ns_of(0, "pid");
	uint32_t cgroups = ns_of(pid, "cgroup"), own = ns_of(0, "cgroup");
	int err = 0;

	*ret_group = 0;
	if (cgroups == XPT_FIRST_CGROUP_NS)	/* no container: we may be in one, and see the whole machine */
		cgroups = own;
	/* It has ended meanwhile: root of a container would be taken for the machine's. */
	if (!pids || (own && !cgroups))
		return -ESRCH;
	if (pids != own_pids)
		err = inode_if_of_root(open_outermost(pid, "pid", own_pids), own_users, ret_group);
	if (err || *ret_group || cgroups == own)
		return err;
	err = inode_if_of_root(open_ns(pid, "cgroup"), own_users, ret_group);
	if (*ret_group)
		*ret_group = cgroup_of(pid, cgroups);
	return err;
}

int xpt_owner__of_process(int pid, uint64_t *ret_owner)
{
	uint32_t uid, users, group, own_users = ns_of(0, "user");
	int err = xpt_proc__uid(pid, &uid);

	*ret_owner = XPT_OWNER_NOBODY;
	users = err ? 0 : ns_of(pid, "user");
	if (!users || container_of(pid, own_users, &group))
		return -ESRCH;
	if (!group && users != own_users && users != XPT_FIRST_USER_NS) {
		if (outermost_of(pid, own_users, &users, &uid))
			return -ESRCH;
		group = uid ? 0 : users;
	}
	if (group >= XPT_OWNER_NAMESPACE)
		xpt_container_paths__note(group, pid);
	*ret_owner = group ? XPT_OWNER(0, group) : XPT_OWNER(xpt_subids__user(xpt_subids__loaded(), uid), 0);
	return 0;
}

/* --- files ----------------------------------------------------------------------------------- */

static bool is_of_machine(const struct xpt_own_devices *own, const struct stat *st)
{
	for (unsigned i = 0; i < own->nr && !st->st_uid; i++)
		if (own->dev[i] == st->st_dev)
			return true;
	return false;
}

/* The owner by the file's attributes alone. */
static uint64_t user_of_file(const struct stat *st)
{
	uint32_t device = (major(st->st_dev) & MAJOR_MASK) << MINOR_BITS | (minor(st->st_dev) & ((1u << MINOR_BITS) - 1));

	return st->st_uid ? XPT_OWNER(xpt_subids__user(xpt_subids__loaded(), st->st_uid), 0) : XPT_OWNER(ROOT_ELSEWHERE, device);
}

uint64_t xpt_owner__of_file(const struct xpt_own_devices *own, const struct stat *st, uint64_t mapper)
{
	if (is_of_machine(own, st))
		return XPT_OWNER_GROUP(mapper) || mapper == XPT_OWNER_NOBODY ? mapper : XPT_OWNER_MACHINE;
	return mapper == XPT_OWNER_MACHINE ? user_of_file(st) : mapper;
}

uint64_t xpt_owner__of_mapper(int pid)
{
	uint64_t owner = XPT_OWNER_MACHINE;

	if (pid)
		xpt_owner__of_process(pid, &owner);
	return owner;
}

bool xpt_owner__is_root_elsewhere(uint64_t owner, unsigned *ret_major, unsigned *ret_minor)
{
	*ret_major = XPT_OWNER_GROUP(owner) >> MINOR_BITS;
	*ret_minor = XPT_OWNER_GROUP(owner) & ((1u << MINOR_BITS) - 1);
	return XPT_OWNER_UID(owner) == ROOT_ELSEWHERE;
}

/* --- messages -------------------------------------------------------------------------------- */

void xpt_process_owner__find(struct xpt_process_owner *w, int pid)
{
	uint64_t owner;

	w->container[0] = '\0';
	if (xpt_proc__uid(pid, &w->uid))
		w->uid = XPT_NO_UID;
	else
		xpt_cgroup__container_of_pid(pid, w->container, sizeof(w->container));
	/* With subordinate ids he would be many. */
	if (w->uid != XPT_NO_UID && !xpt_owner__of_process(pid, &owner) && !XPT_OWNER_GROUP(owner))
		w->uid = XPT_OWNER_UID(owner);
}

bool xpt_process_owner__choose(struct xpt_process_owner *w, bool had, int pid)
{
	struct xpt_process_owner now;

	if (had && w->uid != XPT_NO_UID)
		return false;
	xpt_process_owner__find(&now, pid);
	if (had && now.uid == XPT_NO_UID)
		return false;
	*w = now;
	return true;
}

const char *xpt_process_owner__text(const struct xpt_process_owner *w, char *buf, size_t n)
{
	if (w->uid == XPT_NO_UID)
		snprintf(buf, n, "a user who is not known, for the process has ended");
	else if (w->container[0])
		snprintf(buf, n, "user %u in the container %.*s", w->uid, SHORT_ID, w->container);
	else
		snprintf(buf, n, "user %u", w->uid);
	return buf;
}
