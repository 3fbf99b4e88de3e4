// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See plans.h: which graph and which methods the options mean, and messages about wrong options. */
#include "session/rdma/plans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "session/options/suggest.h"
#include "rdma/trace/record.h"
#include "rdma/graph/inputs.h"
#include "session/options/usage.h"

#define AUTO "auto"

static int load_plans(const struct xpt_rdma_which *w, struct xpt_rdma_plans *p)
{
	struct xpt_rdma_where where = { .root = "" };
	char why[XPT_RDMA_WHY];
	int err;

	where.root = w->root ? w->root : "";
	if (!strcmp(where.root, "/"))
		where.root = "";
	where.release = w->release;
	where.no_driver = w->drivers.n == 1 && !strcmp(w->drivers.v[0], "none");
	if (w->drivers.n && !where.no_driver)
		where.drivers = w->drivers.v;
	err = xpt_rdma_graph__load(&where, &p->g, why);
	if (err)
		xpt_err(err, "%s", why);
	return err;
}

static bool has_fn(const struct xpt_list *words, const struct xpt_rdma_graph *g, uint32_t root)
{
	unsigned i;

	for (i = 0; i < words->n; i++)
		if (xpt_rdma_root__matches(g, root, words->v[i]))
			return true;
	return false;
}

static void split_word(const char *text, struct xpt_rdma_deep_word *ret_word)
{
	size_t n = strlen(AUTO);
	const char *colon;

	*ret_word = (struct xpt_rdma_deep_word){ .once_failed = !strncmp(text, AUTO, n) &&
						 (!text[n] || text[n] == ':') };
	if (ret_word->once_failed)
		text += text[n] ? n + 1 : n;
	colon = strchr(text, ':');
	if (colon)
		ret_word->shape = colon + 1;
	snprintf(ret_word->method, sizeof(ret_word->method), "%.*s", (int)strcspn(text, ":"), text);
}

bool xpt_rdma_plans__deepens(const struct xpt_rdma_which *w, const struct xpt_rdma_graph *g,
			     uint32_t root, const char *shape, bool once_failed)
{
	struct xpt_rdma_deep_word word;
	unsigned i;

	for (i = 0; i < w->deep.n; i++) {
		split_word(w->deep.v[i], &word);
		if (word.once_failed == once_failed &&
		    (!word.method[0] || xpt_rdma_root__matches(g, root, word.method)) &&
		    (!shape || !word.shape || xpt_rdma_shape__matches(word.shape, shape)))
			return true;
	}
	return false;
}

int xpt_rdma_plans__fill(const struct xpt_rdma_plans *p, const struct xpt_rdma_which *w,
			 struct xpt_rdma_watchlist *list)
{
	struct xpt_rdma_limits deep = XPT_RDMA_DEEP_LIMITS(p->limits.kernel_minor);
	struct xpt_rdma_limits plain = { XPT_RDMA_DEPTH, XPT_RDMA_BUDGET, p->limits.kernel_minor, false };
	struct xpt_rdma_plan *plan;
	uint32_t i;
	int err = xpt_rdma_owners__new(p->g, "/proc/kallsyms", &list->owners);

	if (err && err != -ENOMEM) {
		xpt_debug("RDMA: addresses of functions are not known (%s), callers are told by the stack alone",
			  strerror(-err));
		err = 0;
	}
	for (i = 0; !err && i < p->g->nr_roots; i++) {
		err = xpt_rdma_plan__make(p->g, i, &plain, &plan);
		if (err)
			break;
		err = xpt_rdma_watchlist__own(list, plan);
		xpt_rdma_plan__free(plan);
		if (err || !xpt_rdma_plans__deepens(w, p->g, i, NULL, false))
			continue;
		err = xpt_rdma_plan__make(p->g, i, &deep, &plan);
		if (err)
			break;
		xpt_rdma_watchlist__add(list, plan);
		xpt_rdma_plan__free(plan);
	}
	return err;
}

static bool is_named(const struct xpt_rdma_which *w, const struct xpt_rdma_graph *g, uint32_t root)
{
	struct xpt_rdma_deep_word word;
	unsigned i;

	if (has_fn(&w->methods, g, root))
		return true;
	for (i = 0; i < w->deep.n; i++) {
		split_word(w->deep.v[i], &word);
		if (word.method[0] && xpt_rdma_root__matches(g, root, word.method))
			return true;
	}
	return false;
}

/*
 * Methods that are not chosen have no plan, unless they are to be looked into further. Calls
 * of the data path are not even begun then, whatever else is watched.
 */
