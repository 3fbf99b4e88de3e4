// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tracepoints that hooks name: one function for each hook and tracepoint, with
 * the fields of the kernel's record as arguments by name.
 */
#include "engine/sources/tracepoints.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "engine/function_ids.h"
#include "engine/priv.h"
#include "engine/source.h"
#include "engine/sources/hooks/hook_source.h"
#include "kernel/kload.h"
#include "kernel/tpformat.h"
#include "kernel/tracefs.h"
#include "call.skel.h"

extern const struct xpt_source xpt_source_tracepoints;

#define FORMAT_MAX 65536

struct tp {
	char category[128], name[256];
	uint8_t hook;
	bool first;		/* of this tracepoint: the others follow it */
	struct xpt_wire_tp wire;
	struct bpf_link *link;
};

struct tracepoints {		/* the source's state */
	struct tp v[XPT_TRACEPOINTS];
	uint32_t n;
};

static struct tracepoints *state_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_tracepoints);
}

static bool has_any(const struct xpt_engine *e)
{
	for (uint32_t i = 0; i < e->cfg.nr_hooks; i++)
		if (e->cfg.hooks[i].probe.kind == XPT_PROBE_TRACEPOINT)
			return true;
	return false;
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	(void)kind;
	bpf_program__set_autoload(skel->progs.xpt_tracepoint, has_any(e));
	if (has_any(e))
		bpf_map__set_max_entries(skel->maps.xpt_tracepoints, XPT_TRACEPOINTS);
}

/* --- tracepoints -------------------------------------------------------------------- */

static DIR *open_events(void)
{
	const char *root = xpt_tracefs__root();
	char path[64];

	if (!root)
		return NULL;
	snprintf(path, sizeof(path), "%s/events", root);
	return opendir(path);
}

static bool is_dir(const struct dirent *entry)
{
	return entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
}

static void each_in(DIR *events, const char *category, void (*fn)(void *, const char *, const char *), void *ctx)
{
	int fd = openat(dirfd(events), category, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!d && fd >= 0)
		close(fd);
	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.' && is_dir(entry))
			fn(ctx, category, entry->d_name);
	if (d)
		closedir(d);
}

bool xpt_tracepoints__each(void (*fn)(void *ctx, const char *category, const char *name), void *ctx)
{
	DIR *events = open_events();
	struct dirent *entry;

	while (events && (entry = readdir(events)))
		if (entry->d_name[0] != '.' && is_dir(entry))
			each_in(events, entry->d_name, fn, ctx);
	if (events)
		closedir(events);
	return events != NULL;
}

