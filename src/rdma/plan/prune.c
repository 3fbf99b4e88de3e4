// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See prune.h. A method's closure is walked breadth first, so that the depth
 * of a function is that of its shortest way down; then each function is judged
 * by itself, and at last those are dropped that only pass a result on.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "rdma/plan/prune.h"
#include "wire/rdma.h"

/* Versions in which fexit learned more: right module for names that exist twice; > 6 arguments. */
enum { KERNEL_DOUBLES = 6004, KERNEL_ARGS = 6006, MAX_FEXIT_ARGS = 6, MAX_WORDS = 16,
       LOOKUP_ROUNDS = 8, SHARED_DEPTH = 3, ERRNO_DEPTH = 6 };

/* A function with this prefix returns the result of another thread. */
#define WAITS "wait_for_completion"

/* Cleanup that stays cleanup whatever the method, and cleanup that is the purpose of a method that destroys. */
static const char *const cleanup[] = { "put", "release", "cleanup", "unlock", "abort", "undo",
				       "unfill", "finalize", NULL };
static const char *const destroying[] = { "free", "destroy", "dealloc", "unbind", "del", "remove",
					  "unmap", "unpin", NULL };
/* Words by which methods say that they destroy. */
static const char *const destroys[] = { "destroy", "dealloc", "dereg", "free", "close", "detach",
					"destructor", NULL };
static const char *const counting[] = { "hold", "ref", "kref", "restrack", NULL };
static const char *const getting[] = { "get", NULL };
static const char *const reading[] = { "query", "read", "show", "dump", "stat", "poll", "peek",
				       NULL };
/* Objects are found with these: by a driver for each packet, too. */
static const char *const looking_up[] = { "get", "lookup", "find", NULL };
/* Methods that set nothing up, but are called for each message. */
static const char *const data_path[] = { "post_send", "post_recv", "post_srq_recv", "poll_cq",
					 "req_notify_cq", NULL };
/* For readers who must not wait: packets. */
static const char *const reading_fast[] = { "rcu", NULL };
/* bool functions whose answer becomes an errno. */
static const char *const chosen[] = { "ib_modify_qp_is_ok", NULL };
/* Outside of the RDMA modules, rarely called, and known to be where errors come from. */
static const char *const boundary[] = {
	"dma_resv_wait_timeout", "dma_buf_get", "dma_buf_map_attachment",
	"dma_buf_map_attachment_unlocked", "dma_buf_pin", "dma_buf_dynamic_attach",
	"pin_user_pages_fast", "sg_alloc_append_table_from_pages", "dma_map_sgtable", NULL,
};

/* Through these every method is called; libraries use write() on old kernels only, and hand
 * write commands to the ioctl otherwise. */
static const char *const entries[] = {
	"ib_uverbs_ioctl", "ib_uverbs_cmd_verbs", "ib_uverbs_write",
	"ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE",
	"ib_uverbs_notsupp",	/* in place of the handler, where the driver lacks the operation */
	NULL,
};
enum { NR_IOCTL_ENTRIES = 2 };

