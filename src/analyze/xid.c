// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Error reports of NVIDIA's driver (Xid): number, count, device and process; one line for each kind, and a finding
 * for each that requires an action.
 *
 * An error that the driver reports in several lines (13) is counted once. The newest recovery action of a GPU (154)
 * counts. A report that names another Xid as its cause has the severity of that one, unless that was reported itself.
 * If there is no free row, a report of higher severity replaces that of the lowest.
 */
#include <stdio.h>
#include <string.h>
#include "base/fmt.h"
#include "model/kernel/xid_table.h"
#include "model/output/analyzer.h"

#define COMPARE "Compare the kernel log: the probe in the driver has not seen this report."
#define MAX_ROWS 64
#define ONE_ERROR_NS 100000000ull	/* lines of one error come at once */
#define RECOVERY_ACTION 154
#define ENGINE_EXCEPTION 13	/* several lines: which unit, which kind, registers */
#define TEXT_LEN 600

struct rec_xid {
	uint64_t at_ns, xid, times, pid;
	const char *device, *what, *severity, *process, *text, *action;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_xid, at_ns, U64, AT, "at"),
	XPT_FIELD(struct rec_xid, xid, U64, NONE, "xid"),
	XPT_FIELD(struct rec_xid, device, STR, NONE, "device"),
	XPT_FIELD(struct rec_xid, times, U64, COUNT, "times"),
	XPT_FIELD(struct rec_xid, severity, STR, NONE, "severity"),
	XPT_FIELD(struct rec_xid, process, STR, NONE, "process"),
	XPT_FIELD(struct rec_xid, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_xid, what, STR, NONE, "what"),
	XPT_FIELD(struct rec_xid, text, STR, NONE, ""),
	XPT_FIELD(struct rec_xid, action, STR, NONE, ""),
};

