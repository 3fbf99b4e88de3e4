/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Good traces, merged into one tree for each kind (method, object, shape, driver,
 * kernel), in memory and in a file of lines of JSON. There are at most XPT_RDMA_STORE_TREES
 * kinds: a new one evicts the one that was not seen for longest.
 *
 * Only calls from which others can learn are taken: they succeeded, within 50 ms,
 * are whole, and nothing failed in them unexpectedly. An error inside that three
 * successful calls had is known as normal from then on.
 */
#ifndef XPT_RDMA_BASELINE_STORE_H
#define XPT_RDMA_BASELINE_STORE_H

#include "rdma/baseline/rules.h"
#include "rdma/baseline/tree.h"

enum { XPT_RDMA_STORE_TREES = 256, XPT_RDMA_GOOD_NS = 50000000 };

struct xpt_rdma_store;

enum xpt_rdma_offer {
	XPT_RDMA_TAKEN, XPT_RDMA_NOT_GOOD, XPT_RDMA_NOT_FAST, XPT_RDMA_NOT_WHOLE,
	XPT_RDMA_NOT_PLAIN,	/* traced with a wider plan: others would seem shorter */
	XPT_RDMA_NOT_CLEAN,	/* something failed inside, and is not known as normal */
	XPT_RDMA_NR_OFFERS,
};

/*
 * path NULL: only in memory. A file that is not there is made when something is to be written. rules: gets the
 * learned errors; must outlive the store; not NULL. -ENOMEM, -errno, -EBADMSG: no store, or damaged; -EOPNOTSUPP: a
 * database, as former versions made them.
 */
int xpt_rdma_store__open(const char *path, struct xpt_rdma_rules *rules,
			 struct xpt_rdma_store **ret_store);
/*
 * Writes the changes, adding them to the file as it is by now: several processes may have it open. Returns 0 or
 * -errno; a later call tries again. Trees may have changed, by the writing of others.
 */
int xpt_rdma_store__flush(struct xpt_rdma_store *store);
/*
 * The same for callers that must not wait: whoever can read the file can lock it for as long as he likes. -EBUSY:
 * another process has it locked; the changes stay in memory, where they are bounded as all of the store.
 */
int xpt_rdma_store__try_flush(struct xpt_rdma_store *store);
unsigned xpt_rdma_store__unsaved(const struct xpt_rdma_store *store);	/* kinds that the file does not have as they are */
/* Whether other users could read the file of ours that was opened, as former versions made it. Now they cannot. */
bool xpt_rdma_store__mended(const struct xpt_rdma_store *store);
void xpt_rdma_store__free(struct xpt_rdma_store *store);	/* without writing; NULL is fine */
/* Flushes and frees; the flush's error. NULL is fine. */
int xpt_rdma_store__close(struct xpt_rdma_store *store);

enum xpt_rdma_offer xpt_rdma_store__offer(struct xpt_rdma_store *store,
					  const struct xpt_rdma_trace *t);
/* The same without asking: somebody says that it is good. -ENOMEM, -EINVAL: it failed. */
int xpt_rdma_store__add(struct xpt_rdma_store *store, const struct xpt_rdma_trace *t);
/* A line of JSON that the store wrote. 0, -ENOMSG: of another kind, -EBADMSG, -ENOMEM. */
int xpt_rdma_store__line(struct xpt_rdma_store *store, const char *line, size_t n);
const char *xpt_rdma_offer_text(enum xpt_rdma_offer what);	/* why it was not taken */
/*
 * The good traces to compare with: of the same kind; else of another kernel; else of
 * another shape, the one with most traces first. Never of another method or driver.
 * NULL: none. Valid until the store changes.
 */
const struct xpt_rdma_tree *xpt_rdma_store__nearest(const struct xpt_rdma_store *store,
						    const struct xpt_rdma_trace *t);
unsigned xpt_rdma_store__nr(const struct xpt_rdma_store *store);
const struct xpt_rdma_tree *xpt_rdma_store__tree(const struct xpt_rdma_store *store, unsigned i);
uint64_t xpt_rdma_store__evicted(const struct xpt_rdma_store *store);
void xpt_rdma_store__remove(struct xpt_rdma_store *store, unsigned i);
/*
 * A tree from elsewhere, which the store then owns. One of its kind is replaced, unless
 * that was made from more traces: then *ret_kept, and the new one is freed.
 */
int xpt_rdma_store__import(struct xpt_rdma_store *store, struct xpt_rdma_tree *tree, bool *ret_kept);
/* Prints learned errors, each as a line of JSON, and parses them (-ENOMSG: another kind of line). */
void xpt_rdma_learned__print(const struct xpt_rdma_learned *l, struct xpt_strbuf *sb);
int xpt_rdma_learned__parse(const char *line, size_t n, struct xpt_rdma_learned *ret_l);

#endif
