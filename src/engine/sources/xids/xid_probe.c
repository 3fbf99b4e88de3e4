// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probe for Xids, see xid_probe.h: open kernel modules of 575 and later have
 * a tracepoint; all since 515 have a function that is called for each report, in
 * the closed ones too. Its text is a format with arguments, put together here.
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
#include "engine/sources/kfunc.h"
#include "engine/sources/xids/xid_probe.h"
#include "kernel/kattach.h"
#include "model/kernel/xid_table.h"
#include "wire/xid.h"
#include "call.skel.h"

_Static_assert(XPT_XID_WORD_LEN == XPT_XID_STR_MAX, "strings of a report");

#define DRIVER "nvidia"
#define TRACEPOINT "nvidia_dev_xid"
#define FUNCTION DRIVER ":nv_report_error"

void xpt_xid_probe__configure(struct call_bpf *skel)
{
	bpf_program__set_autoload(skel->progs.xpt_xid_tracepoint, true);
	bpf_program__set_autoload(skel->progs.xpt_xid_kprobe, true);
}

void xpt_xid_probe__init(struct xpt_xid_probe *p, struct xpt_engine *e, struct xpt_xid_merge *merge, xpt_xid_fn emit)
{
	p->e = e;
	p->merge = merge;
	p->emit = emit;
	p->fds[0] = p->fds[1] = -1;
}

static void to_line(const struct xpt_wire_xid *w, struct xpt_xid_line *ret_line)
{
	char text[XPT_XID_TEXT_MAX];
	uint64_t word[XPT_XID_WORDS];

	memcpy(word, w->word, sizeof(word));
	if (w->nr_words)
		xpt_xid__format(text, sizeof(text), w->text, word, w->str, XPT_XID_WORDS);
	else
		snprintf(text, sizeof(text), "%.*s", (int)sizeof(w->text) - 1, w->text);
	xpt_xid__of_report(w->device, w->xid, text, ret_line);
}

static int take_sample(void *ctx, void *data, size_t size)
{
	struct xpt_xid_probe *p = ctx;
	struct xpt_xid_line line;
	struct xpt_wire_xid w;

	if (size < sizeof(w))
		return 0;
	memcpy(&w, data, sizeof(w));
	w.device[sizeof(w.device) - 1] = w.text[sizeof(w.text) - 1] = '\0';
	to_line(&w, &line);
	p->emit(p->e, &line, w.ts_ns, w.source);
	xpt_xid_merge__probe(p->merge, &line, xpt_now_ns());
	return 0;
}

static int attach_tracepoint(struct xpt_xid_probe *p)
{
	int fd = bpf_raw_tracepoint_open(TRACEPOINT,
					 bpf_program__fd(p->e->skel->progs.xpt_xid_tracepoint));

	p->fds[0] = fd < 0 ? -1 : fd;
	return fd < 0 ? -errno : 0;
}

static int attach_kprobe(struct xpt_xid_probe *p)
{
	int event = xpt_kattach__open_kprobe(0, FUNCTION, false), fd;

	if (event < 0)
		return event;
	fd = bpf_link_create(bpf_program__fd(p->e->skel->progs.xpt_xid_kprobe), event, BPF_PERF_EVENT,
			     NULL);
	if (fd < 0) {
		fd = -errno;
		close(event);
		return fd;
	}
	p->fds[0] = fd;
	p->fds[1] = event;
	return 0;
}

static void detach_probe(struct xpt_xid_probe *p)
{
	unsigned i;

	for (i = 0; i < 2; i++) {
		if (p->fds[i] >= 0)
			close(p->fds[i]);
		p->fds[i] = -1;
	}
	p->source = 0;
}

void xpt_xid_probe__look(struct xpt_xid_probe *p)
{
	uint64_t module = xpt_kmodule__born(DRIVER);
	int no_tracepoint, no_kprobe;

	if (module == p->module)
		return;
	detach_probe(p);
	p->module = module;
	if (!module)
		return;
	if (!p->ring)
		p->ring = ring_buffer__new(bpf_map__fd(p->e->skel->maps.xpt_xids), take_sample, p, NULL);
	if (!p->ring)
		return;
	no_tracepoint = attach_tracepoint(p);
	no_kprobe = no_tracepoint ? attach_kprobe(p) : 0;
	if (!no_tracepoint)
		p->source = XPT_XID_TRACEPOINT;
	else if (!no_kprobe)
		p->source = XPT_XID_KPROBE;
	p->since_ns = xpt_now_ns();
	xpt_debug("reports of the GPU driver: by %s (tracepoint: %s, kprobe: %s)",
		  p->source ? xpt_xid__source(p->source) : "the kernel log",
		  no_tracepoint ? strerror(-no_tracepoint) : "works",
		  no_kprobe ? strerror(-no_kprobe) : no_tracepoint ? "works" : "not tried");
}

void xpt_xid_probe__read(struct xpt_xid_probe *p)
{
	if (p->ring)
		ring_buffer__consume(p->ring);
}

void xpt_xid_probe__stop(struct xpt_xid_probe *p)
{
	detach_probe(p);
	ring_buffer__free(p->ring);
	p->ring = NULL;
	p->module = 0;
}
