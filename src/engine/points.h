/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes that the user named, in the engine: found in files and in what
 * processes map, attached once per inode.
 */
#ifndef XPT_ENGINE_POINTS_H
#define XPT_ENGINE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/kernel.h"

struct call_bpf;
struct xpt_engine;
struct xpt_mapping;
struct xpt_points;

/* For engine.c and libs.c; all do nothing where no probe was named. 0 or -errno. */
void xpt_points__configure(const struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind);
/* Attaches to the files that probes name by their path; one that cannot be is told. */
int xpt_points__open(struct xpt_engine *e);
/* What the loader will find for a program, as in xpt_engine__preload(). */
void xpt_points__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path);
/* Whether a probe may be in a file that a process has mapped under this name. */
bool xpt_points__wants(const struct xpt_engine *e, const char *name);
void xpt_points__on_mapping(struct xpt_engine *e, int pid, const struct xpt_mapping *m);
/* path: of a file that pid is about to map under that name. */
void xpt_points__on_file(struct xpt_engine *e, const char *path, const char *name);
size_t xpt_points__nr_links(const struct xpt_engine *e);	/* that close one by one */
void xpt_points__detach(struct xpt_engine *e);
void xpt_points__free(struct xpt_engine *e);

#endif
