// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Kernel functions, see kfind.h. /proc/kallsyms has the functions and their
 * addresses; tracefs those that can be traced; BTF their prototypes. The last
 * two may be missing: then that is not known until attaching.
 */
#include "kernel/kfind.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/pseudo_fs.h"
#include "base/hashmap.h"
#include "base/parse.h"
#include "kernel/tracefs.h"

#define MAX_FUNCS 262144u
#define MAX_BTFS 512u

struct module_btf {
	char name[XPT_KMODULE_LEN];
	struct btf *btf;	/* NULL: it has none */
};

struct xpt_kfind {
	struct xpt_kfind_paths paths;
	struct xpt_ksyms *syms;
	struct xpt_kfunc *v;
	size_t n;
	struct xpt_hashmap *at;	/* hash of module and name -> 1 + index */
	struct module_btf btfs[MAX_BTFS];
	unsigned nr_btfs;
	uint64_t modules;
};

static const struct xpt_kfind_paths linux_paths = {
	"/proc/kallsyms", NULL, "/sys/kernel/debug/kprobes/blacklist", "/sys/kernel/btf"
};

uint64_t xpt_kmodule__born(const char *module)
{
	char path[32 + XPT_KMODULE_LEN];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/module/%s", module);
	return stat(path, &st) ? 0 : st.st_ino;
}

uint64_t xpt_kmodules__now(void)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[4096];
	uint64_t sum = 0, id[2];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " ")] = '\0';
		id[0] = xpt_hash(line, strlen(line));
		id[1] = xpt_kmodule__born(line);
		sum += xpt_hash(id, sizeof(id));	/* births of two may differ by the same */
	}
	if (f)
		fclose(f);
	return sum;
}

int xpt_kfind__new(const struct xpt_kfind_paths *paths, struct xpt_kfind **ret_f)
{
	struct xpt_kfind *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->paths = paths ? *paths : linux_paths;
	f->modules = xpt_kmodules__now();	/* before the list that it is compared with */
	err = xpt_ksyms__new(f->paths.kallsyms, &f->syms);
	if (err) {
		free(f);
		return err;
	}
	*ret_f = f;
	return 0;
}

uint64_t xpt_kfind__modules(const struct xpt_kfind *f)
{
	return f->modules;
}

static void free_symbols(struct xpt_kfind *f)
{
	free(f->v);
	xpt_hashmap__free(f->at);
	f->v = NULL;
	f->n = 0;
	f->at = NULL;
}

void xpt_kfind__free(struct xpt_kfind *f)
{
	unsigned i;

	if (!f)
		return;
	free_symbols(f);
	for (i = f->nr_btfs; i-- > 0;)	/* those of modules before the one they lean on */
		btf__free(f->btfs[i].btf);
	xpt_ksyms__free(f->syms);
	free(f);
}

bool xpt_kfind__split(const char *pattern, char *module, char *name)
{
	const char *colon;
	size_t n;

	if (!strncmp(pattern, "kernel:", 7))
		pattern += 7;
	colon = strchr(pattern, ':');
	n = colon ? (size_t)(colon - pattern) : 0;
	if (n >= XPT_KMODULE_LEN || (colon && !n))
		return false;
	memcpy(module, pattern, n);
	module[n] = '\0';
	if (!colon)
		memcpy(module, "*", 2);
	else
		pattern = colon + 1;
	n = strlen(pattern);
	if (!n || n >= XPT_KNAME_LEN)
		return false;
	memcpy(name, pattern, n + 1);
	return true;
}

