// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_plan.h. Names come from files that anybody may have written, so
 * bytes that are no plain characters are shown as '?'.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/commands/rdma/show_plan.h"
#include "rdma/plan/expected_errors.h"

enum { COLUMNS = 79, MAX_JSON = 256 << 20, NAME_COLUMNS = 36 };

/* "UVERBS_METHOD_X" is long enough without a bell or an escape sequence in it. */
static const char *clean_name(const char *s, char *buf, size_t n)
{
	size_t i;

	for (i = 0; i + 1 < n && s[i]; i++)
		buf[i] = s[i] > ' ' && s[i] < 0x7f ? s[i] : '?';
	buf[i] = '\0';
	return buf;
}

static const char *route_name(const struct xpt_rdma_root *r)
{
	static const char *const names[XPT_RDMA_NR_ROUTES] = {
		[XPT_RDMA_WRITE] = "write", [XPT_RDMA_WRITE_EX] = "write_ex",
		[XPT_RDMA_IOCTL] = "ioctl", [XPT_RDMA_FILE] = "file", [XPT_RDMA_CM] = "rdma_cm",
	};

	return names[r->route];
}

static void print_modules(const struct xpt_rdma_graph *g)
{
	char buf[64];
	uint32_t i;

	printf("Kernel %s\n\n%-16s %9s %8s %8s %8s\n", clean_name(xpt_rdma_text(g, g->release), buf,
	       sizeof(buf)), "module", "functions", "indirect", "resolved", "types");
	for (i = 0; i < g->nr_modules; i++) {
		const struct xpt_rdma_module *m = &g->modules[i];

		printf("%-16s %9" PRIu32 " %8" PRIu32 " %8" PRIu32 " %8s\n",
		       clean_name(xpt_rdma_text(g, m->name), buf, sizeof(buf)), m->nr_fns, m->nr_sites,
		       m->nr_resolved, m->btf ? "BTF" : "none");
	}
}

/* Prints the methods that a watch leaves out unless they are named. */
static void print_data_path(const struct xpt_rdma_graph *g, struct xpt_rdma_plan *const *plans,
			    unsigned n)
{
	char buf[NAME_COLUMNS + 1];
	const char *before = "\ndata path, only watched if it is named:\n   ";
	unsigned i;

	for (i = 0; i < n; i++) {
		if (!xpt_rdma_root__is_data_path(g, plans[i]->root))
			continue;
		printf("%s%s", before,
		       clean_name(xpt_rdma_text(g, g->roots[plans[i]->root].name), buf, sizeof(buf)));
		before = ", ";
	}
	if (*before == ',')
		printf("\n");
}

void xpt_rdma_print__overview(const struct xpt_rdma_graph *g, struct xpt_rdma_plan *const *plans,
			      unsigned n)
{
	char buf[NAME_COLUMNS + 1];
	unsigned i;

	print_modules(g);
	printf("\n%-*s %-8s %6s %6s %6s %6s\n", NAME_COLUMNS, "method", "by", "below", "kept", "fexit",
	       "open");
	for (i = 0; i < n; i++) {
		const struct xpt_rdma_plan *p = plans[i];
		const struct xpt_rdma_root *r = &g->roots[p->root];

		printf("%-*s %-8s %6" PRIu32 " %6" PRIu32 " %6" PRIu32 " %6" PRIu32 "\n",
		       NAME_COLUMNS, clean_name(xpt_rdma_text(g, r->name), buf, sizeof(buf)),
		       route_name(r), p->nr - p->nr_kernel, p->nr_kept, p->nr_fexit,
		       p->nr_sites - p->nr_resolved);
	}
	print_data_path(g, plans, n);
	printf("\nbelow: functions of the modules that the method may call; kept: probes;\n"
	       "open: indirect calls among them whose targets are not known.\n"
	       "One method with its functions: --method NAME\n");
}

/* Up to the line's end: "EINVAL ENOMEM ..". */
static void print_errnos(const struct xpt_rdma_graph *g, const struct xpt_rdma_fn *f, int col)
{
	uint32_t i;

	for (i = f->nr_errnos; i-- > 0;) {
		const char *name = strerrorname_np(-g->errnos[f->first_errno + i]);
		int len = name ? (int)strlen(name) + 1 : 0;

		if (!len)
			continue;
		if (col + len + (i ? 3 : 0) > COLUMNS) {
			printf(" ..");
			return;
		}
		col += printf(" %s", name);
	}
}

