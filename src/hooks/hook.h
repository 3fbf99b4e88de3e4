/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks: lines that name a probe, the values to read there, a filter, and the
 * action on the values.
 *
 *   PROBE [CAPTURE...] [/FILTER/ or "if" FILTER] [ACTION]
 *
 * A line becomes a checked struct xpt_hook: a probe, captures, and the program
 * that the kernel runs (wire/hook.h). Pure functions of text; docs/hooks.md is
 * the language's description.
 */
#ifndef XPT_HOOKS_HOOK_H
#define XPT_HOOKS_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/domain/captures.h"
#include "model/domain/probe.h"
#include "wire/hook_text.h"

#define XPT_HOOK_NAME 64	/* bytes of a map's name, NUL included */
#define XPT_HOOK_WHY 200
#define XPT_HOOK_LINE 8192	/* bytes of a line */
#define XPT_HOOK_PATH 96	/* bytes of a way through structs */

enum xpt_hook_cap_kind {
	XPT_HOOK_CAP_VALUE,	/* the argument */
	XPT_HOOK_CAP_DEREF,	/* the value that it points to */
	XPT_HOOK_CAP_STRING,	/* the string that it points to */
};

struct xpt_hook_cap {
	uint8_t kind;		/* enum xpt_hook_cap_kind */
	uint8_t width;		/* bytes, | 0x80 = sign-extend; 0: as the argument is */
	int8_t arg;		/* number of the argument, -1: by its name */
	int32_t off;		/* DEREF, STRING */
	uint32_t at;		/* its place in the line */
	char arg_name[XPT_CAP_NAME];	/* with arg -1 */
	char path[XPT_HOOK_PATH];	/* "f_inode->i_sb.s_dev": where it leads from there; "": nowhere */
	char name[XPT_CAP_NAME];	/* in output */
};

enum xpt_hook_key_kind {	/* how a key's words are shown */
	XPT_HOOK_KEY_NUMBER, XPT_HOOK_KEY_SIGNED, XPT_HOOK_KEY_TIME, XPT_HOOK_KEY_USYM,
	XPT_HOOK_KEY_STACK, XPT_HOOK_KEY_FUNC, XPT_HOOK_KEY_RESULT, XPT_HOOK_KEY_TEXT,
	XPT_HOOK_KEY_NAMES, XPT_HOOK_KEY_COMM, XPT_HOOK_KEY_ENUM,
};

#define XPT_HOOK_NAMES 512	/* bytes of the names of one key's values */

struct xpt_hook_key_text {
	uint8_t kind;		/* enum xpt_hook_key_kind */
	char text[XPT_CAP_NAME];	/* as it was written: "usym(arg1)" */
	char names[XPT_HOOK_NAMES];	/* NAMES: of 0, 1 ..., with blanks between; ENUM: the program's type */
};

struct xpt_hook {
	struct xpt_probe probe;
	struct xpt_hook_cap cap[XPT_MAX_VALS];
	uint8_t nr_caps, nr_shown;	/* nr_shown: the first ones, that were asked for */
	struct xpt_wire_hook prog;	/* map: as xpt_hook__share() gives it */
	struct xpt_hook_key_text key[XPT_HOOK_KEYS];
	uint8_t nr_strings;	/* that the filter compares whole: a test's imm[0] is the number of one */
	struct xpt_wire_hook_text string[XPT_HOOK_TESTS];
	char name[XPT_HOOK_NAME];	/* of its map */
	uint32_t name_at;	/* where it is in the line; or where the action is */
	bool is_time;		/* its values are ns */
};

struct xpt_hook_error {
	size_t at;		/* offset in the line of the error */
	char why[XPT_HOOK_WHY];
};

/* Values of names in lines. */
struct xpt_hook_env {
	const char *exe;	/* __EXE__; NULL: not known here */
	unsigned pid;		/* __PID__; 0: not known here */
};

/*
 * The next hook in the text of a file, which is changed: lines become strings in it.
 * nr: of the line at *at, from 1; *ret_nr: where the hook begins. NULL: there is none.
 */
char *xpt_hook__next_line(char **at, unsigned *nr, unsigned *ret_nr);
/* Reads a line. 0 or -EINVAL with the error. */
int xpt_hook__parse(const char *line, const struct xpt_hook_env *env, struct xpt_hook *ret_h,
		    struct xpt_hook_error *ret_err);
/*
 * Gives hooks[nr] the map of an earlier one of the same name, or one of its own.
 * 0 or -EINVAL: they do not add up alike.
 */
int xpt_hook__share(struct xpt_hook *hooks, uint32_t nr, struct xpt_hook_error *ret_err);
bool xpt_hook__wants_symbols(const struct xpt_hook *h);	/* a key has the name of code */
bool xpt_hook__wants_stack(const struct xpt_hook *h);
bool xpt_hook__has_enum_key(const struct xpt_hook *h);	/* a part of its key is named by an enum of the program */
bool xpt_hook__has_text_key(const struct xpt_hook *h);	/* a part of its key is a string */
/* Whether one of n hooks is so. */
bool xpt_hooks_any(const struct xpt_hook *hooks, uint32_t n, bool (*is)(const struct xpt_hook *h));

/* The argument's word, and the reads from there on: of addresses, then of a value. */
struct xpt_hook_way {
	uint8_t arg, nr;
	struct xpt_wire_hook_step step[XPT_HOOK_DEREFS];	/* cap and from are not set */
};

/* A function, or a place, that a hook is for. */
struct xpt_hook_place {
	const char *sym;
	const struct xpt_captures *known;	/* all that is known of its arguments by name, or NULL */
	uint8_t nr_args;	/* that a probe there can read */
	const uint8_t *width;	/* of each, | 0x80; NULL: 8 */
	bool kernel;		/* pointers may be the kernel's: they are followed by steps */
	/* Where c->path leads, or -ENOENT with the reason; NULL: no types are known here. */
	int (*way)(void *ctx, const struct xpt_hook_cap *c, struct xpt_hook_way *ret_way,
		   struct xpt_hook_error *ret_err);
	void *ctx;
};

/*
 * Makes the captures of the hook there. 0, or -ENOENT with the place of the
 * argument in the line: it has none of that name or number.
 */
int xpt_hook__captures(const struct xpt_hook *h, const struct xpt_hook_place *p,
		       struct xpt_captures *ret_caps, struct xpt_wire_hook_steps *ret_steps,
		       struct xpt_hook_error *ret_err);
/* Whether it may need steps, wherever it is. */
bool xpt_hook__wants_steps(const struct xpt_hook *h);
/* Fills in the reads of the argument's struct of an ioctl's hook, as values after the usual ones. */
void xpt_hook__ioctl_steps(const struct xpt_hook *h, struct xpt_wire_hook_steps *ret_steps);
/* The name of the value that step `i` of those reads. */
const char *xpt_hook__ioctl_value(const struct xpt_hook *h, unsigned i);

#endif
