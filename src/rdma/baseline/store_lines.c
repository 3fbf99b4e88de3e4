// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The store as lines of JSON: trees and learned errors, each a line. Written as a whole to a new file that takes
 * the old one's place, by one writer at a time, who first reads the lines that others have written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/replace.h"
#include "base/formats/json_reader.h"
#include "rdma/baseline/store_priv.h"
#include "rdma/trace/trace_json.h"

enum { MAX_LEARNED_LINE = 1024 };

void xpt_rdma_learned__print(const struct xpt_rdma_learned *l, struct xpt_strbuf *sb)
{
	xpt_strbuf__add(sb, "{\"type\":\"rdma_learned\",\"method\":");
	xpt_strbuf__add_json(sb, l->method);
	xpt_strbuf__add(sb, ",\"function\":");
	xpt_strbuf__add_json(sb, l->function);
	xpt_strbuf__addf(sb, ",\"errno\":%d,\"times\":", l->code);
	xpt_rdma_json__add_u64(sb, l->times);
	xpt_strbuf__add(sb, ",\"first_ns\":");
	xpt_rdma_json__add_u64(sb, l->first_ns);
	xpt_strbuf__add(sb, ",\"last_ns\":");
	xpt_rdma_json__add_u64(sb, l->last_ns);
	xpt_strbuf__add(sb, "}\n");
}

static void take_key(struct xpt_json *j, const char *key, struct xpt_rdma_learned *l, bool *ret_ours)
{
	char type[32] = "";
	uint64_t v = 0;

	if (!strcmp(key, "type")) {
		xpt_rdma_json__take_text(j, type, sizeof(type));
		*ret_ours = !strcmp(type, "rdma_learned");
	} else if (!strcmp(key, "method")) {
		xpt_rdma_json__take_text(j, l->method, sizeof(l->method));
	} else if (!strcmp(key, "function")) {
		xpt_rdma_json__take_text(j, l->function, sizeof(l->function));
	} else if (!strcmp(key, "errno")) {
		l->code = xpt_rdma_json__number(j, &v) && v < 4096 ? (int)v : 0;
	} else if (!strcmp(key, "times")) {
		xpt_rdma_json__number(j, &l->times);
	} else if (!strcmp(key, "first_ns")) {
		xpt_rdma_json__number(j, &l->first_ns);
	} else if (!strcmp(key, "last_ns")) {
		xpt_rdma_json__number(j, &l->last_ns);
	} else {
		xpt_json__skip(j);
	}
}

int xpt_rdma_learned__parse(const char *line, size_t n, struct xpt_rdma_learned *ret_l)
{
	struct xpt_rdma_learned l = { .code = 0 };
	struct xpt_json_text in = { line, n };
	struct xpt_json j;
	const char *key;
	bool ours = false, whole;
	size_t len;

	if (!n || line[0] != '{' || n > MAX_LEARNED_LINE)
		return -ENOMSG;
	if (xpt_json__init(&j, xpt_json_text__read, &in))
		return -ENOMEM;
	if (xpt_json__find_object(&j))
		while (xpt_json__key(&j, &key, &len))
			take_key(&j, key, &l, &ours);
	whole = !j.err;
	xpt_json__free(&j);
	if (!ours)
		return -ENOMSG;
	if (!whole || !*l.method || !*l.function)
		return -EBADMSG;
	*ret_l = l;
	return 0;
}

/* An error that is known already keeps the larger count. */
static void add_learned(struct xpt_rdma_rules *rules, const struct xpt_rdma_learned *l)
{
	unsigned i;

	for (i = 0; i < rules->nr_learned; i++) {
		struct xpt_rdma_learned *has = &rules->learned[i];

		if (has->code != l->code || strcmp(has->method, l->method) ||
		    strcmp(has->function, l->function))
			continue;
		if (has->times < l->times)
			*has = *l;
		return;
	}
	if (rules->nr_learned < XPT_RDMA_MAX_LEARNED)
		rules->learned[rules->nr_learned++] = *l;
}

int xpt_rdma_store__line(struct xpt_rdma_store *store, const char *line, size_t n)
{
	struct xpt_rdma_learned l;
	struct xpt_rdma_tree *tree;
	bool kept;
	int err = xpt_rdma_learned__parse(line, n, &l);

	if (!err) {
		add_learned(store->rules, &l);
		store->learned_dirty = true;
	}
	if (err != -ENOMSG)
		return err;
	err = xpt_rdma_tree__parse(line, n, &tree);
	return err ? err : xpt_rdma_store__import(store, tree, &kept);
}

static int each_line(struct xpt_rdma_store *store, int fd,
		     int (*fn)(struct xpt_rdma_store *store, const char *line, size_t n))
{
	char *line = malloc(XPT_RDMA_TREE_LINE + 2);	/* with line end and NUL */
	FILE *f = line ? xpt_fopen_copy(fd) : NULL;
	int err = f ? 0 : line ? -errno : -ENOMEM;

	while (!err && fgets(line, XPT_RDMA_TREE_LINE + 2, f)) {
		size_t n = strlen(line);

		err = n > XPT_RDMA_TREE_LINE ? -EBADMSG : fn(store, line, n);
	}
	if (!err && ferror(f))
		err = -EIO;
	free(line);
	if (f)
		fclose(f);
	return err;
}

int xpt_rdma_lines__load(struct xpt_rdma_store *store)
{
	int fd = xpt_rdma_store__open_file(store->path), err = fd < 0 ? fd : each_line(store, fd, xpt_rdma_store__line);
	unsigned i;

	if (fd >= 0)
		close(fd);
	for (i = 0; i < store->nr; i++)
		store->slot[i].dirty = false;
	store->rewrite = store->learned_dirty = false;
	return err;
}

/* Takes a line that another process may have written since. */
static int take_again(struct xpt_rdma_store *store, const char *line, size_t n)
{
	struct xpt_rdma_learned l;
	struct xpt_rdma_tree *tree;
	int err = xpt_rdma_learned__parse(line, n, &l);

	if (!err)
		add_learned(store->rules, &l);
	if (err != -ENOMSG)
		return err;
	err = xpt_rdma_tree__parse(line, n, &tree);
	if (!err)
		xpt_rdma_store__again(store, tree);
	return err;
}

static int put_line(FILE *f, struct xpt_strbuf *sb)
{
	int err = xpt_strbuf__err(sb);

	if (!err && fwrite(sb->s, 1, sb->len, f) != sb->len)
		err = -EIO;
	xpt_strbuf__reset(sb);
	return err;
}

static int put_all(void *ctx, int old, FILE *f)
{
	struct xpt_rdma_store *store = ctx;
	struct xpt_strbuf sb;
	unsigned i;
	int err = each_line(store, old, take_again);

	if (err)
		return err;
	xpt_rdma_store__behind(store);
	xpt_strbuf__init(&sb, XPT_RDMA_TREE_LINE);
	for (i = 0; !err && i < store->nr; i++) {
		xpt_rdma_tree__print(store->slot[i].tree, &sb);
		err = put_line(f, &sb);
	}
	for (i = 0; !err && i < store->rules->nr_learned; i++) {
		xpt_rdma_learned__print(&store->rules->learned[i], &sb);
		err = put_line(f, &sb);
	}
	xpt_strbuf__free(&sb);
	return err;
}

int xpt_rdma_lines__save(struct xpt_rdma_store *store)
{
	return xpt_replace_file_locked(store->path, XPT_REPLACE_PRIVATE | (store->no_wait ? XPT_REPLACE_NO_WAIT : 0),
				       put_all, store);
}
