// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See store.h. The whole store is in memory (at most 40 MiB, with the parts that are not in the file yet). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/chase.h"
#include "base/files/fsuser.h"
#include "rdma/baseline/store_priv.h"
#include "rdma/trace/trace_json.h"

/* The beginning of stores that former versions made. */
static const char database[] = "SQLite format 3";

/* It is looked at before it is opened: opening a device can act, and a pipe waits. */
int xpt_rdma_store__open_file(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1, err = place < 0 ? -errno : 0;
	struct stat st;
	char link[32];

	if (!err && fstat(place, &st))
		err = -errno;
	if (!err && !S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -EBADMSG;
	if (!err) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
		fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		err = fd < 0 ? -errno : 0;
	}
	if (place >= 0)
		close(place);
	return err ? err : fd;
}

/* Returns 1 for a file with something in it, 0 if there is none (or an empty one, as mktemp makes them), -errno. */
static int look_at(const char *path)
{
	int fd = xpt_rdma_store__open_file(path);
	char head[sizeof(database)] = "";
	ssize_t n;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	n = read(fd, head, sizeof(head));
	close(fd);
	if (n < 0)
		return -EIO;
	if (n == sizeof(head) && !memcmp(head, database, sizeof(database)))
		return -EOPNOTSUPP;
	return n ? 1 : 0;
}

static void free_slot(struct xpt_rdma_slot *slot)
{
	free(slot->tree);
	free(slot->news);
	*slot = (struct xpt_rdma_slot){ .tree = NULL };
}

void xpt_rdma_store__free(struct xpt_rdma_store *store)
{
	unsigned i;

	if (!store)
		return;
	for (i = 0; i < store->nr; i++)
		free_slot(&store->slot[i]);
	free(store->path);
	free(store);
}

/* In a folder where nobody else can have put it. */
static bool is_own(int dir, const struct stat *file)
{
	uid_t uid = xpt_fsuser__uid();
	struct stat folder;

	return !fstat(dir, &folder) && (!folder.st_uid || folder.st_uid == uid) &&
	       !(folder.st_mode & (S_IWGRP | S_IWOTH)) && S_ISREG(file->st_mode) &&
	       (!file->st_uid || file->st_uid == uid) && file->st_nlink == 1;
}

/* Takes other users' rights to a store of ours: who can read it can lock it. */
static bool mend_rights(const char *path)
{
	struct xpt_place p;
	struct stat st;
	bool mended = false;
	int fd;

	if (xpt_chase(path, &p))
		return false;
	fd = p.magic ? -1 : openat(p.dir, p.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &st) && st.st_mode & S_IRWXO && is_own(p.dir, &st))
		mended = !fchmod(fd, st.st_mode & S_IRWXU);
	if (fd >= 0)
		close(fd);
	close(p.dir);
	return mended;
}

static int load_store(struct xpt_rdma_store *store)
{
	int err = look_at(store->path);

	if (err <= 0)
		return err;
	err = xpt_rdma_lines__load(store);
	if (!err)	/* so that it is one */
		store->mended = mend_rights(store->path);
	return err;
}

int xpt_rdma_store__open(const char *path, struct xpt_rdma_rules *rules,
			 struct xpt_rdma_store **ret_store)
{
	struct xpt_rdma_store *store = calloc(1, sizeof(*store));
	int err = 0;

	if (!store)
		return -ENOMEM;
	store->rules = rules;
	if (path) {
		store->path = strdup(path);
		err = store->path ? load_store(store) : -ENOMEM;
	}
	if (err) {
		xpt_rdma_store__free(store);
		return err;
	}
	*ret_store = store;
	return 0;
}

int xpt_rdma_store__flush(struct xpt_rdma_store *store)
{
	bool dirty = store->learned_dirty || store->rewrite;
	unsigned i;
	int err;

	for (i = 0; i < store->nr; i++)
		dirty |= store->slot[i].dirty;
	if (!dirty || !store->path)
		return 0;
	err = xpt_rdma_lines__save(store);
	if (err)
		return err;
	for (i = 0; i < store->nr; i++) {
		free(store->slot[i].news);
		store->slot[i].news = NULL;
		store->slot[i].dirty = false;
	}
	store->learned_dirty = store->rewrite = store->removed_more = false;
	store->nr_removed = 0;
	return 0;
}

int xpt_rdma_store__close(struct xpt_rdma_store *store)
{
	int err = store ? xpt_rdma_store__flush(store) : 0;

	xpt_rdma_store__free(store);
	return err;
}

int xpt_rdma_store__try_flush(struct xpt_rdma_store *store)
{
	int err;

	store->no_wait = true;
	err = xpt_rdma_store__flush(store);
	store->no_wait = false;
	return err;
}

unsigned xpt_rdma_store__unsaved(const struct xpt_rdma_store *store)
{
	unsigned i, n = 0;

	for (i = 0; store->path && i < store->nr; i++)
		n += store->slot[i].dirty;
	return n;
}

