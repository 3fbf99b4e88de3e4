/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The pipeline's public face: owns the tables and puts decode, enrich and
 * dispatch one after another. See pipeline.h for the contract.
 */
#include "pipeline/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include "model/memory/ledger.h"
#include "pipeline/enrich.h"

#define MAX_FAILED 16384	/* threads with failing calls, times classes */
/* More than all names of XPT_MAX_FNS functions, their values and devices can have. */
#define MAX_NAME_BYTES (64u << 20)
#define MAX_PATH_BYTES (16u << 20)	/* of libraries and of the frames of stacks, of which there are any number */

int xpt_pipeline__new(struct xpt_pipeline **ret_p)
{
	struct xpt_pipeline *p = calloc(1, sizeof(*p));
	uint64_t *evicted;
	int err;

	if (!p)
		return -ENOMEM;
	evicted = &p->out.own_lost[XPT_LOSS_TABLE_EVICTED];
	err = xpt_intern__new(MAX_NAME_BYTES, evicted, &p->pool);
	if (!err)
		err = xpt_intern__new(MAX_PATH_BYTES, evicted, &p->paths);
	if (!err)
		err = xpt_fns__new(p->pool, p->paths, &p->fns);
	if (!err)
		err = xpt_procs__new(evicted, &p->procs);
	if (!err)
		err = xpt_stacks__new(p->paths, &p->stacks);
	if (!err)
		err = xpt_names__new(evicted, &p->names);
	if (!err)
		err = xpt_capturing__new(evicted, &p->capturing);
	if (!err)
		err = xpt_freed__new(&p->freed);
	if (!err)
		err = xpt_hashmap__new(16, sizeof(uint64_t), MAX_FAILED, &p->last_failures);
	if (err)
		xpt_pipeline__free(p);
	else
		*ret_p = p;
	return err;
}

void xpt_pipeline__free(struct xpt_pipeline *p)
{
	if (!p)
		return;
	xpt_out__close(&p->out);
	xpt_procs__free(p->procs);
	xpt_stacks__free(p->stacks);
	xpt_names__free(p->names);
	xpt_capturing__free(p->capturing);
	xpt_freed__free(p->freed);
	xpt_devices__free(&p->devices);
	xpt_hashmap__free(p->last_failures);
	xpt_fns__free(p->fns);
	xpt_intern__free(p->pool);
	xpt_intern__free(p->paths);
	free(p);
}

int xpt_pipeline__add_analyzer(struct xpt_pipeline *p, const struct xpt_analyzer *a)
{
	return p->fed ? -EBUSY : xpt_out__add_analyzer(&p->out, a);
}

int xpt_pipeline__add_sink(struct xpt_pipeline *p, const struct xpt_sink *s, const char *name,
			   const struct xpt_sink_cfg *cfg)
{
	return p->fed ? -EBUSY : xpt_out__add_sink(&p->out, s, name, cfg);
}

void xpt_pipeline__set_origin(struct xpt_pipeline *p, uint64_t origin_ns)
{
	if (!p->fed)
		p->origin_ns = origin_ns;
}

void xpt_pipeline__expect_none(struct xpt_pipeline *p)
{
	p->all_errors = true;
}

void xpt_pipeline__feed(struct xpt_pipeline *p, const void *rec, size_t size)
{
	struct xpt_decoded d;

	if (p->finished)
		return;
	p->fed = true;
	if (!xpt_decode(rec, size, &d) || !xpt_enrich(p, &d))
		xpt_out__lost(&p->out, XPT_LOSS_DECODE_REJECTED, 1);
}

bool xpt_pipeline__is_about_memory(const struct xpt_pipeline *p, uint32_t fn)
{
	const struct xpt_fn_entry *f = xpt_fns__get(p->fns, fn);

	return f && xpt_ledger__takes(&f->fn);
}

void xpt_pipeline__time(struct xpt_pipeline *p, uint64_t ts_ns)
{
	if (!p->finished)
		xpt_enrich__time(p, ts_ns);
}

int xpt_pipeline__finish(struct xpt_pipeline *p)
{
	if (p->finished)
		return -EINVAL;
	p->fed = p->finished = true;
	xpt_enrich__end(p);
	return xpt_out__close(&p->out);
}

uint64_t xpt_pipeline__lost(const struct xpt_pipeline *p, enum xpt_loss loss)
{
	return xpt_out__total_lost(&p->out, loss);
}

int64_t xpt_pipeline__realtime_offset_ns(const struct xpt_pipeline *p)
{
	return p->realtime_offset_ns;
}
