// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See show.h. Words are wrapped, not cut: users look for the names of functions in sources. */
#include "session/rdma/output/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fmt.h"
#include "model/text.h"
#include "rdma/graph/machine.h"
#include "rdma/trace/event_line.h"
#include "rdma/trace/evidence/near_events.h"
#include "rdma/trace/trace_json.h"

#define COLUMNS 80
#define INDENT 4
#define FN_COLUMNS 58	/* of a function's line, before its errors */

void xpt_rdma_show__heading(struct xpt_strbuf *sb)
{
	xpt_strbuf__add(sb, "TIME     PID     CALL                   ERROR        FUNCTION\n");
}

/* {"timestamp":"2026-11-22T05:45:00.123456789Z","type":"rdma_event" */
static void begin_json(const char *type, uint64_t wall_ns, struct xpt_strbuf *sb)
{
	time_t at = (time_t)(wall_ns / 1000000000u);
	char when[32];
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	xpt_strbuf__addf(sb, "{\"timestamp\":\"%s.%09uZ\",\"type\":\"%s\"", when,
			 (unsigned)(wall_ns % 1000000000u), type);
}

static void add_time(uint64_t wall_ns, struct xpt_strbuf *sb)
{
	time_t at = (time_t)(wall_ns / 1000000000u);
	char when[16];
	struct tm tm;

	localtime_r(&at, &tm);
	strftime(when, sizeof(when), "%H:%M:%S", &tm);
	xpt_strbuf__addf(sb, "%s ", when);
}

/* Words that are never cut, in lines of 80 columns with an indent. */
struct wrap {
	struct xpt_strbuf *sb;
	size_t at;	/* columns used; 0: at the start of a line */
};

static void put_word(struct wrap *w, const char *s)
{
	size_t n = xpt_text_columns(s, xpt_text_utf8());

	if (w->at && w->at + 1 + n > COLUMNS) {
		xpt_strbuf__addc(w->sb, '\n');
		w->at = 0;
	}
	if (!w->at) {
		xpt_text__pad(w->sb, INDENT);
		w->at = INDENT;
	} else {
		xpt_strbuf__addc(w->sb, ' ');
		w->at++;
	}
	w->at += xpt_text__add(w->sb, s, COLUMNS - INDENT, xpt_text_utf8());
}

static void put_words(struct wrap *w, const char *s)
{
	char one[128];
	size_t n;

	for (; *s; s += n + strspn(s + n, " ")) {
		n = strcspn(s, " ");
		snprintf(one, sizeof(one), "%.*s", (int)n, s);
		put_word(w, one);
	}
}

static void end_words(struct wrap *w)
{
	if (w->at)
		xpt_strbuf__addc(w->sb, '\n');
	w->at = 0;
}

static const char *error_of(const struct xpt_rdma_trace *t, char *buf, size_t n)
{
	char ms[24];

	if (xpt_rdma_is_errno(t->ret))
		return xpt_rdma_trace__error(t, buf, n);
	snprintf(buf, n, "%.15s", xpt_fmt_ns(t->dur_ns, ms, sizeof(ms)));
	return buf;
}

/* "ibv_rc_pingpong, rxe0 (rdma_rxe), 1.2 ms" */
static void add_whose(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	struct wrap w = { .sb = sb };
	char text[256], ms[24];
	bool named;

	snprintf(text, sizeof(text), "%s,", t->comm[0] ? t->comm : "?");
	put_word(&w, text);
	if (t->device[0]) {
		put_word(&w, t->device);
		named = t->driver_version[0] && strncmp(t->driver_version, XPT_RDMA_SRCVERSION,
							strlen(XPT_RDMA_SRCVERSION));
		snprintf(text, sizeof(text), "(%s%s%s),", t->driver, named ? " " : "",
			 named ? t->driver_version : "");
		put_word(&w, text);
	}
	if (t->container[0]) {
		snprintf(text, sizeof(text), "container %.12s,", t->container);
		put_word(&w, text);
	}
	put_word(&w, xpt_fmt_ns(t->dur_ns, ms, sizeof(ms)));
	if (t->caller[0]) {
		snprintf(text, sizeof(text), "in %s", t->caller);
		put_word(&w, text);
	}
	end_words(&w);
}

/* The function that made the error, with its arguments; small ones are numbers. */
static void add_origin(const struct xpt_rdma_node *node, struct xpt_strbuf *sb)
{
	struct wrap w = { .sb = sb };
	char text[128];
	unsigned i;

	if (!node->nr_args)
		return;
	snprintf(text, sizeof(text), "%s:", node->fn);
	put_word(&w, text);
	for (i = 0; i < node->nr_args; i++) {
		if (!node->arg_name[i])
			break;
		snprintf(text, sizeof(text), node->arg[i] >> 32 ? "%s=0x%" PRIx64 : "%s=%" PRIu64,
			 node->arg_name[i], node->arg[i]);
		put_word(&w, text);
	}
	end_words(&w);
}

