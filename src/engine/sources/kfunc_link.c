// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches to kernel functions: one way of attaching after the other, best first. A set that the kernel refuses is
 * halved until the refused function is alone; that one is tried again in the next way that it can have.
 */
#include "engine/sources/kfunc_priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/fds.h"
#include "base/time.h"
#include "engine/attach/link_set.h"
#include "kernel/kload.h"
#include "call.skel.h"

struct set {
	struct xpt_engine *e;
	enum xpt_kattach kind;
	enum xpt_khalf half;
	uint32_t module;
	int prog;
	struct xpt_kfn **v;
	uint64_t *words;	/* room for two a function */
};

static struct bpf_program *template_of(struct call_bpf *skel, enum xpt_kattach kind,
				       enum xpt_khalf half)
{
	switch (half) {
	case XPT_KHALF_ENTER:
		return xpt_kattach_by_btf(kind) ? skel->progs.xpt_kfn_enter : skel->progs.xpt_kp_enter;
	case XPT_KHALF_LEAVE:
		return xpt_kattach_by_btf(kind) ? skel->progs.xpt_kfn_leave : skel->progs.xpt_kp_leave;
	default:
		return xpt_kattach_by_btf(kind) ? skel->progs.xpt_kfn_session : skel->progs.xpt_kp_session;
	}
}

static bool is_session(enum xpt_kattach kind)
{
	return kind == XPT_KATTACH_FSESSION_MULTI || kind == XPT_KATTACH_KPROBE_SESSION;
}

void xpt_kfuncs__want(struct call_bpf *skel, enum xpt_kattach kind)
{
	if (is_session(kind)) {
		bpf_program__set_autoload(template_of(skel, kind, XPT_KHALF_BOTH), true);
	} else {
		bpf_program__set_autoload(template_of(skel, kind, XPT_KHALF_ENTER), true);
		bpf_program__set_autoload(template_of(skel, kind, XPT_KHALF_LEAVE), true);
	}
}

static int load_program(const struct set *s, enum xpt_khalf half, uint32_t id)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(s->e);
	struct xpt_kmodule *m = &k->modules[s->module];
	int fd;

	if (xpt_kattach_by_btf(s->kind) && m->btf < 0)
		m->btf = xpt_kload__module_btf(m->name);
	if (xpt_kattach_by_btf(s->kind) && m->btf < 0)
		return m->btf;
	fd = xpt_kload__again(template_of(s->e->skel, s->kind, half), s->kind, half, m->btf, id, k->is_return);
	if (fd < 0)
		return fd;
	return xpt_fds__append(&k->progs, &k->nr_progs, fd) ? -ENOMEM : fd;
}

static int create_link(const struct set *s, uint32_t from, uint32_t n)
{
	uint64_t *cookies = s->words, *addrs = s->words + n;
	uint32_t *ids = (uint32_t *)addrs, i;

	for (i = 0; i < n; i++) {
		cookies[i] = s->v[from + i]->id;
		if (xpt_kattach_by_btf(s->kind))
			ids[i] = s->v[from + i]->btf_id;
		else
			addrs[i] = s->v[from + i]->addr;
	}
	switch (s->kind) {
	case XPT_KATTACH_FSESSION_MULTI:
		return xpt_kattach__link_tracing(s->prog, XPT_BPF_TRACE_FSESSION_MULTI, ids, cookies, n);
	case XPT_KATTACH_FENTRY_MULTI:
		return xpt_kattach__link_tracing(s->prog, s->half == XPT_KHALF_ENTER ?
						 XPT_BPF_TRACE_FENTRY_MULTI :
						 XPT_BPF_TRACE_FEXIT_MULTI, ids, cookies, n);
	default:
		return xpt_kattach__link_kprobes(s->prog, s->half == XPT_KHALF_BOTH,
						 s->half == XPT_KHALF_LEAVE, addrs, cookies, n);
	}
}

static void note_kind(const struct set *s, struct xpt_kfn *f)
{
	if (s->half == XPT_KHALF_LEAVE)
		f->half = true;
	else
		f->linked = true;
}

/* Callback of xpt_link_set__attach(). */
static int link_functions(void *ctx, uint32_t from, uint32_t n)
{
	const struct set *s = ctx;
	struct xpt_kfuncs *k = xpt_kfuncs__of(s->e);
	uint64_t t0 = xpt_now_ns();
	int fd = create_link(s, from, n), err = fd;
	uint32_t i;

	if (fd >= 0)
		err = xpt_fds__append(&k->fds, &k->nr_fds, fd);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		note_kind(s, s->v[from + i]);
	xpt_debug("%s: one link for %u functions took %llu ms", xpt_kattach_name(s->kind), n,
		  (unsigned long long)((xpt_now_ns() - t0) / 1000000));
	return 0;
}

/* Callback of xpt_link_set__attach(). */
static void on_refused(void *ctx, uint32_t from, uint32_t n, int err)
{
	const struct set *s = ctx;

	if (n == 1)
		xpt_debug("%s: %s: %s", s->v[from]->k.name, xpt_kattach_name(s->kind), strerror(-err));
}

static void link_all(struct set *s, uint32_t n)
{
	const struct xpt_link_set set = { .link = link_functions, .on_refused = on_refused, .ctx = s };

	xpt_link_set__attach(&set, 0, n);
}

/*
 * Attaches all functions with one link, or with one for returns and one for entries. That for returns comes first, so
 * that no call begins whose return would not be seen.
 */
