/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A domain is a set of libraries, a table of their functions, a table of their results. A
 * domain is one folder, src/domains/<name>/, with one `const struct xpt_domain
 * xpt_domain_<name>`; the makefile finds it and generates the registry.
 */
#ifndef XPT_MODEL_DOMAIN_DOMAIN_H
#define XPT_MODEL_DOMAIN_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/domain/row.h"
#include "model/domain/sig.h"

struct xpt_expected; struct xpt_ioctls; struct xpt_states;

struct xpt_result {
	int64_t code;
	const char *name;	/* CUDA_ERROR_OUT_OF_MEMORY */
	const char *meaning;	/* one sentence, our words */
	bool benign;		/* an answer, not a failure: CUDA_ERROR_NOT_READY */
	bool sticky;		/* once returned, later calls of the process return it too */
	bool no_memory;		/* an allocation found no room */
	bool kernel_fault;	/* sticky, and made by a kernel that was launched before */
};

struct xpt_domain {
	const char *name;	/* "cuda": as in --domain and in output */
	const char *help;
	uint8_t layer; bool on_by_default;	/* enum xpt_layer */
	const char *const *libs;	/* file name globs, NULL-terminated: "libcuda.so*" */
	const char *const *sonames;	/* names that the loader is asked for: "libcuda.so.1" */
	/*
	 * Functions of which an executable defines all if the library is linked into it,
	 * NULL-terminated and 8 at most; NULL: that is not looked for. There catch_all
	 * alone does not suffice. marks_section: a section that such a program keeps
	 * when stripped, or NULL; the first mark is then asked of libraries, if of any.
	 */
	const char *const *marks;
	const char *marks_section;
	const char *const *catch_all;	/* export globs traced without a row, NULL-terminated, or NULL */
	uint8_t catch_all_ret;	/* enum xpt_ret of those */
	const struct xpt_fn_row *rows; size_t nr_rows;
	const struct xpt_result *results; size_t nr_results;	/* sorted by code */
	const struct xpt_result *forked;	/* of a child forked after its parent's initialization; or NULL */
	const char *sticky_loses;	/* the object that no call can use after a sticky result; NULL: "context" */
	const struct xpt_expected *expected;	/* expected.h; ends at fn NULL; or NULL */
	const struct xpt_sigs *sigs;	/* signatures of the library's functions, or NULL */
	const struct xpt_ioctls *ioctls;	/* model/kernel/ioctl_table.h; NULL: all but one */
	const char *provider;	/* rows are probes of <sys/sdt.h> by this one, not functions; or NULL */
	const struct xpt_states *states; size_t nr_states;	/* states.h */
	const char *const *calls_back;	/* base names of functions that run the program's; or NULL */
	const char *release_mark;	/* text before the release in programs: "SPDK v"; or NULL */
};

/* Shorthand for results. */
#define XPT_RESULT(c, n, m) { c, #n, m, false, false, false, false }
#define XPT_BENIGN(c, n, m) { c, #n, m, true, false, false, false }
#define XPT_NO_MEMORY(c, n, m) { c, #n, m, false, false, true, false }
#define XPT_STICKY(c, n, m) { c, #n, m, false, true, false, false }
#define XPT_KERNEL_FAULT(c, n, m) { c, #n, m, false, true, false, true }

/* The fields for tables that are called rows and results. */
#define XPT_TABLES \
	.rows = rows, .nr_rows = sizeof(rows) / sizeof(rows[0]), \
	.results = results, .nr_results = sizeof(results) / sizeof(results[0])

/* The generated registry, sorted by name (build/gen/registry.c). */
extern const struct xpt_domain *const xpt_domains[];
extern const size_t xpt_nr_domains;

const struct xpt_domain *xpt_domain__find(const char *name);	/* NULL: no such domain */
/* The row that export sym takes, or NULL; see the rule above. */
const struct xpt_fn_row *xpt_domain__row(const struct xpt_domain *d, const char *sym);
/* The row of a probe with that many arguments (domains with a provider), or NULL. */
const struct xpt_fn_row *xpt_domain__probe(const struct xpt_domain *d, const char *name, unsigned nr_args);
/* True if sym is to be traced at all: it has a row or matches catch_all. */
bool xpt_domain__traces(const struct xpt_domain *d, const char *sym);
/* The same where a program's own functions stand beside it: it has a row or a signature, too. */
bool xpt_domain__knows(const struct xpt_domain *d, const char *sym);
bool xpt_domain__calls_back(const struct xpt_domain *d, const char *sym);	/* one of these? */
/* sym without _ptsz/_ptds and _v<N>, written to buf (n bytes); returns buf. */
char *xpt_fn_base_name(const char *sym, char *buf, size_t n);
/* NULL if the domain does not know the code. */
const struct xpt_result *xpt_domain__result(const struct xpt_domain *d, int64_t code);
/* One error of two interfaces (CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice)? NULL is like none. */
bool xpt_result__same_name(const struct xpt_result *a, const struct xpt_result *b);
/* Are errors numbered alike, judging by the first one of each? Either may be NULL. */
bool xpt_domain__same_codes(const struct xpt_domain *a, const struct xpt_domain *b);
/* Wire form of a row (NULL: none, with the defaults of d) with these captures. */
void xpt_domain__spec_with(const struct xpt_domain *d, const struct xpt_fn_row *row, const struct xpt_cap *caps,
			   unsigned nr, struct xpt_wire_fn *ret_spec);
/* The same with those of the row. */
void xpt_domain__spec(const struct xpt_domain *d, const struct xpt_fn_row *row, struct xpt_wire_fn *ret_spec);
/*
 * Whether later calls are understood by calls of that function: they name kernels, or begin the capture of a stream.
 */
bool xpt_domain__explains(const struct xpt_wire_fn *spec);

#endif