static void print_step(const struct xpt_rdma_graph *g, const struct xpt_rdma_step *s)
{
	const struct xpt_rdma_fn *f = &g->fns[s->fn];
	bool kept = xpt_rdma_rule__keeps(s->rule);
	char name[NAME_COLUMNS + 1];
	int col;

	col = printf("%2u %-*s ", s->depth, NAME_COLUMNS,
		     clean_name(xpt_rdma_fn_name(g, s->fn), name, sizeof(name)));
	if (!kept) {
		printf("%-6s %s\n", xpt_rdma_rule_name(s->rule), xpt_rdma_rule_text(s->rule));
		return;
	}
	col += printf("%-9s %-7s", xpt_rdma_attach_name(s->attach),
		      f->ret == XPT_RDMA_RET_UNKNOWN ? "?" : xpt_rdma_ret_name(f->ret));
	print_errnos(g, f, col);
	printf("\n");
}

static void print_unresolved(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *p)
{
	char name[64], what[64];
	uint32_t i, k;

	if (p->nr_sites == p->nr_resolved)
		return;
	printf("\nIndirect calls whose targets are not known (%" PRIu32 " of %" PRIu32 "):\n",
	       p->nr_sites - p->nr_resolved, p->nr_sites);
	for (i = 0; i < p->nr; i++) {
		const struct xpt_rdma_fn *f = &g->fns[p->steps[i].fn];

		for (k = 0; k < f->nr_sites; k++) {
			const struct xpt_rdma_site *s = &g->sites[f->first_site + k];
			const char *text = xpt_rdma_text(g, s->member);
			int n;

			if (s->resolution != XPT_RDMA_UNRESOLVED ||
			    p->steps[i].rule == XPT_RDMA_KEPT_ENTRY)
				continue;
			clean_name(xpt_rdma_fn_name(g, p->steps[i].fn), name, sizeof(name));
			n = printf("   %.36s+0x%" PRIx32, name, s->offset);
			printf("%*s %.32s\n", n < 45 ? 45 - n : 0, "",
			       *text ? clean_name(text, what, sizeof(what)) : "?");
		}
	}
}

static const char *code_name(int code)
{
	const char *name = code ? strerrorname_np(code) : "NULL";

	/* The kernel's own ones have no name in the C library. */
	return name ? name : code == 512 ? "ERESTARTSYS" : "?";
}

/* One row, with the functions of the plan that it is about; false: with none. */
static bool print_expected_row(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *p,
			       const struct xpt_rdma_expected *e, bool title)
{
	const char *method = xpt_rdma_text(g, g->roots[p->root].name);
	int col = 0, len;
	uint32_t i;

	for (i = 0; i < p->nr_kept; i++) {
		const char *fn = xpt_rdma_fn_name(g, p->steps[i].fn);
		bool any = !strcmp(e->function, "*");

		if (!xpt_rdma_expected__about(e, method, fn))
			continue;
		if (!col && title)
			printf("\nNormal below this method, and no failure:\n");
		if (!col)
			col = printf("   %-15s", code_name(e->code));
		len = any ? 0 : (int)strlen(fn) + 1;
		if (any || col + len + 3 > COLUMNS) {
			printf(any ? " any function" : " ..");
			break;
		}
		col += printf(" %s", fn);
	}
	if (col)
		printf("\n%*s%s\n", 4, "", e->reason);
	return col;
}

static void print_expected(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *p)
{
	bool title = true;
	size_t i;

	for (i = 0; i < xpt_rdma_nr_expected; i++)
		if (print_expected_row(g, p, &xpt_rdma_expected[i], title))
			title = false;
}

static void print_narrowed(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *p)
{
	char a[40], b[40];
	uint32_t i, k;
	bool title = false;

	for (i = 0; i < p->nr; i++) {
		const struct xpt_rdma_fn *f = &g->fns[p->steps[i].fn];

		for (k = 0; k < f->nr_calls; k++) {
			const struct xpt_rdma_call *c = &g->calls[f->first_call + k];

			if (!c->narrowed)
				continue;
			if (!title)
				printf("\nA long that may become the caller's int:\n");
			title = true;
			printf("   %s -> %s\n",
			       clean_name(xpt_rdma_fn_name(g, c->callee), a, sizeof(a)),
			       clean_name(xpt_rdma_fn_name(g, p->steps[i].fn), b, sizeof(b)));
		}
	}
}

