// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the driver reported about GPUs (Xid): which, how often, on which device,
 * whose process; one line for each kind, and a finding for the gravest of each process.
 */
#include <stdio.h>
#include <string.h>
#include "base/fmt.h"
#include "model/analyzer.h"
#include "model/kernel/xid.h"

#define COMPARE "Compare the kernel log: the probe in the driver has not seen this report."
#define MAX_ROWS 64
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
		"that used the GPU last; text and action are those of the first",
	.layout = XPT_LAYOUT_TABLE, .order = 93, .size = sizeof(struct rec_xid),
	.fields = fields, .nr_fields = sizeof(fields) / sizeof(fields[0]),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct row {
	const struct xpt_xid_info *info;
	uint64_t at_ns, times;
	uint32_t xid, pid;
	bool unconfirmed;	/* all of them */
	char device[XPT_XID_DEVICE_MAX], text[XPT_XID_TEXT_MAX], comm[16];
};

struct xids {
	uint64_t begin_ns;
	uint32_t nr;
	struct row row[MAX_ROWS];
};

static void on_xid(struct xids *s, const struct xpt_event *ev, struct xpt_out *out)
{
	const struct xpt_proc *proc = ev->u.xid->proc;
	uint32_t pid = proc ? proc->pid : ev->u.xid->rec->tgid, i;
	struct row *r;

	for (i = 0; i < s->nr; i++) {
		r = &s->row[i];
		if (r->xid == ev->u.xid->rec->xid && r->pid == pid &&
		    !strcmp(r->device, ev->u.xid->device)) {
			r->times++;
			r->unconfirmed &= ev->u.xid->rec->source == XPT_XID_LOG_ALONE;
			return;
		}
	}
	if (s->nr == MAX_ROWS) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return;
	}
	r = &s->row[s->nr++];
	*r = (struct row){ .info = ev->u.xid->info, .at_ns = ev->ts_ns, .times = 1,
			   .xid = ev->u.xid->rec->xid, .pid = pid,
			   .unconfirmed = ev->u.xid->rec->source == XPT_XID_LOG_ALONE };
	snprintf(r->device, sizeof(r->device), "%s", ev->u.xid->device);
	snprintf(r->text, sizeof(r->text), "%s", ev->u.xid->text);
	snprintf(r->comm, sizeof(r->comm), "%s", proc ? proc->comm : "");
}

/* Reports that ask for nothing are no finding, nor lines of the log that the driver may not have written. */
static bool is_grave(const struct row *r)
{
	return !r->unconfirmed && strcmp(r->info->severity, "info") != 0;
}

static uint64_t since(const struct xids *s, uint64_t ns)
{
	return s->begin_ns && ns > s->begin_ns ? ns - s->begin_ns : 0;
}

static void find(const struct xids *s, const struct row *r, struct xpt_out *out)
{
	int len = (int)strlen(r->text);
	char text[TEXT_LEN], when[32], whose[64] = "", often[48] = "";
	struct xpt_finding f = {
		.kind = "xid", .at_ns = r->at_ns,
		.weight = strcmp(r->info->severity, "fatal") ? XPT_WEIGHT_BROKEN : XPT_WEIGHT_STOPPED,
		.text = text, .advice = r->info->action,
	};

	while (len && strchr(" .", r->text[len - 1]))
		len--;
	if (r->pid && r->comm[0])
		snprintf(whose, sizeof(whose), ", of %s[%u]", r->comm, r->pid);
	else if (r->pid)
		snprintf(whose, sizeof(whose), ", of process %u", r->pid);
	if (r->times > 1)
		snprintf(often, sizeof(often), "%llu times, first ", (unsigned long long)r->times);
	snprintf(text, sizeof(text), "The driver reported Xid %u (%s) for GPU %s%s, %s%s after the start%s%.*s.",
		 r->xid, r->info->name, r->device, whose, often,
		 xpt_fmt_ns(since(s, r->at_ns), when, sizeof(when)),
		 len ? ": " : "", len, r->text);
	xpt_out__finding(out, &f);
}

static void finish(struct xids *s, struct xpt_out *out)
{
	struct rec_xid rec;

	for (uint32_t i = 0; i < s->nr; i++) {
		const struct row *r = &s->row[i];

		rec = (struct rec_xid){
			.at_ns = since(s, r->at_ns), .xid = r->xid, .device = r->device,
			.times = r->times, .process = r->comm, .what = r->info->name, .text = r->text,
			.severity = r->unconfirmed ? XPT_XID_UNCONFIRMED : r->info->severity,
			.pid = r->pid ? r->pid : XPT_ABSENT,
			.action = r->unconfirmed ? COMPARE : r->info->action,
		};
		xpt_out__emit(out, &schema, &rec);
		if (is_grave(r))
			find(s, r, out);
	}
}

static void xid__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct xids *s = st;

	if (!s->begin_ns && ev->ts_ns)
		s->begin_ns = ev->ts_ns;
	if (ev->kind == XPT_EV_XID)
		on_xid(s, ev, out);
	if (ev->kind != XPT_EV_END)
		return;
	s->begin_ns = ev->u.end.start_ns ? ev->u.end.start_ns : s->begin_ns;
	finish(s, out);
}

const struct xpt_analyzer xpt_analyzer_xid = {
	.name = "xid",
	.help = "errors of GPUs that the driver reported",
	.emits = emits,
	.state_size = sizeof(struct xids),
	.event = xid__event,
};
