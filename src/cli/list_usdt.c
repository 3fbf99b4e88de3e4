// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * USDT probes of a file, or of the files that processes have mapped, for
 * `list`: names that can be used as they are, with -v each place with what the
 * kernel does there and where the arguments lie.
 */
#include "cli/list_usdt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "engine/elf.h"
#include "engine/kernel.h"
#include "engine/libpath.h"
#include "engine/maps.h"
#include "engine/usdt.h"
#include "model/probe.h"
#include "model/text.h"

#define MAX_FILES 4096		/* different ones that are looked at */
#define MAX_JSON (128u << 20)	/* of one place: a file's notes have 16 MiB, escaped six times that */

struct list {
	const struct xpt_list_usdt *what;
	struct xpt_probe probe;
	struct xpt_hashmap *seen;	/* hash of a path */
	unsigned nr_files, nr_sites, nr_objects;
	bool nop5;
	int err;
};

bool xpt_list_usdt__is(const char *spec)
{
	return !strncmp(spec, "usdt:", 5);
}

static bool wants(const struct list *l, const struct xpt_usdt_site *s)
{
	return xpt_glob_match(l->probe.provider, s->provider) &&
	       xpt_glob_match(l->probe.name, s->name);
}

/* A name of the file may hold anything; what cannot be shown becomes a question mark. */
static const char *shown(const char *s, char *buf, size_t n)
{
	size_t i;

	for (i = 0; s[i] && i + 1 < n; i++)
		buf[i] = s[i];
	buf[i] = '\0';
	for (i = 0; buf[i]; i++)
		if ((unsigned char)buf[i] < ' ' || (unsigned char)buf[i] > '~')
			buf[i] = '?';
	return buf;
}

static void print_places(const struct xpt_usdt_site *s)
{
	char text[512];
	unsigned i, left = 0;

	printf("  0x%08" PRIx64 " %-11s %s%s", s->offset, xpt_site_class_name(s->cls),
	       s->sema_offset ? "semaphore " : "", s->nr_args ? "" : "no arguments");
	printf("%s", shown(s->args, text, sizeof(text)));
	for (i = 0; i < s->nr_args; i++)
		left += s->loc[i].kind == XPT_LOC_NONE;
	for (i = 0; left && i < s->nr_args; i++)
		if (s->loc[i].kind == XPT_LOC_NONE)
			printf(" (arg%u cannot be read)", i);
	printf("\n");
}

static void print_json(struct list *l, const char *path, const struct xpt_usdt_site *s)
{
	struct xpt_strbuf sb;
	unsigned i;

	xpt_strbuf__init(&sb, MAX_JSON);
	xpt_strbuf__add(&sb, l->nr_objects++ ? ",\n{\"probe\":\"usdt\",\"provider\":" :
			"\n{\"probe\":\"usdt\",\"provider\":");
	xpt_strbuf__add_json(&sb, s->provider);
	xpt_strbuf__add(&sb, ",\"name\":");
	xpt_strbuf__add_json(&sb, s->name);
	xpt_strbuf__add(&sb, ",\"library\":");
	xpt_strbuf__add_json(&sb, path);
	xpt_strbuf__addf(&sb, ",\"offset\":%" PRIu64 ",\"semaphore\":%" PRIu64 ",\"site\":\"%s\","
			 "\"moved\":%s,\"arguments\":", s->offset, s->sema_offset,
			 xpt_site_class_name(s->cls), s->moved ? "true" : "false");
	xpt_strbuf__add_json(&sb, s->args);
	xpt_strbuf__add(&sb, ",\"readable\":[");
	for (i = 0; i < s->nr_args; i++)
		xpt_strbuf__addf(&sb, "%s%s", i ? "," : "",
				 s->loc[i].kind == XPT_LOC_NONE ? "false" : "true");
	xpt_strbuf__add(&sb, "]");
	printf("%s}", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
}

static void print_probe(const char *path, const struct xpt_usdt_site *s)
{
	char provider[128], name[256];
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, 64 << 10);
	xpt_text__add(&sb, path, SIZE_MAX, true);
	printf("usdt:%s:%s:%s\n", xpt_strbuf__str(&sb), shown(s->provider, provider, sizeof(provider)),
	       shown(s->name, name, sizeof(name)));
	xpt_strbuf__free(&sb);
}

static void print_text(struct list *l, const char *path, const struct xpt_usdt_site *s, size_t nr)
{
	const struct xpt_usdt_site *last = NULL;
	unsigned probes = 0, places = 0, calls = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!wants(l, &s[i]))
			continue;
		if (!last || strcmp(last->name, s[i].name) || strcmp(last->provider, s[i].provider)) {
			print_probe(path, &s[i]);
			probes++;
		}
		last = &s[i];
		places++;
		calls += s[i].cls == XPT_SITE_NOP5;
		if (l->what->verbose)
			print_places(&s[i]);
	}
	if (!probes || !l->what->verbose)
		return;
	printf("# %u probes at %u places", probes, places);
	if (calls)
		printf("; %u on a 5-byte nop, which this kernel %s", calls,
		       l->nop5 ? "makes a call" : "does not make a call");
	printf("\n");
}