void xpt_rdma_print__plan(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *p, bool all)
{
	const struct xpt_rdma_root *r = &g->roots[p->root];
	char name[64], object[64];
	uint32_t i;

	clean_name(xpt_rdma_text(g, r->name), name, sizeof(name));
	clean_name(xpt_rdma_text(g, r->object), object, sizeof(object));
	if (r->route == XPT_RDMA_IOCTL)
		printf("%s, by ioctl: object %s (%" PRIu32 "), method %" PRIu32 "\n", name, object,
		       r->object_id, r->number);
	else if (r->route == XPT_RDMA_FILE)
		printf("%s, of the device's file\n", name);
	else
		printf("%s, by write%s: %scommand %" PRIu32 "\n", name, r->route == XPT_RDMA_CM ? " to rdma_cm" : "",
		       r->route == XPT_RDMA_WRITE_EX ? "extended " : "", r->number);
	printf("%" PRIu32 " functions of the modules may run, and %" PRIu32 " outside of them.\n"
	       "%" PRIu32 " are kept, %" PRIu32 " of them by fexit; %" PRIu32 " above the handler. Below "
	       "it\n%" PRIu32 " would be without regard to depth, wrappers and budget.\n\n",
	       p->nr - p->nr_kernel, p->nr_kernel, p->nr_kept, p->nr_fexit, p->nr_entry,
	       p->before_r8);
	printf("%2s %-*s %-9s %-7s %s\n", "", NAME_COLUMNS, "function", "probe", "returns", "errors");
	for (i = 0; i < (all ? p->nr : p->nr_kept); i++) {
		if (i == p->nr_kept)
			printf("\nDropped:\n");
		print_step(g, &p->steps[i]);
	}
	print_expected(g, p);
	print_narrowed(g, p);
	print_unresolved(g, p);
	printf("\n");
}

static void json_str(struct xpt_strbuf *sb, const char *key, const char *value)
{
	xpt_strbuf__addf(sb, "\"%s\":", key);
	xpt_strbuf__add_json(sb, value);
}

static void json_modules(const struct xpt_rdma_graph *g, struct xpt_strbuf *sb)
{
	uint32_t i;

	for (i = 0; i < g->nr_modules; i++) {
		const struct xpt_rdma_module *m = &g->modules[i];

		xpt_strbuf__add(sb, i ? ",\n{" : "\n{");
		json_str(sb, "module", xpt_rdma_text(g, m->name));
		xpt_strbuf__add(sb, ",");
		json_str(sb, "build_id", xpt_rdma_text(g, m->build_id));
		xpt_strbuf__add(sb, ",");
		json_str(sb, "version", xpt_rdma_text(g, m->version));
		xpt_strbuf__addf(sb, ",\"driver\":%s,\"btf\":%s,\"functions\":%" PRIu32
				 ",\"indirect\":%" PRIu32 ",\"resolved\":%" PRIu32 "}",
				 m->vendor == XPT_RDMA_DRIVER ? "true" : "false", m->btf ? "true" : "false", m->nr_fns,
				 m->nr_sites, m->nr_resolved);
	}
}

static void json_expected(const char *method, const char *fn, struct xpt_strbuf *sb)
{
	const char *comma = "";
	size_t i;

	xpt_strbuf__add(sb, ",\"expected\":[");
	for (i = 0; i < xpt_rdma_nr_expected; i++) {
		const struct xpt_rdma_expected *e = &xpt_rdma_expected[i];

		if (!xpt_rdma_expected__about(e, method, fn))
			continue;
		xpt_strbuf__addf(sb, "%s{\"errno\":%d,", comma, -e->code);
		json_str(sb, "reason", e->reason);
		xpt_strbuf__add(sb, "}");
		comma = ",";
	}
	xpt_strbuf__add(sb, "]");
}

static void json_step(const struct xpt_rdma_graph *g, const struct xpt_rdma_step *s,
		      const char *method, struct xpt_strbuf *sb)
{
	const struct xpt_rdma_fn *f = &g->fns[s->fn];
	bool kept = xpt_rdma_rule__keeps(s->rule);
	uint32_t i;

	xpt_strbuf__add(sb, "{");
	json_str(sb, "function", xpt_rdma_fn_name(g, s->fn));
	xpt_strbuf__add(sb, ",");
	json_str(sb, "module", xpt_rdma_module_name(g, s->fn));
	xpt_strbuf__addf(sb, ",\"depth\":%u,\"kept\":%s,\"rule\":\"%s\",\"reason\":\"%s\","
			 "\"returns\":\"%s\",\"narrowed\":%s,\"errnos\":[", s->depth,
			 kept ? "true" : "false", xpt_rdma_rule_name(s->rule),
			 xpt_rdma_rule_text(s->rule), xpt_rdma_ret_name(f->ret),
			 s->narrowed ? "true" : "false");
	for (i = 0; i < f->nr_errnos; i++)
		xpt_strbuf__addf(sb, "%s%" PRId32, i ? "," : "", g->errnos[f->first_errno + i]);
	xpt_strbuf__add(sb, "]");
	if (kept) {
		xpt_strbuf__addf(sb, ",\"attach\":\"%s\",\"attach_reason\":\"%s\"",
				 xpt_rdma_attach_name(s->attach), xpt_rdma_attach_text(s->attach));
		json_expected(method, xpt_rdma_fn_name(g, s->fn), sb);
	}
	xpt_strbuf__add(sb, "}");
}

