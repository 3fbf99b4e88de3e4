// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaching to RDMA functions. Probes on returns are attached before those on entries, so that a call is recorded
 * only if all its returns can be seen. The ways of attaching (enum xpt_kattach) are tried one after the other, the
 * preferred one first; a set that the kernel refuses is halved until the refused function is alone.
 */
#include "engine/rdma/rdma_probes_priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/fds.h"
#include "engine/attach/link_set.h"
#include "kernel/kload.h"
#include "rdma.skel.h"

#define MAX_MODULES 64
#define GROUP 16	/* functions that share a program, at most */
#define COMMANDS "mlx5_cmd"	/* drivers/net/ethernet/mellanox/mlx5/core/diag/cmd_tracepoint.h */

struct set {
	struct xpt_rdma_watch *w;
	enum xpt_kattach kind;
	enum xpt_rdma_purpose purpose;
	const char *module;
	int btf;		/* descriptor of its types; 0: the kernel's own */
	int prog;
	struct xpt_rdma_job **v;
	uint64_t *words;	/* room for a cookie, and an address or BTF id, of each function */
};

/*
 * The preferred way first, which is not the order of enum xpt_kattach: sessions cost more per call than fentry, but
 * fentry needs a program and a trampoline for each function, and attaching to some 390 functions takes seconds longer
 * (docs/rdma.md).
 */
static const enum xpt_kattach order[] = {
	XPT_KATTACH_FENTRY_MULTI, XPT_KATTACH_KPROBE_SESSION, XPT_KATTACH_FENTRY, XPT_KATTACH_KPROBE,
};

#define NR_ORDER (sizeof(order) / sizeof(order[0]))

enum xpt_kattach xpt_rdma_attach__choose(const struct xpt_rdma_watch *w, const struct xpt_kfunc *k,
					 enum xpt_kattach after, const char **ret_why)
{
	enum xpt_kattach kind = XPT_KATTACH_AUTO;
	size_t i = 0;

	while (after && i < NR_ORDER && order[i++] != after)
		;
	*ret_why = after ? "the kernel refuses it" : "no way of attaching works on this kernel (see `xputrace doctor`)";
	for (; !kind && i < NR_ORDER; i++)
		if (!w->caps.err[order[i]])
			kind = xpt_kattach__choose(&w->caps, k, order[i], XPT_KATTACH_AUTO, false, ret_why);
	return kind;
}

static struct bpf_program *template_of(const struct xpt_rdma_watch *w, enum xpt_kattach kind,
				       enum xpt_rdma_purpose purpose)
{
	bool btf = xpt_kattach_by_btf(kind);

	if (kind == XPT_KATTACH_KPROBE_SESSION)
		return purpose == XPT_RDMA_EVENT ? w->skel->progs.xpt_rdma_session_event : w->skel->progs.xpt_rdma_session;
	switch (purpose) {
	case XPT_RDMA_ENTER:
		return btf ? w->skel->progs.xpt_rdma_enter : w->skel->progs.xpt_rdma_kenter;
	case XPT_RDMA_ASKED:
		return btf ? w->skel->progs.xpt_rdma_leave_asked : w->skel->progs.xpt_rdma_kleave;
	case XPT_RDMA_END:
		return btf ? w->skel->progs.xpt_rdma_end : w->skel->progs.xpt_rdma_kend;
	case XPT_RDMA_EVENT:
		return btf ? w->skel->progs.xpt_rdma_event : w->skel->progs.xpt_rdma_kevent;
	default:
		return btf ? w->skel->progs.xpt_rdma_leave : w->skel->progs.xpt_rdma_kleave;
	}
}

/*
 * Whether a program of that kind may be attached. Where functions get sessions, the kernel's list of traceable
 * functions tells in advance whether it accepts them, so that no other kind is needed. The verifier would spend a
 * quarter of the time until all is attached on templates that no function gets.
 */
static bool may_need(const struct xpt_rdma_watch *w, enum xpt_kattach kind)
{
	uint32_t i;

	if (w->caps.err[kind] || w->caps.err[XPT_KATTACH_KPROBE_SESSION] || kind == XPT_KATTACH_KPROBE_SESSION)
		return !w->caps.err[kind];
	for (i = 0; i < w->nr_jobs; i++)
		if (w->jobs[i].kind == kind || w->fns[w->jobs[i].id].k.traceable == XPT_KTRACE_UNKNOWN)
			return true;
	return false;
}

void xpt_rdma_attach__want(struct xpt_rdma_watch *w)
{
	int purpose;
	size_t i;

	for (i = 0; i < NR_ORDER; i++) {
		if (!may_need(w, order[i]))
			w->caps.err[order[i]] = -EOPNOTSUPP;
		for (purpose = 0; !w->caps.err[order[i]] && purpose < XPT_RDMA_NR_PURPOSES; purpose++)
			bpf_program__set_autoload(template_of(w, order[i], (enum xpt_rdma_purpose)purpose), true);
	}
	if (w->caps.err[XPT_KATTACH_KPROBE_SESSION])	/* the room is not needed */
		bpf_map__set_max_entries(w->skel->maps.xpt_rdma_frames, 1);
	bpf_program__set_autoload(w->skel->progs.xpt_rdma_command, true);
}

