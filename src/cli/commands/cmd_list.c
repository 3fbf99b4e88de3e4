// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace list: which functions would be traced on this machine, in which
 * library, and with -v where the probe goes and why. Needs no privileges.
 * Kernel functions are in kernel.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "base/terminal.h"
#include "base/text_id.h"
#include "base/utf8.h"
#include "cli/commands/list_hooks.h"
#include "cli/commands/list_usdt.h"
#include "cli/opt.h"
#include "elf/elf.h"
#include "engine/engine.h"
#include "model/vocab.h"
#include "proc/maps.h"
#include "session/options/function_option.h"
#include "session/options/kernel_functions.h"

#define MAX_SEEN 4096	/* files whose identity is kept */
#define NAME_W 36
#define REST_W 41	/* columns after the name, up to the cost */
#define MOVE_W 8	/* columns of the way that a probe was moved, blanks included */

struct list_opts {
	struct xpt_list libs, pids;
	const char *domain;
	bool verbose, json, as_hooks;
	unsigned sites;
};

struct list {
	struct list_opts opts;
	const char *globs[2];
	const struct xpt_domain *domains[XPT_LIST_MAX + 1];
	struct xpt_hashmap *seen;	/* device, inode, id of the name */
	int pids[XPT_LIST_MAX];
	unsigned nr_libs, nr_fns, nr_objects;
	size_t columns;		/* of the terminal; 0: it is none */
};

/* More of the function above: on a terminal below it, in lines that fit; else in one line. */
static void print_more(const struct list *l, const char *text)
{
	size_t n, col = 0;

	if (!l->columns) {
		printf("%-36s %s\n", "", text);
		return;
	}
	for (; *text; text += n + strspn(text + n, " ")) {
		n = strcspn(text, " ");
		if (!col || col + 1 + n > l->columns)
			col = (size_t)printf("%s  %.*s", col ? "\n" : "", (int)n, text) - (col != 0);
		else
			col += (size_t)printf(" %.*s", (int)n, text);
	}
	printf("\n");
}

#define SHOWN 4096	/* of a name */

/* A name of a file that anybody may have made, as a terminal may have it. */
static const char *clean_name(const char *s, char *buf, size_t n)
{
	snprintf(buf, n, "%s", s);
	xpt_utf8__clean(buf, "");
	return buf;
}

static void print_row(const struct list *l, const struct xpt_plan *p)
{
	const struct xpt_site *s = &p->site;
	char cost[16], more[512], sym[SHOWN];
	const char *name = clean_name(p->sym, sym, sizeof(sym));
	unsigned ns = xpt_returns__call_ns(s, &p->returns);
	int len;

	if (!l->opts.verbose) {
		printf("%s\n", name);
		return;
	}
	if (l->columns && strlen(name) > NAME_W && strlen(name) + REST_W > l->columns) {
		printf("%s\n", name);
		name = "";
	}
	len = printf("%-36s %-8s 0x%08" PRIx64 " %-12s %7s", name,
		     xpt_class_name(p->row ? p->row->cls : XPT_CLASS_OTHER), s->offset,
		     xpt_site_class_name(s->cls), ns ? xpt_fmt_ns(ns, cost, sizeof(cost)) : "-");
	if (l->columns && (size_t)len + MOVE_W + strlen(s->reason) > l->columns) {
		printf("\n");		/* the reason begins with the way */
		print_more(l, s->reason);
	} else {
		printf(" %-6s %s\n", s->moved ? "moved" : "symbol", s->reason);
	}
	if (p->returns.way == XPT_RETURN_PROBE)
		return;
	if (p->returns.way == XPT_RETURN_SITES)
		snprintf(more, sizeof(more), "returns are seen by probes on its %u own return instructions and "
			 "jumps: %s", p->returns.nr, p->returns.reason);
	else
		snprintf(more, sizeof(more), "not traced, its returns cannot be seen: %s", p->returns.reason);
	print_more(l, more);
}

