/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The call graph of the kernel's RDMA modules: functions, calls, places of
 * indirect calls, and the methods by which user space enters. Plain arrays that
 * refer to each other by index.
 */
#ifndef XPT_RDMA_GRAPH_GRAPH_H
#define XPT_RDMA_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "rdma/graph/types.h"

enum {
	XPT_RDMA_NONE = UINT32_MAX,	/* no index */
	XPT_RDMA_KERNEL = UINT16_MAX,	/* module of functions outside of the RDMA modules */
	XPT_RDMA_MAX_ERRNOS = 24,	/* different ones of a function; further are left out */
};

/* Types of modules: of the kernel's RDMA; a driver of it; a module that a driver shares with other drivers. */
enum xpt_rdma_vendor { XPT_RDMA_CORE_MODULE, XPT_RDMA_DRIVER, XPT_RDMA_SHARED };

struct xpt_rdma_module {
	uint32_t name, build_id, version;	/* in text; version "" if it has none */
	uint32_t vendor, btf;			/* enum xpt_rdma_vendor; 0 or 1 */
	uint32_t nr_fns, nr_sites, nr_resolved;	/* sites: places of indirect calls */
};

enum {
	XPT_RDMA_FN_TRACEABLE = 1,	/* has a slot of ftrace */
	XPT_RDMA_FN_BTF = 2,
	XPT_RDMA_FN_DOUBLE = 4,		/* another function of the kernel has this name */
	XPT_RDMA_FN_VARARGS = 8,
	XPT_RDMA_FN_RESULT_READ = 16,	/* a direct caller reads its result, */
	XPT_RDMA_FN_RESULT_UNREAD = 32,	/* or leaves it alone */
	XPT_RDMA_FN_TAKEN = 64,		/* its address stands in code or data: it may be called through it */
	XPT_RDMA_FN_RESULT_UNSET = 128,	/* on some way its code leaves no result of its own */
};

struct xpt_rdma_fn {
	uint32_t name;			/* in text, as kallsyms has it, with suffix */
	uint16_t module;		/* index, or XPT_RDMA_KERNEL */
	uint8_t ret, nr_args;		/* enum xpt_rdma_ret; XPT_ARGS_UNKNOWN */
	uint32_t flags;			/* XPT_RDMA_FN_* */
	uint32_t first_call, nr_calls;	/* sorted by callee, each callee once */
	uint32_t first_errno, nr_errnos;
	uint32_t first_site, nr_sites;
};

/* LIKELY: by a pointer of which only the prototype is known. */
enum xpt_rdma_call_kind { XPT_RDMA_CALL, XPT_RDMA_TAIL, XPT_RDMA_INDIRECT, XPT_RDMA_LIKELY };

struct xpt_rdma_call {
	uint32_t callee;
	uint16_t kind;
	uint8_t narrowed, unread;	/* a long that may become the caller's int; the caller never looks at the result */
};

enum xpt_rdma_resolution {
	XPT_RDMA_UNRESOLVED,
	XPT_RDMA_BY_TYPE,	/* the pointer's member is known by types */
	XPT_RDMA_BY_OFFSET,	/* an offset that only struct ib_device_ops has */
	XPT_RDMA_BY_NOBODY,	/* an operation that no driver here has: nothing is called */
	XPT_RDMA_BY_PROTO,	/* the functions of its prototype whose address code takes */
	XPT_RDMA_BY_TABLE,	/* those of the tables that the function refers to */
	XPT_RDMA_NR_RESOLUTIONS,
};

/* An indirect call. */
struct xpt_rdma_site {
	uint32_t offset;	/* in its function, bytes */
	uint32_t member;	/* in text: "ib_device_ops.modify_qp", "0x188(?)", "" */
	uint32_t resolution, nr_targets;	/* enum xpt_rdma_resolution; functions that it may call */
};

/* FILE: open(2) or mmap(2) of a device's file; CM: write(2) to that of the connection manager. */
enum xpt_rdma_route { XPT_RDMA_WRITE, XPT_RDMA_WRITE_EX, XPT_RDMA_IOCTL, XPT_RDMA_FILE, XPT_RDMA_CM,
		      XPT_RDMA_NR_ROUTES };

/* A method of the user interface. */
struct xpt_rdma_root {
	uint32_t name, object;	/* in text, as the kernel writes them; object "" but for IOCTL */
	uint32_t fn;		/* its handler */
	uint32_t first_extra, nr_extra;	/* further functions that it runs: those of the object's class */
	uint16_t route, module;
	uint32_t number, object_id;	/* of the command or method */
};

struct xpt_rdma_graph {
	char *text;		/* NUL-terminated strings, the first one empty */
	uint32_t nr_text;	/* bytes */
	struct xpt_rdma_module *modules;
	struct xpt_rdma_fn *fns;	/* those of modules first */
	struct xpt_rdma_call *calls;
	int32_t *errnos;	/* negative, ascending within a function */
	struct xpt_rdma_site *sites;
	struct xpt_rdma_root *roots;
	uint32_t *extras;
	uint32_t nr_modules, nr_fns, nr_calls, nr_errnos, nr_sites, nr_roots, nr_extras;
	uint32_t release, kernel_id;	/* in text; the build id of the kernel, "" if not known */
	uint32_t lists;			/* 1: the kernel's own list of traceable functions was read */
};

void xpt_rdma_graph__free(struct xpt_rdma_graph *g);	/* NULL is fine */
static inline const char *xpt_rdma_text(const struct xpt_rdma_graph *g, uint32_t at)
{
	return g->text + at;
}
static inline const char *xpt_rdma_fn_name(const struct xpt_rdma_graph *g, uint32_t fn)
{
	return g->text + g->fns[fn].name;
}
const char *xpt_rdma_module_name(const struct xpt_rdma_graph *g, uint32_t fn);	/* "kernel" */
/* Whether one function calls the other directly, as far as is known. XPT_RDMA_NONE calls nothing. */
bool xpt_rdma_graph__calls(const struct xpt_rdma_graph *g, uint32_t caller, uint32_t callee);
/* The function of that name, in modules first; XPT_RDMA_NONE. */
uint32_t xpt_rdma_graph__find(const struct xpt_rdma_graph *g, const char *name);
/* The same; XPT_RDMA_NONE also if several functions have the name. */
uint32_t xpt_rdma_graph__find_only(const struct xpt_rdma_graph *g, const char *name);

#endif
