// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A verdict as an object of JSON, see judge.h and docs/format.md. */
#include <inttypes.h>

#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/job.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/trace/evidence/near_events.h"
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/judge.h"

static void add_text(struct xpt_strbuf *sb, const char *key, const char *s)
{
	xpt_strbuf__addf(sb, ",\"%s\":", key);
	xpt_strbuf__add_json(sb, s);
}

static void add_chain(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
		      struct xpt_strbuf *sb)
{
	static const char *const links[] = {
		[XPT_RDMA_SAME] = "same", [XPT_RDMA_NARROWED] = "narrowed",
		[XPT_RDMA_OTHER] = "other", [XPT_RDMA_ANSWER] = "answer",
	};
	unsigned i;

	xpt_strbuf__add(sb, ",\"chain\":[");
	for (i = v->chain.nr; i-- > 0;) {
		const struct xpt_rdma_node *node = &t->node[v->chain.node[i]];
		char buf[48];

		xpt_strbuf__add(sb, "{\"function\":");
		xpt_strbuf__add_json(sb, node->fn);
		add_text(sb, "module", node->module);
		add_text(sb, "result", xpt_rdma_outcome_text(xpt_rdma_node__outcome(node), buf,
							     sizeof(buf)));
		add_text(sb, "became", i ? links[v->chain.link[i]] : "");
		xpt_strbuf__add(sb, i ? "}," : "}");
	}
	xpt_strbuf__addc(sb, ']');
}

static void add_unprobed(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	uint32_t i;

	xpt_strbuf__add(sb, ",\"unprobed\":[");
	for (i = 0; i < t->nr_unprobed; i++) {
		xpt_strbuf__add(sb, i ? "," : "");
		xpt_strbuf__add_json(sb, t->unprobed[i]);
	}
	xpt_strbuf__addc(sb, ']');
}

void xpt_rdma_verdict__json(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v,
			    struct xpt_strbuf *sb)
{
	char name[32], job[160];

	xpt_strbuf__add(sb, "{\"type\":\"rdma_verdict\"");
	add_text(sb, "syscall", t->method);
	add_text(sb, "shape", t->shape);
	add_text(sb, "error", v->failed ? xpt_rdma_trace__error(t, name, sizeof(name)) : "");
	add_text(sb, "process", t->comm);
	xpt_strbuf__addf(sb, ",\"pid\":%" PRIu32 ",\"wall_ns\":", t->pid);
	xpt_rdma_json__add_u64(sb, t->wall_ns);
	add_text(sb, "device", t->device);
	add_text(sb, "driver", t->driver);
	add_text(sb, "job", xpt_rdma_job(t->cgroup, t->container, job, sizeof(job)) ? job : "");
	add_text(sb, "caller", t->caller);
	add_text(sb, "outer", t->outer);
	if (v->expected)
		add_text(sb, "expected", v->expected);
	if (v->unsure)
		add_text(sb, "unsure", v->unsure);
	if (v->failed) {
		add_text(sb, "class", xpt_rdma_class_name(v->cause.cls));
		add_text(sb, "confidence", xpt_rdma_confidence_name(v->cause.confidence));
		add_text(sb, "verdict", v->cause.sentence);
		add_text(sb, "advice", v->cause.advice);
		add_text(sb, "origin", xpt_rdma_verdict__origin(t, v));
		if (xpt_rdma_verdict__doubt(t))
			add_text(sb, "uncertain", xpt_rdma_verdict__doubt(t));
	}
	if (t->asked_for) {
		xpt_strbuf__add(sb, ",\"asked_for\":");
		xpt_rdma_asked_for__print(t->asked_for, sb);
	}
	if (t->nr_events) {
		xpt_strbuf__add(sb, ",\"events\":");
		xpt_rdma_events__print(t->events, t->nr_events, sb);
		if (t->more_events)
			xpt_strbuf__addf(sb, ",\"more_events\":%" PRIu32, t->more_events);
	}
	if (t->moved) {
		xpt_strbuf__add(sb, ",\"counters\":");
		xpt_rdma_moved__print(t->moved, sb);
	}
	if (v->failed && t->nr_unprobed)
		add_unprobed(t, sb);
	if (t->firmware) {
		xpt_strbuf__add(sb, ",\"firmware\":{");
		xpt_rdma_firmware__print(t->firmware, sb);
		xpt_strbuf__addc(sb, '}');
	}
	add_chain(t, v, sb);
	if (v->good) {
		xpt_strbuf__add(sb, ",\"divergence\":");
		xpt_rdma_diff__json(v->good, t, &v->diff, sb);
	}
	xpt_strbuf__addc(sb, '}');
}
