// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Histograms as text and as JSON, see hist.h. A slot holds times above one
 * power of two up to the next (wire.h), so a value read out of them, like a
 * percentile, is an upper bound that is at most twice the true value.
 */
#include "recordings/hist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "session/options/kernel_functions.h"
#include "session/options/suggest.h"
#include "model/call.h"
#include "model/domain/domain.h"
#include "model/text.h"
#include "model/vocab.h"

#define SHOWN 10		/* functions in text, unless all are asked for */
#define BAR_MAX 60		/* columns */
#define BAR_AT 36		/* where bars begin */
#define TEXT_MAX (1u << 20)	/* bytes of one function */
#define MODULE_MAX 64

/* Whether it is a kernel function of that module: the path of its library is "[module]". */
static bool is_of_module(const struct xpt_fn *fn, const char *module, size_t n)
{
	char glob[MODULE_MAX + 2], with[MODULE_MAX + 4];

	if (fn->layer != XPT_LAYER_DRIVER || !fn->lib || n >= MODULE_MAX)
		return false;
	snprintf(glob, sizeof(glob), "%.*s", (int)n, module);
	snprintf(with, sizeof(with), "[%s]", glob);
	if (!strcmp(with, fn->lib->path))
		return true;
	snprintf(with, sizeof(with), "%s", fn->lib->path + (fn->lib->path[0] == '['));
	with[strcspn(with, "]")] = '\0';
	return xpt_glob_match(glob, with);
}

/* A command without a name, "ioctl(0x5401)", is meant by ioctl:0x5401 and ioctl:*. */
static bool is_number(const char *pattern, const struct xpt_fn *fn)
{
	char with[64];
	unsigned nr;

	if (fn->layer != XPT_LAYER_IOCTL || sscanf(fn->name, "ioctl(0x%x)", &nr) != 1)
		return false;
	snprintf(with, sizeof(with), "ioctl:0x%x", nr);
	return xpt_glob_match(pattern, with);
}

static bool matches_pattern(const char *pattern, const struct xpt_fn *fn)
{
	const char *colon;

	if (!xpt_kernel__is_pattern(pattern))
		return xpt_glob_match(pattern, fn->name) || xpt_glob_match(pattern, fn->base) ||
		       is_number(pattern, fn);
	pattern += strlen("kernel:");
	colon = strchr(pattern, ':');
	if (!colon)
		return fn->layer == XPT_LAYER_DRIVER && xpt_glob_match(pattern, fn->name);
	return is_of_module(fn, pattern, (size_t)(colon - pattern)) &&
	       xpt_glob_match(colon + 1, fn->name);
}

static int by_time(const void *a, const void *b)
{
	const struct xpt_run_fn *x = *(const struct xpt_run_fn *const *)a;
	const struct xpt_run_fn *y = *(const struct xpt_run_fn *const *)b;

	if (x->n.time_ns != y->n.time_ns)
		return x->n.time_ns < y->n.time_ns ? 1 : -1;
	return strcmp(x->fn->name, y->fn->name);
}

/* Returns the functions that match, sorted by time; to be freed. */
static const struct xpt_run_fn **choose_fns(const struct xpt_run *run, const char *pattern,
					    size_t *ret_nr)
{
	const struct xpt_run_fn **rows = calloc(XPT_MAX_FNS, sizeof(void *));
	size_t n = 0;

	for (size_t i = 0; rows && i < XPT_MAX_FNS; i++)
		if (run->fns[i].fn && run->fns[i].n.calls && matches_pattern(pattern, run->fns[i].fn))
			rows[n++] = &run->fns[i];
	if (rows)
		qsort(rows, n, sizeof(*rows), by_time);
	*ret_nr = n;
	return rows;
}

static uint64_t upper_bound(const struct xpt_wire_count *n, unsigned slot)
{
	return slot + 1 < XPT_HIST_SLOTS ? 1ull << slot : n->max_ns;
}

static uint64_t lower_bound(unsigned slot)
{
	return slot ? 1ull << (slot - 1) : 0;
}

