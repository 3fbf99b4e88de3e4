// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns a pattern of commands into keys. The BPF programs look a key up when they see a command for the first time
 * (bpf/ioctl/ioctl_args.bpf.h): they know numbers and no names.
 */
#include "engine/sources/hooks/ioctl_hooks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "engine/priv.h"
#include "engine/sources/hooks/hook_source.h"
#include "model/domain/domain.h"
#include "model/kernel/ioctl_table.h"
#include "call.skel.h"

struct out {
	xpt_ioctl_key_fn fn;
	void *ctx;
	uint32_t n;
	bool stop;
};

static const struct xpt_ioctls *all_tables(void)
{
	const struct xpt_domain *d = xpt_domain__find("ioctl");

	return d ? d->ioctls : NULL;
}

static void put_one(struct out *o, uint32_t table, uint32_t cmd, uint32_t sub, uint32_t call)
{
	struct xpt_ioctl_key key = { table, cmd, sub, call };

	if (o->stop)
		return;
	o->n++;
	o->stop = o->fn && !o->fn(o->ctx, &key);
}

bool xpt_ioctl_hook__is_kind(const char *device)
{
	const struct xpt_ioctls *t = all_tables();

	return !strcmp(device, "*") || (t && xpt_ioctl__table(t, device));
}

/* "NV_ESC_RM_ALLOC" means it with whatever object; "NV_ESC_RM_ALLOC:NV01_*" some of them. */
static void put_command(struct out *o, uint32_t table, const struct xpt_ioctl_set *set,
			const struct xpt_ioctl_name *cmd, const char *pattern)
{
	const struct xpt_ioctl_subs *subs = NULL;
	char name[2 * XPT_IOCTL_NAME_MAX];

	for (size_t i = 0; i < set->nr_subs; i++)
		if (set->subs[i].code == cmd->code)
			subs = &set->subs[i];
	if (xpt_glob_match(pattern, cmd->name)) {
		put_one(o, table, cmd->code, XPT_IOCTL_ANY, XPT_IOCTL_COMMAND);
		return;
	}
	for (size_t i = 0; subs && i < subs->nr; i++) {
		snprintf(name, sizeof(name), "%s:%s", cmd->name, subs->names[i].name);
		if (xpt_glob_match(pattern, name))
			put_one(o, table, cmd->code, subs->names[i].code, XPT_IOCTL_COMMAND);
	}
}

static void put_table(struct out *o, uint32_t table, const char *pattern)
{
	const struct xpt_ioctl_set *set = &all_tables()->sets[table];
	uint64_t cmd;

	if (!strcmp(pattern, "mmap")) {
		put_one(o, table, 0, XPT_IOCTL_ANY, XPT_IOCTL_MMAP);
	} else if (!strcmp(pattern, "poll")) {
		put_one(o, table, 0, XPT_IOCTL_ANY, XPT_IOCTL_POLL);
	} else if (!strcmp(pattern, "*")) {
		put_one(o, table, XPT_IOCTL_ANY, XPT_IOCTL_ANY, XPT_IOCTL_COMMAND);
	} else if (!xpt_parse_u64(pattern, 0, UINT32_MAX - 1, &cmd)) {
		put_one(o, table, (uint32_t)cmd, XPT_IOCTL_ANY, XPT_IOCTL_COMMAND);
	} else {
		for (size_t i = 0; i < set->nr_cmds; i++)
			put_command(o, table, set, &set->cmds[i], pattern);
	}
}

uint32_t xpt_ioctl_hook__keys(const struct xpt_probe *p, xpt_ioctl_key_fn fn, void *ctx)
{
	uint32_t only = strcmp(p->path, "*") && all_tables() ? xpt_ioctl__table(all_tables(), p->path) : 0;
	struct out o = { .fn = fn, .ctx = ctx };

	for (uint32_t table = 1; all_tables() && table < XPT_IOCTL_TABLE__MAX; table++)
		if (!only || table == only)
			put_table(&o, table, p->name);
	return o.n;
}

