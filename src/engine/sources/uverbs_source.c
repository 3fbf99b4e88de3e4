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

/* Calls of a function are seen by a probe at its return and one at its entry, in this order. */
static const struct probe {
	const char *module, *function;	/* "ib_uverbs:ib_uverbs_ioctl" */
	const char *entry;		/* program for the entry; NULL: the probe is at the return */
	uint64_t command;		/* of rdma_cm that ends with this return, as a bit; 0: of uverbs */
} probes[] = {
	{ "ib_uverbs", "ib_uverbs:ib_uverbs_ioctl", NULL, 0 },
	{ "ib_uverbs", "ib_uverbs:ib_uverbs_ioctl", "xpt_uverbs_ioctl", 0 },
	{ "ib_uverbs", "ib_uverbs:ib_uverbs_write", NULL, 0 },
	{ "ib_uverbs", "ib_uverbs:ib_uverbs_write", "xpt_uverbs_write", 0 },
#define COMMAND(nr, name) { "rdma_ucm", "rdma_ucm:ucma_" name, NULL, 1ull << (nr) }
	/*
	 * Numbers as in rdma/rdma_user_cm.h. The return of ucma_write() itself is of no use: a kretprobe has room for a
	 * few open calls, and those that wait for an event would take all of it, for as long as they wait.
	 */
	COMMAND(0, "create_id"), COMMAND(1, "destroy_id"), COMMAND(2, "bind_ip"), COMMAND(3, "resolve_ip"),
	COMMAND(4, "resolve_route"), COMMAND(5, "query_route"), COMMAND(6, "connect"), COMMAND(7, "listen"),
	COMMAND(8, "accept"), COMMAND(9, "reject"), COMMAND(10, "disconnect"), COMMAND(11, "init_qp_attr"),
	COMMAND(14, "set_option"), COMMAND(15, "notify"), COMMAND(16, "join_ip_multicast"),
	COMMAND(17, "leave_multicast"), COMMAND(18, "migrate_id"), COMMAND(19, "query"), COMMAND(20, "bind"),
	COMMAND(21, "resolve_addr"), COMMAND(22, "join_multicast"), COMMAND(23, "resolve_ib_service"),
	COMMAND(24, "write_cm_event"),
#undef COMMAND
	{ "rdma_ucm", "rdma_ucm:ucma_write", "xpt_ucma_write", 0 },
};

enum { LAST_OF_IOCTL = 1 };	/* probes up to this one are for the ioctl(2) of uverbs */

struct uverbs {			/* the source's state */
	uint64_t born[NR(probes)];	/* of the module as it was when the probe was tried; 0: not loaded */
	int link[NR(probes)], event[NR(probes)];	/* 0: none */
	uint64_t next_look_ns;
	uint64_t missed;		/* runs that the kernel left out, of links that were closed */
	int refused;
};

static struct uverbs *state_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_uverbs);
}

/* Whether the probe is needed: if the layer `ioctl` is traced, ioctls on uverbs are calls of that layer. */
static bool is_wanted(const struct xpt_engine *e, unsigned i)
{
	return e->cfg.uverbs && (i > LAST_OF_IOCTL || !e->cfg.ioctls);
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	(void)kind;
	for (unsigned i = 0; i < NR(probes); i++)
		if (probes[i].entry)
			bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, probes[i].entry), is_wanted(e, i));
	bpf_program__set_autoload(skel->progs.xpt_uverbs_leave, e->cfg.uverbs);
}

static const struct bpf_program *program_of(const struct xpt_engine *e, unsigned i)
{
	return probes[i].entry ? bpf_object__find_program_by_name(e->skel->obj, probes[i].entry)
			       : e->skel->progs.xpt_uverbs_leave;
}

