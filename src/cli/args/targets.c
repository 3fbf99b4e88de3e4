// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns --comm, --uid, --cgroup and --container into a selection, see targets.h. All errors in their values are
 * reported here, before anything is opened.
 */
#include "cli/args/targets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "session/user.h"
#include "proc/cgroup.h"
#include "wire/config.h"

#define FOUND_MAX 8	/* containers that are listed when an id means several */

struct found {
	struct xpt_select *select;
	char id[FOUND_MAX][XPT_CONTAINER_LEN];
	unsigned nr, more;
	int err;
};

bool xpt_targets__given(const struct xpt_targets_opts *o)
{
	return o->comms.n || o->cgroups.n || o->containers.n || o->user;
}

/* The kernel keeps 15 bytes of a name. */
static int add_comm(const struct xpt_cmd *cmd, struct xpt_select *s, const char *glob)
{
	char cut[XPT_COMM_LEN];
	int err;

	if (!glob[0])
		return xpt_opt__usage(cmd, "--comm: an empty name");
	if (strlen(glob) >= sizeof(cut) && !strpbrk(glob, "*?[\\")) {
		snprintf(cut, sizeof(cut), "%.*s", XPT_COMM_LEN - 1, glob);
		xpt_info("names of processes have at most %d characters: looking for '%s'",
			 XPT_COMM_LEN - 1, cut);
		glob = cut;
	}
	err = xpt_select__add_comm(s, glob);
	if (err == -ENAMETOOLONG)
		return xpt_opt__usage(cmd, "--comm: names of processes have at most %d characters; "
				      "'%s' can be none of them", XPT_COMM_LEN - 1, glob);
	if (err == -E2BIG)
		return xpt_opt__usage(cmd, "--comm: too many names (63 characters in all)");
	return err ? xpt_opt__usage(cmd, "--comm: '%s' is no pattern (*, ?, [a-z])", glob) : -1;
}

static int set_user(const struct xpt_cmd *cmd, struct xpt_select *s, const char *user)
{
	uid_t uid;

	if (xpt_user__by_name(user, &uid))
		return xpt_opt__usage(cmd, "--uid: no user '%s' here; users of containers have "
				      "numbers only (ps -eo pid,uid,comm shows them)", user);
	xpt_select__set_uid(s, uid);
	return -1;
}

static int add_folder(struct xpt_select *s, const char *path)
{
	int err = xpt_select__add_cgroup(s, path);

	if (err == -ENOSPC)
		xpt_err(err, "more than %d cgroups: choose one above them", XPT_SELECT_CGROUPS);
	else if (err)
		xpt_err(err, "cannot open cgroup %s: %s", path, strerror(-err));
	return err ? XPT_EXIT_FAILED : -1;
}

static int add_cgroup(struct xpt_select *s, const char *root, const char *arg)
{
	char path[4096];
	int err = xpt_cgroup__resolve(root, arg, path, sizeof(path));

	if (!err)
		return add_folder(s, path);
	if (err == -EXDEV)
		xpt_err(err, "'%s' is no cgroup of version 2, which --cgroup needs: those are below "
			"%s", arg, root);
	else
		xpt_err(err, "no cgroup '%s' below %s; /proc/PID/cgroup shows that of a process "
			"(behind 0::), systemd-cgls shows all", arg, root);
	return XPT_EXIT_NOTHING;
}

/* One id may have several folders: all of them are meant. */
static int on_found(void *ctx, const char *path, const char *id)
{
	struct found *f = ctx;
	unsigned i;

	for (i = 0; i < f->nr && strcmp(f->id[i], id) != 0; i++)
		;
	if (i == FOUND_MAX) {
		f->more++;
		return 0;
	}
	if (i == f->nr)
		snprintf(f->id[f->nr++], sizeof(f->id[0]), "%s", id);
	f->err = add_folder(f->select, path);
	return f->err >= 0;
}

static int report_ambiguous(const struct found *f, const char *arg)
{
	unsigned i;

	xpt_err(0, "--container %s means %u containers; give more of the id:", arg, f->nr + f->more);
	for (i = 0; i < f->nr; i++)
		xpt_err(0, "  %s", f->id[i]);
	if (f->more)
		xpt_err(0, "  ... and more");
	return XPT_EXIT_NOTHING;
}

static int add_container(const struct xpt_cmd *cmd, struct xpt_select *s, const char *root,
			 const char *arg)
{
	struct found f = { .select = s, .err = -1 };
	int err;

	if (!arg[0] || strchr(arg, '/'))
		return xpt_opt__usage(cmd, "--container: '%s' is no id (a path is for --cgroup)",
				      arg);
	err = xpt_cgroup__find_container(root, arg, on_found, &f);
	if (f.err >= 0)
		return f.err;
	if (err < 0)
		return xpt_err(XPT_EXIT_FAILED, "cannot read %s: %s", root, strerror(-err));
	if (f.nr > 1)
		return report_ambiguous(&f, arg);
	if (f.nr)
		return -1;
	xpt_err(0, "no running container '%s' below %s; its id is needed, not its name "
		"(docker ps --no-trunc, podman ps --no-trunc, crictl ps --no-trunc)", arg, root);
	return XPT_EXIT_NOTHING;
}

static int add_cgroups(const struct xpt_cmd *cmd, const struct xpt_targets_opts *o,
		       struct xpt_select *s)
{
	char root[512];
	unsigned i;
	int status = -1;

	if (!o->cgroups.n && !o->containers.n)
		return -1;
	if (xpt_cgroup__mount(root, sizeof(root))) {
		xpt_err(0, "--%s needs cgroup v2, which is not mounted here: choose by --uid, --comm "
			"or -p, or boot with systemd.unified_cgroup_hierarchy=1",
			o->cgroups.n ? "cgroup" : "container");
		return XPT_EXIT_PRIVILEGE;
	}
	for (i = 0; status < 0 && i < o->cgroups.n; i++)
		status = add_cgroup(s, root, o->cgroups.v[i]);
	for (i = 0; status < 0 && i < o->containers.n; i++)
		status = add_container(cmd, s, root, o->containers.v[i]);
	return status;
}

int xpt_targets__select(const struct xpt_cmd *cmd, const struct xpt_targets_opts *o,
			struct xpt_select **ret_s)
{
	struct xpt_select *s = NULL;
	int status = -1;
	unsigned i;

	if (!xpt_targets__given(o))
		return -1;
	if (xpt_select__new(&s))
		return xpt_err(XPT_EXIT_FAILED, "out of memory");
	for (i = 0; status < 0 && i < o->comms.n; i++)
		status = add_comm(cmd, s, o->comms.v[i]);
	if (status < 0 && o->user)
		status = set_user(cmd, s, o->user);
	if (status < 0)
		status = add_cgroups(cmd, o, s);
	if (status >= 0)
		xpt_select__free(s);
	else
		*ret_s = s;
	return status;
}
