// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See evidence_text.h. Each kind of evidence is a line of its own, left out where there is none. */
#include "rdma/verdict/evidence_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fmt.h"
#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/trace/evidence/near_events.h"
#include "rdma/verdict/wrapped.h"

/* "Firmware: INIT2RTR_QP (0x503) refused: bad parameter (0x3), syndrome 0x1d7ac" */
static void say_firmware(const struct xpt_rdma_trace *t, size_t indent, const char *label,
			 struct xpt_strbuf *sb)
{
	const struct xpt_rdma_firmware *f = t->firmware;
	char line[512], more[48] = "", text[256];

	if (!f)
		return;
	if (f->count > 1)
		snprintf(more, sizeof(more), ", the first of %" PRIu32, f->count);
	snprintf(line, sizeof(line), "%s: %s%s%s", label, xpt_rdma_firmware__text(f, text, sizeof(text)), more,
		 f->source == XPT_RDMA_BY_LOG ? " (from the kernel's log)" : "");
	xpt_rdma_wrapped__line(sb, indent, line);
}

/* "Memory: 1.2 GiB free, 900.0 MiB of it in CMA (2.0 GiB)" */
static void say_memory(const struct xpt_rdma_trace *t, size_t indent, const char *label, struct xpt_strbuf *sb)
{
	char line[160], cma[80] = "", total[24], left[24];

	if (!(t->lock_known & XPT_RDMA_MEMORY_FREE))
		return;
	if (t->lock_known & XPT_RDMA_MEMORY_CMA && t->cma_total)
		snprintf(cma, sizeof(cma), ", %s of it in CMA (%s)", xpt_fmt_bytes(t->cma_free, left, sizeof(left)),
			 xpt_fmt_bytes(t->cma_total, total, sizeof(total)));
	snprintf(line, sizeof(line), "%s: %s free%s", label, xpt_fmt_bytes(t->memory_free, total, sizeof(total)), cma);
	xpt_rdma_wrapped__line(sb, indent, line);
}

/* Reports events of the devices beside the call. */
static void say_events(const struct xpt_rdma_trace *t, size_t indent, const char *label, const char *gpu_label,
		       struct xpt_strbuf *sb)
{
	char line[240], text[128];
	uint32_t i;

	if (t->gpu_error && *t->gpu_error) {
		snprintf(line, sizeof(line), "%s: %.200s", gpu_label, t->gpu_error);
		xpt_rdma_wrapped__line(sb, indent, line);
	}
	for (i = 0; i < t->nr_events; i++) {
		snprintf(line, sizeof(line), "%s: %s", label, xpt_rdma_event__text(&t->events[i], text, sizeof(text)));
		xpt_rdma_wrapped__line(sb, indent, line);
	}
	if (t->nr_events && t->more_events) {
		snprintf(line, sizeof(line), "%s: and %" PRIu32 " more in that time", label, t->more_events);
		xpt_rdma_wrapped__line(sb, indent, line);
	}
}

/* "Counters: link_downed +1 on port 1, between 3.2 s before the call and 4 ms after it"; nothing if none moved. */
static void say_counters(const struct xpt_rdma_trace *t, size_t indent, const char *label, struct xpt_strbuf *sb)
{
	struct xpt_strbuf line;

	if (!t->moved)
		return;
	xpt_strbuf__init(&line, 2048);
	xpt_strbuf__addf(&line, "%s: ", label);
	if (*t->moved->why)
		xpt_strbuf__addf(&line, "not known: %s", t->moved->why);
	if ((*t->moved->why || xpt_rdma_moved__text(t->moved, &line)) && !xpt_strbuf__err(&line))
		xpt_rdma_wrapped__line(sb, indent, line.s);
	xpt_strbuf__free(&line);
}

/* "Asked for: attr_mask=STATE|AV qp_state=RTR ah.sgid_index=200" */
static void say_asked_for(const struct xpt_rdma_trace *t, size_t indent, const char *label, struct xpt_strbuf *sb)
{
	struct xpt_strbuf line;

	if (!t->asked_for)
		return;
	xpt_strbuf__init(&line, 4096);
	xpt_strbuf__addf(&line, "%s: ", label);
	xpt_rdma_asked_for__text(t->asked_for, &line);
	if (!xpt_strbuf__err(&line))
		xpt_rdma_wrapped__line(sb, indent, line.s);
	xpt_strbuf__free(&line);
}

/* A pointer to the program's request is of no use beside the request. */
void xpt_rdma_evidence__args(const struct xpt_rdma_trace *t, const struct xpt_rdma_node *node, size_t indent,
			     struct xpt_strbuf *sb)
{
	char line[512];
	unsigned i;
	size_t n;

	if (!node->nr_args)
		return;
	n = (size_t)snprintf(line, sizeof(line), "arguments:");
	for (i = 0; i < node->nr_args && n < sizeof(line); i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, xpt_rdma_asked_for__has(t->asked_for, node->arg[i]) ?
				      "%s %.32s as asked for" : node->arg[i] < 1u << 20 ? "%s %.32s %" PRIu64 :
				      "%s %.32s 0x%" PRIx64, i ? "," : "",
				      node->arg_name[i] ? node->arg_name[i] : "?", node->arg[i]);
	xpt_rdma_wrapped__line(sb, indent, line);
}

void xpt_rdma_evidence__print(const struct xpt_rdma_trace *t, bool brief, struct xpt_strbuf *sb)
{
	size_t indent = brief ? 4 : 2;

	say_asked_for(t, indent, brief ? "asked for" : "Asked for", sb);
	say_firmware(t, indent, brief ? "firmware" : "Firmware", sb);
	say_memory(t, indent, brief ? "memory" : "Memory", sb);
	say_events(t, indent, brief ? "event" : "Event", brief ? "gpu" : "GPU", sb);
	say_counters(t, indent, brief ? "counters" : "Counters", sb);
}
