/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of the kernel functions of a trace, and their attaching. Between
 * kfunc.c and kfunc_link.c only.
 */
#ifndef XPT_ENGINE_SOURCES_KFUNC_PRIV_H
#define XPT_ENGINE_SOURCES_KFUNC_PRIV_H

#include "engine/sources/kfunc.h"
#include "engine/priv.h"

struct xpt_kfn {
	uint32_t id, module;	/* module: index in xpt_kfuncs.modules */
	uint32_t btf_id;
	uint64_t addr;
	enum xpt_kattach kind;
	bool linked, half;	/* half: its return is linked */
	struct xpt_kfunc k;	/* owns its names */
};

struct xpt_kmodule {
	char name[XPT_KMODULE_LEN];
	uint32_t lib;		/* id of its LIB record; 0: it has none yet */
	uint64_t born;		/* differs from that of a module of this name that is loaded later; 0: not loaded */
	int btf;		/* descriptor, 0 for the kernel's own, -1: not looked for or none */
};

struct xpt_kfuncs {
	bool wanted;
	struct xpt_kattach_caps caps;
	struct xpt_kfn *v;
	uint32_t n;
	struct xpt_kmodule *modules;
	uint32_t nr_modules;
	int *fds;		/* links and perf events */
	int *progs;
	size_t nr_fds, nr_progs, nr_single;
	uint64_t missed;	/* runs that the kernel left out, of links that were closed */
	uint32_t is_return;	/* id of bpf_session_is_return */
	uint64_t modules_hash, next_look_ns;
	struct btf *types, *module_types;	/* read when a hook wants them; of the kernel, of types_of */
	char types_of[XPT_KMODULE_LEN];
	struct xpt_kfunc_stats stats;
};

/* The source's state; NULL: no functions of the kernel are traced. */
struct xpt_kfuncs *xpt_kfuncs__of(const struct xpt_engine *e);

/* Which templates of the programs a kind needs; before they are loaded. */
void xpt_kfuncs__want(struct call_bpf *skel, enum xpt_kattach kind);
/* Attaches functions that have a kind and are not linked; a refused function gets its next kind, then none. */
void xpt_kfuncs__attach(struct xpt_engine *e, bool many);
/* Closes links and perf events but the first nr_left, and keeps the count of what they missed. */
void xpt_kfuncs__close_fds(struct xpt_kfuncs *k, size_t nr_left);

#endif