bool xpt_rdma_store__mended(const struct xpt_rdma_store *store)
{
	return store->mended;
}

/* --- trees ------------------------------------------------------------------------------ */

struct xpt_rdma_slot *xpt_rdma_store__slot(struct xpt_rdma_store *store, const struct xpt_rdma_key *key)
{
	unsigned i;

	for (i = 0; i < store->nr; i++)
		if (!memcmp(&store->slot[i].tree->key, key, sizeof(*key)))
			return &store->slot[i];
	return NULL;
}

void xpt_rdma_slot__settle(struct xpt_rdma_slot *slot, struct xpt_rdma_tree *file)
{
	if (slot->dirty && !slot->news && (!file || file->traces <= slot->tree->traces)) {
		free(file);
		return;
	}
	if (slot->news && file)
		xpt_rdma_tree__merge(file, slot->news);
	if (slot->news && !file) {	/* somebody took the rest away */
		file = malloc(sizeof(*file));
		if (file)
			*file = *slot->news;
	}
	if (!file)
		return;
	free(slot->tree);
	slot->tree = file;
}

/* Room for one more; the oldest goes if there is none. */
static struct xpt_rdma_slot *make_room(struct xpt_rdma_store *store)
{
	unsigned i, oldest = 0;

	if (store->nr == XPT_RDMA_STORE_TREES) {
		for (i = 1; i < store->nr; i++)
			if (store->slot[i].tree->last_ns < store->slot[oldest].tree->last_ns)
				oldest = i;
		xpt_rdma_store__remove(store, oldest);
		store->evicted++;
	}
	return &store->slot[store->nr];
}

static void drop_slot(struct xpt_rdma_store *store, unsigned i)
{
	free_slot(&store->slot[i]);
	memmove(&store->slot[i], &store->slot[i + 1], (--store->nr - i) * sizeof(*store->slot));
}

void xpt_rdma_store__remove(struct xpt_rdma_store *store, unsigned i)
{
	if (i >= store->nr)
		return;
	if (store->nr_removed < XPT_RDMA_STORE_TREES)
		store->removed[store->nr_removed++] = store->slot[i].tree->key;
	else
		store->removed_more = true;
	drop_slot(store, i);
	store->rewrite = true;
}

static bool was_removed(const struct xpt_rdma_store *store, const struct xpt_rdma_key *key)
{
	unsigned i;

	for (i = 0; i < store->nr_removed; i++)
		if (!memcmp(&store->removed[i], key, sizeof(*key)))
			return true;
	return store->removed_more;
}

/* Of more than there is room for. */
static bool is_oldest(const struct xpt_rdma_store *store, const struct xpt_rdma_tree *tree)
{
	unsigned i;

	for (i = 0; i < store->nr; i++)
		if (store->slot[i].tree->last_ns < tree->last_ns)
			return false;
	return store->nr == XPT_RDMA_STORE_TREES;
}

void xpt_rdma_store__again(struct xpt_rdma_store *store, struct xpt_rdma_tree *tree)
{
	struct xpt_rdma_slot *slot = xpt_rdma_store__slot(store, &tree->key);
	bool removed = was_removed(store, &tree->key);

	if (slot && !slot->there && !removed) {
		xpt_rdma_slot__settle(slot, tree);
		slot->there = true;
	} else if (slot || removed || is_oldest(store, tree)) {
		free(tree);
	} else {	/* another's */
		*make_room(store) = (struct xpt_rdma_slot){ .tree = tree, .there = true };
		store->nr++;
	}
}

void xpt_rdma_store__behind(struct xpt_rdma_store *store)
{
	unsigned i = 0;

	while (i < store->nr) {
		struct xpt_rdma_slot *slot = &store->slot[i];
		bool there = slot->there || store->removed_more;

		slot->there = false;
		if (!there && !slot->dirty) {	/* another has taken it away */
			drop_slot(store, i);
			continue;
		}
		if (!there)
			xpt_rdma_slot__settle(slot, NULL);
		i++;
	}
}

int xpt_rdma_store__import(struct xpt_rdma_store *store, struct xpt_rdma_tree *tree, bool *ret_kept)
{
	struct xpt_rdma_slot *slot = xpt_rdma_store__slot(store, &tree->key);

	*ret_kept = slot && slot->tree->traces > tree->traces;
	if (*ret_kept) {
		free(tree);
		return 0;
	}
	if (slot) {
		free_slot(slot);
	} else {
		slot = make_room(store);
		store->nr++;
	}
	*slot = (struct xpt_rdma_slot){ .tree = tree, .dirty = true };
	return 0;
}