/* From where it came to the system call. */
static void add_chain(const struct xpt_rdma_trace *t, const uint16_t *v, uint32_t n,
		      struct xpt_strbuf *sb)
{
	struct wrap w = { .sb = sb };
	char text[128];
	uint32_t i;

	if (n < 2)
		return;
	for (i = n; i-- > 0;) {
		put_word(&w, t->node[v[i]].fn);
		if (i)
			put_word(&w, "->");
	}
	end_words(&w);
	if (!(t->node[v[n - 1]].flags & XPT_RDMA_NODE_NARROWED))
		return;
	snprintf(text, sizeof(text), "%s returned %" PRId64 ", no error;", t->node[v[n - 1]].fn,
		 t->node[v[n - 1]].ret);
	put_word(&w, text);
	snprintf(text, sizeof(text), "%s made an int of it: %" PRId64, t->node[v[n - 2]].fn,
		 t->node[v[n - 2]].ret);
	put_word(&w, text);
	end_words(&w);
}

void xpt_rdma_show__call(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	uint16_t v[XPT_RDMA_TRACE_NODES];
	uint32_t n = xpt_rdma_trace__chain(t, v, XPT_RDMA_TRACE_NODES), i;
	const struct xpt_rdma_node *origin = n ? &t->node[v[n - 1]] : NULL;
	bool utf8 = xpt_text_utf8();
	char text[128], err[32];

	add_time(t->wall_ns, sb);
	xpt_strbuf__addf(sb, "%-7" PRIu32 " ", t->pid);
	snprintf(text, sizeof(text), "%s%s%s", t->method, t->shape[0] ? " " : "", t->shape);
	xpt_text__cell(sb, text, 22, false, utf8);
	xpt_strbuf__addc(sb, ' ');
	xpt_text__cell(sb, error_of(t, err, sizeof(err)), 12, false, utf8);
	xpt_strbuf__addc(sb, ' ');
	xpt_text__add(sb, origin ? origin->fn : "slow", COLUMNS - 53, utf8);
	xpt_strbuf__addc(sb, '\n');
	add_whose(t, sb);
	if (origin)
		add_origin(origin, sb);
	add_chain(t, v, n, sb);
	for (i = 0; i < t->nr_log; i++) {
		xpt_strbuf__add(sb, "    log: ");
		xpt_text__add(sb, t->log[i], COLUMNS - 9, utf8);
		xpt_strbuf__addc(sb, '\n');
	}
}

void xpt_rdma_show__event(const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_moment *at, bool json,
			  struct xpt_strbuf *sb)
{
	const char *name = xpt_rdma_event_text((uint32_t)r->ret, (char[24]){ 0 }, 24);
	char device[XPT_RDMA_NAME + 1], driver[XPT_RDMA_NAME + 1];

	snprintf(device, sizeof(device), "%.*s", XPT_RDMA_NAME, r->device);
	snprintf(driver, sizeof(driver), "%.*s", XPT_RDMA_NAME, r->module);
	if (!json) {
		add_time(at->wall_ns, sb);
		xpt_strbuf__addf(sb, "event   %-22s ", name);
		xpt_text__cell(sb, device, 12, false, xpt_text_utf8());
		xpt_strbuf__addf(sb, " %" PRIu64 "\n", (uint64_t)r->value);
		return;
	}
	begin_json("rdma_event", at->wall_ns, sb);
	xpt_strbuf__addf(sb, ",\"event\":\"%s\"", name);
	xpt_strbuf__add(sb, ",\"device\":");
	xpt_strbuf__add_json(sb, device);
	xpt_strbuf__add(sb, ",\"driver\":");
	xpt_strbuf__add_json(sb, driver);
	xpt_strbuf__addf(sb, ",\"number\":%" PRIu64 ",\"wall_ns\":%" PRIu64, (uint64_t)r->value, at->wall_ns);
	xpt_rdma_moment__print(at, sb);
	xpt_strbuf__add(sb, "}\n");
}

