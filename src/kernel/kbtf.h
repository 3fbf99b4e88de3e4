/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prototypes of kernel functions, from the type information (BTF) of the kernel
 * and of its modules. Types that cannot be understood are left out: one that
 * leads nowhere or in a circle yields a parameter that is not captured.
 */
#ifndef XPT_KERNEL_KBTF_H
#define XPT_KERNEL_KBTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/wire.h"

struct btf;
struct btf_type;

#define XPT_KPARAM_NAME 32	/* bytes, NUL included */

struct xpt_kparam {
	char name[XPT_KPARAM_NAME];	/* "arg2" where BTF has no name */
	uint8_t width;		/* bytes, | 0x80: signed; 0: no plain value (a struct, a float) */
	uint8_t word;		/* argument word: 0 to 5 are registers */
	bool pointer;
};

struct xpt_kproto {
	uint32_t id;		/* of the FUNC in its BTF */
	uint8_t ret;		/* enum xpt_ret */
	uint8_t ret_width;	/* bytes of the returned value */
	uint8_t nr_params;	/* as declared; param[] has the first XPT_MAX_VALS */
	uint8_t nr_words;	/* that they take */
	bool varargs, by_value;	/* by_value: a struct is passed or returned whole */
	bool too_large;		/* for a trampoline of the kernel, which fentry needs */
	struct xpt_kparam param[XPT_MAX_VALS];
};

/* Reads the prototype of a function. Returns false if id is no function, or its type is invalid. */
bool xpt_kbtf__proto(const struct btf *btf, uint32_t id, struct xpt_kproto *ret_p);
/* "int (struct file *filp, unsigned int cmd)", cut to n bytes. Returns buf. */
char *xpt_kbtf__text(const struct btf *btf, uint32_t id, char *buf, size_t n);

#define XPT_KWAY_STEPS 6

struct xpt_kway_step {
	uint32_t off;
	uint8_t width;		/* as in struct xpt_kparam; 0: the address itself, of an array */
	uint8_t bit, bits;	/* of a bit field, see base/numbers/bit_field.h; bits 0: it is none */
};

struct xpt_kway {
	uint8_t arg, nr;	/* number of the parameter */
	struct xpt_kway_step step[XPT_KWAY_STEPS];
};

/*
 * Finds the way from a parameter of function `id` along path: "f_path.dentry->d_name.name". The parameter is given by
 * number, or by name if the number is negative. Returns 0, or -ENOENT with the reason in n bytes of why.
 */
int xpt_kbtf__way(const struct btf *btf, uint32_t id, const char *param, int nr, const char *path,
		  struct xpt_kway *ret_way, char *why, size_t n);

/* Bytes to a member of a struct, also of one without a name in it; UINT32_MAX: there is none. */
uint32_t xpt_kbtf__member(const struct btf *btf, const char *name, const char *member);

struct xpt_kfield {
	uint32_t off, size;	/* bytes */
};

/* A struct by its name, which all types are searched for; NULL: there is none. Its size is in bytes. */
const struct btf_type *xpt_kbtf__struct(const struct btf *btf, const char *name);
/* A member of a struct along a path, "ah_attr.grh.sgid_index". False: there is none, or it is a bit field. */
bool xpt_kbtf__field(const struct btf *btf, const struct btf_type *t, const char *path, struct xpt_kfield *ret_f);
/* The name of the struct that parameter i of function `id` points to; NULL: none. */
const char *xpt_kbtf__pointee(const struct btf *btf, uint32_t id, unsigned i);

/* A type after typedefs and qualifiers; NULL: it leads nowhere. void is type 0. */
const struct btf_type *xpt_kbtf__real(const struct btf *btf, uint32_t id);

#endif
