// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaching to SPDK's probes of queue pairs, see qpairs.h. SPDK's notes hold
 * constants, registers and registers with an offset only, which libbpf reads.
 */
#include "engine/qpairs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/elf.h"
#include "engine/maps.h"
#include "engine/usdt.h"
#include "qpairs.skel.h"

#define PROVIDER "spdk"

static const char *const probes[XPT_QPAIR__MAX] = {
	"nvmf_poll_group_add_qpair", "nvmf_poll_group_remove_qpair", "nvmf_ctrlr_add_qpair",
	"nvmf_transport_qpair_fini",
};

struct xpt_qpairs {
	struct qpairs_bpf *skel;
	struct ring_buffer *ring;
	struct bpf_link *link[XPT_QPAIR__MAX];
	xpt_qpairs_fn fn;
	void *ctx;
	int err;		/* of attaching */
};

static int on_record(void *ctx, void *data, size_t size)
{
	struct xpt_qpairs *q = ctx;
	const struct xpt_wire_qpair *r = data;	/* mapped for reading only */

	if (size < sizeof(*r) || r->kind >= XPT_QPAIR__MAX)
		return 0;
	q->fn(q->ctx, r);
	return 0;
}

static bool has_probe(const struct xpt_usdt *usdt, const char *name)
{
	size_t n;
	const struct xpt_usdt_site *s = xpt_usdt__sites(usdt, &n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(s[i].provider, PROVIDER) && !strcmp(s[i].name, name))
			return true;
	return false;
}

static void attach_file(struct xpt_qpairs *q, int pid, const char *path, const struct xpt_usdt *usdt)
{
	struct bpf_program *prog[XPT_QPAIR__MAX] = {
		q->skel->progs.xpt_qpair_add, q->skel->progs.xpt_qpair_remove,
		q->skel->progs.xpt_qpair_connect, q->skel->progs.xpt_qpair_fini,
	};

	for (unsigned i = 0; i < XPT_QPAIR__MAX; i++) {
		if (q->link[i] || !has_probe(usdt, probes[i]))
			continue;
		q->link[i] = bpf_program__attach_usdt(prog[i], pid, path, PROVIDER, probes[i], NULL);
		if (!q->link[i] && !q->err)
			q->err = -errno;
	}
}

static int on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct xpt_qpairs *q = ctx;
	struct xpt_usdt *usdt = NULL;
	struct xpt_elf *elf = NULL;
	char path[4200];

	xpt_maps__open_path(pid, m, path, sizeof(path));
	if (!xpt_elf__open(path, &elf) && !xpt_usdt__read(elf, false, &usdt))
		attach_file(q, pid, path, usdt);
	xpt_usdt__free(usdt);
	xpt_elf__close(elf);
	return q->err;
}

int xpt_qpairs__open(int pid, xpt_qpairs_fn fn, void *ctx, struct xpt_qpairs **ret_q)
{
	struct xpt_qpairs *q = calloc(1, sizeof(*q));
	int err;

	if (!q)
		return -ENOMEM;
	q->fn = fn;
	q->ctx = ctx;
	q->skel = qpairs_bpf__open_and_load();
	err = q->skel ? 0 : -errno;
	if (!err) {
		q->ring = ring_buffer__new(bpf_map__fd(q->skel->maps.xpt_qpair_ring), on_record, q, NULL);
		err = q->ring ? xpt_maps__each(pid, on_mapping, q) : -errno;
	}
	if (!err && (!q->link[XPT_QPAIR_ADD] || !q->link[XPT_QPAIR_REMOVE] || !q->link[XPT_QPAIR_CONNECT]))
		err = -ENOENT;
	if (err) {
		xpt_qpairs__close(q);
		return err;
	}
	*ret_q = q;
	return 0;
}

int xpt_qpairs__poll(struct xpt_qpairs *q, int timeout_ms)
{
	int n = ring_buffer__poll(q->ring, timeout_ms);

	return n < 0 ? n : 0;
}

uint64_t xpt_qpairs__lost(const struct xpt_qpairs *q)
{
	return q->skel->bss->xpt_qpair_lost;
}

void xpt_qpairs__close(struct xpt_qpairs *q)
{
	if (!q)
		return;
	for (unsigned i = 0; i < XPT_QPAIR__MAX; i++)
		bpf_link__destroy(q->link[i]);
	ring_buffer__free(q->ring);
	qpairs_bpf__destroy(q->skel);
	free(q);
}