/* "ibv_rc_pingpong, thread 12, has not returned for 10.0 s. It waits for ...", and the way to there. */
static void add_wait(const struct xpt_rdma_hang *h, struct xpt_strbuf *sb)
{
	const char *why = xpt_rdma_hang__waits_for(h);
	struct wrap w = { .sb = sb };
	char text[192], ms[24];
	unsigned i;

	snprintf(text, sizeof(text), "%s, thread %" PRIu32 ", %s %s.", h->comm[0] ? h->comm : "?", h->tid,
		 h->at_end ? "had not returned at the end, after" : "has not returned for",
		 xpt_fmt_ns(h->age_ns, ms, sizeof(ms)));
	put_words(&w, text);
	put_words(&w, why ? why : h->nr ? "" : "Its stack in the kernel cannot be read.");
	end_words(&w);
	for (i = 0; i < h->nr; i++) {
		put_word(&w, h->frame[i].function);
		if (i + 1 < h->nr)
			put_word(&w, "<-");
	}
	end_words(&w);
}

static void add_hang_json(const struct xpt_rdma_hang *h, struct xpt_strbuf *sb)
{
	const char *why = xpt_rdma_hang__waits_for(h);
	unsigned i;

	begin_json("rdma_hang", h->wall_ns, sb);
	xpt_strbuf__add(sb, ",\"method\":");
	xpt_strbuf__add_json(sb, h->method);
	xpt_strbuf__add(sb, ",\"process\":");
	xpt_strbuf__add_json(sb, h->comm);
	xpt_strbuf__addf(sb, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"wall_ns\":%" PRIu64 ",\"age_ns\":%" PRIu64
			 ",\"at_end\":%s,\"waits_for\":", h->pid, h->tid, h->wall_ns, h->age_ns,
			 h->at_end ? "true" : "false");
	xpt_strbuf__add_json(sb, why ? why : "");
	xpt_strbuf__add(sb, ",\"stack\":[");
	for (i = 0; i < h->nr; i++) {
		xpt_strbuf__add(sb, i ? ",{\"function\":" : "{\"function\":");
		xpt_strbuf__add_json(sb, h->frame[i].function);
		xpt_strbuf__add(sb, ",\"module\":");
		xpt_strbuf__add_json(sb, h->frame[i].module);
		xpt_strbuf__addc(sb, '}');
	}
	xpt_strbuf__add(sb, "]");
	xpt_rdma_machine__print(xpt_rdma_machine(), sb);
	xpt_strbuf__add(sb, "}\n");
}

void xpt_rdma_show__hang(const struct xpt_rdma_hang *h, bool json, struct xpt_strbuf *sb)
{
	bool utf8 = xpt_text_utf8();

	if (json) {
		add_hang_json(h, sb);
		return;
	}
	add_time(h->wall_ns, sb);
	xpt_strbuf__addf(sb, "%-7" PRIu32 " ", h->pid);
	xpt_text__cell(sb, h->method, 22, false, utf8);
	xpt_strbuf__add(sb, " not returned ");
	xpt_text__add(sb, h->nr ? h->frame[0].function : "?", COLUMNS - 53, utf8);
	xpt_strbuf__addc(sb, '\n');
	add_wait(h, sb);
}

static void add_command(const struct xpt_rdma_firmware *f, uint32_t pid, const char *comm,
			struct xpt_strbuf *sb)
{
	struct wrap w = { .sb = sb };
	bool utf8 = xpt_text_utf8();
	char err[32], text[256];

	xpt_strbuf__add(sb, "command ");
	xpt_text__cell(sb, f->command, 22, false, utf8);
	xpt_strbuf__addc(sb, ' ');
	xpt_text__cell(sb, xpt_rdma_errno_name(xpt_rdma_firmware__errno(f), err, sizeof(err)), 12, false, utf8);
	xpt_strbuf__addc(sb, ' ');
	xpt_text__add(sb, f->status_text, COLUMNS - 53, utf8);
	xpt_strbuf__addc(sb, '\n');
	if (pid)
		snprintf(text, sizeof(text), "%s, process %" PRIu32 ":", comm, pid);
	else
		snprintf(text, sizeof(text), "in an interrupt:");
	put_words(&w, text);
	put_words(&w, xpt_rdma_firmware__text(f, text, sizeof(text)));
	end_words(&w);
}

void xpt_rdma_show__command(const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_moment *at, bool json,
			    struct xpt_strbuf *sb)
{
	struct xpt_rdma_firmware f;
	char comm[17];

	xpt_rdma_firmware__of(&r->fw, &f);
	snprintf(comm, sizeof(comm), "%.16s", r->comm);
	if (!json) {
		add_time(at->wall_ns, sb);
		add_command(&f, r->tgid, comm, sb);
		return;
	}
	begin_json("rdma_command", at->wall_ns, sb);
	xpt_strbuf__add(sb, ",\"process\":");
	xpt_strbuf__add_json(sb, comm);
	xpt_strbuf__addf(sb, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",", r->tgid, r->tid);
	xpt_rdma_firmware__print(&f, sb);
	xpt_strbuf__addf(sb, ",\"wall_ns\":%" PRIu64, at->wall_ns);
	xpt_rdma_moment__print(at, sb);
	xpt_strbuf__add(sb, "}\n");
}