static int read_format(const char *category, const char *name, struct xpt_tp_format *ret_f)
{
	const char *root = xpt_tracefs__root();
	char path[600], *text = calloc(1, FORMAT_MAX);
	ssize_t n = -1;
	int fd = -1;

	if (text && root) {
		snprintf(path, sizeof(path), "%s/events/%.128s/%.256s/format", root, category, name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd >= 0)
		n = read(fd, text, FORMAT_MAX - 1);
	if (fd >= 0)
		close(fd);
	if (n > 0)
		xpt_tpformat__parse(text, ret_f);
	free(text);
	return n > 0 ? 0 : -ENOENT;
}

/* --- functions ------------------------------------------------------------------------ */

static bool is_named(const struct xpt_hook *h, const char *name)
{
	for (unsigned i = 0; i < h->nr_caps; i++)
		if (!strcmp(h->cap[i].arg_name, name))
			return true;
	return false;
}

/* Chooses the fields to capture: those that the hook names, then others as far as there is room. */
static void choose_fields(const struct xpt_hook *h, const struct xpt_tp_format *f, struct xpt_captures *known,
			  struct xpt_wire_site *site)
{
	unsigned n = 0;

	for (int named = 1; named >= 0; named--) {
		for (unsigned i = 0; i < f->nr && n < XPT_MAX_VALS && n < XPT_POINT_ARGS; i++) {
			const struct xpt_tp_field *field = &f->field[i];
			bool address = field->loc.kind != XPT_LOC_FIELD;

			if (is_named(h, field->name) != named)
				continue;
			site->loc[n] = field->loc;
			snprintf(known->name[n], sizeof(known->name[n]), "%s", field->name);
			known->spec.cap[n] = (struct xpt_wire_cap){
				.op = field->text ? XPT_CAP_STR : XPT_CAP_VAL, .arg = (uint8_t)n,
				.width = field->loc.width,
				.role = address || field->loc.width == 8 ? XPT_ROLE_NONE : XPT_ROLE_VALUE,
			};
			n++;
		}
	}
	known->spec.nr_caps = (uint8_t)n;
	site->nr_locs = n;
}

/* Adds it to the trace as a function; false: there is no room. */
static bool add_function(struct xpt_engine *e, struct tp *tp, const struct xpt_captures *caps)
{
	bool stack = xpt_hook__wants_stack(&e->cfg.hooks[tp->hook - 1]);
	const char *names[XPT_MAX_VALS];
	char sym[512];
	struct xpt_new_function f = {
		.name = tp->name, .sym = sym, .base = sym, .group = "tracepoint",
		.lib = XPT_NO_LIB, .layer = XPT_LAYER_POINT, .fn = { .kernel = true },
		.live = caps->spec, .spec = caps->spec,
	};

	snprintf(sym, sizeof(sym), "%s:%s", tp->category, tp->name);
	f.cap_names = xpt_captures__names(caps, names);
	f.live.flags |= XPT_FN_POINT | (stack ? XPT_FN_STACK : 0);
	f.spec.flags = f.spec.hook = 0;
	xpt_hooks__show(e, xpt_functions__next(e), &f.spec);
	tp->wire.fn = xpt_functions__add(e, &f);
	tp->wire.stack = stack;
	return tp->wire.fn != 0;
}

/* Makes the function of tp; false: the hook's values are not there, or there is no room. */
static bool describe_function(struct xpt_engine *e, struct tp *tp)
{
	const struct xpt_hook *h = &e->cfg.hooks[tp->hook - 1];
	struct xpt_captures known = { .spec = { .nr_caps = 0 } }, caps;
	struct xpt_hook_place place = { .sym = tp->name, .known = &known, .kernel = true };
	static struct xpt_tp_format format;
	struct xpt_wire_hook_steps steps;

	if (!xpt_functions__next(e) || read_format(tp->category, tp->name, &format))
		return false;
	choose_fields(h, &format, &known, &tp->wire.site);
	if (!xpt_hooks__spec(e, tp->hook, &place, NULL, &caps, &steps) ||
	    !xpt_hooks__set_steps(e, xpt_functions__next(e), &steps))
		return false;
	caps.spec.ret = XPT_RET_NONE;
	if (!add_function(e, tp, &caps))
		return false;
	e->stats.nr_fns++;
	return true;
}

/* The first and the last of the same tracepoint, NULL: there is none yet; how many there are. */
static unsigned find_same(struct tracepoints *tps, const struct tp *tp, struct tp **ret_first, struct tp **ret_last)
{
	unsigned nr = 0;

	*ret_first = *ret_last = NULL;
	for (uint32_t i = 0; i < tps->n; i++) {
		if (strcmp(tps->v[i].name, tp->name) || strcmp(tps->v[i].category, tp->category))
			continue;
		*ret_first = nr ? *ret_first : &tps->v[i];
		*ret_last = &tps->v[i];
		nr++;
	}
	return nr;
}

/* Adds it after the last one of the same tracepoint. Returns false if there is no room, or values are missing. */
static bool add_tracepoint(struct xpt_engine *e, struct tp *tp)
{
	struct tp *first, *last;

	if (find_same(state_of(e), tp, &first, &last) == XPT_TP_HOOKS) {
		xpt_hooks__refuse(e, tp->hook, "tracepoints have %u hooks at most: others before it are on %s",
				  XPT_TP_HOOKS, tp->name);
		return false;
	}
	if (!describe_function(e, tp))
		return false;
	tp->first = !first;
	if (first) {
		last->wire.next = state_of(e)->n + 1;
		first->wire.stack |= tp->wire.stack;
	}
	return true;
}

struct match {
	struct xpt_engine *e;
	uint8_t hook;
	bool full;
};

static void match_name(void *ctx, const char *category, const char *name)
{
	struct match *m = ctx;
	const struct xpt_probe *p = &m->e->cfg.hooks[m->hook - 1].probe;
	struct tracepoints *tps = state_of(m->e);
	struct tp *tp = &tps->v[tps->n];

	if (!xpt_glob_match(p->provider, category) || !xpt_name_match(p->name, name))
		return;
	m->full |= !xpt_hooks__fit(m->e, m->hook, (uint64_t)tps->n + 1, XPT_TRACEPOINTS);
	if (m->full || strlen(category) >= sizeof(tp->category) || strlen(name) >= sizeof(tp->name))
		return;
	*tp = (struct tp){ .hook = m->hook };
	snprintf(tp->category, sizeof(tp->category), "%s", category);
	snprintf(tp->name, sizeof(tp->name), "%s", name);
	if (!add_tracepoint(m->e, tp))
		return;
	xpt_hooks__found(m->e, m->hook);
	tps->n++;
}

/* Finds them, and describes them to the programs. */
static int open_tracepoints(struct xpt_engine *e)
{
	const struct tracepoints *tps = state_of(e);

	for (uint32_t i = 0; i < e->cfg.nr_hooks; i++) {
		struct match m = { .e = e, .hook = (uint8_t)(i + 1) };

		if (e->cfg.hooks[i].probe.kind == XPT_PROBE_TRACEPOINT)
			xpt_tracepoints__each(match_name, &m);
	}
	for (uint32_t i = 0; i < tps->n; i++)
		if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_tracepoints), &i, &tps->v[i].wire,
					BPF_ANY))
			return -errno;
	return 0;
}