static uint64_t key_of(const char *module, const char *name)
{
	char text[XPT_KMODULE_LEN + XPT_KNAME_LEN];
	int n = snprintf(text, sizeof(text), "%s:%s", module, name);

	return xpt_hash(text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

bool xpt_kfind__wants(const char *const *patterns, const char *module, const char *name)
{
	char m[XPT_KMODULE_LEN], n[XPT_KNAME_LEN];

	for (; patterns && *patterns; patterns++)
		if (xpt_kfind__split(*patterns, m, n) && xpt_name_match(n, name) &&
		    xpt_glob_match(m, module))
			return true;
	return false;
}

static bool by_patterns(void *ctx, const char *module, const char *name)
{
	return xpt_kfind__wants(ctx, module, name);
}

static int by_name(const void *a, const void *b)
{
	const struct xpt_kfunc *x = a, *y = b;
	int order = strcmp(x->module, y->module);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Symbols that match, in order; two names for one address are both there. */
static int collect_matches(struct xpt_kfind *f, xpt_kwant_fn want, void *ctx)
{
	const struct xpt_ksym *s;
	struct xpt_kfunc *more;
	size_t nr, i, room = 0;

	s = xpt_ksyms__all(f->syms, &nr);
	for (i = 0; i < nr; i++) {
		if (!want(ctx, s[i].module, s[i].name))
			continue;
		if (f->n == room) {
			room = room ? room * 2 : 64;
			more = room > MAX_FUNCS ? NULL : reallocarray(f->v, room, sizeof(*more));
			if (!more)
				return -ENOMEM;
			f->v = more;
		}
		f->v[f->n++] = (struct xpt_kfunc){ .name = s[i].name, .module = s[i].module,
						   .addr = s[i].addr };
	}
	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), by_name);
	return 0;
}

static int make_index(struct xpt_kfind *f)
{
	int err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), f->n, &f->at);
	bool is_new;
	size_t i;

	for (i = 0; !err && i < f->n; i++) {
		uint64_t key = key_of(f->v[i].module, f->v[i].name);
		uint32_t *at = xpt_hashmap__get(f->at, &key, &is_new);

		if (!at)
			err = -ENOMEM;
		else if (is_new)
			*at = (uint32_t)i + 1;
	}
	return err;
}

/* How many functions have each of these names. */
static int count_names(struct xpt_kfind *f)
{
	struct xpt_hashmap *count = NULL;
	const struct xpt_ksym *s;
	size_t nr, i;
	int err;

	err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), f->n, &count);
	for (i = 0; !err && i < f->n; i++) {
		uint64_t key = xpt_hash(f->v[i].name, strlen(f->v[i].name));

		if (!xpt_hashmap__get(count, &key, NULL))
			err = -ENOMEM;
	}
	s = xpt_ksyms__all(f->syms, &nr);
	for (i = 0; !err && i < nr; i++) {
		uint64_t key = xpt_hash(s[i].name, strlen(s[i].name));
		uint32_t *n = xpt_hashmap__find(count, &key);

		if (n)
			(*n)++;
	}
	for (i = 0; !err && i < f->n; i++) {
		uint64_t key = xpt_hash(f->v[i].name, strlen(f->v[i].name));

		f->v[i].same = *(uint32_t *)xpt_hashmap__find(count, &key);
	}
	xpt_hashmap__free(count);
	return err;
}

static void is_listed(void *ctx, const struct xpt_ksym *s)
{
	struct xpt_kfind *f = ctx;
	uint64_t key = key_of(s->module, s->name);
	const uint32_t *at = xpt_hashmap__find(f->at, &key);
	size_t i;

	/* The list does not show which one of several it is. */
	for (i = at ? *at - 1 : f->n; i < f->n && !strcmp(f->v[i].name, s->name) &&
	     !strcmp(f->v[i].module, s->module); i++)
		f->v[i].traceable = XPT_KTRACE_YES;
}

static void read_filter(struct xpt_kfind *f)
{
	const char *root = f->paths.filter ? NULL : xpt_tracefs__root();
	char path[64];
	size_t i;

	snprintf(path, sizeof(path), "%s/available_filter_functions", root ? root : "");
	if (xpt_ksyms__each_filter(f->paths.filter ? f->paths.filter : path, is_listed, f))
		return;
	for (i = 0; i < f->n; i++)
		if (f->v[i].traceable == XPT_KTRACE_UNKNOWN)
			f->v[i].traceable = XPT_KTRACE_NO;
}

static void is_denied(void *ctx, uint64_t from, uint64_t to)
{
	struct xpt_kfind *f = ctx;
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].addr >= from && f->v[i].addr < to)
			f->v[i].denied = true;
}

static void read_denied(struct xpt_kfind *f)
{
	char path[32];
	int fd;

	if (!xpt_ksyms__each_denied(f->paths.blacklist, is_denied, f) || f->paths.blacklist != linux_paths.blacklist)
		return;
	fd = xpt_pseudo_fs__open("debugfs", "/sys/kernel/debug", "kprobes/blacklist");
	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	xpt_ksyms__each_denied(path, is_denied, f);
	close(fd);
}

