/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of libraries, and how many of them strangers' names may take. See lib_functions.c. */
#ifndef XPT_ENGINE_LIBRARIES_LIB_FUNCTIONS_H
#define XPT_ENGINE_LIBRARIES_LIB_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_elib;
struct xpt_engine;
struct xpt_hashmap;
struct xpt_plan;

struct xpt_lib_functions {
	struct xpt_hashmap *unknown_of;	/* owner -> ids of names in his files that no table has */
	uint32_t nr_unknown;		/* of all users */
	uint32_t nr_known;		/* names of the tables that have an id */
};

int xpt_lib_functions__open(struct xpt_lib_functions *f);	/* 0 or -ENOMEM */
void xpt_lib_functions__close(struct xpt_lib_functions *f);
/* Whether a name that no table has would get a place, in a file that counts for that owner. */
bool xpt_lib_functions__has_share(const struct xpt_engine *e, uint64_t owner);
/* How many ids are to be left free for names of the tables that may come. */
uint32_t xpt_lib_functions__reserved(const struct xpt_engine *e);
/* The id of a library's function, made if it is new. 0: it cannot get one. */
uint32_t xpt_lib_functions__id(struct xpt_engine *e, const struct xpt_plan *p, struct xpt_elib *lib);

#endif