/* path: to open it by; name: as it is told. */
static void one_file(struct list *l, const char *path, const char *name, bool must)
{
	const struct xpt_usdt_site *s;
	struct xpt_usdt *u = NULL;
	struct xpt_elf *elf = NULL;
	size_t nr, i;
	int err = xpt_elf__open(path, &elf);

	if (!err)
		err = xpt_usdt__read(elf, l->nop5, &u);
	if (err && must)
		l->err = xpt_err(err, "%s: %s", name,
				 err == -ENOTSUP ? "for another machine" :
				 err == -ENOEXEC ? "not a program or library, or damaged" :
				 strerror(-err));
	xpt_elf__close(elf);
	if (err)
		return;
	l->nr_files++;
	s = xpt_usdt__sites(u, &nr);
	for (i = 0; i < nr; i++) {
		if (!wants(l, &s[i]))
			continue;
		l->nr_sites++;
		if (l->what->json)
			print_json(l, name, &s[i]);
	}
	if (!l->what->json)
		print_text(l, name, s, nr);
	xpt_usdt__free(u);
}

static int on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	uint64_t hash = xpt_hash(m->path, strlen(m->path));
	struct list *l = ctx;
	char path[4096];
	bool is_new;

	if (!xpt_probe__wants_file(&l->probe, m->path) ||
	    !xpt_hashmap__get(l->seen, &hash, &is_new) || !is_new)
		return 0;
	xpt_maps__open_path(pid, m, path, sizeof(path));
	one_file(l, path, m->path, false);
	return 0;
}

/* 0 or an exit status. */
static int from_pids(struct list *l)
{
	const struct xpt_list *pids = l->what->pids;
	uint64_t pid;
	unsigned i;
	int err;

	for (i = 0; i < pids->n; i++) {
		if (xpt_parse_u64(pids->v[i], 1, INT32_MAX, &pid))
			return xpt_opt__usage(&xpt_cmd_list, "'%s' is not a process id", pids->v[i]);
		err = xpt_maps__each((int)pid, on_mapping, l);
		if (!err)
			continue;
		xpt_err(err, "cannot look into process %s: %s%s", pids->v[i], strerror(-err),
			err != -ESRCH && geteuid() ? " (try sudo)" : "");
		return err == -ESRCH ? XPT_EXIT_NOTHING : XPT_EXIT_PRIVILEGE;
	}
	return 0;
}

/* A name without a slash: what the loader would find, else a command. */
static int from_name(struct list *l)
{
	struct xpt_libpath lp = { .ld_library_path = getenv("LD_LIBRARY_PATH") };
	char path[4096];

	if (strpbrk(l->probe.path, "*?"))
		return xpt_opt__usage(&xpt_cmd_list, "'%s' is a pattern for what a process has "
				      "mapped: name one with -p", l->probe.path);
	while (xpt_libpath__next(&lp, l->probe.path, path, sizeof(path)) > 0)
		one_file(l, path, path, true);
	if (!l->nr_files && !l->err &&
	    !xpt_libpath__command(l->probe.path, getenv("PATH"), path, sizeof(path)))
		one_file(l, path, path, true);
	return 0;
}

static int look(struct list *l)
{
	if (l->what->pids->n)
		return from_pids(l);
	if (xpt_probe__is_glob(&l->probe))
		return from_name(l);
	one_file(l, l->probe.path, l->probe.path, true);
	return 0;
}

int xpt_list_usdt__run(const struct xpt_list_usdt *what)
{
	struct list l = { .what = what, .nop5 = xpt_kernel__nop5_is_call() };
	const char *why;
	size_t at;
	int status;

	if (xpt_probe__parse(what->spec, &l.probe, &at, &why))
		return xpt_opt__usage(&xpt_cmd_list, "'%s', column %zu: %s", what->spec, at + 1, why);
	if (xpt_hashmap__new(sizeof(uint64_t), 1, MAX_FILES, &l.seen))
		return XPT_EXIT_FAILED;
	if (what->json)
		printf("[");
	status = look(&l);
	if (what->json)
		printf("\n]\n");
	xpt_hashmap__free(l.seen);
	if (status || l.err)
		return status ? status : XPT_EXIT_FAILED;
	if (!l.nr_sites)
		xpt_err(0, l.nr_files ? "no USDT probe matches '%s'" : "no file for '%s' was found",
			what->spec);
	return l.nr_sites ? XPT_EXIT_OK : XPT_EXIT_NOTHING;
}