const struct btf *xpt_kfind__btf(const struct xpt_kfind *f, const char *module)
{
	unsigned i;

	for (i = 0; i < f->nr_btfs; i++)
		if (!strcmp(f->btfs[i].name, module))
			return f->btfs[i].btf;
	return NULL;
}

/* The kernel's own comes first: the others lean on it. */
static struct btf *load_btf(struct xpt_kfind *f, const char *module)
{
	bool own = !strcmp(module, XPT_KERNEL_ITSELF);
	struct module_btf *m;
	struct btf *base = NULL;
	char path[512];
	unsigned i;

	for (i = 0; i < f->nr_btfs; i++)
		if (!strcmp(f->btfs[i].name, module))
			return f->btfs[i].btf;
	if (!own)
		base = load_btf(f, XPT_KERNEL_ITSELF);
	if (f->nr_btfs == MAX_BTFS || (!own && !base))
		return NULL;
	m = &f->btfs[f->nr_btfs++];
	snprintf(m->name, sizeof(m->name), "%s", module);
	snprintf(path, sizeof(path), "%s/%s", f->paths.btf_dir ? f->paths.btf_dir : "", module);
	m->btf = own ? btf__parse(path, NULL) : btf__parse_split(path, base);
	if (libbpf_get_error(m->btf))
		m->btf = NULL;
	return m->btf;
}

/* Reads prototypes. If BTF has two functions of one name, neither has a known prototype. */
static void read_protos(struct xpt_kfind *f, const char *module)
{
	const struct btf *btf = load_btf(f, module);
	bool own = !strcmp(module, XPT_KERNEL_ITSELF);
	uint32_t id = btf && !own ? btf__type_cnt(load_btf(f, XPT_KERNEL_ITSELF)) : 1;
	uint32_t end = btf ? btf__type_cnt(btf) : 0;

	for (; id < end; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name = t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
		uint64_t key = name ? key_of(module, name) : 0;
		const uint32_t *at = name ? xpt_hashmap__find(f->at, &key) : NULL;
		struct xpt_kfunc *k = at ? &f->v[*at - 1] : NULL;

		if (!k || strcmp(k->name, name))
			continue;
		k->has_proto = !k->proto.id && xpt_kbtf__proto(btf, id, &k->proto);
		k->proto.id = id;
	}
}

int xpt_kfind__match_fn(struct xpt_kfind *f, xpt_kwant_fn want, void *ctx,
			const struct xpt_kfunc **ret_v, size_t *ret_n)
{
	const char *module = "";
	size_t i;
	int err;

	free_symbols(f);
	err = collect_matches(f, want, ctx);
	if (!err && f->n)
		err = make_index(f);
	if (!err && f->n)
		err = count_names(f);
	if (err) {
		free_symbols(f);
		return err;
	}
	if (f->n) {
		read_filter(f);
		read_denied(f);
	}
	for (i = 0; i < f->n; i++) {
		if (!strcmp(module, f->v[i].module))
			continue;
		module = f->v[i].module;
		read_protos(f, module);
	}
	*ret_v = f->v;
	*ret_n = f->n;
	return 0;
}

int xpt_kfind__match(struct xpt_kfind *f, const char *const *patterns,
		     const struct xpt_kfunc **ret_v, size_t *ret_n)
{
	return xpt_kfind__match_fn(f, by_patterns, (void *)patterns, ret_v, ret_n);
}

uint32_t xpt_kfind__id(struct xpt_kfind *f, const char *module, const char *name)
{
	const struct btf *btf = load_btf(f, module);
	int id = btf ? btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) : -ENOENT;

	return id > 0 ? (uint32_t)id : 0;
}

void xpt_kfind__each(const struct xpt_kfind *f,
		     void (*fn)(void *ctx, const char *module, const char *name), void *ctx)
{
	const struct xpt_ksym *s;
	size_t nr, i;

	s = xpt_ksyms__all(f->syms, &nr);
	for (i = 0; i < nr; i++)
		fn(ctx, s[i].module, s[i].name);
}

char *xpt_kfind__text(const struct xpt_kfind *f, const struct xpt_kfunc *k, char *buf, size_t n)
{
	const struct btf *btf = k->has_proto ? xpt_kfind__btf(f, k->module) : NULL;

	buf[0] = '\0';
	return btf ? xpt_kbtf__text(btf, k->proto.id, buf, n) : buf;
}
