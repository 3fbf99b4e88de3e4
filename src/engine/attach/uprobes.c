// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches probes to places of a file in the way that this kernel has: by one link for all places if it can. If it
 * refuses a place, only that place has no probe.
 */
#include "engine/attach/uprobes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/fds.h"
#include "engine/attach/again.h"
#include "engine/attach/shared_probe.h"
#include "engine/priv.h"
#include "engine/waiting/blocking.h"
#include "engine/waiting/reading.h"
#include "wire/config.h"
#include "call.skel.h"

/* Places of a file that get one program. */
struct batch {
	struct xpt_engine *e;
	struct xpt_elib *lib;
	int prog;
	bool ret;		/* at returns only */
	const char *path;
	const uint64_t *offsets, *cookies;
	bool *refused;		/* of returns: which the kernel has refused */
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

	return xpt_kernel__link_uprobes(b->prog, b->e->attach, b->ret, b->path, b->offsets + r->from,
					b->cookies + r->from, r->n);
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

	b->lib->refused = err;
	xpt_engine__probe_refused(b->e, b->path, b->offsets[from], err);
	if (b->ret)
		memset(b->refused + from, true, n);
	else
		xpt_shared__refuse_places(b->e, b->cookies + from, n);
}

static uint32_t link_multi(const struct batch *b, uint32_t n)
{
	struct xpt_link_allowance left = xpt_uprobes__allowance(b->e, b->lib);
	struct xpt_link_set set = { .link = link_batch, .on_refused = on_refused, .ctx = (void *)b, .one_file = true,
				    .left = xpt_engine__is_open(b->e) ? &left : NULL };

	return xpt_link_set__attach(&set, 0, n);
}

struct xpt_link_allowance xpt_uprobes__allowance(const struct xpt_engine *e, const struct xpt_elib *lib)
{
	return (struct xpt_link_allowance){ XPT_LINK_REQUESTS, lib->owner == XPT_OWNER_MACHINE ? UINT64_MAX : XPT_LINK_NS,
					    &e->reading->blocked_ns };
}

/* Removes the links of a file from number `had` on: return probes whose entries get no probe. */
static void drop_links(struct xpt_engine *e, struct xpt_elib *lib, size_t had)
{
	if (lib->nr_fds > had)
		xpt_blocking__close(e, lib->fds + had, lib->nr_fds - had);
	lib->nr_fds = had;
}

/*
 * Attaches the return probes of n places first, so that no call begins whose return would not be seen, and then the
 * entry probes of those whose return probes were attached. After a temporary refusal (engine/attach/again.h) the
 * whole file is tried again later, so all links made here are closed.
 */
static uint32_t link_halves(struct batch *b, uint32_t n, uint64_t *plain, uint32_t nr_plain, bool *refused, uint64_t *sorted)
{
	struct batch returns = *b;
	size_t had = b->lib->nr_fds;
	uint32_t whole, done;

	b->prog = bpf_program__fd(b->e->skel->progs.xpt_enter);
	returns.prog = bpf_program__fd(b->e->skel->progs.xpt_leave);
	returns.ret = true;
	returns.refused = refused;
	returns.offsets = returns.cookies = plain;
	link_multi(&returns, nr_plain);
	if (xpt_again__may_help(b->lib->refused)) {
		drop_links(b->e, b->lib, had);
		xpt_shared__refuse_places(b->e, b->cookies, n);
		return 0;
	}
	whole = xpt_returns__sort_refused(b->offsets, b->cookies, n, refused, sorted, sorted + n);
	b->offsets = sorted;
	b->cookies = sorted + n;
	xpt_shared__refuse_places(b->e, b->cookies + whole, n - whole);
	done = link_multi(b, whole);
	if (!done)
		drop_links(b->e, b->lib, had);
	return done;
}

static int link_entries_and_returns(struct batch *b, uint32_t n)
{
	uint32_t nr_plain, done = 0;
	uint64_t *plain = xpt_returns__probes(b->offsets, b->cookies, n, &nr_plain);
	uint64_t *sorted = calloc((size_t)n * 2 + 1, sizeof(*sorted));
	bool *refused = calloc((size_t)nr_plain + 1, sizeof(*refused));
	bool has_memory = plain && sorted && refused;

	if (has_memory)
		done = link_halves(b, n, plain, nr_plain, refused, sorted);
	free(plain);
	free(sorted);
	free(refused);
	return has_memory ? (int)done : -ENOMEM;
}

int xpt_uprobes__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *cookies, uint32_t n)
{
	struct batch b = { .e = e, .lib = lib, .path = path, .offsets = offsets, .cookies = cookies };
	int done;

	lib->refused = 0;
	switch (e->attach) {
	case XPT_ATTACH_SESSION:
		b.prog = bpf_program__fd(e->skel->progs.xpt_session);
		done = (int)link_multi(&b, n);
		break;
	case XPT_ATTACH_MULTI:
		done = link_entries_and_returns(&b, n);
		break;
	default:
		done = xpt_perf__link(e, lib, path, offsets, cookies, n);
	}
	if (done < 0)
		xpt_shared__refuse_places(e, cookies, n);
	return done;
}

void xpt_uprobes__unlink(struct xpt_elib *lib)
{
	size_t k;

	xpt_fds__close_all(lib->fds, lib->nr_fds);
	for (k = lib->nr_links; k > 0; k--)
		bpf_link__destroy(lib->links[k - 1]);
	free(lib->fds);
	free(lib->links);
	lib->fds = NULL;
	lib->links = NULL;
	lib->nr_fds = lib->nr_links = 0;
}