static const struct xpt_schema schema = {
	.name = "xid", .title = "Errors that the GPU driver reported",
	.help = "Xid numbers from the kernel log, with the process that they name, or else the one "
		"that used the GPU last, if that is known; text and action are those of the first, of 154 "
		"of the newest",
	.layout = XPT_LAYOUT_TABLE, .order = 93, XPT_RECORD(struct rec_xid, fields),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct row {
	const struct xpt_xid_info *info;
	uint64_t at_ns, last_ns, times;
	uint32_t xid, pid;
	bool unconfirmed;	/* all reports of the row are XPT_XID_LOG_ALONE */
	char device[XPT_XID_DEVICE_MAX], text[XPT_XID_TEXT_MAX], comm[16];
};

struct xids {
	uint32_t nr;
	struct row row[MAX_ROWS];
};

/* Returns the row of a report, or NULL. */
static struct row *find_row(struct xids *s, const struct xpt_xid *x, uint32_t pid)
{
	for (uint32_t i = 0; i < s->nr; i++) {
		struct row *r = &s->row[i];

		if (r->xid != x->rec->xid || strcmp(r->device, x->device) != 0)
			continue;
		if (r->xid == RECOVERY_ACTION || (r->pid == pid && r->info == x->info))
			return r;
	}
	return NULL;
}

static unsigned rank_of(const struct row *r)
{
	return xpt_xid__rank(r->unconfirmed ? XPT_XID_UNCONFIRMED : r->info->severity);
}

/* Returns a free row; if there is none, the last row of lowest severity, if x is more severe; else NULL. */
static struct row *make_room(struct xids *s, const struct xpt_xid *x, struct xpt_out *out)
{
	struct row *least = &s->row[0];

	if (s->nr < MAX_ROWS)
		return &s->row[s->nr++];
	xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
	for (uint32_t i = 1; i < s->nr; i++)
		if (rank_of(&s->row[i]) <= rank_of(least))
			least = &s->row[i];
	if (rank_of(least) >= xpt_xid__rank(xpt_xid__severity(x)))
		return NULL;
	memmove(least, least + 1, (size_t)(&s->row[s->nr] - (least + 1)) * sizeof(*least));
	return &s->row[s->nr - 1];
}

static void set_text(struct row *r, const struct xpt_xid *x)
{
	r->info = x->info;
	snprintf(r->text, sizeof(r->text), "%s", x->text);
}

static void on_xid(struct xids *s, const struct xpt_event *ev, struct xpt_out *out)
{
	const struct xpt_xid *x = ev->u.xid;
	uint32_t pid = x->proc ? x->proc->pid : x->rec->tgid;
	bool unconfirmed = x->rec->source == XPT_XID_LOG_ALONE;
	struct row *r = find_row(s, x, pid);

	if (r) {
		r->times += r->xid != ENGINE_EXCEPTION || ev->ts_ns > r->last_ns + ONE_ERROR_NS;
		if (r->xid == RECOVERY_ACTION && (!unconfirmed || r->unconfirmed))
			set_text(r, x);
		r->last_ns = ev->ts_ns;
		r->unconfirmed &= unconfirmed;
		return;
	}
	r = make_room(s, x, out);
	if (!r)
		return;
	*r = (struct row){ .at_ns = ev->ts_ns, .last_ns = ev->ts_ns, .times = 1, .xid = x->rec->xid, .pid = pid,
			   .unconfirmed = unconfirmed };
	set_text(r, x);
	snprintf(r->device, sizeof(r->device), "%s", x->device);
	snprintf(r->comm, sizeof(r->comm), "%s", x->proc ? x->proc->comm : "");
}

/* Returns the Xid that a row's text names as its cause, if that was not reported for this GPU
 * itself; or NULL. */
static const struct xpt_xid_info *cause_of(const struct xids *s, const struct row *r)
{
	uint32_t cause = xpt_xid__cause(r->text);

	for (uint32_t i = 0; cause && i < s->nr; i++)
		if (s->row[i].xid == cause && !strcmp(s->row[i].device, r->device))
			return NULL;
	return cause && cause != r->xid ? xpt_xid__info(cause) : NULL;
}

/* Reports that require no action are no finding, nor are log lines that the driver may not have written. */
static bool is_grave(const struct row *r, const struct xpt_xid_info *info)
{
	return !r->unconfirmed && strcmp(info->severity, "info") != 0;
}

/* info: the meaning of the row's Xid, or of its cause. */
static void report_finding(const struct row *r, const struct xpt_xid_info *info, struct xpt_out *out)
{
	int len = (int)strlen(r->text);
	char text[TEXT_LEN], when[32], whose[64] = "", often[48] = "", caused_by[96] = "";
	struct xpt_finding f = {
		.kind = "xid", .at_ns = r->at_ns,
		.weight = strcmp(info->severity, "fatal") ? XPT_WEIGHT_BROKEN : XPT_WEIGHT_STOPPED,
		.text = text, .advice = info->action,
	};

	while (len && strchr(" .", r->text[len - 1]))
		len--;
	if (r->pid && r->comm[0])
		snprintf(whose, sizeof(whose), ", of %s[%u]", r->comm, r->pid);
	else if (r->pid)
		snprintf(whose, sizeof(whose), ", of process %u", r->pid);
	if (r->times > 1)
		snprintf(often, sizeof(often), "%llu times, first ", (unsigned long long)r->times);
	if (info != r->info)
		snprintf(caused_by, sizeof(caused_by), ", caused by Xid %u: %s", xpt_xid__cause(r->text), info->name);
	snprintf(text, sizeof(text), "The driver reported Xid %u (%s%s) for GPU %s%s, %s%s after the start%s%.*s.",
		 r->xid, r->info->name, caused_by, r->device, whose, often,
		 xpt_fmt_ns(xpt_out__since(out, r->at_ns), when, sizeof(when)),
		 len ? ": " : "", len, r->text);
	xpt_out__finding(out, &f);
}

static void report_all(struct xids *s, struct xpt_out *out)
{
	struct rec_xid rec;

	for (uint32_t i = 0; i < s->nr; i++) {
		const struct row *r = &s->row[i];
		const struct xpt_xid_info *cause = cause_of(s, r), *info = cause ? cause : r->info;

		rec = (struct rec_xid){
			.at_ns = xpt_out__since(out, r->at_ns), .xid = r->xid, .device = r->device,
			.times = r->times, .process = r->comm, .what = r->info->name, .text = r->text,
			.severity = r->unconfirmed ? XPT_XID_UNCONFIRMED : info->severity,
			.pid = r->pid ? r->pid : XPT_ABSENT,
			.action = r->unconfirmed ? COMPARE : info->action,
		};
		xpt_out__emit(out, &schema, &rec);
		if (is_grave(r, info))
			report_finding(r, info, out);
	}
}

static void xid__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct xids *s = st;

	if (ev->kind == XPT_EV_XID)
		on_xid(s, ev, out);
	else if (ev->kind == XPT_EV_END)
		report_all(s, out);
}

const struct xpt_analyzer xpt_analyzer_xid = {
	.name = "xid",
	.help = "errors of GPUs that the driver reported",
	.emits = emits,
	.state_size = sizeof(struct xids),
	.event = xid__event,
};
