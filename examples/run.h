/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every example shares: the driver library as a table of pointers, the
 * command line, and the truth, the example's own count of what it did.
 *
 * CU(name, args...) calls the exported function `name` and counts the call and
 * its result. At the end run_end() writes the truth as one line of JSON to the
 * file that XPT_TRUTH names (appended) or to stderr, so that a tracer's
 * numbers can be compared with it exactly.
 */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include "minicuda.h"

struct cu_api {
#define X(name, args) CUresult (*name) args;
	MINICUDA_DRIVER(X)
#undef X
};

enum cu_fn {
#define X(name, args) CU_FN_##name,
	MINICUDA_DRIVER(X)
#undef X
	CU_NR_FNS
};

/* The common options; an example sets its defaults before run_start(). */
struct run_opts {
	const char *name;		/* of the example */
	const char *help;		/* what it does, one line */
	const char *library;		/* --library, default libcuda.so.1 */
	uint64_t iterations;		/* --iterations */
	uint64_t bytes;			/* --bytes, with K, M or G */
	uint64_t launches;		/* --launches */
	uint64_t threads;		/* --threads */
	uint64_t delay_ms;		/* --delay, ms */
	uint64_t seconds;		/* --seconds: stop then at the latest, 0: never */
	const char *after;		/* --after: begin when there is such a file; NULL: at once */
	const char *until;		/* --until: stop when there is such a file; NULL: never */
	bool leak;			/* --leak */
	bool async;			/* --async */
	bool oom;			/* --oom */
};

extern struct cu_api cu;
extern struct run_opts run;

#define CU(name, ...) (cu_begin(CU_FN_##name), cu_end(CU_FN_##name, cu.name(__VA_ARGS__)))

void cu_begin(enum cu_fn fn);
CUresult cu_end(enum cu_fn fn, CUresult result);

/* Reads the command line into run. Exits on --help and on a mistake. */
void run_args(int argc, char **argv);
/* Loads the library, says which on stderr; exits with 3 if it cannot. */
void run_load(void);
/* run_args, run_load, cuInit, first device and a context; exits if there is none. */
void run_start(int argc, char **argv);
/* A new context, current in this thread. */
CUcontext run_context(void);
/* The example's module (kernels xpt_add and xpt_nop) and a function of it. */
CUfunction run_kernel(CUmodule *ret_module, const char *name);
/* Waits for run.delay_ms and for run.after. */
void run_wait(void);
/* True until run.seconds have passed since run_load(), or run.until is there. */
bool run_in_time(void);
extern const char run_ptx[];		/* the module's text */
/* Writes the truth and returns the exit status of the example. */
int run_end(int status);

/* Calls that move the truth's numbers. 0 or the CUresult. */
CUresult run_alloc(CUdeviceptr *ret_ptr, size_t bytes);		/* cuMemAlloc_v2 */
CUresult run_free(CUdeviceptr ptr);				/* cuMemFree_v2 */
CUresult run_h2d(CUdeviceptr dst, const void *src, size_t bytes);
CUresult run_d2h(void *dst, CUdeviceptr src, size_t bytes);
CUresult run_d2d(CUdeviceptr dst, CUdeviceptr src, size_t bytes);
CUresult run_launch(CUfunction fn, unsigned int blocks, unsigned int threads, CUstream stream, void **params);

/* For other calls: what they opened, closed and moved. */
enum run_dir { RUN_H2D, RUN_D2H, RUN_D2D, RUN_NR_DIRS };
void truth_opened(const char *function, uint64_t address, uint64_t bytes);
void truth_closed(uint64_t address);
void truth_dropped(uint64_t address);		/* freed implicitly, with its context */
void truth_copied(enum run_dir dir, uint64_t bytes);
void truth_launched(void);
void truth_unreturned(void);				/* a call that was entered and left otherwise */
void truth_other(const char *function, int result);	/* a call outside the driver table */
void truth_forget(void);				/* in a forked child: starts at zero */

#endif
