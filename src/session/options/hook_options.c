// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads hooks from options and files. An error is shown with its line and a caret below the column, in a window as
 * wide as a terminal.
 */
#include "session/options/hook_options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "elf/debug_file.h"
#include "elf/elf.h"
#include "elf/usdt.h"
#include "engine/engine.h"
#include "engine/sources/hooks/hook_source.h"
#include "engine/sources/hooks/ioctl_hooks.h"
#include "engine/sources/tracepoints.h"
#include "model/output/hook_row.h"
#include "model/text.h"
#include "proc/libpath.h"
#include "session/options/suggest.h"
#include "session/options/usage.h"

#define WINDOW 72		/* columns of a line that are shown */
#define FILE_MAX (1u << 20)
#define EXE "__EXE__"

struct reader {
	const char *command;
	struct xpt_hook_env env;
	struct xpt_hook_set *set;
	int status;		/* -1, or the exit status */
};

/* --- messages ------------------------------------------------------------------------ */

/* Shows the line with a caret below the error, cleaned for terminals. */
static void show_line(const struct xpt_hook_line *line, size_t at)
{
	size_t len = strlen(line->text), from = at > WINDOW - 16 ? at - (WINDOW - 16) : 0;
	bool utf8 = xpt_text_utf8();
	struct xpt_strbuf sb;
	char text[WINDOW + 1];

	xpt_strbuf__init(&sb, FILE_MAX);
	snprintf(text, sizeof(text), "%.*s", (int)(len - from < WINDOW ? len - from : WINDOW),
		 line->text + from);
	xpt_text__add(&sb, text, SIZE_MAX, utf8);
	text[at - from] = '\0';
	fprintf(stderr, "    %s\n    %*s^\n", xpt_strbuf__str(&sb), (int)xpt_text_columns(text, utf8), "");
	xpt_strbuf__free(&sb);
}

static void print_error(const struct xpt_hook_line *line, const struct xpt_hook_error *err)
{
	if (line->file)
		xpt_err(-EINVAL, "%s:%u:%zu: %s", line->file, line->nr, err->at + 1, err->why);
	else
		xpt_err(-EINVAL, "hook, column %zu: %s", err->at + 1, err->why);
	show_line(line, err->at);
}

static void print_hook(const struct xpt_hook_line *line, const char *why)
{
	size_t blank = strspn(line->text, " \t"), n = strcspn(line->text + blank, " \t");

	if (line->file)
		xpt_err(-ENOENT, "%s:%u: %.*s: %s", line->file, line->nr, (int)n, line->text + blank, why);
	else
		xpt_err(-ENOENT, "hook %.*s: %s", (int)n, line->text + blank, why);
}

/* --- functions of a file -------------------------------------------------------------- */

struct look {
	const struct xpt_probe *probe;
	struct xpt_near near;
	uint64_t found;
};

static void look_at(struct look *l, const char *provider, const char *name)
{
	if (xpt_name_match(l->probe->name, name) &&
	    (l->probe->kind != XPT_PROBE_USDT || xpt_glob_match(l->probe->provider, provider)))
		l->found++;
	else
		xpt_near__offer(&l->near, name);
}

static void look_at_functions(struct look *l, const struct xpt_elf *elf)
{
	size_t n, i;
	const struct xpt_sym *syms = xpt_elf__syms(elf, &n);

	for (i = 0; i < n; i++)
		look_at(l, "", syms[i].name);
}

/* Searches functions that the file does not export, and those that only its separate debug file has. */
static void look_at_local(struct look *l, struct xpt_elf *elf, const char *path)
{
	struct xpt_elf *debug;

	if (!l->found && !xpt_elf__list_local(elf, elf))
		look_at_functions(l, elf);
	debug = l->found ? NULL : xpt_debug_file__open(elf, NULL, path);
	if (debug && !xpt_elf__list_local(elf, debug))
		look_at_functions(l, elf);
	xpt_elf__close(debug);
}