static bool is_chosen(const struct xpt_rdma_which *w, struct xpt_rdma_plans *p, uint32_t root)
{
	if (is_named(w, p->g, root))
		return true;
	if (!w->to_watch || !xpt_rdma_root__is_data_path(p->g, root))
		return !w->methods.n;
	p->passed |= 1ull << p->g->roots[root].number;
	return false;
}

static int make_plans(const struct xpt_rdma_which *w, struct xpt_rdma_plans *p)
{
	uint32_t i;
	int err;

	p->plans = calloc((size_t)p->g->nr_roots + 1, sizeof(*p->plans));
	if (!p->plans)
		return xpt_err(-ENOMEM, "out of memory");
	for (i = 0; i < p->g->nr_roots; i++) {
		if (!is_chosen(w, p, i))
			continue;
		err = xpt_rdma_plan__make(p->g, i, &p->limits, &p->plans[p->nr]);
		if (err)
			return xpt_err(err, "out of memory");
		p->nr++;
	}
	return 0;
}

/* A word that no method has. An exit status. */
static int check_method(const char *word, const struct xpt_rdma_graph *g)
{
	struct xpt_near near;
	char text[256];
	uint32_t i;

	for (i = 0; i < g->nr_roots; i++)
		if (xpt_rdma_root__matches(g, i, word))
			return XPT_EXIT_OK;
	xpt_near__init(&near, word);
	for (i = 0; i < g->nr_roots; i++)
		xpt_near__offer(&near, xpt_rdma_text(g, g->roots[i].name));
	xpt_err(0, "this kernel has no method '%s'%s", word, xpt_near__text(&near, text, sizeof(text)));
	return XPT_EXIT_NOTHING;
}

static int check_methods(const struct xpt_rdma_which *w, const struct xpt_rdma_graph *g)
{
	struct xpt_rdma_deep_word word;
	int status = XPT_EXIT_OK;
	unsigned i;

	for (i = 0; !status && i < w->methods.n; i++)
		status = check_method(w->methods.v[i], g);
	for (i = 0; !status && i < w->deep.n; i++) {
		split_word(w->deep.v[i], &word);
		if (word.method[0])
			status = check_method(word.method, g);
	}
	return status;
}

int xpt_rdma_plans__check(const char *command, const struct xpt_rdma_which *w)
{
	struct xpt_rdma_deep_word word;
	unsigned i;

	for (i = 0; i < w->deep.n; i++) {
		split_word(w->deep.v[i], &word);
		if (!word.shape)
			continue;
		if (strcmp(word.method, "modify_qp"))
			return xpt_usage(command, "--deep %s: only calls of modify_qp are told apart",
					      w->deep.v[i]);
		if (!xpt_rdma_shape__is_possible(word.shape))
			return xpt_usage(command, "--deep %s: modify_qp leads to RESET, INIT, RTR, RTS, "
					      "SQD, SQE or ERR", w->deep.v[i]);
	}
	return -1;
}

static int parse_limits(const char *command, const struct xpt_rdma_which *w,
			struct xpt_rdma_plans *p)
{
	uint64_t depth = XPT_RDMA_DEPTH, budget = XPT_RDMA_BUDGET;

	if (w->depth && xpt_parse_u64(w->depth, 0, 1000, &depth))
		return xpt_usage(command, "--depth: '%s' is no number from 0 to 1000",
				      w->depth);
	if (w->budget && xpt_parse_u64(w->budget, 1, 100000, &budget))
		return xpt_usage(command, "--budget: '%s' is no number from 1 to 100000",
				      w->budget);
	p->limits.depth = (unsigned)depth;
	p->limits.budget = (unsigned)budget;
	return -1;
}

int xpt_rdma_plans__make(const char *command, const struct xpt_rdma_which *w,
			 struct xpt_rdma_plans *ret_p)
{
	struct xpt_rdma_plans *p = ret_p;
	int status = parse_limits(command, w, p), err;

	if (status >= 0)
		return status;
	err = load_plans(w, p);
	if (err)
		return err == -ENOENT ? XPT_EXIT_NOTHING : XPT_EXIT_FAILED;
	status = check_methods(w, p->g);
	if (status)
		return status;
	p->limits.kernel_minor = xpt_rdma_version(xpt_rdma_text(p->g, p->g->release));
	return make_plans(w, p) ? XPT_EXIT_FAILED : -1;
}

void xpt_rdma_plans__free(struct xpt_rdma_plans *p)
{
	unsigned i;

	for (i = 0; i < p->nr; i++)
		xpt_rdma_plan__free(p->plans[i]);
	free(p->plans);
	xpt_rdma_graph__free(p->g);
}