/* --- links ---------------------------------------------------------------------------- */

static int start(struct xpt_engine *e)
{
	struct tracepoints *tps = state_of(e);

	for (uint32_t i = 0; i < tps->n; i++) {
		struct tp *tp = &tps->v[i];

		if (!tp->first)
			continue;
		tp->link = xpt_tracefs__attach(e->skel->progs.xpt_tracepoint, tp->category, tp->name, i);
		if (tp->link) {
			e->stats.nr_probes++;
			continue;
		}
		xpt_debug("tracepoint %s:%s: %s", tp->category, tp->name, strerror(errno));
		e->stats.nr_failed++;
	}
	return 0;
}

static void detach(struct xpt_engine *e)
{
	struct tracepoints *tps = state_of(e);

	for (uint32_t i = 0; i < tps->n; i++) {
		bpf_link__destroy(tps->v[i].link);
		tps->v[i].link = NULL;
	}
}

static uint32_t slow_links(const struct xpt_engine *e)
{
	return state_of(e)->n;
}

/*
 * Hits while another program, or a system call that changes a map, had that CPU; before Linux 6.7 the kernel counts
 * none.
 */
static void losses(struct xpt_engine *e, uint64_t *lost)
{
	if (state_of(e)->n)
		lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__missed(bpf_program__fd(e->skel->progs.xpt_tracepoint));
}

const struct xpt_source xpt_source_tracepoints = {
	.name = "tracepoints",
	.state_size = sizeof(struct tracepoints),
	.configure = configure,
	.open = open_tracepoints,
	.start = start,
	.slow_links = slow_links,
	.detach = detach,
	.losses = losses,
	.free = detach,
};
