/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes what is read of processes and containers beside their ELF files: the loader's cache
 * below a container's root, lines of /proc/PID/maps, and what a reader in the jail answers that its file has
 * taken over. What comes out lies inside the input or its own bounds, and can be shown.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "elf/dwarf/dwarf_args.h"
#include "elf/dwarf/dwarf_enums.h"
#include "proc/libpath.h"
#include "proc/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

#define SONAME "libcuda.so.1"

struct text {
	const char *begin, *end;
	unsigned left;		/* paths until it is enough */
};

static bool take_path(void *ctx, const char *path)
{
	struct text *t = ctx;

	MUST(path >= t->begin && path < t->end && strlen(path) < PATH_MAX);
	return !--t->left;
}

static void read_cache(const char *text, size_t size)
{
	struct text t = { text, text + size + 1, 3 };
	bool stopped = xpt_libpath__each_cached((const uint8_t *)text, size, SONAME, take_path, &t);

	MUST(stopped == !t.left);
}

/* As read: a line at a time, each with its end. Cuts the text. */
static void read_maps(char *text, size_t size)
{
	char *line = text, *next;
	struct xpt_mapping m;

	for (; line < text + size; line = next) {
		char cut;

		next = memchr(line, '\n', (size_t)(text + size - line));
		next = next ? next + 1 : text + size;
		cut = *next;
		*next = '\0';
		if (xpt_maps__parse(line, &m))
			MUST(m.path > line && m.path <= next && !strchr(m.path, '\n'));
		*next = cut;
	}
}

static bool is_shown(const char *s, size_t max)
{
	uint32_t cp;
	size_t n = strnlen(s, max), len;

	MUST(n < max);
	for (; n; s += len, n -= len) {
		len = xpt_utf8__decode(s, n, &cp);
		if (!len || xpt_utf8__is_hostile(cp))
			return false;
	}
	return true;
}

static void check_function(struct xpt_dwarf_fn *f)
{
	struct xpt_captures known;

	if (!xpt_dwarf__good(f))
		return;
	MUST(is_shown(f->sym, sizeof(f->sym)) && f->nr <= XPT_MAX_VALS);
	for (unsigned i = 0; i < f->nr; i++)
		MUST(is_shown(f->name[i], sizeof(f->name[i])));
	for (unsigned i = 0; i < XPT_MAX_VALS; i++) {
		MUST(is_shown(f->why[i], sizeof(f->why[i])));
		MUST(f->way[i].nr <= XPT_HOOK_DEREFS);
	}
	xpt_dwarf__known(f, 6, &known);
	MUST(known.spec.nr_caps <= f->nr);
	for (unsigned i = 0; i < known.spec.nr_caps; i++)
		MUST(known.spec.cap[i].arg < 6 && is_shown(known.name[i], sizeof(known.name[i])));
	MUST(xpt_dwarf__find(f, 1, f->sym) == f);
}

static void read_answers(const uint8_t *data, size_t size)
{
	static struct xpt_dwarf_fn f;
	static struct xpt_enum e;

	memset(&f, 0, sizeof(f));
	memcpy(&f, data, size < sizeof(f) ? size : sizeof(f));
	check_function(&f);
	memset(&e, 0, sizeof(e));
	memcpy(&e, data, size < sizeof(e) ? size : sizeof(e));
	if (!xpt_enum__good(&e))
		return;
	MUST(e.nr && e.nr <= XPT_STATES_MAX);
	for (unsigned i = 0; i < XPT_STATES_MAX; i++)
		MUST(is_shown(e.name[i], sizeof(e.name[i])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	read_cache(text, size);
	read_maps(text, size);
	free(text);
	if (size)
		read_answers(data, size);
	return 0;
}
