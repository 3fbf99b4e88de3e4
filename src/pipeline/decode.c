/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks wire records before anything reads them. They come from the kernel,
 * where they are right, and from files, where they may be anything.
 *
 * Rules: the size is a multiple of 8, at least that of the kind and not more than the readable bytes; strings end
 * inside the record; enumerations are known; no sum of times wraps. Bytes after the fields of a kind are ignored.
 */
#include "pipeline/decode.h"

#include <string.h>

#include "model/output/hook_row.h"
#include "wire/device.h"

static const __u16 min_size[XPT_REC__MAX] = {
	[XPT_REC_CALL] = sizeof(struct xpt_rec_call),
	[XPT_REC_INFLIGHT] = sizeof(struct xpt_rec_call),
	[XPT_REC_TASK] = XPT_REC_TASK_MIN,
	[XPT_REC_FN] = sizeof(struct xpt_rec_fn),
	[XPT_REC_PROC] = sizeof(struct xpt_rec_proc),
	[XPT_REC_LIB] = sizeof(struct xpt_rec_lib),
	[XPT_REC_META] = sizeof(struct xpt_rec_meta),
	[XPT_REC_CLOCK] = sizeof(struct xpt_rec_clock),
	[XPT_REC_COUNTER] = sizeof(struct xpt_rec_counter),
	[XPT_REC_ERRCOUNT] = sizeof(struct xpt_rec_errcount),
	[XPT_REC_LOSS] = sizeof(struct xpt_rec_loss),
	[XPT_REC_COST] = XPT_REC_COST_MIN,
	[XPT_REC_END] = sizeof(struct xpt_rec_end),
	[XPT_REC_STACK] = sizeof(struct xpt_rec_stack),
	[XPT_REC_MODE] = sizeof(struct xpt_rec_mode),
	[XPT_REC_FNCOST] = sizeof(struct xpt_rec_fncost),
	[XPT_REC_XID] = sizeof(struct xpt_rec_xid),
	[XPT_REC_SCHED] = sizeof(struct xpt_rec_sched),
	[XPT_REC_HOOK] = sizeof(struct xpt_rec_hook),
	[XPT_REC_DEVICE] = sizeof(struct xpt_rec_device),
	[XPT_REC_READING] = sizeof(struct xpt_rec_reading),
	[XPT_REC_COUNTER_NOW] = sizeof(struct xpt_rec_counter),
	[XPT_REC_ERRCOUNT_NOW] = sizeof(struct xpt_rec_errcount),
	[XPT_REC_INFLIGHT_NOW] = sizeof(struct xpt_rec_inflight_now),
};

static bool known_dir(unsigned dir)
{
	return dir <= XPT_DIR_PEER || dir == XPT_DIR_NONE;
}

/* The n strings that lie between the kind's fixed part and the end. */
static bool find_strings(struct xpt_decoded *d, unsigned n)
{
	const char *s = (const char *)d->rec + min_size[d->rec->kind];
	const char *end = (const char *)d->rec + d->rec->size;
	const char *nul;
	unsigned i;

	for (i = 0; i < n; i++) {
		nul = memchr(s, 0, (size_t)(end - s));
		if (!nul)
			return false;
		d->str[i] = s;
		s = nul + 1;
	}
	return true;
}

static bool check_call(struct xpt_decoded *d)
{
	const struct xpt_rec_call *r = (const void *)d->rec;
	size_t words = xpt_call_words(r);
	const char *str = (const char *)&r->val[words];

	if (r->nr_vals > XPT_MAX_VALS || r->start_ns + r->dur_ns < r->start_ns ||
	    r->rec.size < sizeof(*r) + words * sizeof(r->val[0]) + r->str_len)
		return false;
	d->str[0] = r->str_len ? str : NULL;
	return !r->str_len || memchr(str, 0, r->str_len);
}

static bool check_task(const struct xpt_rec_task *r)
{
	return r->event >= XPT_TASK_THREAD && r->event <= XPT_TASK_THREAD_EXIT &&
	       memchr(r->comm, 0, sizeof(r->comm)) != NULL;
}

