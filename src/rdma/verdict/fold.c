// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See fold.h. A table of the latest kinds, in which a new kind evicts the one that was not seen for longest. */
#include "rdma/verdict/fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hashmap.h"
#include "model/text.h"
#include "rdma/trace/trace_json.h"

#define TELL_NS 1000000000ull
#define FORGET_NS 10000000000ull

static uint64_t key_of(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	char text[512];
	uint64_t key;

	memset(text, 0, sizeof(text));
	snprintf(text, sizeof(text), "%" PRIu32 "|%.60s|%.60s|%.64s|%" PRId64 "|%.128s|%d|%d", t->pid, t->method,
		 t->shape, t->device, xpt_rdma_is_errno(t->ret) ? t->ret : 0, xpt_rdma_verdict__origin(t, v),
		 (int)v->cause.cls, !!v->expected);
	key = xpt_hash(text, sizeof(text));
	return key ? key : 1;
}

/* "     1234    reg_mr                 EFAULT       63 more from pin_user_pages_fast" */
static void tell_folded(struct xpt_rdma_fold *f, uint64_t now_ns, struct xpt_strbuf *sb)
{
	char more[128];

	if (!f->more)
		return;
	snprintf(more, sizeof(more), "%" PRIu64 " more%s%s", f->more, f->origin[0] ? " of " : "", f->origin);
	xpt_strbuf__addf(sb, "         %-7" PRIu32 " ", f->pid);
	xpt_text__cell(sb, f->call, 22, false, xpt_text_utf8());
	xpt_strbuf__addc(sb, ' ');
	xpt_text__cell(sb, f->error, 12, false, xpt_text_utf8());
	xpt_strbuf__addc(sb, ' ');
	xpt_text__add(sb, more, 27, xpt_text_utf8());
	xpt_strbuf__addc(sb, '\n');
	f->more = 0;
	f->told_ns = now_ns;
}

static void fill_slot(struct xpt_rdma_fold *f, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	char name[24];

	f->pid = t->pid;
	snprintf(f->call, sizeof(f->call), "%.47s%s%.47s", t->method, t->shape[0] ? " " : "", t->shape);
	snprintf(f->error, sizeof(f->error), "%s", xpt_rdma_is_errno(t->ret) ?
		 xpt_rdma_trace__error(t, name, sizeof(name)) : "slow");
	snprintf(f->origin, sizeof(f->origin), "%.63s", xpt_rdma_verdict__origin(t, v));
}

bool xpt_rdma_folds__is_new(struct xpt_rdma_folds *f, const struct xpt_rdma_trace *t,
			    const struct xpt_rdma_verdict *v, uint64_t now_ns, struct xpt_strbuf *sb)
{
	struct xpt_rdma_fold *oldest = f->v;
	uint64_t key = key_of(t, v);
	unsigned i;

	for (i = 0; i < XPT_RDMA_FOLDS; i++) {
		struct xpt_rdma_fold *x = &f->v[i];

		if (x->key == key && now_ns - x->seen_ns < FORGET_NS) {
			x->seen_ns = now_ns;
			x->more++;
			return false;
		}
		if (x->key == key) {
			oldest = x;
			break;
		}
		oldest = x->seen_ns < oldest->seen_ns ? x : oldest;
	}
	tell_folded(oldest, now_ns, sb);
	*oldest = (struct xpt_rdma_fold){ .key = key, .seen_ns = now_ns, .told_ns = now_ns };
	fill_slot(oldest, t, v);
	return true;
}

void xpt_rdma_folds__tell(struct xpt_rdma_folds *f, uint64_t now_ns, bool all, struct xpt_strbuf *sb)
{
	unsigned i;

	for (i = 0; i < XPT_RDMA_FOLDS; i++)
		if (f->v[i].more && (all || now_ns - f->v[i].told_ns >= TELL_NS))
			tell_folded(&f->v[i], now_ns, sb);
}