static void look_into(struct look *l, const char *path)
{
	const struct xpt_usdt_site *sites;
	struct xpt_usdt *u = NULL;
	struct xpt_elf *elf = NULL;
	size_t n = 0, i;

	xpt_near__init(&l->near, l->probe->name);
	if (xpt_elf__open(path, &elf))
		return;
	if (l->probe->kind != XPT_PROBE_USDT) {
		look_at_functions(l, elf);
		look_at_local(l, elf, path);
	} else if (!xpt_usdt__read(elf, false, &u)) {
		sites = xpt_usdt__sites(u, &n);
		for (i = 0; i < n; i++)
			look_at(l, sites[i].provider, sites[i].name);
		xpt_usdt__free(u);
	}
	xpt_elf__close(elf);
}

static bool is_file_hook(const struct xpt_hook *h)
{
	return h->probe.kind < XPT_PROBE_KERNEL;
}

static void offer_name(void *ctx, const char *name)
{
	xpt_near__offer(ctx, name);
}

static void offer_tracepoint(void *ctx, const char *category, const char *name)
{
	struct look *l = ctx;

	if (xpt_glob_match(l->probe->provider, category))
		xpt_near__offer(&l->near, name);
}

static void offer_tables(const struct xpt_domain *d, struct xpt_near *near)
{
	for (size_t i = 0; d && i < d->nr_rows; i++)
		xpt_near__offer(near, d->rows[i].sym);
}

/*
 * Returns whether a function that a domain's tables name, and the hook matches, has the values that the hook
 * captures.
 */
static bool knows_captures(const struct xpt_hook *h, const struct xpt_domain *d, const char *sym, bool *any,
			   struct xpt_hook_error *err)
{
	struct xpt_hook_place place = { .sym = sym, .nr_args = XPT_MAX_VALS };
	struct xpt_wire_hook_steps steps;
	struct xpt_captures known, caps;

	if (!xpt_name_match(h->probe.name, sym))
		return false;
	*any = true;
	xpt_captures__make(d, xpt_domain__row(d, sym), sym, XPT_ARGS_ALL, &known);
	place.known = &known;
	return !xpt_hook__captures(h, &place, &caps, &steps, err);
}

/* Commands by name, before anything runs. */
static int check_ioctl(const struct xpt_hook *h, const char *text, struct xpt_hook_error *err)
{
	const char *colon = strchr(text + strspn(text, " \t") + strlen("ioctl:"), ':');
	struct xpt_near near;
	char buf[256];

	if (xpt_ioctl_hook__keys(&h->probe, NULL, NULL))
		return 0;
	xpt_near__init(&near, h->probe.name);
	xpt_ioctl_hook__names(offer_name, &near);
	err->at = colon ? (size_t)(colon + 1 - text) : 0;
	snprintf(err->why, sizeof(err->why), "no such command is known (mmap, poll, a number and * are, too)%.120s",
		 xpt_near__text(&near, buf, sizeof(buf)));
	return -ENOENT;
}

/* Names of arguments, before anything runs. 0, or -ENOENT with the reason. */
static int check_names(const struct xpt_hook *h, struct xpt_hook_error *err)
{
	const struct xpt_domain *d = is_file_hook(h) ? xpt_hooks__domain(h->probe.path) : NULL;
	struct xpt_hook_error e = { 0 };
	bool any = false;
	char sym[256];
	size_t i;

	for (i = 0; d && i < d->nr_rows; i++)
		if (knows_captures(h, d, d->rows[i].sym, &any, &e))
			return 0;
	for (i = 0; d && d->sigs && i < d->sigs->nr_fns; i++) {
		const char *line = d->sigs->fns[i];

		snprintf(sym, sizeof(sym), "%.*s", (int)strcspn(line, " "), line);
		if (knows_captures(h, d, sym, &any, &e))
			return 0;
	}
	if (!any)
		return 0;
	*err = e;
	return -ENOENT;
}

/* --- reading ---------------------------------------------------------------------------- */

