// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Strings of hooks. Those that filters compare with are written into the map xpt_hook_strings. A
 * key holds only the hash of a string; the map xpt_hook_texts has the string of each hash.
 */
#include "engine/sources/hooks/hook_texts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "engine/priv.h"
#include "wire/config.h"
#include "call.skel.h"

#define CUT_MARK "..."

static uint32_t count_strings(const struct xpt_engine *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->cfg.nr_hooks; i++)
		n += e->cfg.hooks[i].nr_strings;
	return n;
}

void xpt_hook_texts__configure(const struct xpt_engine *e, struct call_bpf *skel)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;
	bool keys = xpt_hooks_any(e->cfg.hooks, e->cfg.nr_hooks, xpt_hook__has_text_key);
	uint32_t strings = count_strings(e);

	cfg->hook_texts = keys || strings;
	bpf_map__set_max_entries(skel->maps.xpt_hook_texts, keys ? XPT_HOOK_TEXTS : 1);
	bpf_map__set_max_entries(skel->maps.xpt_hook_strings, strings ? strings : 1);
}

/* Writes the strings of one hook into the map, from index `first` on, and changes the indexes of strings in
 * its tests accordingly. */
static int put_strings(const struct xpt_engine *e, const struct xpt_hook *h, uint32_t first, struct xpt_wire_hook *prog)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_hook_strings);

	for (uint32_t i = 0; i < h->nr_strings; i++) {
		uint32_t at = first + i;

		if (bpf_map_update_elem(fd, &at, &h->string[i], BPF_ANY))
			return -errno;
	}
	for (unsigned i = 0; i < prog->nr_tests; i++)
		if (prog->test[i].b.source == XPT_HOOK_STRING)
			prog->test[i].imm[0] += first;
	return 0;
}

int xpt_hook_texts__open(const struct xpt_engine *e)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_hooks), err;
	uint32_t i, first = 0;

	for (i = 0; i < e->cfg.nr_hooks; i++) {
		struct xpt_wire_hook prog = e->cfg.hooks[i].prog;

		err = put_strings(e, &e->cfg.hooks[i], first, &prog);
		if (err)
			return err;
		if (bpf_map_update_elem(fd, &i, &prog, BPF_ANY))
			return -errno;
		first += e->cfg.hooks[i].nr_strings;
	}
	return 0;
}

/* Makes text of a string of the traced program: bytes that cannot be shown become question marks. */
static char *make_text(const struct xpt_wire_hook_text *t)
{
	char text[XPT_HOOK_TEXT], *s = NULL;

	snprintf(text, sizeof(text), "%.*s", XPT_HOOK_TEXT - 1, (const char *)t->word);
	xpt_utf8__clean(text, "");
	if (asprintf(&s, "%s%s", text, xpt_hook_text_is_cut(t) ? CUT_MARK : "") < 0)
		return NULL;
	return s;
}

char *xpt_hook_texts__find(const struct xpt_engine *e, uint64_t hash)
{
	struct xpt_wire_hook_text text;
	char *s = NULL;

	if (!bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_hook_texts), &hash, &text))
		return make_text(&text);
	if (asprintf(&s, "(string %016" PRIx64 ", not kept)", hash) < 0)
		return NULL;
	return s;
}