static void find_range(const struct xpt_wire_count *n, unsigned *ret_first, unsigned *ret_last,
		       uint64_t *ret_most)
{
	unsigned i, first = XPT_HIST_SLOTS, last = 0;
	uint64_t most = 0;

	for (i = 0; i < XPT_HIST_SLOTS; i++) {
		if (!n->hist[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > n->hist[i] ? most : n->hist[i];
	}
	*ret_first = first;
	*ret_last = last;
	*ret_most = most;
}

/* Whether the mean or the p50 is less than tracing adds to a call. A place takes no time at all. */
static bool is_below(const struct xpt_run_fn *f, uint64_t cost_ns)
{
	return !xpt_fn__is_point(f->fn) && (f->n.time_ns / f->n.calls < cost_ns ||
					    xpt_run__quantile(f, 0.5) < cost_ns);
}

static void add_text(struct xpt_strbuf *sb, const struct xpt_run_fn *f, uint64_t cost_ns,
		     unsigned columns, bool utf8)
{
	unsigned width = columns - BAR_AT < BAR_MAX ? columns - BAR_AT : BAR_MAX, first, last;
	const struct xpt_wire_count *n = &f->n;
	char a[32], b[32], c[32], d[32];
	const char *mark = f->dist ? "" : "<= ";
	uint64_t most;

	find_range(n, &first, &last, &most);
	xpt_text__add(sb, f->fn->name, columns, utf8);
	xpt_strbuf__addf(sb, "\n  %s call%s, %s; mean %s", xpt_fmt_count(n->calls, a, sizeof(a)),
			 n->calls == 1 ? "" : "s", xpt_fmt_ns(n->time_ns, b, sizeof(b)),
			 xpt_fmt_ns(n->time_ns / n->calls, c, sizeof(c)));
	xpt_strbuf__addf(sb, ", p50 %s%s", mark, xpt_fmt_ns(xpt_run__quantile(f, 0.5), a, sizeof(a)));
	xpt_strbuf__addf(sb, ", p99 %s%s, max %s", mark,
			 xpt_fmt_ns(xpt_run__quantile(f, 0.99), b, sizeof(b)),
			 xpt_fmt_ns(n->max_ns, d, sizeof(d)));
	if (is_below(f, cost_ns))
		xpt_strbuf__addf(sb, "\n  tracing adds %s to a call: a good part of these times is not "
				 "their own", xpt_fmt_ns(cost_ns, a, sizeof(a)));
	xpt_strbuf__addf(sb, "\n  %10s %10s %10s\n", "above", "up to", "calls");
	for (unsigned i = first; i <= last; i++) {
		xpt_strbuf__addf(sb, "  %10s %10s %10s", i ? xpt_fmt_ns(lower_bound(i), a, sizeof(a)) : "",
				 xpt_fmt_ns(upper_bound(n, i), b, sizeof(b)),
				 xpt_fmt_count(n->hist[i], c, sizeof(c)));
		if (n->hist[i])
			xpt_strbuf__add(sb, "  ");
		xpt_text__bar(sb, n->hist[i], most, width, utf8);
		xpt_strbuf__addc(sb, '\n');
	}
}

static void add_json(struct xpt_strbuf *sb, const struct xpt_run_fn *f, uint64_t cost_ns)
{
	const struct xpt_wire_count *n = &f->n;
	const char *sep = "";

	xpt_strbuf__add(sb, "{\"function\":");
	xpt_strbuf__add_json(sb, f->fn->name);
	xpt_strbuf__add(sb, ",\"layer\":");
	xpt_strbuf__add_json(sb, xpt_layer_name(f->fn->layer));
	xpt_strbuf__add(sb, ",\"library\":");
	if (f->fn->lib)
		xpt_strbuf__add_json(sb, f->fn->lib->path);
	else
		xpt_strbuf__add(sb, "null");
	xpt_strbuf__addf(sb, ",\"calls\":%" PRIu64 ",\"time_ns\":%" PRIu64 ",\"mean_ns\":%" PRIu64,
			 (uint64_t)n->calls, (uint64_t)n->time_ns, (uint64_t)(n->time_ns / n->calls));
	xpt_strbuf__addf(sb, ",\"p50_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64
			 ",\"bounds\":%d,\"below_cost\":%s,\"histogram\":[", xpt_run__quantile(f, 0.5),
			 xpt_run__quantile(f, 0.99), (uint64_t)n->max_ns, !f->dist,
			 !cost_ns ? "null" : is_below(f, cost_ns) ? "1" : "0");
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++) {
		if (!n->hist[i])
			continue;
		xpt_strbuf__addf(sb, "%s{\"above_ns\":%" PRIu64 ",\"up_to_ns\":%" PRIu64
				 ",\"calls\":%" PRIu64 "}", sep, lower_bound(i), upper_bound(n, i),
				 (uint64_t)n->hist[i]);
		sep = ",";
	}
	xpt_strbuf__add(sb, "]}");
}

static void put_text(struct xpt_strbuf *sb)
{
	fwrite(xpt_strbuf__str(sb), 1, sb->len, stdout);
	xpt_strbuf__reset(sb);
}

static void write_json(struct xpt_strbuf *sb, const struct xpt_run *run, const char *pattern,
		       const struct xpt_run_fn **rows, size_t nr)
{
	xpt_strbuf__add(sb, "{\"schema_version\":1,\"pattern\":");
	xpt_strbuf__add_json(sb, pattern);
	xpt_strbuf__addf(sb, ",\"exact\":%s,\"functions\":[",
			 run->fns == run->ctr && (run->ctr_calls || run->complete) ? "true" : "false");
	for (size_t i = 0; i < nr; i++) {
		xpt_strbuf__add(sb, i ? "," : "");
		add_json(sb, rows[i], run->cost_ns);
		put_text(sb);
	}
	xpt_strbuf__add(sb, "]}\n");
}

static void write_text(struct xpt_strbuf *sb, const struct xpt_run *run,
		       const struct xpt_hist_cfg *cfg, const struct xpt_run_fn **rows, size_t nr)
{
	size_t shown = cfg->all || nr <= SHOWN ? nr : SHOWN;
	bool utf8 = xpt_text_utf8();

	for (size_t i = 0; i < shown; i++) {
		xpt_strbuf__add(sb, i ? "\n" : "");
		add_text(sb, rows[i], run->cost_ns, cfg->columns, utf8);
		put_text(sb);
	}
	if (shown < nr)
		xpt_strbuf__addf(sb, "\n%zu more functions with less time; --all shows them\n",
				 nr - shown);
	if (nr && run->fns != run->ctr)
		xpt_strbuf__add(sb, "\nFrom the calls that were read: without the exact counters of "
				"a trace's end.\n");
}

size_t xpt_hist__write(const struct xpt_run *run, const struct xpt_hist_cfg *cfg)
{
	const struct xpt_run_fn **rows;
	struct xpt_strbuf sb;
	size_t nr;

	rows = choose_fns(run, cfg->pattern, &nr);
	xpt_strbuf__init(&sb, TEXT_MAX);
	if (cfg->json)
		write_json(&sb, run, cfg->pattern, rows, nr);
	else
		write_text(&sb, run, cfg, rows, nr);
	put_text(&sb);
	xpt_strbuf__free(&sb);
	free(rows);
	return nr;
}

void xpt_hist__explain(const struct xpt_run *run, const struct xpt_hist_cfg *cfg)
{
	struct xpt_near near;
	char text[256];
	size_t calls = 0;

	xpt_near__init(&near, cfg->pattern);
	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		if (!run->fns[i].fn || !run->fns[i].n.calls)
			continue;
		xpt_near__offer(&near, run->fns[i].fn->name);
		calls += run->fns[i].n.calls;
	}
	xpt_err(0, "no call of a function that matches '%s'%s", cfg->pattern,
		!calls ? ", nor any other" : near.n ? xpt_near__text(&near, text, sizeof(text)) : "");
}
