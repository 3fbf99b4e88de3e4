/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interface of the source "libraries" for the rest of the engine. */
#ifndef XPT_ENGINE_LIBRARIES_LIBS_H
#define XPT_ENGINE_LIBRARIES_LIBS_H

#include <stdint.h>

struct xpt_elib;
struct xpt_engine;

/* Attaches probes to the file at path, if a domain knows it by that name; see xpt_engine__add_library(). */
int xpt_libs__add(struct xpt_engine *e, const char *path, const char *name);
/* Takes ownership of a file's links, to close them with those of libraries. */
void xpt_libs__adopt(struct xpt_engine *e, struct xpt_elib *lib);
/* Returns how many function ids are reserved for names of the tables. */
uint32_t xpt_libs__reserved_ids(const struct xpt_engine *e);

#endif
