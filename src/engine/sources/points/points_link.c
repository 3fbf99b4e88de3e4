// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Links of points: one for all places of a file, or a perf event for each.
 */
#include "engine/sources/points/point_parts.h"

#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/process/fds.h"
#include "engine/attach/uprobes.h"
#include "engine/sources/points/points.h"
#include "engine/waiting/blocking.h"
#include "call.skel.h"

struct xpt_elib *xpt_points__new_set(const struct xpt_point_file *f)
{
	struct xpt_elib *lib = calloc(1, sizeof(*lib));

	if (lib) {
		lib->inode = f->inode;
		lib->owner = f->owner;
	}
	return lib;
}

static void note_linked(struct xpt_engine *e, struct xpt_point_file *f)
{
	struct xpt_point_share *share = xpt_point_files__of(e, f->owner);

	if (f->linked)
		return;
	f->linked = true;
	f->linked_owner = f->owner;
	xpt_points__of(e)->nr_used++;
	if (share)
		share->files++;
}

void xpt_points__keep_set(struct xpt_engine *e, struct xpt_point_file *f, struct xpt_elib *lib)
{
	struct xpt_points *pts = xpt_points__of(e);
	bool is_used = lib->nr_fds || lib->nr_links;
	struct xpt_elib **sets = is_used ? reallocarray(pts->sets, pts->nr_sets + 1, sizeof(*sets)) : NULL;

	if (!sets) {		/* nothing to keep, or no memory */
		xpt_uprobes__unlink(lib);
		free(lib);
		return;
	}
	pts->sets = sets;
	pts->sets[pts->nr_sets++] = lib;
	note_linked(e, f);
}

static bool keep_link(struct xpt_elib *lib, struct bpf_link *link)
{
	struct bpf_link **links = reallocarray(lib->links, lib->nr_links + 1, sizeof(*links));

	if (!links) {
		bpf_link__destroy(link);
		return false;
	}
	lib->links = links;
	lib->links[lib->nr_links++] = link;
	return true;
}

static bool link_one(struct xpt_engine *e, struct xpt_elib *lib, const char *path, uint64_t offset,
		     uint64_t sema, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = cookie, .ref_ctr_offset = sema);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(e->skel->progs.xpt_point, -1, path, offset, &opts);

	if (!link)
		xpt_engine__probe_refused(e, path, offset, -errno);
	return link && keep_link(lib, link);
}

struct batch {
	struct xpt_engine *e;
	struct xpt_elib *lib;
	const char *path;
	const uint64_t *offsets, *semas, *cookies;	/* semas may be NULL */
};

/* One request for a link. */
struct link_request {
	const struct batch *b;
	uint32_t from, n;
};

/* Callback of xpt_blocking__run(). */
static int make_link(const void *arg)
{
	const struct link_request *r = arg;
	const struct batch *b = r->b;

	return xpt_kernel__link_points(bpf_program__fd(b->e->skel->progs.xpt_point), b->path, b->offsets + r->from,
				       b->semas ? b->semas + r->from : NULL, b->cookies + r->from, r->n);
}

/* Callback of xpt_link_set__attach(). */
static int link_batch(void *ctx, uint32_t from, uint32_t n)
{
	const struct batch *b = ctx;
	const struct link_request r = { b, from, n };
	int fd = xpt_blocking__run(b->e, make_link, &r, true);

	return fd < 0 ? fd : xpt_fds__append(&b->lib->fds, &b->lib->nr_fds, fd);
}

/* Callback of xpt_link_set__attach(). */
static void on_refused(void *ctx, uint32_t from, uint32_t n, int err)
{
	const struct batch *b = ctx;

	(void)n;
	b->lib->refused = err;
	xpt_engine__probe_refused(b->e, b->path, b->offsets[from], err);
}

static void swap_words(uint64_t *a, uint64_t *b)
{
	uint64_t c = *a;

	*a = *b;
	*b = c;
}

/*
 * The kernel sets one probe after the other, and a program may wait for a semaphore of its own: then it goes on when
 * all sites without one have their probes.
 */
static void put_semaphores_last(uint64_t *offsets, uint64_t *semas, uint64_t *cookies, uint32_t n)
{
	uint32_t i = 0;

	while (i < n) {
		if (!semas[i]) {
			i++;
			continue;
		}
		n--;
		swap_words(&offsets[i], &offsets[n]);
		swap_words(&semas[i], &semas[n]);
		swap_words(&cookies[i], &cookies[n]);
	}
}

uint32_t xpt_points__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path, uint64_t *offsets,
			  uint64_t *semas, uint64_t *cookies, uint32_t n)
{
	struct batch b = { e, lib, path, offsets, semas, cookies };
	struct xpt_link_allowance left = xpt_uprobes__allowance(e, lib);
	uint32_t i, done = 0;
	struct xpt_link_set set = { .link = link_batch, .on_refused = on_refused, .ctx = &b, .one_file = true,
				    .left = xpt_engine__is_open(e) ? &left : NULL };

	if (semas)
		put_semaphores_last(offsets, semas, cookies, n);
	if (e->attach != XPT_ATTACH_PERF)
		return xpt_link_set__attach(&set, 0, n);
	for (i = 0; i < n; i++)
		done += link_one(e, lib, path, offsets[i], semas ? semas[i] : 0, cookies[i]);
	return done;
}

uint32_t xpt_points__slow_links(const struct xpt_engine *e)
{
	const struct xpt_points *pts = xpt_points__of(e);
	size_t n = 0;

	for (uint32_t i = 0; pts && i < pts->nr_sets; i++)
		n += pts->sets[i]->nr_links;
	return (uint32_t)n;
}

void xpt_points__detach(struct xpt_engine *e)
{
	struct xpt_points *pts = xpt_points__of(e);

	for (uint32_t i = 0; pts && i < pts->nr_sets; i++) {
		struct xpt_elib *lib = pts->sets[i];

		xpt_uprobes__unlink(lib);
	}
}
