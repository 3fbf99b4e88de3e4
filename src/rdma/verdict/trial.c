// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See trial.h. A list in order of time, since few wait at once. */
#include "rdma/verdict/trial.h"

#include <stdio.h>
#include <string.h>

enum answer { NO_ANSWER, WENT_ON, FAILED };

static bool is_inline(const struct xpt_rdma_trace *t)
{
	return xpt_rdma_asked(t, "max_inline_data");
}

/* Whether a call is of that boot, as far as is known: ids of threads and times mean something within one. */
static bool is_of_boot(const struct xpt_rdma_trace *t, const struct xpt_rdma_moment *at)
{
	struct xpt_rdma_moment began = xpt_rdma_trace__moment(t);

	return xpt_rdma_moment__may_share_boot(&began, at);
}

/* Returns how many ns before that moment a call began, negative if it was after it. */
static int64_t age_at(const struct xpt_rdma_trace *t, const struct xpt_rdma_moment *at)
{
	struct xpt_rdma_moment began = xpt_rdma_trace__moment(t);

	return xpt_rdma_moment__since(at, &began);
}

/* Whether t is of the thread of the call that waits, and not from before it: records of a thread come in no order. */
static bool is_next(const struct xpt_rdma_trace *waits, const struct xpt_rdma_trace *t)
{
	struct xpt_rdma_moment began = xpt_rdma_trace__moment(t);

	return waits->pid == t->pid && waits->tid == t->tid && is_of_boot(waits, &began) && age_at(waits, &began) >= 0;
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
		answer = is_next(tr->v[i].t, t) ? ask_later(&tr->v[i], t) : NO_ANSWER;
		if (answer == NO_ANSWER)
			i++;
		else
			decide_trial(tr, i, answer == WENT_ON ? XPT_RDMA_TRIAL_WENT_ON : XPT_RDMA_TRIAL_FAILED);
	}
}

static struct xpt_rdma_moment moment_of(const struct xpt_rdma_losses *l)
{
	return (struct xpt_rdma_moment){ l->host, l->boot_id, l->monotonic_ns, l->wall_ns };
}

/* Whether the call began before calls of its boot were lost. */
static bool has_loss(const struct xpt_rdma_trials *tr, const struct xpt_rdma_trace *t)
{
	unsigned i;

	for (i = 0; i < tr->nr_losses && i < XPT_RDMA_TRIAL_BOOTS; i++) {
		struct xpt_rdma_moment before = moment_of(&tr->losses[i]);

		if (is_of_boot(t, &before) && age_at(t, &before) >= 0)
			return true;
	}
	return false;
}

void xpt_rdma_trials__wait(struct xpt_rdma_trials *tr, struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	if (tr->nr == XPT_RDMA_TRIALS)
		decide_trial(tr, 0, XPT_RDMA_TRIAL_NOT_KNOWN);
	tr->v[tr->nr++] = (struct xpt_rdma_trial){ t, v->condition, has_loss(tr, t) };
}

void xpt_rdma_trials__until(struct xpt_rdma_trials *tr, const struct xpt_rdma_moment *now)
{
	unsigned i = 0;

	while (i < tr->nr) {
		if (is_of_boot(tr->v[i].t, now) && age_at(tr->v[i].t, now) > XPT_RDMA_TRIAL_NS)
			give_up(tr, i);
		else
			i++;
	}
}

void xpt_rdma_trials__ended(struct xpt_rdma_trials *tr, uint32_t pid, const struct xpt_rdma_moment *at)
{
	unsigned i = 0;

	while (i < tr->nr) {
		if (tr->v[i].t->pid == pid && is_of_boot(tr->v[i].t, at))
			give_up(tr, i);
		else
			i++;
	}
}

void xpt_rdma_trials__over(struct xpt_rdma_trials *tr)
{
	while (tr->nr)
		give_up(tr, 0);
	tr->nr_losses = 0;
}

/* Records and losses come to their reader by different ways: a record that is read later may have begun before. */
static void keep_loss(struct xpt_rdma_trials *tr, const struct xpt_rdma_moment *before)
{
	struct xpt_rdma_losses *l;
	unsigned i;

	for (i = 0; i < tr->nr_losses && i < XPT_RDMA_TRIAL_BOOTS; i++) {
		struct xpt_rdma_moment known = moment_of(&tr->losses[i]);

		l = &tr->losses[i];
		if (!xpt_rdma_moment__may_share_boot(&known, before))
			continue;
		if (xpt_rdma_moment__since(before, &known) > 0) {
			l->monotonic_ns = before->monotonic_ns;
			l->wall_ns = before->wall_ns;
		}
		return;
	}
	l = &tr->losses[tr->nr_losses++ % XPT_RDMA_TRIAL_BOOTS];
	snprintf(l->host, sizeof(l->host), "%s", before->host ? before->host : "");
	snprintf(l->boot_id, sizeof(l->boot_id), "%s", before->boot_id ? before->boot_id : "");
	l->monotonic_ns = before->monotonic_ns;
	l->wall_ns = before->wall_ns;
}

void xpt_rdma_trials__lost(struct xpt_rdma_trials *tr, const struct xpt_rdma_moment *before)
{
	unsigned i;

	for (i = 0; i < tr->nr; i++)
		tr->v[i].has_gap |= is_of_boot(tr->v[i].t, before) && age_at(tr->v[i].t, before) >= 0;
	keep_loss(tr, before);
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
