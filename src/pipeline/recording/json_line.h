/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One of the JSON lines that xputrace writes (docs/format.md), as numbers and texts of fixed size: whatever the
 * file holds, a line costs no more memory than this. Lines of other types, and those that lack a field that a call
 * needs, are XPT_LINE_NONE.
 */
#ifndef XPT_PIPELINE_RECORDING_JSON_LINE_H
#define XPT_PIPELINE_RECORDING_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/formats/json_reader.h"
#include "wire/wire.h"

#define XPT_LINE_NAME 256		/* bytes of a function's name, NUL included */
#define XPT_LINE_WORD 64		/* of all other names */
#define XPT_LINE_TEXTS 4096		/* of the texts of all arguments */
#define XPT_LINE_STACK 16384		/* of the names of all frames */

enum xpt_line_content { XPT_LINE_NONE, XPT_LINE_CALL, XPT_LINE_LOSS, XPT_LINE_XID,
		     XPT_LINE_DEVICE /* or a reading of one: not read back */, XPT_LINE_STATES };

enum xpt_line_value { XPT_LINE_NULL, XPT_LINE_NUMBER, XPT_LINE_TEXT };

struct xpt_line_arg {
	char name[XPT_LINE_WORD];
	uint8_t kind;		/* enum xpt_line_value */
	uint64_t number;	/* also of text that is one in hex; negative numbers as 64 bits */
	bool is_hex;
	uint16_t text;		/* where its text begins in texts; 0: it has none */
};

struct xpt_line {
	enum xpt_line_content content;
	char type[XPT_LINE_WORD], layer[XPT_LINE_WORD], domain[XPT_LINE_WORD], cls[XPT_LINE_WORD];
	char kind[XPT_LINE_WORD], direction[XPT_LINE_WORD], signal[XPT_LINE_WORD];
	char container[2 * XPT_LINE_WORD], pod[XPT_LINE_WORD], slurm_job[XPT_LINE_WORD], comm[XPT_COMM_LEN], name[XPT_LINE_NAME];
	char phase;
	bool has_ts, has_pid, has_size, failed, left, in_flight, truncated;
	bool has_code, code_is_hex, has_result;
	uint64_t ts_ns, dur_ns, age_ns, pid, ns_pid, tid, depth, size;	/* ts_ns: since 1970 */
	int64_t code;
	struct xpt_line_arg arg[XPT_MAX_VALS];
	unsigned nr_args, nr_frames;
	/* Of losses and Xids. */
	uint64_t count, xid;
	bool named;
	char device[XPT_LINE_WORD], source[XPT_LINE_WORD], text[2 * XPT_LINE_NAME];
	size_t texts_len, stack_len;
	char texts[XPT_LINE_TEXTS];	/* the first byte is 0; of STATES the names after it, with commas between */
	char stack[XPT_LINE_STACK];	/* "function\0" for each frame, innermost first */
};

#define XPT_EARLY_STATES 8	/* kinds of objects; a domain has five of them at most */

/* Names of states, which come before the first line that has a time: the last ones of each kind. */
struct xpt_early_states {
	unsigned nr;
	uint64_t left_out;	/* lines of further kinds */
	struct {
		char kind[XPT_LINE_WORD], *names;
	} of[XPT_EARLY_STATES];
};

/* Reads lines until one is of something else, which is in *ret_line. As xpt_line__read(); or -ENOMEM. */
int xpt_early_states__read(struct xpt_early_states *s, struct xpt_json *j, struct xpt_line *ret_line);
void xpt_early_states__free(struct xpt_early_states *s);

/* Reads the next object of the file: 1; 0 the file ended; -errno of json_reader.h. */
int xpt_line__read(struct xpt_json *j, struct xpt_line *ret_line);

#endif