void xpt_rdma_attach__commands(struct xpt_rdma_watch *w)
{
	int fd;

	if (w->command_fd)
		return;
	fd = bpf_raw_tracepoint_open(COMMANDS, bpf_program__fd(w->skel->progs.xpt_rdma_command));
	if (fd > 0)
		w->command_fd = fd;
	else if (!w->said_none)
		xpt_debug("commands of the firmware: no tracepoint " COMMANDS ": %s", strerror(errno));
	w->said_none = fd <= 0;
}

static bool at_return(enum xpt_rdma_purpose purpose)
{
	return purpose == XPT_RDMA_LEAVE || purpose == XPT_RDMA_ASKED || purpose == XPT_RDMA_END;
}

static enum xpt_khalf half_of(enum xpt_kattach kind, enum xpt_rdma_purpose purpose)
{
	if (kind == XPT_KATTACH_KPROBE_SESSION && purpose != XPT_RDMA_EVENT)
		return XPT_KHALF_BOTH;
	return at_return(purpose) ? XPT_KHALF_LEAVE : XPT_KHALF_ENTER;
}

static uint64_t cookie_of(const struct xpt_rdma_watch *w, uint32_t id)
{
	return XPT_RDMA_COOKIE(id, xpt_rdma_generation(w, id));
}

static int load_program(const struct set *s, uint32_t id)
{
	int fd = xpt_kload__again(template_of(s->w, s->kind, s->purpose), s->kind,
				  half_of(s->kind, s->purpose), s->btf, id, s->w->is_return);

	if (fd < 0)
		return fd;
	return xpt_fds__append(&s->w->progs, &s->w->nr_progs, fd) ? -ENOMEM : fd;
}

static int create_link(const struct set *s, uint32_t from, uint32_t n)
{
	uint64_t *cookies = s->words, *addrs = s->words + n;
	uint32_t *ids = (uint32_t *)addrs, i;
	bool is_session = s->kind == XPT_KATTACH_KPROBE_SESSION;

	for (i = 0; i < n; i++) {
		const struct xpt_kfunc *k = &s->w->fns[s->v[from + i]->id].k;

		cookies[i] = cookie_of(s->w, s->v[from + i]->id);
		if (is_session)
			addrs[i] = k->addr;
		else
			ids[i] = k->proto.id;
	}
	if (is_session)
		return xpt_kattach__link_kprobes(s->prog, true, false, addrs, cookies, n);
	return xpt_kattach__link_tracing(s->prog, at_return(s->purpose) ?
					 XPT_BPF_TRACE_FEXIT_MULTI : XPT_BPF_TRACE_FENTRY_MULTI, ids,
					 cookies, n);
}

/* Callback of xpt_link_set__attach(). */
static int link_functions(void *ctx, uint32_t from, uint32_t n)
{
	const struct set *s = ctx;
	int fd = create_link(s, from, n), err = fd;
	uint32_t i;

	if (fd >= 0)
		err = xpt_fds__append(&s->w->fds, &s->w->nr_fds, fd);
	s->w->has_sessions |= !err && s->kind == XPT_KATTACH_KPROBE_SESSION;
	for (i = 0; !err && i < n; i++)
		s->v[from + i]->linked = true;
	return err;
}

static int link_fentry(const struct set *s, const struct xpt_rdma_job *j)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = cookie_of(s->w, j->id));
	int prog = load_program(s, s->w->fns[j->id].k.proto.id), fd;

	if (prog < 0)
		return prog;
	fd = bpf_link_create(prog, 0, at_return(s->purpose) ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
			     &opts);
	return fd < 0 ? -errno : fd;
}

static int link_kprobe(const struct set *s, const struct xpt_rdma_job *j)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie_of(s->w, j->id));
	const struct xpt_kfunc *k = &s->w->fns[j->id].k;
	bool module = strcmp(k->module, XPT_KERNEL_ITSELF) != 0;
	char name[XPT_KMODULE_LEN + XPT_KNAME_LEN];
	int event, fd;

	snprintf(name, sizeof(name), "%s%s%s", module ? k->module : "", module ? ":" : "", k->name);
	event = xpt_kattach__open_kprobe(k->addr, name, at_return(s->purpose));
	if (event < 0 || xpt_fds__append(&s->w->fds, &s->w->nr_fds, event))
		return event < 0 ? event : -ENOMEM;
	fd = bpf_link_create(s->prog, event, BPF_PERF_EVENT, &opts);
	return fd < 0 ? -errno : fd;
}

static void link_single(const struct set *s, struct xpt_rdma_job *j)
{
	int fd = s->kind == XPT_KATTACH_FENTRY ? link_fentry(s, j) : link_kprobe(s, j);

	if (fd >= 0)
		j->linked = !xpt_fds__append(&s->w->fds, &s->w->nr_fds, fd);
	else
		xpt_debug("%s: %s: %s", s->w->fns[j->id].k.name, xpt_kattach_name(s->kind),
			  strerror(-fd));
}

