// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * USDT probes and functions of a file, or of the files that processes have mapped, for
 * `list`: names that can be used as they are, with -v each site with its class (the
 * way the kernel executes it) and the locations of the arguments.
 */
#include "cli/commands/list_usdt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/files/regular.h"
#include "base/strbuf.h"
#include "cli/commands/list_calls.h"
#include "elf/elf.h"
#include "kernel/bpf_links.h"
#include "proc/libpath.h"
#include "proc/maps.h"
#include "elf/usdt.h"
#include "model/domain/domain.h"
#include "model/domain/probe.h"
#include "model/text.h"

#define EXE "__EXE__"		/* as in hooks: the program, or the libraries linked into it */
#define MAX_FILES 4096		/* different ones that are looked at */
#define MAX_JSON (128u << 20)	/* of one place: a file's notes have 16 MiB, escaped six times that */

struct list {
	const struct xpt_list_usdt *wanted;
	struct xpt_probe probe;
	struct xpt_hashmap *seen;	/* hash of a path */
	struct xpt_list_calls calls;
	unsigned nr_files, nr_sites, nr_objects;
	bool nop5;
	int err;
};

bool xpt_list_usdt__is(const char *spec)
{
	return !strncmp(spec, "usdt:", 5) || !strncmp(spec, "call:", 5);
}

static bool wants_site(const struct list *l, const struct xpt_usdt_site *s)
{
	return xpt_glob_match(l->probe.provider, s->provider) && xpt_glob_match(l->probe.name, s->name) &&
	       (!l->wanted->domain || xpt_domain__probe(l->wanted->domain, s->name, s->nr_args));
}

/* A name of the file may hold anything; bytes that cannot be shown become question marks. */
static const char *clean_name(const char *s, char *buf, size_t n)
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
	printf("%s", clean_name(s->args, text, sizeof(text)));
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
	printf("usdt:%s:%s:%s\n", xpt_strbuf__str(&sb), clean_name(s->provider, provider, sizeof(provider)),
	       clean_name(s->name, name, sizeof(name)));
	xpt_strbuf__free(&sb);
}

static void print_text(struct list *l, const char *path, const struct xpt_usdt_site *s, size_t nr)
{
	const struct xpt_usdt_site *last = NULL;
	unsigned probes = 0, places = 0, calls = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!wants_site(l, &s[i]))
			continue;
		if (!last || strcmp(last->name, s[i].name) || strcmp(last->provider, s[i].provider)) {
			print_probe(path, &s[i]);
			probes++;
		}
		last = &s[i];
		places++;
		calls += s[i].cls == XPT_SITE_NOP5;
		if (l->wanted->verbose)
			print_places(&s[i]);
	}
	if (!probes || !l->wanted->verbose)
		return;
	printf("# %u probes at %u places", probes, places);
	if (calls)
		printf("; %u on a 5-byte nop, which this kernel %s", calls,
		       l->nop5 ? "makes a call" : "does not make a call");
	printf("\n");
}

/* 0, or -errno of reading the file. */
static int show_usdt(struct list *l, struct xpt_elf *elf, const char *name)
{
	const struct xpt_usdt_site *s;
	struct xpt_usdt *u = NULL;
	size_t nr, i;
	int err = xpt_usdt__read(elf, l->nop5, &u);

	if (err)
		return err;
	s = xpt_usdt__sites(u, &nr);
	for (i = 0; i < nr; i++) {
		if (!wants_site(l, &s[i]))
			continue;
		l->nr_sites++;
		if (l->wanted->json)
			print_json(l, name, &s[i]);
	}
	if (!l->wanted->json)
		print_text(l, name, s, nr);
	xpt_usdt__free(u);
	return 0;
}

static int show_calls(struct list *l, struct xpt_elf *elf, const char *name)
{
	int err = xpt_list_calls__file(&l->calls, elf, name);

	l->nr_sites = l->calls.nr;
	return err;
}