/* Parses a line. If __EXE__ lacks the named function, a library of the program may have it. */
static int parse_line(struct reader *r, const char *text, struct xpt_hook *h, struct xpt_hook_error *err)
{
	struct xpt_hook_env anywhere = r->env;
	struct look l = { .probe = &h->probe };
	int e = xpt_hook__parse(text, &r->env, h, err);

	if (!e && is_file_hook(h) && r->env.pid)
		xpt_libpath__of_process((int)r->env.pid, h->probe.path, sizeof(h->probe.path));
	if (e || !r->env.exe || !is_file_hook(h) || !strstr(text, EXE) || strcmp(h->probe.path, r->env.exe))
		return e;
	look_into(&l, h->probe.path);
	if (l.found)
		return 0;
	anywhere.exe = "*";
	return xpt_hook__parse(text, &anywhere, h, err);
}

static int check_file(struct reader *r, const struct xpt_hook_line *line, const struct xpt_hook *h)
{
	bool device = h->probe.kind == XPT_PROBE_IOCTL && !xpt_ioctl_hook__is_kind(h->probe.path);
	char why[PATH_MAX + 64];
	struct stat st;

	if ((!is_file_hook(h) || xpt_probe__is_glob(&h->probe)) && !device)
		return 0;
	if (!stat(h->probe.path, &st) && device && !S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
		errno = ENODEV;
	else if (!access(h->probe.path, device ? F_OK : R_OK))
		return 0;
	snprintf(why, sizeof(why), "cannot read %.200s: %s", h->probe.path, strerror(errno));
	print_hook(line, why);
	r->status = XPT_EXIT_NOTHING;
	return -ENOENT;
}

static void add_line(struct reader *r, const char *text, const char *file, unsigned nr)
{
	struct xpt_hook_set *set = r->set;
	struct xpt_hook_line line = { text, file, nr };
	struct xpt_hook_error err = { 0 };

	if (set->nr == XPT_HOOKS_MAX) {
		r->status = xpt_usage(r->command, "more than %d hooks", XPT_HOOKS_MAX);
		return;
	}
	if (parse_line(r, text, &set->v[set->nr], &err) ||
	    (set->v[set->nr].probe.kind == XPT_PROBE_IOCTL && check_ioctl(&set->v[set->nr], text, &err)) ||
	    check_names(&set->v[set->nr], &err) ||
	    xpt_hook__share(set->v, set->nr, &err)) {
		print_error(&line, &err);
		r->status = XPT_EXIT_USAGE;
		return;
	}
	if (check_file(r, &line, &set->v[set->nr]))
		return;
	set->line[set->nr++] = line;
}

/* Lines of text, which stays. */
static void add_text(struct reader *r, char *text, const char *file)
{
	unsigned next = 1, nr;
	char *line;

	while (r->status < 0 && (line = xpt_hook__next_line(&text, &next, &nr)))
		add_line(r, line, file, nr);
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* A file's path: as it is, else in a folder of the search path, with .hook or as it is. */
static bool find_file(const char *name, char *path)
{
	const char *env = getenv("XPUTRACE_HOOKS");
	char dirs[PATH_MAX], *at = dirs, *dir;

	snprintf(path, PATH_MAX, "%s", name);
	if (strchr(name, '/') || is_file(name))
		return is_file(name);
	snprintf(dirs, sizeof(dirs), "%s%s/usr/share/xputrace/hooks:/usr/local/share/xputrace/hooks:examples/hooks",
		 env ? env : "", env ? ":" : "");
	while ((dir = strsep(&at, ":"))) {
		if (!*dir)
			continue;
		if (snprintf(path, PATH_MAX, "%s/%s.hook", dir, name) < PATH_MAX && is_file(path))
			return true;
		if (snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX && is_file(path))
			return true;
	}
	return false;
}

static void add_file(struct reader *r, const char *name)
{
	bool std_in = !strcmp(name, "-");
	char path[PATH_MAX], buf[4096];
	struct xpt_strbuf sb;
	FILE *f = NULL;
	size_t n;

	if (std_in)
		f = stdin;
	else if (find_file(name, path))
		f = fopen(path, "re");
	if (!f) {
		xpt_err(-ENOENT, "no file '%s' with hooks, here or in $XPUTRACE_HOOKS, /usr/share/xputrace/hooks or "
			"examples/hooks", name);
		r->status = XPT_EXIT_USAGE;
		return;
	}
	xpt_strbuf__init(&sb, FILE_MAX);
	while (!xpt_strbuf__err(&sb) && (n = fread(buf, 1, sizeof(buf), f)) > 0)
		xpt_strbuf__addn(&sb, buf, n);
	if (ferror(f) || xpt_strbuf__err(&sb) || strlen(xpt_strbuf__str(&sb)) != sb.len) {
		xpt_err(-EINVAL, "%s is no text, or too long", name);
		r->status = XPT_EXIT_USAGE;
	} else if (sb.s) {
		add_text(r, sb.s, std_in ? "-" : strdup(path));	/* lines point into it */
	}
	if (!std_in)
		fclose(f);
}

int xpt_hook_set__read(const char *command, const struct xpt_list *lines,
		       const struct xpt_list *files, const char *exe, int pid,
		       struct xpt_hook_set **ret_set)
{
	struct reader r = { .command = command, .env = { exe, (unsigned)pid }, .status = -1 };
	unsigned i;

	r.set = calloc(1, sizeof(*r.set));
	if (!r.set)
		return XPT_EXIT_FAILED;
	r.set->exe = exe ? strdup(exe) : NULL;
	for (i = 0; i < lines->n; i++)
		add_text(&r, strdup(lines->v[i]), NULL);
	for (i = 0; i < files->n && r.status < 0; i++)
		add_file(&r, files->v[i]);
	if (r.status < 0 && (lines->n || files->n) && !r.set->nr)
		r.status = xpt_usage(command, "there is no hook in what was given");
	*ret_set = r.set;
	return r.status;
}

/* --- afterwards --------------------------------------------------------------------------- */

bool xpt_hook_set__has(const struct xpt_hook_set *set, enum xpt_probe_kind kind)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->v[i].probe.kind == kind)
			return true;
	return false;
}