static void attach_singles(struct set *s, uint32_t n)
{
	uint32_t i;

	s->prog = s->kind == XPT_KATTACH_FENTRY ? 0 : load_program(s, 0);
	for (i = 0; s->prog >= 0 && i < n; i++)
		link_single(s, s->v[i]);
}

static void next_kind(struct xpt_rdma_watch *w, struct xpt_rdma_job *j)
{
	const char *why;

	j->kind = xpt_rdma_attach__choose(w, &w->fns[j->id].k, j->kind, &why);
	if (!j->kind)
		w->fns[j->id].hold.why = why;
}

/*
 * The kernel does not run a program on a CPU on which that same program runs already: if a thread is preempted
 * inside a program, that CPU misses the returns of all functions that share the program. So one program for all
 * functions misses many returns, and one for each function takes long to attach. Functions that begin and end
 * calls have programs of their own, because without them the whole call is missed.
 *
 * Programs of kprobes are not preempted, and while one runs the kernel runs no other on that CPU: one program is
 * enough for sessions. Before 6.14 a link has one pool for the returns of open calls, two for each of its functions
 * and processors, which all its functions share: a single link has the largest pool.
 */
static void attach_groups(struct set *s, uint32_t n)
{
	uint32_t size = s->purpose == XPT_RDMA_END || s->purpose == XPT_RDMA_ENTER ? 1 : GROUP, i, k;

	if (s->kind == XPT_KATTACH_KPROBE_SESSION)
		size = n;
	for (i = 0; i < n; i += k) {
		k = n - i < size ? n - i : size;
		s->prog = load_program(s, 0);
		if (s->prog >= 0)
			xpt_link_set__attach(&(struct xpt_link_set){ .link = link_functions, .ctx = s }, i, k);
	}
}

/* A session also runs at the entry: a job of ENTER is done if the job of END of the same function got a session. */
static void note_entries(struct set *s, uint32_t n)
{
	uint32_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < s->w->nr_jobs; k++) {
			const struct xpt_rdma_job *j = &s->w->jobs[k];

			if (j->id == s->v[i]->id && j->purpose == XPT_RDMA_END)
				s->v[i]->linked = j->linked && j->kind == s->kind;
		}
}

/* Sessions have one program for all purposes but events. */
static bool has_purpose(const struct set *s, const struct xpt_rdma_job *j)
{
	if (s->kind == XPT_KATTACH_KPROBE_SESSION && s->purpose == XPT_RDMA_LEAVE)
		return at_return(j->purpose);
	return j->purpose == s->purpose;
}

/* Attaches the functions of one kind, and of one module if a program is for one module. */
static void attach_set(struct set *s)
{
	uint32_t i, n = 0;

	for (i = 0; i < s->w->nr_jobs; i++) {
		struct xpt_rdma_job *j = &s->w->jobs[i];

		if (j->kind == s->kind && has_purpose(s, j) && !j->linked &&
		    (!s->module || !strcmp(s->w->fns[j->id].k.module, s->module)))
			s->v[n++] = j;
	}
	if (!n)
		return;
	if (s->module && strcmp(s->module, XPT_KERNEL_ITSELF))
		s->btf = xpt_kload__module_btf(s->module);
	if (s->kind == XPT_KATTACH_KPROBE_SESSION && s->purpose == XPT_RDMA_ENTER)
		note_entries(s, n);
	else if (s->btf >= 0 && xpt_kattach__is_multi(s->kind))
		attach_groups(s, n);
	else if (s->btf >= 0)
		attach_singles(s, n);
	if (s->btf > 0)
		close(s->btf);
	s->btf = 0;
	for (i = 0; i < n; i++)
		if (!s->v[i]->linked)
			next_kind(s->w, s->v[i]);
}

/* The modules that jobs are in, each once; their number. */
static unsigned modules_of(const struct xpt_rdma_watch *w, const char **v)
{
	unsigned n = 0, k;
	uint32_t i;

	for (i = 0; i < w->nr_jobs; i++) {
		const char *module = w->fns[w->jobs[i].id].k.module;

		for (k = 0; k < n && strcmp(v[k], module); k++)
			;
		if (k == n && n < MAX_MODULES)
			v[n++] = module;
	}
	return n;
}

void xpt_rdma_attach(struct xpt_rdma_watch *w)
{
	const char *modules[MAX_MODULES];
	struct set s = { .w = w };
	unsigned m, n = modules_of(w, modules);
	int purpose;
	size_t i;

	s.v = calloc((size_t)w->nr_jobs + 1, sizeof(*s.v));
	s.words = calloc(2 * (size_t)w->nr_jobs + 2, sizeof(*s.words));
	for (purpose = 0; s.v && s.words && purpose < XPT_RDMA_NR_PURPOSES; purpose++) {
		s.purpose = (enum xpt_rdma_purpose)purpose;
		for (i = 0; i < NR_ORDER; i++) {
			s.kind = order[i];
			for (m = 0; m < (xpt_kattach_by_btf(s.kind) ? n : 1); m++) {
				s.module = xpt_kattach_by_btf(s.kind) ? modules[m] : NULL;
				attach_set(&s);
			}
		}
	}
	free(s.v);
	free(s.words);
}
