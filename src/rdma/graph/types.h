/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts in BTF about functions and structs, as the analysis of calls needs them: arguments and results of a
 * function, and the member at an offset of a struct. BTF comes from files, so nothing in it is believed: ids and
 * depths are bounded, and a type that makes no sense is an unknown type.
 */
#ifndef XPT_RDMA_GRAPH_TYPES_H
#define XPT_RDMA_GRAPH_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_types;

/* Appended only: they are stored. */
enum xpt_rdma_ret {
	XPT_RDMA_RET_UNKNOWN,	/* no BTF for the function */
	XPT_RDMA_RET_VOID,
	XPT_RDMA_RET_INT,		/* signed, up to 32 bits */
	XPT_RDMA_RET_LONG,		/* signed, 64 bits */
	XPT_RDMA_RET_UNSIGNED,	/* up to 32 bits; in older files any unsigned */
	XPT_RDMA_RET_BOOL,
	XPT_RDMA_RET_ENUM,
	XPT_RDMA_RET_POINTER,
	XPT_RDMA_RET_OTHER,		/* a struct by value, a float */
	XPT_RDMA_RET_ULONG,		/* unsigned, 64 bits */
	XPT_RDMA_NR_RETS,
};

enum { XPT_ARGS_UNKNOWN = 255 };

struct xpt_proto {
	uint32_t id;		/* of the FUNC_PROTO */
	uint8_t ret;		/* enum xpt_rdma_ret */
	uint8_t nr_args;	/* up to 254 */
	bool varargs;
	uint32_t ret_struct;	/* the struct that it points to, if there is one; else 0 */
	uint64_t sig;		/* equal for equal prototypes of any BTF */
};

enum xpt_member_kind { XPT_MEMBER_NONE, XPT_MEMBER_STRUCT_PTR, XPT_MEMBER_FN_PTR };

struct xpt_member {
	enum xpt_member_kind kind;
	uint32_t id;		/* STRUCT_PTR: the struct; FN_PTR: the innermost struct with it */
	uint32_t offset;	/* FN_PTR: in that struct, bytes */
	uint32_t size;		/* FN_PTR: of that struct, bytes */
	const char *name;	/* FN_PTR: of the member */
	struct xpt_proto proto;	/* FN_PTR */
};

/* n bytes of a .BTF section or of a file of /sys/kernel/btf; base: vmlinux's, which
 * must live longer, or NULL. -EINVAL: not BTF, or of a kind that libbpf does not know. */
int xpt_types__new(const void *data, size_t n, struct xpt_types *base, struct xpt_types **ret_t);
void xpt_types__free(struct xpt_types *t);	/* NULL is fine */
/* The prototype of a function; false: not in this BTF (or its base). t may be NULL. */
bool xpt_types__func(const struct xpt_types *t, const char *name, struct xpt_proto *ret_proto);
/* How many functions of that name this BTF itself has (without the base). */
unsigned xpt_types__nr_funcs(const struct xpt_types *t, const char *name);
/* The struct that argument i of a prototype points to; 0: none, or not passed in a register. */
uint32_t xpt_types__arg_struct(const struct xpt_types *t, uint32_t proto, unsigned i);
/* The FUNC_PROTO that argument i points to, the same way; 0: none. */
uint32_t xpt_types__arg_fn(const struct xpt_types *t, uint32_t proto, unsigned i);
/* A prototype by its id; false: id is none. t may be NULL. */
bool xpt_types__proto(const struct xpt_types *t, uint32_t id, struct xpt_proto *ret_proto);
/* Finds the type of 8 bytes at an offset of a struct. Nested structs and arrays are looked into. */
void xpt_types__member(const struct xpt_types *t, uint32_t id, uint32_t offset,
		       struct xpt_member *ret_m);
/* A struct by its name; 0: none. */
uint32_t xpt_types__struct(const struct xpt_types *t, const char *name);
const char *xpt_types__name(const struct xpt_types *t, uint32_t id);	/* never NULL */
const char *xpt_rdma_ret_name(enum xpt_rdma_ret ret);

#endif