void xpt_ioctl_hook__names(void (*fn)(void *ctx, const char *name), void *ctx)
{
	const struct xpt_ioctls *t = all_tables();

	for (uint32_t table = 1; t && table < XPT_IOCTL_TABLE__MAX; table++)
		for (size_t i = 0; i < t->sets[table].nr_cmds; i++)
			fn(ctx, t->sets[table].cmds[i].name);
}

/* --- for the kernel side ------------------------------------------------------------- */

bool xpt_ioctl_hooks__any(const struct xpt_engine *e)
{
	for (uint32_t i = 0; i < e->cfg.nr_hooks; i++)
		if (e->cfg.hooks[i].probe.kind == XPT_PROBE_IOCTL)
			return true;
	return false;
}

void xpt_ioctl_hooks__configure(const struct xpt_engine *e, struct call_bpf *skel)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;

	if (!xpt_ioctl_hooks__any(e))
		return;
	cfg->ioctl_hooks = e->cfg.ioctls_of_hooks ? 2 : 1;
	bpf_map__set_max_entries(skel->maps.xpt_ioctl_hooks, XPT_IOCTL_HOOK_KEYS);
}

struct fill {
	int fd;
	uint32_t hook, nr;	/* nr: keys that it has */
	int err;
};

static bool has_command(const struct fill *f, const struct xpt_ioctl_key *key, uint32_t cmd)
{
	struct xpt_ioctl_key k = { key->table, cmd, XPT_IOCTL_ANY, key->call };
	uint32_t hook;

	return !bpf_map_lookup_elem(f->fd, &k, &hook) && hook != f->hook;
}

/* The first hook in the order of lines keeps a command, also where it meant it among others. */
static bool fill_command(void *ctx, const struct xpt_ioctl_key *key)
{
	struct fill *f = ctx;

	if (has_command(f, key, key->cmd) || has_command(f, key, XPT_IOCTL_ANY))
		return true;
	if (!bpf_map_update_elem(f->fd, key, &f->hook, BPF_NOEXIST))
		f->nr++;
	else if (errno != EEXIST)
		f->err = -errno;
	return !f->err;
}

/* A program for a file has the device in it. */
static uint32_t device_of(const struct xpt_probe *p)
{
	struct stat st;

	if (xpt_ioctl_hook__is_kind(p->path) || stat(p->path, &st))
		return 0;
	return (uint32_t)xpt_ioctl_device_key(st.st_mode, st.st_rdev);
}

int xpt_ioctl_hooks__open(struct xpt_engine *e)
{
	struct fill f = { .fd = bpf_map__fd(e->skel->maps.xpt_ioctl_hooks) };

	for (uint32_t i = 0; i < e->cfg.nr_hooks && !f.err; i++) {
		const struct xpt_hook *h = &e->cfg.hooks[i];
		struct xpt_wire_hook prog = h->prog;
		struct xpt_wire_hook_steps steps;
		uint32_t at = XPT_MAX_FNS + i + 1;

		if (h->probe.kind != XPT_PROBE_IOCTL)
			continue;
		f.hook = i + 1;
		f.nr = 0;
		xpt_ioctl_hook__keys(&h->probe, fill_command, &f);
		if (f.nr)
			xpt_hooks__found(e, (uint8_t)(i + 1));
		prog.device = device_of(&h->probe);
		xpt_hook__ioctl_steps(h, &steps);
		if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_hooks), &i, &prog, BPF_ANY) ||
		    (steps.nr && bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_hook_steps), &at, &steps, BPF_ANY)))
			return -errno;
	}
	return f.err;
}

const struct xpt_hook *xpt_ioctl_hooks__of(const struct xpt_engine *e, uint32_t fn)
{
	struct xpt_wire_fn spec;

	if (!xpt_ioctl_hooks__any(e) || bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_fns), &fn, &spec) ||
	    !spec.hook || spec.hook > e->cfg.nr_hooks)
		return NULL;
	return &e->cfg.hooks[spec.hook - 1];
}
