/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The output of `spdk_trace -j`: definitions of trace points, owners, then entries in order of time. Read as a
 * stream, one entry after the other, in fixed memory. Text before and after the JSON is skipped, for spdk_trace
 * itself puts some there, and so are its own lines within the JSON (printed_text.h).
 */
#ifndef XPT_SPDK_SPDK_TRACE_H
#define XPT_SPDK_SPDK_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/formats/json_reader.h"

#define XPT_SPDK_MAX_ARGS 8	/* SPDK_TRACE_MAX_ARGS_COUNT */
#define XPT_SPDK_MAX_TPOINTS 4096	/* ids below; SPDK has 1,024 */

enum xpt_spdk_arg_type { XPT_SPDK_INT, XPT_SPDK_PTR, XPT_SPDK_STR };

struct xpt_spdk_arg_def {
	char *name;
	enum xpt_spdk_arg_type type;
};

struct xpt_spdk_tpoint {
	char *name;
	unsigned id, nr_args, name_len;
	bool new_object;	/* the life of an object begins */
	bool final;		/* and ends: by its name */
	int qpair;		/* the argument with a queue pair, -1: none */
	struct xpt_spdk_arg_def arg[XPT_SPDK_MAX_ARGS];
};

struct xpt_spdk_text {	/* s NULL: absent; ends with NUL */
	const char *s;
	size_t n;
};

struct xpt_spdk_arg {
	uint64_t v;
	struct xpt_spdk_text text;	/* of a string */
	bool bad;			/* neither an integer of 64 bits nor a string */
};

/* Texts live until the next entry is read. */
struct xpt_spdk_entry {
	const struct xpt_spdk_tpoint *tp;
	uint64_t lcore, tsc, size;
	struct xpt_spdk_text poller, owner;
	bool has_object, has_time;
	struct xpt_spdk_text id;	/* of the object, "r12" */
	uint64_t value, time;		/* its address; ticks since its start */
	struct xpt_spdk_text related;
	unsigned nr_args;
	struct xpt_spdk_arg arg[XPT_SPDK_MAX_ARGS];
};

struct xpt_spdk_trace;

struct xpt_spdk_spot {		/* a place in the input, for messages */
	uint64_t byte, line;	/* byte: from 0, line: from 1; 0: there is none */
};

/*
 * Reads up to the entries. 0, -EBADMSG (no JSON, or no such trace), -ENODATA (cut off), -E2BIG, -EIO, -ENOMEM.
 * ret_spot: where JSON that had begun is none any more; may be NULL.
 */
int xpt_spdk_trace__open(xpt_json_read_fn read, void *ctx, struct xpt_spdk_trace **ret_t, struct xpt_spdk_spot *ret_spot);
void xpt_spdk_trace__free(struct xpt_spdk_trace *t);	/* NULL is fine */
/* Returns the position of the reader, for messages about the end. */
struct xpt_spdk_spot xpt_spdk_trace__spot(const struct xpt_spdk_trace *t);
/*
 * 1: *e is the next entry; 0: that was the last; or as above, then there is no more. Where an entry is no JSON, the
 * next one that is whole is read, and that is counted.
 */
int xpt_spdk_trace__next(struct xpt_spdk_trace *t, struct xpt_spdk_entry *e);

uint64_t xpt_spdk_trace__rate(const struct xpt_spdk_trace *t);	/* ticks a second, never 0 */
uint64_t xpt_spdk_trace__bad(const struct xpt_spdk_trace *t);	/* entries without point or time */
/* Returns the number of lines that spdk_trace itself printed within the JSON. */
uint64_t xpt_spdk_trace__printed(const struct xpt_spdk_trace *t);
/* Spots that are no JSON, and where the first is. */
uint64_t xpt_spdk_trace__damaged(const struct xpt_spdk_trace *t, struct xpt_spdk_spot *ret_first);
bool xpt_spdk_trace__has_owners(const struct xpt_spdk_trace *t);	/* of SPDK 26.05 or later */
/* The description of an owner by its number; NULL: the trace has none. */
const char *xpt_spdk_trace__owner(const struct xpt_spdk_trace *t, uint64_t id);

#endif