static bool in_list(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

/* Lower-case words of a name, split at underscores; a suffix (.isra.0) is none. */
struct words {
	char buf[128];
	const char *w[MAX_WORDS];
	unsigned n;
};

static void split_words(const char *name, struct words *w)
{
	size_t i, start = 0;

	w->n = 0;
	for (i = 0; i + 1 < sizeof(w->buf) && name[i] && name[i] != '.'; i++)
		w->buf[i] = name[i] == '_' ? '\0' : (char)tolower((unsigned char)name[i]);
	w->buf[i] = '\0';
	while (start < i && w->n < MAX_WORDS) {
		if (w->buf[start])
			w->w[w->n++] = w->buf + start;
		start += strlen(w->buf + start) + 1;
	}
}

static bool any_word(const struct words *w, const char *const *list)
{
	unsigned i;

	for (i = 0; i < w->n; i++)
		if (in_list(list, w->w[i]))
			return true;
	return false;
}

bool xpt_rdma_name__undoes(const char *fn)
{
	struct words w;

	split_words(fn, &w);
	return any_word(&w, cleanup) || any_word(&w, destroying);
}

/* fill_res, the one reading word that is two. */
static bool fills_res(const struct words *w)
{
	unsigned i;

	for (i = 0; i + 1 < w->n; i++)
		if (!strcmp(w->w[i], "fill") && !strcmp(w->w[i + 1], "res"))
			return true;
	return false;
}

struct pruner {
	const struct xpt_rdma_graph *g;
	const struct xpt_rdma_limits *limits;
	const struct xpt_rdma_root *root;
	struct xpt_rdma_plan *plan;
	uint16_t *depth;	/* by function; UINT16_MAX: not in the closure */
	uint8_t *rule;		/* by function */
	bool *narrowed;		/* by function */
	bool *carries;		/* by function; its result may come up to the method as a result */
	bool *posts;		/* by function; it runs for messages, too: below a method of the data path */
	uint32_t *queue;
	uint32_t nr, nr_entry;	/* in the queue; the first of them are entries, */
	uint32_t nr_sure;	/* and these are surely called, if their callers are */
	bool destroys, reads;	/* the method's own business */
};

static void reach_fn(struct pruner *p, uint32_t fn, unsigned depth)
{
	if (p->depth[fn] != UINT16_MAX)
		return;
	p->depth[fn] = depth < UINT16_MAX - 1 ? (uint16_t)depth : UINT16_MAX - 1;
	p->queue[p->nr++] = fn;
}

/* Whether a name is about a class of objects: destroy_qp, dereg_mr and QP_DESTROY all are. */
static bool about_object(const struct xpt_rdma_graph *g, const struct words *w,
			 const struct xpt_rdma_root *r)
{
	struct words object;
	unsigned i, k, found = 0;

	split_words(xpt_rdma_text(g, r->object), &object);
	for (i = 0; i < object.n; i++)
		for (k = 0; k < w->n; k++)
			if (!strcmp(object.w[i], w->w[k])) {
				found++;
				break;
			}
	return object.n && found == object.n;
}

/* A destroying method runs the destructor of its object's class, which no call site tells. */
static void reach_class(struct pruner *p, const struct words *w)
{
	const struct xpt_rdma_graph *g = p->g;
	uint32_t i, k;

	for (i = 0; p->destroys && i < g->nr_roots; i++) {
		const struct xpt_rdma_root *r = &g->roots[i];
		bool own = p->root->route == XPT_RDMA_IOCTL ? r == p->root :
			   r->route == XPT_RDMA_IOCTL && about_object(g, w, r);

		for (k = 0; own && k < r->nr_extra; k++)
			reach_fn(p, g->extras[r->first_extra + k], 1);
	}
}

static void reach_entries(struct pruner *p)
{
	bool ioctl = p->root->route == XPT_RDMA_IOCTL;
	uint32_t i, fn;

	for (i = 0; entries[i] && (i < NR_IOCTL_ENTRIES || !ioctl); i++) {
		fn = xpt_rdma_graph__find(p->g, entries[i]);
		if (fn != XPT_RDMA_NONE && fn != p->root->fn &&
		    p->g->fns[fn].module != XPT_RDMA_KERNEL)
			reach_fn(p, fn, 0);
	}
	p->nr_entry = p->nr;
}

static bool is_outcome(const struct xpt_rdma_fn *f)
{
	return f->ret == XPT_RDMA_RET_UNKNOWN || f->ret == XPT_RDMA_RET_INT || f->ret == XPT_RDMA_RET_LONG ||
	       f->ret == XPT_RDMA_RET_POINTER;
}

/*
 * Marks functions that may hand an error up: below a function without a result no error comes further. In order of
 * the queue, which is the order of depth.
 */
static void find_carriers(struct pruner *p)
{
	uint32_t i, k;

	p->carries[p->root->fn] = true;
	for (i = 0; i < p->nr_sure; i++) {
		const struct xpt_rdma_fn *f = &p->g->fns[p->queue[i]];

		if (!p->carries[p->queue[i]] || !(is_outcome(f) || f->ret == XPT_RDMA_RET_BOOL))
			continue;
		for (k = 0; k < f->nr_calls; k++) {
			const struct xpt_rdma_call *c = &p->g->calls[f->first_call + k];

			p->carries[c->callee] |= c->kind != XPT_RDMA_LIKELY && !c->unread;
		}
	}
}

/* From the queue's index `from` on; likely: only by calls that are not sure, of functions already in the queue. */
static void walk_from(struct pruner *p, uint32_t from, bool likely)
{
	const struct xpt_rdma_graph *g = p->g;
	uint32_t i, k, end = likely ? p->nr : UINT32_MAX;

	for (i = from; i < p->nr && i < end; i++) {
		const struct xpt_rdma_fn *f = &g->fns[p->queue[i]];

		/* Handles and attributes of an ioctl are looked up before its handler runs. */
		if (i < p->nr_entry && p->root->route != XPT_RDMA_IOCTL)
			continue;
		for (k = 0; k < f->nr_calls; k++) {
			const struct xpt_rdma_call *c = &g->calls[f->first_call + k];

			if ((c->kind == XPT_RDMA_LIKELY) != likely)
				continue;
			reach_fn(p, c->callee, p->depth[p->queue[i]] + 1u);
			p->narrowed[c->callee] |= c->narrowed;
		}
	}
}

/* Functions that are surely called come first: the budget is for them. */
static void walk_calls(struct pruner *p, const struct words *w)
{
	uint32_t n;

	reach_entries(p);
	reach_fn(p, p->root->fn, 0);
	reach_class(p, w);
	walk_from(p, 0, false);
	p->nr_sure = n = p->nr;
	walk_from(p, 0, true);
	walk_from(p, n, false);
	find_carriers(p);
}

/* R1: outside of the modules there are only leaves, and only few are worth a probe. */
static enum xpt_rdma_rule judge_boundary(const struct pruner *p, uint32_t fn)
{
	const struct xpt_rdma_fn *f = &p->g->fns[fn];

	if (!(f->flags & XPT_RDMA_FN_TRACEABLE) || p->depth[fn] > p->limits->depth + 1 ||
	    (!p->narrowed[fn] && !in_list(boundary, xpt_rdma_fn_name(p->g, fn))))
		return XPT_RDMA_R1;
	return XPT_RDMA_KEPT_BOUNDARY;
}

/* With an errno in its own code, whatever its name says: an error may begin there. */
static bool makes_errno(const struct xpt_rdma_fn *f)
{
	return f->nr_errnos && (f->ret == XPT_RDMA_RET_INT || f->ret == XPT_RDMA_RET_UNKNOWN);
}

/*
 * An errno of its own that callers read is no cleanup's: nobody asks whether that went well. One
 * that is only called through pointers may be asked.
 */
static bool is_asked(const struct xpt_rdma_fn *f)
{
	bool read = f->flags & XPT_RDMA_FN_RESULT_READ ||
		    (f->flags & XPT_RDMA_FN_TAKEN && !(f->flags & XPT_RDMA_FN_RESULT_UNREAD));

	return makes_errno(f) && read && !(f->flags & XPT_RDMA_FN_RESULT_UNREAD);
}

static enum xpt_rdma_rule judge_fn(const struct pruner *p, uint32_t fn)
{
	const struct xpt_rdma_fn *f = &p->g->fns[fn];
	const char *name = xpt_rdma_fn_name(p->g, fn);
	struct words w;

	if (fn == p->root->fn)
		return f->flags & XPT_RDMA_FN_TRACEABLE ? XPT_RDMA_KEPT_ROOT : XPT_RDMA_R2;
	if (f->module == XPT_RDMA_KERNEL)
		return judge_boundary(p, fn);
	if (!(f->flags & XPT_RDMA_FN_TRACEABLE))
		return XPT_RDMA_R2;
	if (in_list(chosen, name) && p->depth[fn] <= p->limits->depth + 1)
		return XPT_RDMA_KEPT_CHOSEN;
	if (!is_outcome(f) && !p->narrowed[fn])
		return XPT_RDMA_R3;
	if (p->limits->all)
		return XPT_RDMA_KEPT;
	split_words(name, &w);
	if ((any_word(&w, cleanup) || (!p->destroys && any_word(&w, destroying))) && !is_asked(f))
		return XPT_RDMA_R4;
	if (f->ret != XPT_RDMA_RET_POINTER && any_word(&w, counting))
		return XPT_RDMA_R5;
	if (any_word(&w, reading_fast) && (!f->nr_errnos || p->posts[fn] || !p->carries[fn]))
		return XPT_RDMA_R6;
	if (makes_errno(f))
		return XPT_RDMA_KEPT;
	if (f->ret != XPT_RDMA_RET_POINTER && any_word(&w, getting))
		return XPT_RDMA_R5;
	if (!p->reads && (any_word(&w, reading) || fills_res(&w)))
		return XPT_RDMA_R6;
	return XPT_RDMA_KEPT;
}

/* A look-up that fails with NULL alone: the errno is its caller's. */
static bool only_finds(const struct pruner *p, uint32_t fn)
{
	const struct xpt_rdma_fn *f = &p->g->fns[fn];
	struct words w;
	uint32_t i;

	if (p->rule[fn] != XPT_RDMA_KEPT || f->ret != XPT_RDMA_RET_POINTER || f->nr_errnos)
		return false;
	for (i = 0; i < f->nr_sites; i++)
		if (p->g->sites[f->first_site + i].resolution == XPT_RDMA_UNRESOLVED)
			return false;
	for (i = 0; i < f->nr_calls; i++)
		if (xpt_rdma_rule__keeps(p->rule[p->g->calls[f->first_call + i].callee]))
			return false;
	split_words(xpt_rdma_fn_name(p->g, fn), &w);
	return any_word(&w, looking_up);
}

/* Until there is no more, since a look-up may do another one; most are found at once. */
static void drop_lookups(struct pruner *p)
{
	unsigned rounds = p->limits->all ? 0 : LOOKUP_ROUNDS;
	bool more = true;
	uint32_t i;

	while (more && rounds--) {
		more = false;
		for (i = p->nr; i-- > 0;) {
			if (!only_finds(p, p->queue[i]))
				continue;
			p->rule[p->queue[i]] = XPT_RDMA_R5_LOOKUP;
			more = true;
		}
	}
}

static enum xpt_rdma_attach attach_of(const struct pruner *p, uint32_t fn)
{
	const struct xpt_rdma_fn *f = &p->g->fns[fn];

	if (!(f->flags & XPT_RDMA_FN_BTF))
		return XPT_RDMA_KRETPROBE_BTF;
	if (f->flags & XPT_RDMA_FN_VARARGS)
		return XPT_RDMA_KRETPROBE_VARARGS;
	if (f->nr_args > MAX_FEXIT_ARGS && p->limits->kernel_minor < KERNEL_ARGS)
		return XPT_RDMA_KRETPROBE_ARGS;
	if (f->flags & XPT_RDMA_FN_DOUBLE && p->limits->kernel_minor < KERNEL_DOUBLES)
		return XPT_RDMA_KRETPROBE_DOUBLE;
	return XPT_RDMA_FEXIT;
}

/* Whether a callee outside of the modules may be where the result comes from: it waits, or has an errno. */
static bool has_other_source(const struct pruner *p, uint32_t callee)
{
	const struct xpt_rdma_fn *f = &p->g->fns[callee];

	return f->module == XPT_RDMA_KERNEL &&
	       (!strncmp(xpt_rdma_fn_name(p->g, callee), WAITS, sizeof(WAITS) - 1) ||
		(f->ret == XPT_RDMA_RET_INT && f->flags & XPT_RDMA_FN_RESULT_READ));
}

/*
 * Returns whether it makes no errno itself and calls one kept function alone: its result is the result of that
 * function, unless that is a long and this hands on an int, or another function made it: the kernel's, or a thread
 * that this waits for. A function that only a kretprobe can see may well be called from elsewhere inlined, so it
 * does not count.
 */
static bool is_wrapper(const struct pruner *p, uint32_t fn)
{
	const struct xpt_rdma_fn *f = &p->g->fns[fn];
	uint32_t i, kept = 0;

	if (f->nr_errnos || f->nr_sites || p->rule[fn] != XPT_RDMA_KEPT)
		return false;
	for (i = 0; i < f->nr_calls; i++) {
		const struct xpt_rdma_call *c = &p->g->calls[f->first_call + i];

		if (!xpt_rdma_rule__keeps(p->rule[c->callee])) {
			if (has_other_source(p, c->callee))
				return false;
			continue;
		}
		if (c->narrowed || attach_of(p, c->callee) != XPT_RDMA_FEXIT)
			return false;
		kept++;
	}
	return kept == 1;
}

static void count_before_r8(struct pruner *p)
{
	uint32_t i;

	for (i = p->nr_entry; i < p->nr; i++)
		if (xpt_rdma_rule__keeps(p->rule[p->queue[i]])) {
			p->plan->before_r8++;
			p->plan->before_r8_fexit += attach_of(p, p->queue[i]) == XPT_RDMA_FEXIT;
		}
}

/* Modules that a driver shares with others make commands below some layers of their own. */
static unsigned deeper_by(const struct pruner *p, uint32_t fn)
{
	uint16_t module = p->g->fns[fn].module;

	return module != XPT_RDMA_KERNEL && p->g->modules[module].vendor == XPT_RDMA_SHARED ? SHARED_DEPTH : 0;
}

/*
 * The function where an error begins counts more than those that hand it on: of the functions that are too deep,
 * those of drivers come back that have an errno in their own code, the nearest first, as far as the budget goes.
 */
static void reach_errnos(struct pruner *p)
{
	uint32_t i, kept = 0;

	for (i = 0; i < p->nr; i++)
		kept += xpt_rdma_rule__keeps(p->rule[p->queue[i]]);
	for (i = 0; i < p->nr_sure && kept < p->limits->budget; i++) {
		uint32_t fn = p->queue[i];
		const struct xpt_rdma_fn *f = &p->g->fns[fn];

		if (p->rule[fn] != XPT_RDMA_R8_DEPTH || !makes_errno(f) || !p->carries[fn] || p->posts[fn] ||
		    p->g->modules[f->module].vendor == XPT_RDMA_CORE_MODULE ||
		    p->depth[fn] > p->limits->depth + deeper_by(p, fn) + ERRNO_DEPTH)
			continue;
		p->rule[fn] = XPT_RDMA_KEPT;
		kept++;
	}
}

/* Depth first, then wrappers deepest first: a wrapper of a wrapper goes too. */
static void apply_r8(struct pruner *p)
{
	uint32_t i, kept = 0;

	for (i = 0; i < p->nr; i++)
		if (p->rule[p->queue[i]] == XPT_RDMA_KEPT &&
		    p->depth[p->queue[i]] > p->limits->depth + deeper_by(p, p->queue[i]))
			p->rule[p->queue[i]] = XPT_RDMA_R8_DEPTH;
	for (i = p->nr; !p->limits->all && i-- > 0;)
		if (is_wrapper(p, p->queue[i]))
			p->rule[p->queue[i]] = XPT_RDMA_R8_WRAPPER;
	if (!p->limits->all && p->limits->depth == XPT_RDMA_DEPTH)	/* whoever names a depth gets that one */
		reach_errnos(p);
	/* The queue is in order of depth: the functions nearest to the method stay. */
	for (i = 0; i < p->nr; i++)
		if (xpt_rdma_rule__keeps(p->rule[p->queue[i]]) && kept++ >= p->limits->budget)
			p->rule[p->queue[i]] = XPT_RDMA_R_BUDGET;
}

struct sortable {
	struct xpt_rdma_step step;
	const char *name;
};

static int by_use(const void *x, const void *y)
{
	const struct sortable *a = x, *b = y;
	bool ka = xpt_rdma_rule__keeps(a->step.rule), kb = xpt_rdma_rule__keeps(b->step.rule);

	if (ka != kb)
		return ka ? -1 : 1;
	if (a->step.depth != b->step.depth)
		return a->step.depth < b->step.depth ? -1 : 1;
	/* Above the handler, the handler, then the rest: as the rules are numbered. */
	if (!a->step.depth && a->step.rule != b->step.rule)
		return a->step.rule < b->step.rule ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int fill_plan(struct pruner *p)
{
	struct xpt_rdma_plan *plan = p->plan;
	struct sortable *s = calloc((size_t)p->nr + 1, sizeof(*s));
	uint32_t i, k;

	plan->steps = calloc((size_t)p->nr + 1, sizeof(*plan->steps));
	if (!s || !plan->steps) {
		free(s);
		return -ENOMEM;
	}
	for (i = 0; i < p->nr; i++) {
		uint32_t fn = p->queue[i];
		const struct xpt_rdma_fn *f = &p->g->fns[fn];
		bool kept = xpt_rdma_rule__keeps(p->rule[fn]);

		s[i].name = xpt_rdma_fn_name(p->g, fn);
		s[i].step = (struct xpt_rdma_step){ .fn = fn, .depth = p->depth[fn],
			.rule = p->rule[fn], .attach = (uint8_t)attach_of(p, fn),
			.narrowed = p->narrowed[fn] };
		plan->nr_kept += kept;
		plan->nr_fexit += kept && s[i].step.attach == XPT_RDMA_FEXIT;
		plan->nr_entry += p->rule[fn] == XPT_RDMA_KEPT_ENTRY;
		plan->nr_kernel += f->module == XPT_RDMA_KERNEL;
		/* The functions that the entries call by pointer are the handlers themselves. */
		if (p->rule[fn] == XPT_RDMA_KEPT_ENTRY)
			continue;
		plan->nr_sites += f->nr_sites;
		for (k = 0; k < f->nr_sites; k++)
			plan->nr_resolved += p->g->sites[f->first_site + k].resolution !=
					     XPT_RDMA_UNRESOLVED;
	}
	qsort(s, p->nr, sizeof(*s), by_use);
	for (i = 0; i < p->nr; i++)
		plan->steps[i] = s[i].step;
	plan->nr = p->nr;
	free(s);
	return 0;
}

/*
 * Marks functions called by drivers that readers of RCU may call: some drivers call them for each packet, in
 * threads of their own.
 */
static void find_packet_readers(struct pruner *p)
{
	const struct xpt_rdma_graph *g = p->g;
	struct words w;
	uint32_t i, k;

	for (i = 0; i < g->nr_fns; i++) {
		const struct xpt_rdma_fn *f = &g->fns[i];

		if (f->module == XPT_RDMA_KERNEL || g->modules[f->module].vendor == XPT_RDMA_CORE_MODULE)
			continue;
		for (k = 0; k < f->nr_calls; k++) {
			uint32_t callee = g->calls[f->first_call + k].callee;

			split_words(xpt_rdma_fn_name(g, callee), &w);
			p->posts[callee] |= any_word(&w, reading_fast);
		}
	}
}

/* Uses the queue, which is empty before and after. */
static void find_posts(struct pruner *p)
{
	const struct xpt_rdma_graph *g = p->g;
	uint32_t i, k, n = 0;

	for (i = 0; i < g->nr_roots; i++)
		if (xpt_rdma_root__is_data_path(g, i) && !p->posts[g->roots[i].fn]) {
			p->posts[g->roots[i].fn] = true;
			p->queue[n++] = g->roots[i].fn;
		}
	for (i = 0; i < n; i++) {
		const struct xpt_rdma_fn *f = &g->fns[p->queue[i]];

		for (k = 0; k < f->nr_calls; k++) {
			uint32_t callee = g->calls[f->first_call + k].callee;

			if (p->posts[callee])
				continue;
			p->posts[callee] = true;
			p->queue[n++] = callee;
		}
	}
	find_packet_readers(p);
}

static int run_pruner(struct pruner *p)
{
	size_t n = (size_t)p->g->nr_fns + 1;
	struct words w;
	uint32_t i;

	p->depth = malloc(n * sizeof(*p->depth));
	p->rule = calloc(n, sizeof(*p->rule));
	p->narrowed = calloc(n, sizeof(*p->narrowed));
	p->carries = calloc(n, sizeof(*p->carries));
	p->posts = calloc(n, sizeof(*p->posts));
	p->queue = malloc(n * sizeof(*p->queue));
	if (!p->depth || !p->rule || !p->narrowed || !p->carries || !p->posts || !p->queue)
		return -ENOMEM;
	find_posts(p);
	memset(p->depth, 0xff, n * sizeof(*p->depth));
	memset(p->rule, XPT_RDMA_R1, n);
	split_words(xpt_rdma_text(p->g, p->root->name), &w);
	p->destroys = any_word(&w, destroys);
	p->reads = any_word(&w, reading);
	walk_calls(p, &w);
	for (i = 0; i < p->nr; i++) {
		p->rule[p->queue[i]] = (uint8_t)judge_fn(p, p->queue[i]);
		if (i < p->nr_entry && p->rule[p->queue[i]] != XPT_RDMA_R2)
			p->rule[p->queue[i]] = XPT_RDMA_KEPT_ENTRY;
	}
	drop_lookups(p);
	count_before_r8(p);
	apply_r8(p);
	return fill_plan(p);
}

int xpt_rdma_plan__make(const struct xpt_rdma_graph *g, uint32_t root,
			const struct xpt_rdma_limits *limits, struct xpt_rdma_plan **ret_plan)
{
	struct pruner p = { .g = g, .limits = limits, .root = &g->roots[root] };
	int err;

	p.plan = calloc(1, sizeof(*p.plan));
	if (!p.plan)
		return -ENOMEM;
	p.plan->root = root;
	err = run_pruner(&p);
	free(p.depth);
	free(p.rule);
	free(p.narrowed);
	free(p.carries);
	free(p.posts);
	free(p.queue);
	if (err)
		xpt_rdma_plan__free(p.plan);
	else
		*ret_plan = p.plan;
	return err;
}

void xpt_rdma_plan__free(struct xpt_rdma_plan *plan)
{
	if (!plan)
		return;
	free(plan->steps);
	free(plan);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Sorted, without "ex", which marks the newer form of a command. */
static void normalize_words(struct words *w)
{
	unsigned i, n = 0;

	for (i = 0; i < w->n; i++)
		if (strcmp(w->w[i], "ex"))
			w->w[n++] = w->w[i];
	w->n = n;
	qsort(w->w, n, sizeof(w->w[0]), by_text);
}

bool xpt_rdma_root__matches(const struct xpt_rdma_graph *g, uint32_t root, const char *word)
{
	const char *name = xpt_rdma_text(g, g->roots[root].name);
	struct words a, b;
	char lower[128];
	size_t i;

	for (i = 0; i + 1 < sizeof(lower) && name[i]; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	lower[i] = '\0';
	if (strpbrk(word, "*?"))
		return xpt_glob_match(word, lower) || xpt_glob_match(word, name);
	split_words(word, &a);
	split_words(lower, &b);
	normalize_words(&a);
	normalize_words(&b);
	if (!a.n || a.n != b.n)
		return false;
	for (i = 0; i < a.n; i++)
		if (strcmp(a.w[i], b.w[i]))
			return false;
	return true;
}

bool xpt_rdma_root__is_data_path(const struct xpt_rdma_graph *g, uint32_t root)
{
	const struct xpt_rdma_root *r = &g->roots[root];

	return r->route == XPT_RDMA_WRITE && r->number < XPT_RDMA_COMMANDS &&
	       in_list(data_path, xpt_rdma_text(g, r->name));
}

unsigned xpt_rdma_version(const char *release)
{
	unsigned major = 0, minor = 0;

	for (; isdigit((unsigned char)*release) && major < 1000; release++)
		major = major * 10 + (unsigned)(*release - '0');
	if (*release++ != '.')
		return 0;
	for (; isdigit((unsigned char)*release) && minor < 1000; release++)
		minor = minor * 10 + (unsigned)(*release - '0');
	return minor < 1000 ? major * 1000 + minor : 0;
}

static const struct {
	const char *name, *text;
} rules[XPT_RDMA_NR_RULES] = {
	[XPT_RDMA_KEPT] = { "kept", "its result tells of success or failure" },
	[XPT_RDMA_KEPT_ENTRY] = { "entry", "above the method's handler" },
	[XPT_RDMA_KEPT_ROOT] = { "root", "the method's handler" },
	[XPT_RDMA_KEPT_CHOSEN] = { "chosen", "its answer becomes an error" },
	[XPT_RDMA_KEPT_BOUNDARY] = { "boundary", "where rare errors come from" },
	[XPT_RDMA_R1] = { "R1", "outside of the RDMA modules" },
	[XPT_RDMA_R2] = { "R2", "the kernel cannot trace it" },
	[XPT_RDMA_R3] = { "R3", "no result that tells of failure" },
	[XPT_RDMA_R4] = { "R4", "cleanup" },
	[XPT_RDMA_R5] = { "R5", "reference counting" },
	[XPT_RDMA_R5_LOOKUP] = { "R5", "a look-up whose caller makes the errno" },
	[XPT_RDMA_R6] = { "R6", "only reads" },
	[XPT_RDMA_R8_DEPTH] = { "R8", "too deep below the method" },
	[XPT_RDMA_R8_WRAPPER] = { "R8", "only passes a result on" },
	[XPT_RDMA_R_BUDGET] = { "budget", "more probes than the budget has" },
};

const char *xpt_rdma_rule_name(enum xpt_rdma_rule rule)
{
	return rule < XPT_RDMA_NR_RULES ? rules[rule].name : "";
}

const char *xpt_rdma_rule_text(enum xpt_rdma_rule rule)
{
	return rule < XPT_RDMA_NR_RULES ? rules[rule].text : "";
}

const char *xpt_rdma_attach_name(enum xpt_rdma_attach attach)
{
	return attach == XPT_RDMA_FEXIT ? "fexit" : "kretprobe";
}

const char *xpt_rdma_attach_text(enum xpt_rdma_attach attach)
{
	static const char *const texts[XPT_RDMA_NR_ATTACHES] = {
		[XPT_RDMA_FEXIT] = "", [XPT_RDMA_KRETPROBE_BTF] = "no BTF",
		[XPT_RDMA_KRETPROBE_ARGS] = "more than 6 arguments",
		[XPT_RDMA_KRETPROBE_DOUBLE] = "name exists twice",
		[XPT_RDMA_KRETPROBE_VARARGS] = "variable arguments",
	};

	return attach < XPT_RDMA_NR_ATTACHES ? texts[attach] : "";
}