/* "EINVAL 2, EBUSY 1" after column 60, on further lines if they are many. */
static void add_codes(const struct xpt_rdma_fn_sum *f, struct xpt_strbuf *sb)
{
	char buf[32], text[64];
	size_t at = FN_COLUMNS;
	unsigned i;

	for (i = 0; i < f->nr_codes; i++) {
		int n = snprintf(text, sizeof(text), " %s %" PRIu64 "%s", f->code[i].code ?
				 xpt_rdma_errno_name(-f->code[i].code, buf, sizeof(buf)) : "no",
				 f->code[i].n, i + 1 < f->nr_codes ? "," : "");

		if (at > FN_COLUMNS && at + (size_t)n > COLUMNS) {
			xpt_strbuf__addc(sb, '\n');
			xpt_text__pad(sb, FN_COLUMNS);
			at = FN_COLUMNS;
		}
		xpt_strbuf__add(sb, text);
		at += (size_t)n;
	}
	xpt_strbuf__addc(sb, '\n');
}

static void add_functions(const struct xpt_rdma_fn_sum *f, unsigned n, struct xpt_strbuf *sb)
{
	unsigned i;

	if (n)
		xpt_strbuf__addf(sb, "\n%-38s %10s %8s %s\n", "FUNCTION", "CALLS", "ERRORS", "WHICH");
	for (i = 0; i < n; i++) {
		xpt_text__cell(sb, f[i].function, 38, false, xpt_text_utf8());
		xpt_strbuf__addf(sb, " %10" PRIu64 " %8" PRIu64, f[i].calls, f[i].errors);
		add_codes(&f[i], sb);
	}
}

/* "    970 ENODATA of rdma_get_gid_attr" */
static void add_held_kind(const struct xpt_rdma_held *h, struct xpt_strbuf *sb)
{
	char buf[32], text[192];

	snprintf(text, sizeof(text), "%s%s%s%s%s", h->shape, h->shape[0] ? " " : "", h->error ?
		 xpt_rdma_errno_name(h->error, buf, sizeof(buf)) : "slow", h->function[0] ? " of " : "",
		 h->function);
	xpt_strbuf__addf(sb, "    %" PRIu64 " ", h->n);
	xpt_text__add(sb, text, COLUMNS - 26, xpt_text_utf8());
	xpt_strbuf__addc(sb, '\n');
}

/* Failed or slow, and judged by nobody: a scan of many empty entries, mostly. */
static void add_held(const struct xpt_rdma_sums *s, const struct xpt_rdma_sum *m, struct xpt_strbuf *sb)
{
	unsigned i;

	if (!m->held)
		return;
	xpt_strbuf__add(sb, "  ");
	xpt_text__add(sb, m->method, 26, xpt_text_utf8());
	xpt_strbuf__addf(sb, ": %" PRIu64 " came too fast to look at each\n", m->held);
	for (i = 0; i < s->nr_held; i++)
		if (!strcmp(s->held[i].method, m->method))
			add_held_kind(&s->held[i], sb);
}

void xpt_rdma_show__sums(const struct xpt_rdma_sums *s, bool functions, struct xpt_strbuf *sb)
{
	const struct xpt_rdma_sum *v = s->method;
	char mean[24];
	unsigned i;

	xpt_strbuf__addf(sb, "\n%-26s %10s %8s %8s %8s %10s\n", "METHOD", "CALLS", "FAILED",
			 "EXPECTED", "SLOW", "MEAN");
	for (i = 0; i < s->nr_methods; i++) {
		xpt_text__cell(sb, v[i].method, 26, false, xpt_text_utf8());
		xpt_strbuf__addf(sb, " %10" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10s\n",
				 v[i].calls, v[i].failed, v[i].expected, v[i].slow,
				 xpt_fmt_ns(v[i].calls ? v[i].ns / v[i].calls : 0, mean, sizeof(mean)));
	}
	for (i = 0; i < s->nr_methods; i++)
		add_held(s, &v[i], sb);
	for (i = 0; i < s->nr_passed; i++)
		xpt_strbuf__addf(sb, "  %s: %" PRIu64 " calls, counted only (-m %s for more)\n",
				 s->passed[i].method, s->passed[i].calls, s->passed[i].method);
	add_functions(s->fn, functions ? s->nr_fns : 0, sb);
}