static bool is_known(struct xpt_rdma_store *store, const struct xpt_rdma_trace *t)
{
	bool known = true;
	uint32_t i;

	for (i = 0; i < t->nr; i++) {
		const struct xpt_rdma_node *node = &t->node[i];
		int code = xpt_rdma_node__code(node);

		if (!(node->flags & XPT_RDMA_NODE_FAILED) || node->flags & XPT_RDMA_NODE_EXPECTED)
			continue;
		if (xpt_rdma_rules__find(store->rules, t->method, node->fn, code, NULL))
			continue;
		store->learned_dirty = true;
		if (!xpt_rdma_rules__learn(store->rules, t->method, node->fn, code, t->wall_ns))
			known = false;
	}
	return known;
}

static enum xpt_rdma_offer judge_trace(struct xpt_rdma_store *store, const struct xpt_rdma_trace *t)
{
	if (xpt_rdma_is_errno(t->ret))
		return XPT_RDMA_NOT_GOOD;
	if (t->flags & (XPT_RDMA_TRACE_CUT | XPT_RDMA_TRACE_LOST) || !t->nr || t->nr > XPT_RDMA_TRACE_NODES)
		return XPT_RDMA_NOT_WHOLE;
	if (t->dur_ns > XPT_RDMA_GOOD_NS || t->flags & XPT_RDMA_TRACE_SLOW)
		return XPT_RDMA_NOT_FAST;
	if (t->flags & XPT_RDMA_TRACE_DEEP)
		return XPT_RDMA_NOT_PLAIN;
	return is_known(store, t) ? XPT_RDMA_TAKEN : XPT_RDMA_NOT_CLEAN;
}

int xpt_rdma_store__add(struct xpt_rdma_store *store, const struct xpt_rdma_trace *t)
{
	struct xpt_rdma_slot *slot;
	struct xpt_rdma_key key;

	if (xpt_rdma_is_errno(t->ret) || !t->nr)
		return -EINVAL;
	xpt_rdma_key__of(t, &key);
	slot = xpt_rdma_store__slot(store, &key);
	if (!slot) {
		slot = make_room(store);
		*slot = (struct xpt_rdma_slot){ .tree = xpt_rdma_tree__new(&key) };
	}
	if (slot->tree && store->path && !slot->dirty)
		slot->news = xpt_rdma_tree__new(&key);
	if (!slot->tree || (store->path && !slot->dirty && !slot->news)) {
		if (slot == &store->slot[store->nr])
			free_slot(slot);
		return -ENOMEM;
	}
	if (slot == &store->slot[store->nr])
		store->nr++;
	xpt_rdma_tree__add(slot->tree, t, NULL);
	if (slot->news)
		xpt_rdma_tree__add(slot->news, t, NULL);
	slot->dirty = true;
	return 0;
}

enum xpt_rdma_offer xpt_rdma_store__offer(struct xpt_rdma_store *store,
					  const struct xpt_rdma_trace *t)
{
	enum xpt_rdma_offer what = judge_trace(store, t);

	if (what == XPT_RDMA_TAKEN && xpt_rdma_store__add(store, t))
		what = XPT_RDMA_NOT_WHOLE;	/* no memory for it */
	return what;
}

const char *xpt_rdma_offer_text(enum xpt_rdma_offer what)
{
	static const char *const texts[XPT_RDMA_NR_OFFERS] = {
		"taken", "failed", "took longer than 50 ms", "functions are missing",
		"traced with a wider plan", "something failed inside",
	};

	return texts[what];
}

/*
 * How near: 0 not at all; the same kernel counts less than the same shape. A call b whose driver is not known did
 * not get as far as the driver: the core's part before that is the same for all drivers.
 */
static unsigned rate_nearness(const struct xpt_rdma_key *a, const struct xpt_rdma_key *b)
{
	if (strcmp(a->method, b->method) || strcmp(a->object, b->object) ||
	    (*b->driver && strcmp(a->driver, b->driver)))
		return 0;
	return 1 + 2 * !strcmp(a->shape, b->shape) + !strcmp(a->kernel, b->kernel);
}

const struct xpt_rdma_tree *xpt_rdma_store__nearest(const struct xpt_rdma_store *store,
						    const struct xpt_rdma_trace *t)
{
	const struct xpt_rdma_tree *best = NULL;
	unsigned i, near, most = 0;
	struct xpt_rdma_key key;

	xpt_rdma_key__of(t, &key);
	for (i = 0; i < store->nr; i++) {
		const struct xpt_rdma_tree *tree = store->slot[i].tree;

		near = rate_nearness(&tree->key, &key);
		if (!near || near < most || (near == most && best && best->traces >= tree->traces))
			continue;
		most = near;
		best = tree;
	}
	return best;
}

unsigned xpt_rdma_store__nr(const struct xpt_rdma_store *store)
{
	return store->nr;
}

const struct xpt_rdma_tree *xpt_rdma_store__tree(const struct xpt_rdma_store *store, unsigned i)
{
	return i < store->nr ? store->slot[i].tree : NULL;
}

uint64_t xpt_rdma_store__evicted(const struct xpt_rdma_store *store)
{
	return store->evicted;
}
