/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names for code addresses of running processes. Keeps the mappings of each process, read when they are first asked
 * for and again when an address is in none of them, and the functions of the files that are mapped, once per file
 * for all processes. Both are bounded, together and for each owner of processes. The mappings of a process stay
 * known after it has ended or executed another program, until it is dropped. One thread.
 */
#ifndef XPT_PROC_SYMBOLS_SYMBOLIZE_H
#define XPT_PROC_SYMBOLS_SYMBOLIZE_H

#include <stdbool.h>
#include <stdint.h>
#include "proc/maps.h"
#include "proc/symbols/function_files.h"

#define XPT_FRAME_FN_MAX 400	/* longer names of functions are cut */

struct xpt_symbolizer;

enum xpt_frame_kind {
	XPT_FRAME_NONE,		/* no code is there: not a return address */
	XPT_FRAME_CODE,
	XPT_FRAME_START,	/* the code that starts processes and threads: nothing called it */
	XPT_FRAME_UPROBE,	/* the kernel's trampoline in the place of a return address */
	XPT_FRAME_UNKNOWN,	/* the process ended before its mappings were read */
};

/* While one program of a process ran, CLOCK_MONOTONIC. */
struct xpt_span {
	uint64_t since_ns, until_ns;	/* until UINT64_MAX: it still does; 0: that is not known */
};

struct xpt_frame_text {
	enum xpt_frame_kind kind;
	/* "step+0x1a", demangled; "libx.so+0x1a3f", the address in the file, where no
	 * function is known; "0x7f0012" outside of files. */
	char fn[XPT_FRAME_FN_MAX + 32];
	/* Path as the process sees it, "[anon]", "[vdso]", "" if unknown. Valid until
	 * the next call for any process. */
	const char *module;
};

/* cfg is copied; NULL: all is one owner's, who has no limit of time. 0 or -ENOMEM. */
int xpt_symbolizer__new(const struct xpt_symbolizer_cfg *cfg, struct xpt_symbolizer **ret_s);
void xpt_symbolizer__free(struct xpt_symbolizer *s);	/* NULL is fine */
/*
 * Knows the process from now on, and reads its mappings if it is new. Returns a
 * number that no other process and no other program of it has; 0: out of memory.
 */
uint32_t xpt_symbolizer__add(struct xpt_symbolizer *s, int pid);
/*
 * Forgets the program that the process ran until ts_ns (CLOCK_MONOTONIC), when it ran exec or was made by fork;
 * mappings read since belong to its program of now. UINT64_MAX: it ended.
 */
void xpt_symbolizer__drop(struct xpt_symbolizer *s, int pid, uint64_t ts_ns);
/*
 * Takes a mapping that the kernel reports, of any process; kept for a while if the process is not known yet, so
 * that a process which ends before it can be looked at has names too.
 */
void xpt_symbolizer__mapped(struct xpt_symbolizer *s, int pid, const struct xpt_mapping *m);
/*
 * Takes an exec that the kernel reports, of any process: the files that it maps from now on belong to another
 * program. Its mappings stay as they are, for addresses from before.
 */
void xpt_symbolizer__execed(struct xpt_symbolizer *s, int pid, uint64_t ts_ns);
/* The same, or it ended, but the kernel reported nothing, so this is known only later. */
void xpt_symbolizer__ended(struct xpt_symbolizer *s, int pid, uint64_t ts_ns);
/* pid begins as a copy of parent: the parent's mappings are used if pid is gone before its own could be read. */
void xpt_symbolizer__forked(struct xpt_symbolizer *s, int pid, int parent);
/*
 * Names an address. ret: addr is a return address, so the call before it is meant. Never fails: kind and text show
 * that an address is not known.
 */
void xpt_symbolizer__frame(struct xpt_symbolizer *s, int pid, uint64_t addr, bool ret,
			   struct xpt_frame_text *ret_text);
/* The same of its mappings at that time and none of later; "unknown(0x7f0012)" where they are not known any more. */
void xpt_symbolizer__frame_then(struct xpt_symbolizer *s, int pid, const struct xpt_span *when,
				uint64_t addr, bool ret, struct xpt_frame_text *ret_text);

#endif