static void attach_multi(struct set *s, uint32_t n)
{
	bool both = s->kind == XPT_KATTACH_FSESSION_MULTI || s->kind == XPT_KATTACH_KPROBE_SESSION;
	uint32_t i, kept = 0;
	int enter = -1;

	s->half = both ? XPT_KHALF_BOTH : XPT_KHALF_LEAVE;
	s->prog = load_program(s, s->half, 0);
	if (s->prog >= 0 && !both)	/* before the first link: without it there should be none */
		enter = load_program(s, XPT_KHALF_ENTER, 0);
	if (s->prog < 0 || (!both && enter < 0))
		return;
	link_all(s, n);
	if (both)
		return;
	for (i = 0; i < n; i++)
		if (s->v[i]->half)
			s->v[kept++] = s->v[i];
	s->half = XPT_KHALF_ENTER;
	s->prog = enter;
	link_all(s, kept);
}

static int link_fentry(const struct set *s, const struct xpt_kfn *f, enum xpt_khalf half)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = f->id);
	int prog = load_program(s, half, f->btf_id), fd;

	if (prog < 0)
		return prog;
	fd = bpf_link_create(prog, 0, half == XPT_KHALF_ENTER ? BPF_TRACE_FENTRY : BPF_TRACE_FEXIT,
			     &opts);
	return fd < 0 ? -errno : fd;
}

static int link_kprobe(const struct set *s, const struct xpt_kfn *f, enum xpt_khalf half)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = f->id);
	struct xpt_kfuncs *k = xpt_kfuncs__of(s->e);
	char name[XPT_KMODULE_LEN + XPT_KNAME_LEN];
	int event, fd;

	snprintf(name, sizeof(name), "%s%s%s", f->module ? f->k.module : "", f->module ? ":" : "",
		 f->k.name);
	event = xpt_kattach__open_kprobe(f->addr, name, half == XPT_KHALF_LEAVE);
	if (event < 0 || xpt_fds__append(&k->fds, &k->nr_fds, event))
		return event < 0 ? event : -ENOMEM;
	fd = bpf_link_create(s->prog, event, BPF_PERF_EVENT, &opts);
	return fd < 0 ? -errno : fd;
}

static int link_half(struct set *s, struct xpt_kfn *f, enum xpt_khalf half)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(s->e);
	int fd = s->kind == XPT_KATTACH_FENTRY ? link_fentry(s, f, half) : link_kprobe(s, f, half);

	if (fd < 0)
		return fd;
	k->nr_single++;
	return xpt_fds__append(&k->fds, &k->nr_fds, fd);
}

void xpt_kfuncs__close_fds(struct xpt_kfuncs *k, size_t nr_left)
{
	while (k->nr_fds > nr_left) {
		k->missed += xpt_kload__link_missed(k->fds[--k->nr_fds]);
		close(k->fds[k->nr_fds]);
	}
}

/* Makes two links for each function, or none: a return without its entry would have no call. */
static void attach_single(struct set *s, uint32_t n)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(s->e);
	int leave = -1, enter = -1, err;
	uint32_t i;

	if (s->kind == XPT_KATTACH_KPROBE) {
		leave = load_program(s, XPT_KHALF_LEAVE, 0);
		enter = leave < 0 ? leave : load_program(s, XPT_KHALF_ENTER, 0);
		if (enter < 0)
			return;
	}
	for (i = 0; i < n; i++) {
		size_t nr_fds = k->nr_fds;
		uint32_t nr_single = k->nr_single;

		s->prog = leave;
		err = link_half(s, s->v[i], XPT_KHALF_LEAVE);
		s->prog = enter;
		if (!err)
			err = link_half(s, s->v[i], XPT_KHALF_ENTER);
		s->v[i]->linked = !err;
		if (!err)
			continue;
		xpt_kfuncs__close_fds(k, nr_fds);
		k->nr_single = nr_single;
		xpt_debug("%s: %s: %s", s->v[i]->k.name, xpt_kattach_name(s->kind), strerror(-err));
	}
}

/* Attaches the functions of one kind, and of one module if the kind's program is for one module. */
static void attach_kind(struct set *s, bool many)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(s->e);
	bool any = !xpt_kattach_by_btf(s->kind);
	const char *why;
	uint32_t i, n = 0;

	for (i = 0; i < k->n; i++)
		if (k->v[i].kind == s->kind && !k->v[i].linked && (any || k->v[i].module == s->module))
			s->v[n++] = &k->v[i];
	if (!n)
		return;
	if (xpt_kattach__is_multi(s->kind))
		attach_multi(s, n);
	else
		attach_single(s, n);
	for (i = 0; i < k->n; i++) {
		struct xpt_kfn *f = &k->v[i];

		/* A function whose return is linked already is not linked again: its return would be seen twice. */
		if (f->kind == s->kind && !f->linked && (any || f->module == s->module))
			f->kind = s->e->cfg.kernel.kind || f->half ? XPT_KATTACH_AUTO :
				  xpt_kattach__choose(&k->caps, &f->k, XPT_KATTACH_AUTO, s->kind, many,
						      &why);
	}
}

void xpt_kfuncs__attach(struct xpt_engine *e, bool many)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	struct set s = { .e = e };
	int kind;

	s.v = calloc(k->n + 1, sizeof(*s.v));
	s.words = calloc(2 * (size_t)k->n + 2, sizeof(*s.words));
	for (kind = XPT_KATTACH_AUTO + 1; s.v && s.words && kind < XPT_KATTACH__MAX; kind++) {
		s.kind = (enum xpt_kattach)kind;
		for (s.module = 0; s.module < (xpt_kattach_by_btf(s.kind) ? k->nr_modules : 1); s.module++)
			attach_kind(&s, many);
	}
	free(s.v);
	free(s.words);
}