static void detach_probe(struct xpt_engine *e, unsigned i)
{
	struct uverbs *s = state_of(e);

	if (s->link[i]) {
		e->skel->bss->xpt_ucma_seen &= ~probes[i].command;
		s->missed += xpt_kload__link_missed(s->link[i]);
		close(s->link[i]);
		close(s->event[i]);
	}
	s->link[i] = s->event[i] = 0;
}

static int attach_probe(struct xpt_engine *e, unsigned i)
{
	int event = xpt_kattach__open_kprobe(0, probes[i].function, !probes[i].entry), fd;
	struct uverbs *s = state_of(e);

	if (event < 0)
		return event;
	fd = bpf_link_create(bpf_program__fd(program_of(e, i)), event, BPF_PERF_EVENT, NULL);
	if (fd < 0) {
		fd = -errno;
		close(event);
		return fd;
	}
	s->link[i] = fd;
	s->event[i] = event;
	e->skel->bss->xpt_ucma_seen |= probes[i].command;
	return 0;
}

/* Whether a return has a probe that ends the calls of this entry; those of rdma_cm have one for each command. */
static bool has_return(const struct xpt_engine *e, unsigned i)
{
	return probes[i - 1].command ? e->skel->bss->xpt_ucma_seen != 0 : state_of(e)->link[i - 1] != 0;
}

static void try_probe(struct xpt_engine *e, unsigned i)
{
	struct uverbs *s = state_of(e);
	int err = !probes[i].entry || has_return(e, i) ? attach_probe(e, i) : -ENOENT;

	if (err && !probes[i].command)	/* kernels have different commands */
		s->refused = err;
	if (probes[i].entry)
		xpt_debug("calls of %s are %s", probes[i].function, err ? strerror(-err) : "counted");
}

int xpt_uverbs__refused(const struct xpt_engine *e)
{
	return state_of(e)->refused;
}

/* Takes the probes of modules away that are another or gone, entries first, so that no entry is without its return. */
static void look_for_modules(struct xpt_engine *e)
{
	struct uverbs *s = state_of(e);
	uint64_t now = xpt_now_ns(), born[NR(probes)];

	if (!e->cfg.uverbs || now < s->next_look_ns)
		return;
	s->next_look_ns = now + LOOK_NS;
	for (unsigned i = 0; i < NR(probes); i++)
		born[i] = i && !strcmp(probes[i].module, probes[i - 1].module) && is_wanted(e, i - 1) ? born[i - 1] :
			  is_wanted(e, i) ? xpt_kmodule__born(probes[i].module) : 0;
	for (unsigned i = NR(probes); i-- > 0; )
		if (born[i] != s->born[i])
			detach_probe(e, i);
	for (unsigned i = 0; i < NR(probes); i++) {
		if (born[i] && born[i] != s->born[i])
			try_probe(e, i);
		s->born[i] = born[i];
	}
}

static int start(struct xpt_engine *e)
{
	look_for_modules(e);
	return 0;
}

static void detach(struct xpt_engine *e)
{
	for (unsigned i = NR(probes); i-- > 0; )
		detach_probe(e, i);
	state_of(e)->next_look_ns = UINT64_MAX;
}

/* Runs that the kernel left out: another program had that CPU, or too many calls were open to keep their returns. */
static void losses(struct xpt_engine *e, uint64_t *lost)
{
	const struct uverbs *s = state_of(e);

	for (unsigned i = 0; i < NR(probes); i++) {
		if (is_wanted(e, i) && probes[i].entry)
			lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__missed(bpf_program__fd(program_of(e, i)));
		if (s->link[i])
			lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__link_missed(s->link[i]);
	}
	lost[XPT_LOSS_KERNEL_MISSED] += s->missed;
	if (e->cfg.uverbs)
		lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__missed(bpf_program__fd(e->skel->progs.xpt_uverbs_leave));
}

static void fill_stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	const struct uverbs *s = state_of(e);

	for (unsigned i = 0; i < NR(probes); i++)
		stats->uverbs |= probes[i].entry && s->link[i];
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