bool xpt_hook_set__has_events(const struct xpt_hook_set *set)
{
	for (uint32_t i = 0; i < set->nr; i++)
		if (set->v[i].prog.action == XPT_HOOK_EVENT)
			return true;
	return false;
}

/* Finds a path or name that cannot be a place of a hook. Returns the form that works, or NULL if it may be one. */
static const char *find_mistake(const struct xpt_probe *probe)
{
	const char *dot = strrchr(probe->path, '.');

	if (isdigit((unsigned char)probe->name[0]))
		return "a bare address is no name: hooks are on functions, 'call:PATH:FUNCTION', which nm(1) and "
		       "'xputrace list' show";
	if (dot && !strcmp(dot, ".debug"))
		return "that is a file of debug information, which has no code: name the program or library that it "
		       "belongs to";
	return NULL;
}

/* Why a hook is on nothing. */
static int explain_nothing(const struct xpt_hook_set *set, uint32_t i, const struct xpt_hook_state *st)
{
	const struct xpt_hook *h = &set->v[i];
	struct look l = { .probe = &h->probe };
	char why[400], text[256];
	bool tracefs;

	if (st->too_many) {
		snprintf(why, sizeof(why), "it matches %llu places, more than there is room for (%u functions, %u "
			 "places of a USDT probe): narrow it", (unsigned long long)st->too_many, XPT_MAX_FNS,
			 16384u);
		print_hook(&set->line[i], why);
		return XPT_EXIT_USAGE;
	}
	if (st->err.why[0]) {
		print_error(&set->line[i], &st->err);
		return XPT_EXIT_USAGE;
	}
	if (st->unseen) {
		snprintf(why, sizeof(why), "a return probe could break the program (%s); 'uprobe:' in place of 'call:' "
			 "shows when a function begins", st->unseen);
	} else if (is_file_hook(h) && find_mistake(&h->probe)) {
		snprintf(why, sizeof(why), "%s", find_mistake(&h->probe));
	} else if (is_file_hook(h) && !xpt_probe__is_glob(&h->probe)) {
		look_into(&l, h->probe.path);
		snprintf(why, sizeof(why), "nothing there matches '%.100s'%s", h->probe.name,
			 l.found ? ", or it cannot be probed" : xpt_near__text(&l.near, text, sizeof(text)));
	} else if (h->probe.kind == XPT_PROBE_IOCTL) {
		snprintf(why, sizeof(why), "all that it means belongs to earlier hooks");
	} else if (h->probe.kind == XPT_PROBE_TRACEPOINT) {
		xpt_near__init(&l.near, h->probe.name);
		tracefs = xpt_tracepoints__each(offer_tracepoint, &l);
		snprintf(why, sizeof(why), tracefs ? "there is no tracepoint '%.100s'%s" :
			 "tracepoints need tracefs (mount -t tracefs tracefs /sys/kernel/tracing): no '%.100s'%s",
			 h->probe.name, xpt_near__text(&l.near, text, sizeof(text)));
	} else {
		xpt_near__init(&l.near, h->probe.name);
		if (set->exe && strstr(set->line[i].text, EXE))
			look_into(&l, set->exe);
		else if (is_file_hook(h))
			offer_tables(xpt_hooks__domain(h->probe.path), &l.near);
		snprintf(why, sizeof(why), h->probe.kind == XPT_PROBE_KERNEL ?
			 "no function of the kernel that matches '%.100s' could be traced%s" :
			 "nothing that was loaded matches '%.100s'%s", h->probe.name,
			 xpt_near__text(&l.near, text, sizeof(text)));
	}
	print_hook(&set->line[i], why);
	return XPT_EXIT_NOTHING;
}

