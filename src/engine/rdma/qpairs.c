// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches BPF programs to SPDK's USDT probes of queue pairs, see qpairs.h. The process's files
 * are read by elf/usdt.c, which limits its work on a file, and not by libbpf.
 */
#include "engine/rdma/qpairs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "elf/elf.h"
#include "proc/maps.h"
#include "elf/usdt.h"
#include "qpairs.skel.h"

#define PROVIDER "spdk"

static const char *const probes[XPT_QPAIR__MAX] = {
	"nvmf_poll_group_add_qpair", "nvmf_poll_group_remove_qpair", "nvmf_ctrlr_add_qpair",
	"nvmf_transport_qpair_fini",
};

struct xpt_qpairs {
	struct qpairs_bpf *skel;
	struct ring_buffer *ring;
	struct bpf_link *link[XPT_QPAIR_SITES];
	uint32_t nr_links;
	bool has[XPT_QPAIR__MAX];	/* a file that was read before has this probe */
	xpt_qpairs_fn fn;
	void *ctx;
	int err;		/* of attaching: 0 or -errno */
};

static int on_record(void *ctx, void *data, size_t size)
{
	struct xpt_qpairs *q = ctx;
	const struct xpt_wire_qpair *r = data;	/* in the ring, which is mapped read-only */

	if (size < sizeof(*r) || r->kind >= XPT_QPAIR__MAX)
		return 0;
	q->fn(q->ctx, r);
	return 0;
}

/* Attaches to one site of a probe. Its index, site_id, is the attach cookie, too. Returns 0 or -errno. */
static int attach_site(struct xpt_qpairs *q, struct bpf_program *prog, int pid, const char *path,
		       const struct xpt_usdt_site *s)
{
	struct xpt_wire_site site = { .nr_locs = s->nr_args };
	uint32_t site_id = q->nr_links;
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .ref_ctr_offset = s->sema_offset, .bpf_cookie = site_id);

	if (site_id == XPT_QPAIR_SITES)
		return -E2BIG;
	memcpy(site.loc, s->loc, sizeof(site.loc));
	if (bpf_map__update_elem(q->skel->maps.xpt_qpair_sites, &site_id, sizeof(site_id), &site, sizeof(site), 0))
		return -errno;
	q->link[site_id] = bpf_program__attach_uprobe_opts(prog, pid, path, s->offset, &opts);
	if (!q->link[site_id])
		return -errno;
	q->nr_links++;
	return 0;
}

/* Attaches to all sites of those probes that no file before this one had. */
static void attach_file(struct xpt_qpairs *q, int pid, const char *path, const struct xpt_usdt *usdt)
{
	struct bpf_program *prog[XPT_QPAIR__MAX] = {
		q->skel->progs.xpt_qpair_add, q->skel->progs.xpt_qpair_remove,
		q->skel->progs.xpt_qpair_connect, q->skel->progs.xpt_qpair_fini,
	};
	size_t n;
	const struct xpt_usdt_site *s = xpt_usdt__sites(usdt, &n);
	bool linked[XPT_QPAIR__MAX] = { false };

	for (size_t i = 0; i < n && !q->err; i++) {
		unsigned kind = 0;

		while (kind < XPT_QPAIR__MAX && strcmp(s[i].name, probes[kind]))
			kind++;
		if (kind == XPT_QPAIR__MAX || strcmp(s[i].provider, PROVIDER) || q->has[kind])
			continue;
		q->err = attach_site(q, prog[kind], pid, path, &s[i]);
		linked[kind] = !q->err;
	}
	for (unsigned kind = 0; kind < XPT_QPAIR__MAX; kind++)
		q->has[kind] |= linked[kind];
}

/* Callback. xpt_elf__open_fd() takes ownership of the copy; the path is that of the first descriptor. */
static int on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct xpt_qpairs *q = ctx;
	struct xpt_usdt *usdt = NULL;
	struct xpt_elf *elf = NULL;
	int fd = xpt_maps__open(pid, m), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (copy >= 0 && !xpt_elf__open_fd(copy, &elf) && !xpt_usdt__read(elf, false, &usdt))
		attach_file(q, pid, path, usdt);
	xpt_usdt__free(usdt);
	xpt_elf__close(elf);
	if (fd >= 0)
		close(fd);
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
	if (!err && (!q->has[XPT_QPAIR_ADD] || !q->has[XPT_QPAIR_REMOVE] || !q->has[XPT_QPAIR_CONNECT]))
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
	for (uint32_t i = 0; i < q->nr_links; i++)
		bpf_link__destroy(q->link[i]);
	ring_buffer__free(q->ring);
	qpairs_bpf__destroy(q->skel);
	free(q);
}
