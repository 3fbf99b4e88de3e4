// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Processes by their ids and by their properties, from options to targets of an engine. See
 * pids.h. */
#include "cli/args/pids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "engine/engine.h"
#include "proc/maps.h"

/* The process of a process or thread id, from /proc/ID/status. 0: it is a good
 * target, else a message was given. */
static int check_pid(uint64_t id, int *ret_pid)
{
	char path[64], line[256], state = 0;
	long long tgid = 0, kthread = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%llu/status", (unsigned long long)id);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "Tgid: %lld", &tgid);
		sscanf(line, "Kthread: %lld", &kthread);
	}
	if (f)
		fclose(f);
	if (tgid <= 0)
		return xpt_err(-ESRCH, "process %llu does not exist", (unsigned long long)id);
	if (state == 'Z' || state == 'X')
		return xpt_err(-ESRCH, "process %llu has ended already", (unsigned long long)id);
	if (kthread == 1)
		return xpt_err(-ESRCH, "%llu is a thread of the kernel: it calls no library",
			       (unsigned long long)id);
	if ((uint64_t)tgid != id)
		xpt_info("%llu is a thread of process %lld: tracing the whole process",
			 (unsigned long long)id, tgid);
	*ret_pid = (int)tgid;
	return 0;
}

/* Other options that select are applied to processes named by their id, too. */
static bool is_selected(const struct xpt_pids *p, int pid)
{
	struct xpt_procinfo info;
	const char *why;

	if (!p->select)
		return true;
	if (xpt_select__by_comm(p->select) &&
	    (xpt_proc__read(pid, &info) || !xpt_select__comm_matches(p->select, info.comm)))
		why = "name";
	else
		why = xpt_select__why_not(p->select, pid);
	if (why)
		xpt_err(0, "process %d is left out: it has another %s", pid, why);
	return !why;
}

/* -p 12 -p 13 and -p 12,13 alike. -1 or an exit status. */
static int read_pid_list(struct xpt_pids *p, const char *list)
{
	char item[24];
	uint64_t id;

	while (*list || !p->nr_asked) {
		size_t n = strcspn(list, ",");

		snprintf(item, sizeof(item), "%.*s", (int)n, list);
		if (xpt_parse_u64(item, 1, INT32_MAX, &id))
			return xpt_opt__usage(p->cmd, "'%s' is not a process id", item);
		if (p->nr == XPT_PIDS_MAX)
			return xpt_opt__usage(p->cmd, "more than %d processes", XPT_PIDS_MAX);
		p->nr_asked++;
		if (!check_pid(id, &p->pid[p->nr]) && is_selected(p, p->pid[p->nr]))
			p->nr++;
		list += n + (list[n] == ',');
	}
	return -1;
}

int xpt_pids__read(struct xpt_pids *p, const struct xpt_cmd *cmd, const struct xpt_list *pids,
		   const struct xpt_targets_opts *sel)
{
	int status;

	p->cmd = cmd;
	p->comm = sel->comms.n ? sel->comms.v[0] : NULL;
	status = xpt_targets__select(cmd, sel, &p->select);
	for (unsigned i = 0; status < 0 && i < pids->n; i++)
		status = read_pid_list(p, pids->v[i]);
	return status < 0 && p->nr_asked && !p->nr ? XPT_EXIT_NOTHING : status;
}

/* Adds the processes as targets. Returns false if all have ended meanwhile. */
static bool add_pids(struct xpt_pids *p, struct xpt_engine *e)
{
	unsigned i;
	int err;

	for (i = 0; i < p->nr; i++) {
		err = xpt_engine__add_pid(e, p->pid[i]);
		if (err == -ESRCH)
			xpt_err(err, "process %d has ended", p->pid[i]);
		else if (err)
			xpt_err(err, "cannot trace process %d: %s", p->pid[i], strerror(-err));
		else
			p->nr_found++;
	}
	return p->nr_found || !p->nr;
}

struct search {
	struct xpt_pids *pids;
	struct xpt_engine *engine;
};

static int add_if_named(void *ctx, int pid)
{
	const struct search *s = ctx;
	struct xpt_pids *p = s->pids;
	struct xpt_procinfo info;

	if (!xpt_proc__read(pid, &info) && xpt_select__comm_matches(p->select, info.comm) &&
	    !xpt_select__why_not(p->select, pid) && !xpt_engine__add_pid(s->engine, pid))
		p->nr_found++;
	return 0;
}

/* Processes by name are added at once; others when they make a call. */
static void add_selected(struct xpt_pids *p, struct xpt_engine *e)
{
	struct search s = { p, e };

	if (p->select && xpt_select__by_comm(p->select)) {
		xpt_proc__each(add_if_named, &s);
		if (!p->nr_found)
			xpt_info("no process is called '%s' yet; waiting for one", p->comm);
	}
	xpt_engine__add_all(e);
}

int xpt_pids__add_targets(struct xpt_pids *p, struct xpt_engine *e)
{
	if (!add_pids(p, e))
		return XPT_EXIT_NOTHING;
	/* Programs that start later are to be seen from their first call. */
	if (!p->nr) {
		xpt_engine__preload(e, NULL, getenv("LD_LIBRARY_PATH"));
		add_selected(p, e);
	}
	return -1;
}