static void print_json(struct list *l, const struct xpt_plan *p, const char *path)
{
	const struct xpt_site *s = &p->site;
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, 64 << 10);	/* names and paths may hold anything */
	xpt_strbuf__add(&sb, l->nr_objects++ ? ",\n{\"function\":" : "\n{\"function\":");
	xpt_strbuf__add_json(&sb, p->sym);
	xpt_strbuf__addf(&sb, ",\"domain\":\"%s\",\"class\":\"%s\",\"row\":%s,\"library\":",
			 p->domain->name, xpt_class_name(p->row ? p->row->cls : XPT_CLASS_OTHER),
			 p->row ? "true" : "false");
	xpt_strbuf__add_json(&sb, path);
	xpt_strbuf__addf(&sb, ",\"offset\":%" PRIu64 ",\"site\":\"%s\",\"expected_ns\":%u,\"moved\":%s,\"reason\":",
			 s->offset, xpt_site_class_name(s->cls), xpt_returns__call_ns(s, &p->returns),
			 s->moved ? "true" : "false");
	xpt_strbuf__add_json(&sb, s->reason);
	xpt_strbuf__addf(&sb, ",\"returns\":\"%s\",\"return_places\":%u,\"return_reason\":",
			 xpt_return_way_name(p->returns.way), p->returns.nr);
	xpt_strbuf__add_json(&sb, p->returns.reason ? p->returns.reason : "");
	printf("%s}", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
}

static void print_counts(const struct xpt_plan *plan, int n)
{
	int moved = 0, slow = 0, by[3] = { 0 }, i;

	for (i = 0; i < n; i++) {
		by[plan[i].returns.way]++;
		moved += plan[i].site.moved;
		slow += plan[i].site.cls == XPT_SITE_SINGLE_STEP;
	}
	printf("# %d functions; probes of %d moved to a cheaper place, %d are single-stepped\n", n,
	       moved, slow);
	printf("# returns of %d are seen by return probes, as no exception passes a C API;\n"
	       "# of %d by probes on their own instructions; of %d not\n", by[XPT_RETURN_PROBE],
	       by[XPT_RETURN_SITES], by[XPT_RETURN_UNSEEN]);
}

/* fd is taken over; it may be -errno. */
static int one_library(struct list *l, int fd, const char *name)
{
	const struct xpt_domain *d = xpt_plan__domain(l->domains, name);
	struct xpt_plan *plan = NULL;
	struct xpt_elf *elf = NULL;
	char path[SHOWN];
	int err, n, i;

	err = fd < 0 ? fd : xpt_elf__open_fd(fd, &elf);
	if (err && !d)
		return 0;
	if (err)
		return xpt_err(err, "%s: %s", name,
			       err == -ENOTSUP ? "for another machine" :
			       err == -ENOEXEC ? "not a library, or damaged" : strerror(-err));
	d = xpt_plan__domain_of(l->domains, name, elf);
	if (!d) {
		xpt_elf__close(elf);
		return 0;
	}
	n = xpt_plan__make(elf, d, l->globs[0] ? l->globs : NULL, l->opts.sites == 0, &plan,
			   NULL);
	if (n < 0)
		xpt_err(n, "%s: %s", name, strerror(-n));
	if (!l->opts.json && n > 0)
		printf("# %s: %s %s\n", d->name, clean_name(name, path, sizeof(path)), xpt_elf__build_id(elf));
	for (i = 0; i < n; i++) {
		if (l->opts.json)
			print_json(l, &plan[i], name);
		else
			print_row(l, &plan[i]);
	}
	if (!l->opts.json && n > 0)
		print_counts(plan, n);
	l->nr_libs++;
	l->nr_fns += n > 0 ? (unsigned)n : 0;
	xpt_plan__free(plan, n);
	xpt_elf__close(elf);
	return 0;
}

/* dev and ino: 0 where they are not known. A process may map one file thousands of times, whatever is in it. */
static bool was_seen(struct list *l, uint64_t dev, uint64_t ino, const char *path)
{
	const uint64_t key[3] = { dev, ino, xpt_text_id(path, strlen(path)) };
	bool is_new = true;

	if (!l->seen && xpt_hashmap__new(sizeof(key), 1, MAX_SEEN, &l->seen))
		return false;
	xpt_hashmap__get(l->seen, key, &is_new);
	return !is_new;
}

/* A file that cannot be read was reported, and ends nothing: others follow. */
static int on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct list *l = ctx;

	if ((xpt_plan__domain(l->domains, m->path) || !strstr(m->path, ".so")) && !was_seen(l, m->dev, m->ino, m->path))
		one_library(l, xpt_maps__open(pid, m), m->path);
	return 0;
}

/* 0 or an exit status. */
static int from_pids(struct list *l)
{
	unsigned i;
	uint64_t pid;
	int err;

	for (i = 0; i < l->opts.pids.n; i++) {
		if (xpt_parse_u64(l->opts.pids.v[i], 1, INT32_MAX, &pid))
			return xpt_opt__usage(&xpt_cmd_list, "'%s' is not a process id",
					      l->opts.pids.v[i]);
		l->pids[i] = (int)pid;
		err = xpt_maps__each((int)pid, on_mapping, l);
		if (err == -ESRCH) {
			xpt_err(err, "process %s does not exist", l->opts.pids.v[i]);
			return XPT_EXIT_NOTHING;
		}
		if (err) {
			xpt_err(err, "cannot look into process %s: %s%s", l->opts.pids.v[i],
				strerror(-err), geteuid() ? " (try sudo)" : "");
			return XPT_EXIT_PRIVILEGE;
		}
	}
	return 0;
}