static bool check_cap(const struct xpt_wire_cap *c)
{
	unsigned width = c->width & 0x7f;

	return c->op > XPT_CAP_NONE && c->op < XPT_CAP__MAX && c->role < XPT_ROLE__MAX &&
	       (width == 1 || width == 2 || width == 4 || width == 8);
}

static bool check_fn(struct xpt_decoded *d)
{
	const struct xpt_rec_fn *r = (const void *)d->rec;
	const struct xpt_wire_fn *f = &r->spec;
	unsigned i;

	if (r->rec.fn >= XPT_MAX_FNS || r->layer >= XPT_LAYER__MAX || f->cls >= XPT_CLASS__MAX ||
	    f->ret >= XPT_RET__MAX || f->kind >= XPT_KIND__MAX || f->nr_caps > XPT_MAX_VALS)
		return false;
	if ((f->size_cap != 0xff && f->size_cap >= f->nr_caps) ||
	    (f->dir_cap != 0xff && f->dir_cap >= f->nr_caps))
		return false;
	for (i = 0; i < f->nr_caps; i++) {
		if (!check_cap(&f->cap[i]))
			return false;
	}
	return find_strings(d, 3 + f->nr_caps) && d->str[0][0];
}

static bool check_device(struct xpt_decoded *d)
{
	const struct xpt_rec_device *r = (const void *)d->rec;

	return r->id && r->id <= XPT_MAX_DEVICES && r->kind != XPT_DEVICE__NONE && r->kind < XPT_DEVICE__MAX &&
	       find_strings(d, 4);
}

/* Metrics need not be known: a newer xputrace may have written them. */
static bool check_reading(const struct xpt_rec_reading *r)
{
	return r->nr <= XPT_READINGS_MAX && r->rec.size >= sizeof(*r) + r->nr * sizeof(r->value[0]);
}

static bool check_other(struct xpt_decoded *d)
{
	const struct xpt_rec_mode *mode = (const void *)d->rec;
	const struct xpt_rec_end *end = (const void *)d->rec;
	struct xpt_hook_row row;

	switch (d->rec->kind) {
	case XPT_REC_PROC:	/* older ones end before the job, the pod or the container */
		d->str[3] = d->str[4] = d->str[5] = "";
		return find_strings(d, 6) || find_strings(d, 5) || find_strings(d, 4) || find_strings(d, 3);
	case XPT_REC_LIB:
	case XPT_REC_XID:
		return find_strings(d, 2);
	case XPT_REC_META:
		return find_strings(d, 2) && d->str[0][0];
	case XPT_REC_COUNTER:
	case XPT_REC_COUNTER_NOW:
		return known_dir(((const struct xpt_rec_counter *)d->rec)->key.sub & XPT_SUB_DIR);
	case XPT_REC_HOOK:
		return xpt_hook_row__read(d->rec, d->rec->size, &row);
	case XPT_REC_DEVICE:
		return check_device(d);
	case XPT_REC_READING:
		return check_reading((const void *)d->rec);
	case XPT_REC_LOSS:
		return ((const struct xpt_rec_loss *)d->rec)->loss < XPT_LOSS__MAX;
	case XPT_REC_MODE:
		return mode->from < XPT_MODE__MAX && mode->to < XPT_MODE__MAX;
	case XPT_REC_END:
		return end->start_ns <= end->end_ns;
	default:
		return true;
	}
}

bool xpt_decode(const void *rec, size_t size, struct xpt_decoded *ret_d)
{
	const struct xpt_rec *r = rec;

	if (size < sizeof(*r) || r->size > size || r->size % 8 != 0)
		return false;
	if (r->kind == 0 || r->kind >= XPT_REC__MAX || r->size < min_size[r->kind])
		return false;
	ret_d->rec = r;
	switch (r->kind) {
	case XPT_REC_CALL:
	case XPT_REC_INFLIGHT:
		return check_call(ret_d);
	case XPT_REC_TASK:
		return check_task(rec);
	case XPT_REC_FN:
		return check_fn(ret_d);
	default:
		return check_other(ret_d);
	}
}
