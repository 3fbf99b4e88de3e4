// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions that a probe `call:PATH:FUNCTION` finds in a file, for `list`:
 * names that can be used as they are, with -v the site of the probe, and the way
 * in which the return is seen.
 */
#include "cli/commands/list_calls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/parse.h"
#include "base/strbuf.h"
#include "elf/debug_file.h"
#include "elf/elf.h"
#include "engine/sources/hooks/hook_source.h"
#include "model/domain/probe.h"
#include "model/text.h"
#include "sites/returns.h"

#define MAX_TEXT (64u << 10)	/* of one function: names and paths may hold anything */

/* The row of one function. */
struct row {
	const struct xpt_sym *sym;
	struct xpt_site site;
	struct xpt_returns returns;
};

static void print_text(const struct xpt_list_calls *l, const char *path, const struct row *r)
{
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, MAX_TEXT);
	xpt_strbuf__add(&sb, "call:");
	xpt_text__add(&sb, path, SIZE_MAX, true);
	xpt_strbuf__add(&sb, ":");
	xpt_text__add(&sb, r->sym->name, SIZE_MAX, true);
	printf("%s\n", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	if (!l->verbose)
		return;
	printf("  entry: 0x%08" PRIx64 " %s, %s: %s\n", r->site.offset, xpt_site_class_name(r->site.cls),
	       r->site.moved ? "moved" : "symbol", r->site.reason);
	printf("  return: %s", xpt_return_way_name(r->returns.way));
	if (r->returns.way == XPT_RETURN_SITES)
		printf(" that end it, %" PRIu32, r->returns.nr);
	printf(": %s\n", r->returns.reason);
}

static void print_json(const struct xpt_list_calls *l, const char *path, const struct row *r)
{
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, MAX_TEXT);
	xpt_strbuf__add(&sb, l->nr ? ",\n{\"probe\":\"call\",\"function\":" : "\n{\"probe\":\"call\",\"function\":");
	xpt_strbuf__add_json(&sb, r->sym->name);
	xpt_strbuf__add(&sb, ",\"library\":");
	xpt_strbuf__add_json(&sb, path);
	xpt_strbuf__addf(&sb, ",\"offset\":%" PRIu64 ",\"site\":\"%s\",\"moved\":%s,\"reason\":", r->site.offset,
			 xpt_site_class_name(r->site.cls), r->site.moved ? "true" : "false");
	xpt_strbuf__add_json(&sb, r->site.reason);
	xpt_strbuf__addf(&sb, ",\"returns\":\"%s\",\"return_places\":%" PRIu32 ",\"return_reason\":",
			 xpt_return_way_name(r->returns.way), r->returns.nr);
	xpt_strbuf__add_json(&sb, r->returns.reason);
	printf("%s}", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
}

/* 0 or -ENOMEM. */
static int list_matches(struct xpt_list_calls *l, struct xpt_elf *elf, const char *path)
{
	const struct xpt_sym *sym;
	size_t nr, i;

	sym = xpt_elf__syms(elf, &nr);
	for (i = 0; i < nr; i++) {
		struct row r = { .sym = &sym[i] };

		if (!xpt_glob_match(l->probe->name, sym[i].name))
			continue;
		xpt_elf__site(elf, &sym[i], true, &r.site);
		if (xpt_returns__find(elf, &sym[i], &r.site, xpt_hooks__return_of(path, sym[i].name), &r.returns))
			return -ENOMEM;
		if (l->json)
			print_json(l, path, &r);
		else
			print_text(l, path, &r);
		l->nr++;
		xpt_returns__free(&r.returns);
	}
	return 0;
}

/* Functions that the file exports; else its local ones, and those that only its debug file names. */
int xpt_list_calls__file(struct xpt_list_calls *l, struct xpt_elf *elf, const char *path)
{
	uint32_t had = l->nr;
	int err = list_matches(l, elf, path);
	struct xpt_elf *debug;

	if (!err && l->nr == had && !xpt_elf__list_local(elf, elf))
		err = list_matches(l, elf, path);
	debug = !err && l->nr == had ? xpt_debug_file__open(elf, NULL, path) : NULL;
	if (debug && !xpt_elf__list_local(elf, debug))
		err = list_matches(l, elf, path);
	xpt_elf__close(debug);
	return err ? err : xpt_elf__error(elf);
}
