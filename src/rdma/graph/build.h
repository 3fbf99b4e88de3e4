/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes the call graph from modules (build.c: functions; calls.c: the calls in their code; driver_tables.c: function
 * pointers in data and the methods). The rest of this header is shared by those three.
 */
#ifndef XPT_RDMA_GRAPH_BUILD_H
#define XPT_RDMA_GRAPH_BUILD_H

#include "base/hashmap.h"
#include "elf/kernel_module.h"
#include "rdma/graph/graph.h"
#include "rdma/graph/types.h"

#define XPT_RDMA_MAX_MODULES 24

/* A module to analyse; data belongs to the caller. */
struct xpt_rdma_source {
	const char *name;	/* as kallsyms writes it: mlx5_ib */
	struct xpt_module *mod;
	bool vendor, shared;	/* a driver of RDMA; a module that a driver needs beside RDMA (mlx5_core) */
	bool listed;	/* it is loaded: traceable has its functions */
};

struct xpt_rdma_sources {
	struct xpt_rdma_source *mods;
	uint32_t nr;
	struct xpt_types *kernel;	/* vmlinux's BTF, or NULL: that of modules builds on it */
	const char *release, *kernel_id;	/* "" if not known */
	/*
	 * Lists of the kernel, NULL where there are none. Keys are xpt_hash() of
	 * "NAME" or "NAME [MODULE]" as available_filter_functions has them, and of
	 * "NAME"; values of counts are uint32_t: how many functions have the name.
	 */
	const struct xpt_hashmap *traceable, *counts;
};

/* -ENOMEM, or -E2BIG more than any kernel has. */
int xpt_rdma_graph__build(const struct xpt_rdma_sources *src, struct xpt_rdma_graph **ret_g);

/* ---- shared by the three files ---- */

/* Code of a function: its body, or the part NAME.cold. */
struct xpt_rdma_range {
	uint32_t sec, fn;
	uint64_t start, size;
	bool cold;
};

struct xpt_rdma_bmod {
	const struct xpt_rdma_source *src;
	struct xpt_types *types;	/* NULL without BTF */
	struct xpt_rdma_range *ranges;	/* by section and start, disjoint starts */
	uint32_t nr_ranges, cap_ranges;
};

/* A pointer to a function in an object of data. */
struct xpt_rdma_pointer {
	uint64_t size, offset;	/* of the object; in it */
	uint64_t start;		/* of the object, in section sec of module mod */
	uint32_t fn, mod, sec;
	bool is_ops;		/* the object is a table of operations that a driver hands to ib_set_device_ops() */
};

/* A call as it is found: sorted and merged at the end. */
struct xpt_rdma_edge {
	uint32_t caller, callee;
	uint16_t kind;
	uint8_t narrowed, unread;
};

struct xpt_rdma_place {
	uint32_t fn;
	struct xpt_rdma_site site;
	uint64_t sig;		/* of the function that is called there; 0: not known */
};

struct xpt_rdma_err {
	uint32_t fn;
	int32_t code;
};

struct xpt_rdma_build {
	const struct xpt_rdma_sources *src;
	struct xpt_rdma_graph *g;
	struct xpt_rdma_bmod mods[XPT_RDMA_MAX_MODULES];
	struct xpt_hashmap *strings, *globals;	/* hash: text offset; hash of name: function */
	uint64_t *sigs;		/* per function: of its prototype, 0 without BTF */
	struct xpt_rdma_pointer *pointers;
	struct xpt_rdma_edge *edges;
	struct xpt_rdma_place *places;
	struct xpt_rdma_err *errs;
	uint32_t ops_offset;	/* of the operations in struct ib_device, by code; 0: not known */
	uint32_t nr_pointers, nr_edges, nr_places, nr_errs;
	uint32_t cap_text, cap_fns, cap_sigs, cap_pointers, cap_edges, cap_places, cap_errs, cap_roots,
		 cap_extras;
};

/* Room for one more of size bytes. 0, -ENOMEM, -E2BIG. */
int xpt_rdma__grow(void **p, uint32_t nr, uint32_t *cap, size_t size);
/* Offset of a string, which is added if it is new. Negative: -ENOMEM, -E2BIG. */
int64_t xpt_rdma__text(struct xpt_rdma_build *b, const char *s);
/* The function whose code holds an offset of a section; XPT_RDMA_NONE. ret_range may be NULL. */
uint32_t xpt_rdma__fn_at(const struct xpt_rdma_bmod *m, uint32_t sec, uint64_t offset,
			 const struct xpt_rdma_range **ret_range);
/* A function by the name in a relocation: global in a module, else the kernel's. Negative: -errno. */
int64_t xpt_rdma__external(struct xpt_rdma_build *b, const char *name);
int xpt_rdma__pointers(struct xpt_rdma_build *b, struct xpt_rdma_bmod *m);	/* driver_tables.c */
int xpt_rdma__roots(struct xpt_rdma_build *b, struct xpt_rdma_bmod *m);
int xpt_rdma__ops(struct xpt_rdma_build *b);	/* ops.c: operations of devices without types; after pointers */
int xpt_rdma__calls(struct xpt_rdma_build *b);	/* calls.c */

#endif
