/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that the RDMA commands share: recorded traces, the store of good
 * ones, the user's list of normal errors. All messages are said here.
 */
#ifndef XPT_SESSION_RDMA_STATE_FILES_H
#define XPT_SESSION_RDMA_STATE_FILES_H

#include <stdbool.h>
#include <stdio.h>
#include "rdma/baseline/rules.h"
#include "rdma/baseline/store.h"
#include "rdma/trace/trace_json.h"

#define XPT_RDMA_STORE_ARG "FILE"
#define XPT_RDMA_STORE_HELP "good calls (default: rdma.jsonl in /var/lib/xputrace, for users " \
	"~/.local/state/xputrace)"
#define XPT_RDMA_RULES_HELP "errors that are normal (default: rdma-expected in /var/lib/xputrace, " \
	"for users ~/.local/state/xputrace)"

struct xpt_rdma_files {
	struct xpt_rdma_rules *rules;
	struct xpt_rdma_store *store;	/* may be in memory */
	int err;			/* of the last time it was saved, */
	unsigned busy;			/* and how often in a row another had it locked */
};

/*
 * rules_path, store_path: NULL for the default ones. no_store: one in memory.
 * must: a store that the user named has to be there. 0 or -errno, said.
 */
int xpt_rdma_files__open(struct xpt_rdma_files *f, const char *rules_path, const char *store_path,
			 bool no_store, bool must);
/*
 * Now and then, while something is watched: writes the new calls to the store, unless another process has it
 * locked. That is tried again, and reported after a minute of every 5 s; other errors at once. Each error is
 * reported once, for it lasts.
 */
void xpt_rdma_files__save(struct xpt_rdma_files *f);
/* Writes the store, and reports the loss if that fails. Returns 0 or -errno, reported. */
int xpt_rdma_files__close(struct xpt_rdma_files *f);
/* Such files can be opened, and reading says "Input/output error" only. */
bool xpt_rdma_is_folder(FILE *f);
/* Returns the error in the list of normal errors, for a message after its name. */
const char *xpt_rdma_rules_error(int err);
/* Where it is by default; makes the folder if make. NULL: there is no such place. Returns buf. */
const char *xpt_rdma_default_path(const char *name, bool make, char *buf, size_t n);
/*
 * Reads a file ("-": stdin) of traces, or a recording (.xtr) with some; reports the parts that could not be read.
 * Returns 0 or -errno, reported.
 */
int xpt_rdma_files__read(const char *path, const struct xpt_rdma_sink *sink,
			 struct xpt_rdma_lines *ret_lines);

#endif
