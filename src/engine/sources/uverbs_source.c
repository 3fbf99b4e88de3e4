// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of the kernel's RDMA interface: probes on the few functions through which all of them go
 * (bpf/ioctl/uverbs.bpf.h). The modules can be loaded, unloaded and loaded again at any time. Functions are made and
 * described by the source of ioctls.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/source.h"
#include "engine/sources/uverbs_source.h"
#include "kernel/kattach.h"
#include "kernel/kfind.h"
#include "kernel/kload.h"
#include "call.skel.h"

extern const struct xpt_source xpt_source_uverbs;

#define LOOK_NS 1000000000ull	/* between looks for modules that are loaded or unloaded */
#define NR(a) (sizeof(a) / sizeof((a)[0]))

static const struct place {
	const char *module, *function, *program;	/* "ib_uverbs:ib_uverbs_ioctl": of the entry */
} places[] = {
	{ "ib_uverbs", "ib_uverbs:ib_uverbs_ioctl", "xpt_uverbs_ioctl" },
	{ "ib_uverbs", "ib_uverbs:ib_uverbs_write", "xpt_uverbs_write" },
	{ "rdma_ucm", "rdma_ucm:ucma_write", "xpt_ucma_write" },
};

enum { LEAVE, ENTER, HALVES };	/* returns get their probe first, so that no entry is without */

struct uverbs {			/* the source's state */
	uint64_t born[NR(places)];	/* of the module as it was when the place was looked at; 0: not loaded */
	int link[NR(places)][HALVES], event[NR(places)][HALVES];	/* 0: none */
	uint64_t next_look_ns;
	uint64_t missed;		/* runs that the kernel left out, of links that were closed */
	int refused;
};

static struct uverbs *state_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_uverbs);
}

/* Whether the probe is needed: if the layer `ioctl` is traced, ioctls on uverbs are calls of that layer. */
static bool is_wanted(const struct xpt_engine *e, unsigned place)
{
	return e->cfg.uverbs && (place || !e->cfg.ioctls);
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	(void)kind;
	for (unsigned i = 0; i < NR(places); i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, places[i].program), is_wanted(e, i));
	bpf_program__set_autoload(skel->progs.xpt_uverbs_leave, e->cfg.uverbs);
}

static const struct bpf_program *program_of(const struct xpt_engine *e, unsigned place, unsigned half)
{
	return half == LEAVE ? e->skel->progs.xpt_uverbs_leave :
	       bpf_object__find_program_by_name(e->skel->obj, places[place].program);
}

static uint64_t missed_by_links(const struct uverbs *s, unsigned place)
{
	uint64_t n = 0;

	for (unsigned half = 0; half < HALVES; half++)
		if (s->link[place][half])
			n += xpt_kload__link_missed(s->link[place][half]);
	return n;
}

static void detach_place(struct uverbs *s, unsigned place)
{
	s->missed += missed_by_links(s, place);
	for (unsigned half = HALVES; half-- > 0; ) {	/* entries first */
		if (s->link[place][half])
			close(s->link[place][half]);
		if (s->event[place][half])
			close(s->event[place][half]);
		s->link[place][half] = s->event[place][half] = 0;
	}
}

static int attach_half(struct xpt_engine *e, unsigned place, unsigned half)
{
	int event = xpt_kattach__open_kprobe(0, places[place].function, half == LEAVE), fd;
	struct uverbs *s = state_of(e);

	if (event < 0)
		return event;
	fd = bpf_link_create(bpf_program__fd(program_of(e, place, half)), event, BPF_PERF_EVENT, NULL);
	if (fd < 0) {
		fd = -errno;
		close(event);
		return fd;
	}
	s->link[place][half] = fd;
	s->event[place][half] = event;
	return 0;
}

static void attach_place(struct xpt_engine *e, unsigned place)
{
	int err = attach_half(e, place, LEAVE);

	if (!err)
		err = attach_half(e, place, ENTER);
	if (err) {
		detach_place(state_of(e), place);
		state_of(e)->refused = err;
	}
	xpt_debug("calls of %s are %s", places[place].function, err ? strerror(-err) : "counted");
}

int xpt_uverbs__refused(const struct xpt_engine *e)
{
	return state_of(e)->refused;
}

static void look_for_modules(struct xpt_engine *e)
{
	struct uverbs *s = state_of(e);
	uint64_t now = xpt_now_ns(), born;

	if (!e->cfg.uverbs || now < s->next_look_ns)
		return;
	s->next_look_ns = now + LOOK_NS;
	for (unsigned i = 0; i < NR(places); i++) {
		born = is_wanted(e, i) ? xpt_kmodule__born(places[i].module) : 0;
		if (born == s->born[i])
			continue;
		detach_place(s, i);
		s->born[i] = born;
		if (born)
			attach_place(e, i);
	}
}

static int start(struct xpt_engine *e)
{
	look_for_modules(e);
	return 0;
}

static void detach(struct xpt_engine *e)
{
	for (unsigned i = 0; i < NR(places); i++)
		detach_place(state_of(e), i);
	state_of(e)->next_look_ns = UINT64_MAX;
}

/* Runs that the kernel left out: another program had that CPU, or too many calls were open to keep their returns. */
static void losses(struct xpt_engine *e, uint64_t *lost)
{
	for (unsigned i = 0; i < NR(places); i++)
		if (is_wanted(e, i))
			lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__missed(bpf_program__fd(program_of(e, i, ENTER))) +
							missed_by_links(state_of(e), i);
	lost[XPT_LOSS_KERNEL_MISSED] += state_of(e)->missed;
	if (e->cfg.uverbs)
		lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__missed(bpf_program__fd(e->skel->progs.xpt_uverbs_leave));
}

static void fill_stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	const struct uverbs *s = state_of(e);

	for (unsigned i = 0; i < NR(places); i++)
		stats->uverbs |= s->link[i][ENTER] != 0;
}

const struct xpt_source xpt_source_uverbs = {
	.name = "uverbs",
	.state_size = sizeof(struct uverbs),
	.configure = configure,
	.start = start,
	.step = look_for_modules,
	.detach = detach,
	.losses = losses,
	.stats = fill_stats,
};