static void add_fn_json(const struct xpt_rdma_fn_sum *f, struct xpt_strbuf *sb)
{
	char buf[32];
	unsigned i;

	xpt_strbuf__add(sb, "{\"function\":");
	xpt_strbuf__add_json(sb, f->function);
	xpt_strbuf__add(sb, ",\"module\":");
	xpt_strbuf__add_json(sb, f->module);
	xpt_strbuf__addf(sb, ",\"calls\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"errnos\":{", f->calls,
			 f->errors);
	for (i = 0; i < f->nr_codes; i++)
		xpt_strbuf__addf(sb, "%s\"%s\":%" PRIu64, i ? "," : "", f->code[i].code ?
				 xpt_rdma_errno_name(-f->code[i].code, buf, sizeof(buf)) : "no",
				 f->code[i].n);
	xpt_strbuf__add(sb, "}}");
}

static void add_methods_json(const struct xpt_rdma_sums *s, struct xpt_strbuf *sb)
{
	const struct xpt_rdma_sum *v = s->method;
	char buf[32];
	unsigned i;

	xpt_strbuf__add(sb, "\"methods\":[");
	for (i = 0; i < s->nr_methods; i++) {
		xpt_strbuf__addf(sb, "%s{\"method\":", i ? "," : "");
		xpt_strbuf__add_json(sb, v[i].method);
		xpt_strbuf__add(sb, ",\"object\":");
		xpt_strbuf__add_json(sb, v[i].object);
		xpt_strbuf__addf(sb, ",\"calls\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"expected\":%" PRIu64
				 ",\"slow\":%" PRIu64 ",\"held\":%" PRIu64 ",\"ns\":%" PRIu64 "}",
				 v[i].calls, v[i].failed, v[i].expected, v[i].slow, v[i].held, v[i].ns);
	}
	xpt_strbuf__add(sb, "],\"counted_only\":[");
	for (i = 0; i < s->nr_passed; i++) {
		xpt_strbuf__addf(sb, "%s{\"method\":", i ? "," : "");
		xpt_strbuf__add_json(sb, s->passed[i].method);
		xpt_strbuf__addf(sb, ",\"calls\":%" PRIu64 "}", s->passed[i].calls);
	}
	xpt_strbuf__add(sb, "],\"held\":[");
	for (i = 0; i < s->nr_held; i++) {
		const struct xpt_rdma_held *h = &s->held[i];

		xpt_strbuf__addf(sb, "%s{\"method\":", i ? "," : "");
		xpt_strbuf__add_json(sb, h->method);
		xpt_strbuf__add(sb, ",\"shape\":");
		xpt_strbuf__add_json(sb, h->shape);
		xpt_strbuf__addf(sb, ",\"error\":\"%s\",\"function\":", h->error ?
				 xpt_rdma_errno_name(h->error, buf, sizeof(buf)) : "");
		xpt_strbuf__add_json(sb, h->function);
		xpt_strbuf__addf(sb, ",\"calls\":%" PRIu64 "}", h->n);
	}
	xpt_strbuf__addf(sb, "],\"held_others\":%" PRIu64, s->held_others);
}

void xpt_rdma_show__sums_json(const struct xpt_rdma_sums *s, bool functions, struct xpt_strbuf *sb)
{
	const struct xpt_rdma_watch_stats *st = &s->stats;
	unsigned i;

	xpt_strbuf__add(sb, "{\"type\":\"rdma_summary\",");
	add_methods_json(s, sb);
	xpt_strbuf__add(sb, ",\"functions\":[");
	for (i = 0; functions && i < s->nr_fns; i++) {
		xpt_strbuf__add(sb, i ? "," : "");
		add_fn_json(&s->fn[i], sb);
	}
	xpt_strbuf__addf(sb, "],\"watched\":%u,\"not_watched\":%u,\"attach_ns\":%" PRIu64 ","
			 "\"begun_anew\":%u,\"unwatched_ns\":%" PRIu64 ",\"lost\":{",
			 st->nr, st->nr_failed, st->attach_ns, s->nr_anew, s->unwatched_ns);
	for (i = 0; i < XPT_RDMA_NR_LOST; i++)
		xpt_strbuf__addf(sb, "\"%s\":%" PRIu64 ",", xpt_rdma_lost_name((enum xpt_rdma_lost)i),
				 st->lost[i]);
	xpt_strbuf__addf(sb, "\"returns\":%" PRIu64 "}}\n", st->missed);
}

void xpt_rdma_show__whole_lines(void)
{
	static char buf[1 << 20];

	setvbuf(stdout, buf, _IOFBF, sizeof(buf));
}
