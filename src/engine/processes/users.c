// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The users' parts of the shared rings and slots: the programs decide (bpf/send/user.bpf.h), this file reports them.
 */
#include "engine/processes/users.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "base/time.h"
#include "engine/priv.h"
#include "wire/config.h"
#include "wire/user.h"
#include "call.skel.h"

#define LOOK_NS 10000000000ull	/* between looks for users who are gone, as containers are */

struct xpt_users {
	uint64_t next_ns;
	uint64_t sent[XPT_USERS];		/* at the last look */
	struct xpt_bpf_user most_cut;	/* of those whose places were given back */
};

void xpt_users__configure(const struct xpt_engine *e, struct call_bpf *skel)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;

	cfg->users = xpt_engine__is_open(e);
	bpf_map__set_max_entries(skel->maps.xpt_users, cfg->users ? XPT_USERS_ALL : 1);
}

static void note_cut(struct xpt_engine_stats *stats, const struct xpt_bpf_user *u)
{
	if (u->cut <= stats->cut)
		return;
	stats->cut = u->cut;
	stats->cut_owner = u->owner;
	stats->cut_cgroup = u->cgroup;
}

void xpt_users__stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_users);
	struct xpt_bpf_user u;
	uint32_t i;

	if (e->users)
		note_cut(stats, &e->users->most_cut);
	for (i = 0; i < XPT_USERS_ALL && e->skel->rodata->cfg.users; i++)
		if (!bpf_map_lookup_elem(fd, &i, &u))
			note_cut(stats, &u);
}

/* Whether the user has no thread any more, and has sent nothing since the last look. */
static bool is_idle(struct xpt_users *users, uint32_t i, const struct xpt_bpf_user *u)
{
	uint64_t sent = u->ring.sent + u->urgent.sent;
	bool idle = u->owner && u->threads <= 0 && users->sent[i] == sent;

	users->sent[i] = sent;
	return idle;
}

/* A call that takes the entry at this moment counts for no user, or for the next user of the entry. */
static void give_back(struct xpt_users *users, int fd, uint32_t i, const struct xpt_bpf_user *u)
{
	static const struct xpt_bpf_user nobody;

	if (u->cut > users->most_cut.cut)
		users->most_cut = *u;
	bpf_map_update_elem(fd, &i, &nobody, BPF_EXIST);
	users->sent[i] = 0;
}

void xpt_users__step(struct xpt_engine *e)
{
	uint64_t now = xpt_now_ns();
	struct xpt_users *users = e->users;
	struct xpt_bpf_user u;
	uint32_t i;
	int fd;

	if (!e->skel->rodata->cfg.users || (users && now < users->next_ns))
		return;
	if (!users)
		users = e->users = calloc(1, sizeof(*users));
	if (!users)
		return;
	users->next_ns = now + LOOK_NS;
	fd = bpf_map__fd(e->skel->maps.xpt_users);
	for (i = 0; i < XPT_USERS; i++)
		if (!bpf_map_lookup_elem(fd, &i, &u) && is_idle(users, i, &u))
			give_back(users, fd, i, &u);
}

void xpt_users__close(struct xpt_engine *e)
{
	free(e->users);
}