void xpt_hook_set__report_unread(const struct xpt_engine *e)
{
	struct xpt_engine_stats st;

	xpt_engine__stats(e, &st);
	if (st.nr_unread)
		xpt_warn("debug information not read, %u time%s: its reader came to no end or was stopped at what it did "
			 "(-v: of which file); names from there are missing", st.nr_unread, st.nr_unread == 1 ? "" : "s");
}

int xpt_hook_set__check(const struct xpt_hook_set *set, const struct xpt_engine *e)
{
	struct xpt_hook_state st;

	for (uint32_t i = 0; i < set->nr; i++) {
		if (set->v[i].probe.kind != XPT_PROBE_TRACEPOINT && set->v[i].probe.kind != XPT_PROBE_IOCTL &&
		    (!is_file_hook(&set->v[i]) || xpt_probe__is_glob(&set->v[i].probe)))
			continue;
		xpt_engine__hook_state(e, i, &st);
		if (st.nr_fns)
			continue;
		xpt_hook_set__report_unread(e);
		return explain_nothing(set, i, &st);
	}
	return -1;
}

bool xpt_hook_set__report(const struct xpt_hook_set *set, const struct xpt_engine *e)
{
	struct xpt_hook_state st;
	uint32_t found = 0;

	for (uint32_t i = 0; i < set->nr; i++) {
		xpt_engine__hook_state(e, i, &st);
		found += st.nr_fns != 0;
		if (!st.nr_fns)
			explain_nothing(set, i, &st);
		else if (st.unnamed)
			xpt_warn("%.80s: no debug information of 'enum %s' in a program that it is on: numbers are shown",
				 set->v[i].name, st.unnamed);
	}
	return !found;
}

struct print {
	struct xpt_strbuf text, clean;
};

static void print_row(void *ctx, const void *rec, size_t size)
{
	struct print *p = ctx;
	struct xpt_hook_row row;

	if (!xpt_hook_row__read(rec, size, &row))
		return;
	xpt_strbuf__reset(&p->text);
	xpt_strbuf__reset(&p->clean);
	xpt_hook_row__add_text(&row, 80, &p->text);
	xpt_text__add_lines(&p->clean, xpt_strbuf__str(&p->text), xpt_text_utf8());
	printf("%s\n", xpt_strbuf__str(&p->clean));
}

void xpt_hook_set__print(struct xpt_engine *e)
{
	struct print p;

	xpt_strbuf__init(&p.text, FILE_MAX);
	xpt_strbuf__init(&p.clean, FILE_MAX);
	xpt_hooks__rows(e, print_row, &p);
	xpt_strbuf__free(&p.text);
	xpt_strbuf__free(&p.clean);
	printf("\n");
	fflush(stdout);
}
