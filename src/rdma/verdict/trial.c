// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See trial.h. A list in order of time, since few wait at once. */
#include "rdma/verdict/trial.h"

#include <string.h>

enum answer { NO_ANSWER, WENT_ON, FAILED };

static bool is_inline(const struct xpt_rdma_trace *t)
{
	return xpt_rdma_asked(t, "max_inline_data");
}

/* Ids of threads mean something within one boot of a machine. */
static bool same_thread(const struct xpt_rdma_trace *a, const struct xpt_rdma_trace *b)
{
	return a->pid == b->pid && a->tid == b->tid &&
	       !strcmp(a->boot_id ? a->boot_id : "", b->boot_id ? b->boot_id : "");
}

/* Returns the answer that a later call of the same thread gives about a call that waits. */
static enum answer ask_later(const struct xpt_rdma_trial *w, const struct xpt_rdma_trace *t)
{
	bool same = !strcmp(w->t->method, t->method);

	if (xpt_rdma_is_errno(t->ret)) {
		bool again = w->condition == XPT_RDMA_IF_SMALLER && same && is_inline(t) && t->asked == w->t->asked;

		return again ? FAILED : NO_ANSWER;	/* nobody searches with one and the same value */
	}
	switch (w->condition) {
	case XPT_RDMA_IF_RETRIED:
		return same ? WENT_ON : NO_ANSWER;
	case XPT_RDMA_IF_SMALLER:
		return same && is_inline(t) && t->asked < w->t->asked ? WENT_ON : NO_ANSWER;
	case XPT_RDMA_IF_GOES_ON:
		return xpt_rdma_one_of(xpt_rdma_destroys, t->method) ? NO_ANSWER : WENT_ON;
	default:
		return FAILED;
	}
}

static void decide_trial(struct xpt_rdma_trials *tr, unsigned i, enum xpt_rdma_trial_end end)
{
	struct xpt_rdma_trace *t = tr->v[i].t;

	tr->nr--;
	memmove(&tr->v[i], &tr->v[i + 1], (tr->nr - i) * sizeof(tr->v[i]));
	tr->decide(tr->ctx, t, end);
}

/* Nothing was seen that explains it. */
static void give_up(struct xpt_rdma_trials *tr, unsigned i)
{
	decide_trial(tr, i, tr->v[i].has_gap ? XPT_RDMA_TRIAL_NOT_KNOWN : XPT_RDMA_TRIAL_FAILED);
}

void xpt_rdma_trials__saw(struct xpt_rdma_trials *tr, const struct xpt_rdma_trace *t)
{
	enum answer answer;
	unsigned i = 0;

	while (i < tr->nr) {
		const struct xpt_rdma_trace *w = tr->v[i].t;

		answer = same_thread(w, t) && w->wall_ns <= t->wall_ns ? ask_later(&tr->v[i], t) : NO_ANSWER;
		if (answer == NO_ANSWER)
			i++;
		else
			decide_trial(tr, i, answer == WENT_ON ? XPT_RDMA_TRIAL_WENT_ON : XPT_RDMA_TRIAL_FAILED);
	}
}

void xpt_rdma_trials__wait(struct xpt_rdma_trials *tr, struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	if (tr->nr == XPT_RDMA_TRIALS)
		decide_trial(tr, 0, XPT_RDMA_TRIAL_NOT_KNOWN);
	tr->v[tr->nr++] = (struct xpt_rdma_trial){ t, v->condition, t->wall_ns <= tr->lost_ns };
}

void xpt_rdma_trials__until(struct xpt_rdma_trials *tr, uint64_t wall_ns)
{
	unsigned i = 0;

	while (i < tr->nr) {
		if (wall_ns > tr->v[i].t->wall_ns + XPT_RDMA_TRIAL_NS)
			give_up(tr, i);
		else
			i++;
	}
}

void xpt_rdma_trials__ended(struct xpt_rdma_trials *tr, uint32_t pid)
{
	unsigned i = 0;

	while (i < tr->nr) {
		if (tr->v[i].t->pid == pid)
			give_up(tr, i);
		else
			i++;
	}
}

void xpt_rdma_trials__over(struct xpt_rdma_trials *tr)
{
	while (tr->nr)
		give_up(tr, 0);
	tr->lost_ns = 0;
}

/* Records and losses come to their reader by different ways: a record that is read later may have begun before. */
void xpt_rdma_trials__lost(struct xpt_rdma_trials *tr, uint64_t wall_ns)
{
	unsigned i;

	for (i = 0; i < tr->nr; i++)
		tr->v[i].has_gap |= tr->v[i].t->wall_ns <= wall_ns;
	if (wall_ns > tr->lost_ns)
		tr->lost_ns = wall_ns;
}

static const struct xpt_rdma_cause lost = {
	XPT_RDMA_UNKNOWN, XPT_RDMA_LOW, "it is normal if the program went on, and calls that would tell were lost",
	"If the program did not go on, look at where the error began; watch fewer methods (--method) or one process (-p), "
	"so that none are lost.",
};

void xpt_rdma_trial__conclude(enum xpt_rdma_trial_end end, struct xpt_rdma_verdict *v)
{
	if (end == XPT_RDMA_TRIAL_WENT_ON)
		v->expected = v->trial;
	if (end != XPT_RDMA_TRIAL_NOT_KNOWN || v->expected)
		return;
	v->unsure = v->trial;
	v->cause = lost;
}

uint32_t xpt_rdma_trials__pid(const struct xpt_rdma_trials *tr, unsigned i)
{
	return i < tr->nr ? tr->v[i].t->pid : 0;
}
