/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON lines of a trace as wire records, for those who kept no recording. Functions get their classes and roles
 * from the tables of this build, by domain and name; a function that the tables do not know has the class that the
 * line names, and its arguments as plain values.
 *
 * Facts that no line has are not made up: exact counts, ends and forks of processes, the command lines, when
 * tracing began (it is taken for the begin of the first line), which calls were left out as asked, events of the
 * scheduler. The stream reports that (META "partial"), and whatever rests on one of these is silent.
 *
 * The interface is that of recordings (recording.h); memory does not depend on the file.
 */
#ifndef XPT_PIPELINE_RECORDING_LINES_H
#define XPT_PIPELINE_RECORDING_LINES_H

#include <stddef.h>
#include <stdint.h>
#include "base/formats/json_reader.h"

struct xpt_lines;

/*
 * path: a file. -EINVAL: it does not begin with a line of a trace; -errno of open; -ENOMEM. Further on, anything
 * that is no line of a trace is passed over and counted (loss DECODE_REJECTED).
 */
int xpt_lines__open(const char *path, struct xpt_lines **ret_l);
/* The same from a read function; ctx is the caller's. */
int xpt_lines__new(xpt_json_read_fn read, void *ctx, struct xpt_lines **ret_l);
/* Like xpt_rec_reader__next(): 1 a record; 0 the end; -ENODATA cut in a line; -EBADMSG, -E2BIG no JSON; -EIO. */
int xpt_lines__next(struct xpt_lines *l, const void **ret_rec, size_t *ret_size);
uint64_t xpt_lines__offset(const struct xpt_lines *l);	/* bytes of the file read so far, about */
void xpt_lines__close(struct xpt_lines *l);		/* NULL is fine */

#endif