/* Takes ownership of fd, which may be -errno. name: as it is printed. */
static void one_file(struct list *l, int fd, const char *name, bool must)
{
	struct xpt_elf *elf = NULL;
	int err = fd < 0 ? fd : xpt_elf__open_fd(fd, &elf);

	if (!err)
		err = l->probe.kind == XPT_PROBE_CALL ? show_calls(l, elf, name) : show_usdt(l, elf, name);
	if (err && must)
		l->err = xpt_err(err, "%s: %s", name,
				 err == -ENOTSUP ? "for another machine" :
				 err == -ENOEXEC ? "not a program or library, or damaged" :
				 strerror(-err));
	xpt_elf__close(elf);
	l->nr_files += !err;
}

static int on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	uint64_t hash = xpt_hash(m->path, strlen(m->path));
	struct list *l = ctx;
	bool is_new;

	if (!xpt_probe__wants_file(&l->probe, m->path) ||
	    !xpt_hashmap__get(l->seen, &hash, &is_new) || !is_new)
		return 0;
	one_file(l, xpt_maps__open(pid, m), m->path, false);
	return 0;
}

/* 0 or an exit status. */
static int from_pids(struct list *l)
{
	const struct xpt_list *pids = l->wanted->pids;
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

/* A name without a slash: a library that the loader would find, else a command. */
static int from_name(struct list *l)
{
	struct xpt_libpath lp = { .ld_library_path = getenv("LD_LIBRARY_PATH") };
	char path[4096];

	if (strpbrk(l->probe.path, "*?"))
		return xpt_opt__usage(&xpt_cmd_list, "'%s' is a pattern for what a process has "
				      "mapped: name one with -p", l->probe.path);
	while (xpt_libpath__next(&lp, l->probe.path, path, sizeof(path)) > 0)
		one_file(l, xpt_regular__open(path, NULL), path, true);
	if (!l->nr_files && !l->err &&
	    !xpt_libpath__command(l->probe.path, getenv("PATH"), path, sizeof(path)))
		one_file(l, xpt_regular__open(path, NULL), path, true);
	return 0;
}

static int look_at_file(struct list *l)
{
	if (l->wanted->pids->n)
		return from_pids(l);
	if (xpt_probe__is_glob(&l->probe))
		return from_name(l);
	one_file(l, xpt_regular__open(l->probe.path, NULL), l->probe.path, true);
	return 0;
}

int xpt_list_usdt__run(const struct xpt_list_usdt *wanted)
{
	struct list l = { .wanted = wanted, .nop5 = xpt_kernel__nop5_is_call() };
	const char *why;
	size_t at;
	int status;

	if (xpt_probe__parse(wanted->spec, &l.probe, &at, &why))
		return xpt_opt__usage(&xpt_cmd_list, "'%s', column %zu: %s", wanted->spec, at + 1, why);
	if (!strcmp(l.probe.path, EXE) && !wanted->pids->n)
		return xpt_opt__usage(&xpt_cmd_list, EXE " is known with -p PID only");
	if (!strcmp(l.probe.path, EXE))
		snprintf(l.probe.path, sizeof(l.probe.path), "*");
	l.calls = (struct xpt_list_calls){ &l.probe, wanted->verbose, wanted->json, 0 };
	if (xpt_hashmap__new(sizeof(uint64_t), 1, MAX_FILES, &l.seen))
		return XPT_EXIT_FAILED;
	if (wanted->json)
		printf("[");
	status = look_at_file(&l);
	if (wanted->json)
		printf("\n]\n");
	xpt_hashmap__free(l.seen);
	if (status || l.err)
		return status ? status : XPT_EXIT_FAILED;
	if (!l.nr_sites)
		xpt_err(0, !l.nr_files ? "no file for '%s' was found" : l.probe.kind == XPT_PROBE_CALL ?
			"no function matches '%s'" : "no USDT probe matches '%s'", wanted->spec);
	return l.nr_sites ? XPT_EXIT_OK : XPT_EXIT_NOTHING;
}