static void on_file(void *ctx, const char *path)
{
	if (!was_seen(ctx, 0, 0, path))
		one_library(ctx, xpt_regular__open(path, NULL), path);
}

/* Why nothing was printed. An exit status. */
static int explain_nothing(const struct list *l)
{
	struct xpt_functions_where where = {
		.loader = !l->opts.libs.n && !l->opts.pids.n,
		.ld_library_path = getenv("LD_LIBRARY_PATH"),
		.pids = l->pids,
		.nr_pids = l->opts.pids.n,
		.files = l->opts.libs.v,
	};

	if (!l->globs[0])
		xpt_err(0, "no library of a traced domain is loaded there");
	else if (xpt_functions__check(l->domains, l->globs, &where) < 0 && l->nr_libs)
		xpt_err(0, "'%s' is known, but not in the libraries seen here", l->globs[0]);
	return XPT_EXIT_NOTHING;
}

static void print_table_row(struct list *l, const struct xpt_domain *d,
			    const struct xpt_fn_row *row)
{
	if (l->opts.json)
		printf("%s\n{\"function\":\"%s\",\"domain\":\"%s\",\"class\":\"%s\",\"row\":true,"
		       "\"library\":null}", l->nr_objects++ ? "," : "", row->sym, d->name,
		       xpt_class_name(row->cls));
	else if (l->opts.verbose)
		printf("%-36s %-10s %s\n", row->sym, xpt_class_name(row->cls), d->name);
	else
		printf("%s\n", row->sym);
}

/* A domain without a library on this machine: its table. That is worth saying to who
 * asked for it, and not of every library there is. */
static void from_table(struct list *l, const struct xpt_domain *d)
{
	bool say = l->opts.domain || l->globs[0] || !l->nr_libs;
	unsigned found = 0;
	size_t i;

	for (i = 0; i < d->nr_rows; i++) {
		const struct xpt_fn_row *row = &d->rows[i];

		if (l->globs[0] && !xpt_glob_match(l->globs[0], row->sym))
			continue;
		if (!found++ && say && d->provider)
			xpt_info("probes that -d %s looks for in traced programs; 'xputrace list "
				 "usdt:PROGRAM:%s:*' shows those of one", d->name, d->provider);
		else if (found == 1 && say)
			xpt_info("no library of '%s' was found here (LD_LIBRARY_PATH, the loader's "
				 "cache): these are the known functions; name a file with --lib, a "
				 "process with -p", d->name);
		print_table_row(l, d, row);
	}
	l->nr_fns += found;
}

/* Lists the libraries that the loader would find, as `run` does it. */
static void from_loader(struct list *l)
{
	const struct xpt_domain *const *d;
	unsigned before;

	for (d = l->domains; *d; d++) {
		const struct xpt_domain *one[] = { *d, NULL };

		before = l->nr_libs;
		xpt_functions__each_library(one, NULL, getenv("LD_LIBRARY_PATH"), on_file, l);
		if (l->nr_libs == before)
			from_table(l, *d);
	}
}

#define XPT_LO(m) offsetof(struct list_opts, m)

static const struct xpt_opt opts[] = {
	{ "lib", 0, XPT_OPT_LIST, XPT_LO(libs), "FILE", "look at this library; may be given again", 0 },
	{ "pid", 'p', XPT_OPT_LIST, XPT_LO(pids), "PID", "look at the libraries of this process", 0 },
	{ "domain", 'd', XPT_OPT_STR, XPT_LO(domain), "NAME", "only this domain (cuda, cudart, ...)", 0 },
	{ "sites", 0, XPT_OPT_CHOICE, XPT_LO(sites), "HOW", "auto or symbol, as in run",
	  "auto|symbol" },
	{ "json", 0, XPT_OPT_FLAG, XPT_LO(json), 0, "as JSON, with the probe sites", 0 },
	{ "as-hooks", 0, XPT_OPT_FLAG, XPT_LO(as_hooks), 0, "print the domain of that name as a file "
	  "for xputrace-hook(1)", 0 },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_LO(verbose), 0, "class, place of the probe, kind of "
	  "instruction there, what a traced call may cost, whether it was moved, and why", 0 },
	{ 0 },
};