static void json_sites(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *p,
		       struct xpt_strbuf *sb)
{
	static const char *const resolutions[XPT_RDMA_NR_RESOLUTIONS] = {
		[XPT_RDMA_UNRESOLVED] = "unresolved", [XPT_RDMA_BY_TYPE] = "type",
		[XPT_RDMA_BY_OFFSET] = "offset", [XPT_RDMA_BY_NOBODY] = "no_driver",
		[XPT_RDMA_BY_PROTO] = "prototype", [XPT_RDMA_BY_TABLE] = "table",
	};
	const char *comma = "\n";
	uint32_t i, k;

	for (i = 0; i < p->nr; i++) {
		const struct xpt_rdma_fn *f = &g->fns[p->steps[i].fn];

		for (k = 0; k < f->nr_sites; k++) {
			const struct xpt_rdma_site *s = &g->sites[f->first_site + k];

			xpt_strbuf__addf(sb, "%s{", comma);
			comma = ",\n";
			json_str(sb, "function", xpt_rdma_fn_name(g, p->steps[i].fn));
			xpt_strbuf__addf(sb, ",\"offset\":%" PRIu32 ",", s->offset);
			json_str(sb, "member", xpt_rdma_text(g, s->member));
			xpt_strbuf__addf(sb, ",\"resolved_by\":\"%s\",\"targets\":%" PRIu32 "}",
					 resolutions[s->resolution],
					 s->nr_targets);
		}
	}
}

static void json_plan(const struct xpt_rdma_graph *g, const struct xpt_rdma_plan *p,
		      struct xpt_strbuf *sb)
{
	const struct xpt_rdma_root *r = &g->roots[p->root];
	uint32_t i;

	xpt_strbuf__add(sb, "{");
	json_str(sb, "method", xpt_rdma_text(g, r->name));
	xpt_strbuf__add(sb, ",");
	json_str(sb, "object", xpt_rdma_text(g, r->object));
	xpt_strbuf__addf(sb, ",\"by\":\"%s\",\"number\":%" PRIu32 ",\"object_id\":", route_name(r),
			 r->number);
	if (r->route == XPT_RDMA_IOCTL)
		xpt_strbuf__addf(sb, "%" PRIu32 ",", r->object_id);
	else
		xpt_strbuf__add(sb, "null,");
	json_str(sb, "handler", xpt_rdma_fn_name(g, r->fn));
	xpt_strbuf__addf(sb, ",\"data_path\":%s,\"below\":%" PRIu32 ",\"outside\":%" PRIu32 ",\"kept\":%" PRIu32
			 ",\"fexit\":%" PRIu32 ",\"before_r8\":%" PRIu32 ",\"before_r8_fexit\":%"
			 PRIu32 ",\n\"functions\":[",
			 xpt_rdma_root__is_data_path(g, p->root) ? "true" : "false", p->nr - p->nr_kernel,
			 p->nr_kernel, p->nr_kept, p->nr_fexit, p->before_r8, p->before_r8_fexit);
	for (i = 0; i < p->nr; i++) {
		xpt_strbuf__add(sb, i ? ",\n" : "\n");
		json_step(g, &p->steps[i], xpt_rdma_text(g, r->name), sb);
	}
	xpt_strbuf__add(sb, "],\n\"indirect\":[");
	json_sites(g, p, sb);
	xpt_strbuf__add(sb, "]}");
}

void xpt_rdma_print__json(const struct xpt_rdma_graph *g, struct xpt_rdma_plan *const *plans,
			  unsigned n, const struct xpt_rdma_limits *limits)
{
	struct xpt_strbuf sb;
	unsigned i;

	xpt_strbuf__init(&sb, MAX_JSON);
	xpt_strbuf__add(&sb, "{");
	json_str(&sb, "kernel", xpt_rdma_text(g, g->release));
	xpt_strbuf__add(&sb, ",");
	json_str(&sb, "kernel_build_id", xpt_rdma_text(g, g->kernel_id));
	xpt_strbuf__addf(&sb, ",\"depth\":%u,\"budget\":%u,\"modules\":[", limits->depth,
			 limits->budget);
	json_modules(g, &sb);
	xpt_strbuf__add(&sb, "],\n\"methods\":[");
	for (i = 0; i < n; i++) {
		xpt_strbuf__add(&sb, i ? ",\n" : "\n");
		json_plan(g, plans[i], &sb);
		fwrite(xpt_strbuf__str(&sb), 1, sb.len, stdout);
		xpt_strbuf__reset(&sb);
	}
	if (!n)
		printf("%s", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	printf("]}\n");
}