static int choose_domains(struct list *l)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < xpt_nr_domains && n < XPT_LIST_MAX; i++)
		if (!l->opts.domain || !strcmp(l->opts.domain, xpt_domains[i]->name))
			l->domains[n++] = xpt_domains[i];
	if (n)
		return -1;
	return xpt_functions__no_domain(xpt_cmd_list.name, l->opts.domain);
}

/* 0 or an exit status. */
static int from_files(struct list *l)
{
	unsigned i;

	for (i = 0; i < l->opts.libs.n; i++) {
		const char *path = l->opts.libs.v[i];
		int fd = xpt_regular__open(path, NULL);

		if (fd < 0 && fd != -ENOEXEC) {
			xpt_err(fd, "cannot read %s: %s", path, strerror(-fd));
			return XPT_EXIT_FAILED;
		}
		if (one_library(l, fd, path))
			return XPT_EXIT_FAILED;
		if (!l->nr_libs && !xpt_plan__domain(l->domains, path)) {
			xpt_err(0, "%s: by its name not a library that is traced, and no program "
				"with one inside", path);
			return XPT_EXIT_NOTHING;
		}
	}
	return 0;
}

/* 0 or an exit status. */
static int look_at_file(struct list *l)
{
	int status;

	if (l->opts.json)
		printf("[");
	status = from_files(l);
	if (!status)
		status = from_pids(l);
	if (!status && !l->opts.libs.n && !l->opts.pids.n)
		from_loader(l);
	if (l->opts.json)
		printf("\n]\n");
	if (status)
		return status;
	return l->nr_fns ? XPT_EXIT_OK : explain_nothing(l);
}

static int list_kernel(const struct list *l)
{
	if (l->opts.libs.n || l->opts.pids.n || l->opts.domain)
		return xpt_opt__usage(&xpt_cmd_list, "--lib, -p and -d say where libraries are; '%s' "
				      "is in the kernel", l->globs[0]);
	return xpt_kernel__list(l->globs[0], l->opts.verbose, l->opts.json);
}

/* A domain of probes has no library: any file of the process may have them. */
static int list_probes(const struct list *l)
{
	struct xpt_list_usdt what = { .domain = l->domains[0], .pids = &l->opts.pids, .verbose = l->opts.verbose,
				      .json = l->opts.json };
	char spec[256];

	snprintf(spec, sizeof(spec), "usdt:*:%s:%s", l->domains[0]->provider, l->globs[0] ? l->globs[0] : "*");
	what.spec = spec;
	return xpt_list_usdt__run(&what);
}

static int run_list(int argc, char **argv)
{
	static struct list l;	/* zeroed */
	int rest, status = xpt_opt__parse(&xpt_cmd_list, argc, argv, &l.opts, &rest);

	if (status >= 0)
		return status;
	l.columns = xpt_terminal_columns(stdout);
	if (argv[rest] && argv[rest + 1])
		return xpt_opt__usage(&xpt_cmd_list, "unexpected '%s' (quote the pattern)",
				      argv[rest + 1]);
	if (l.opts.as_hooks)
		return xpt_list_hooks__run(argv[rest] ? argv[rest] : l.opts.domain);
	if (argv[rest] && xpt_list_usdt__is(argv[rest])) {
		struct xpt_list_usdt what = { .spec = argv[rest], .pids = &l.opts.pids,
					      .verbose = l.opts.verbose, .json = l.opts.json };

		return xpt_list_usdt__run(&what);
	}
	l.globs[0] = argv[rest];
	if (argv[rest] && xpt_kernel__is_pattern(argv[rest]))
		return list_kernel(&l);
	status = choose_domains(&l);
	if (status < 0 && l.opts.domain && l.domains[0]->provider && l.opts.pids.n)
		return list_probes(&l);
	status = status >= 0 ? status : look_at_file(&l);
	xpt_hashmap__free(l.seen);
	return status;
}

const struct xpt_cmd xpt_cmd_list = {
	.name = "list",
	.args = "[GLOB | usdt:PATH:PROVIDER:NAME | call:PATH:FN |\n       kernel:MOD:FN] [OPTIONS]",
	.summary = "which functions can be traced here, and where the probes go",
	.opts = opts,
	.examples = "  xputrace list 'cuMem*Alloc*'\n  xputrace list -v -p 4711\n"
		    "  xputrace list -v --lib /usr/lib/x86_64-linux-gnu/libcuda.so.1\n"
		    "  xputrace list 'usdt:libstdc++.so.6:libstdcxx:*'\n"
		    "  xputrace list -v 'call:libsqlite3.so.0:sqlite3_exec'\n"
		    "  sudo xputrace list -v 'kernel:nvidia:*ioctl*'\n"
		    "  xputrace list --as-hooks cuda >cuda.hook\n",
	.run = run_list,
};
