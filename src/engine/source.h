/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine's interface to a source of records: kernel functions, ioctls, Xids, the
 * scheduler, named probes. A source is one `const struct xpt_source xpt_source_NAME` in a
 * file below src/engine/; the makefile finds it, and the engine only loops over all of
 * them, in the order of their names. A source without anything to do in a trace returns at
 * once. A module built on the engine can bring one more source (struct xpt_engine_cfg), as
 * session/rdma does.
 */
#ifndef XPT_ENGINE_SOURCE_H
#define XPT_ENGINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/bpf_links.h"

struct call_bpf;
struct xpt_elib;
struct xpt_engine;
struct xpt_engine_cfg;
struct xpt_engine_stats;
struct xpt_inode;
struct xpt_mapping;
struct xpt_rec_call;
struct xpt_sent_task;

#define XPT_LINKS_TOO_SLOW UINT32_MAX	/* of slow_links: however few they are */

/* Every operation may be NULL. They are called in this order; those that return int give 0 or -errno. */
struct xpt_source {
	const char *name;
	/* Size of the private state, which begins as zeros. 0 for a source that the engine's user brings. */
	size_t state_size;
	void (*init)(struct xpt_engine *e);	/* of a state that does not begin as zeroes */
	/*
	 * Returns why the requested trace is impossible on this machine, before anything is loaded: a static text, or
	 * NULL.
	 */
	const char *(*why_not)(const struct xpt_engine_cfg *cfg);
	/* Settings of the BPF programs, before they are loaded; again for each way of attaching that is tried. */
	void (*configure)(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind);
	int (*open)(struct xpt_engine *e);	/* the programs are loaded; functions can be added */
	int (*start)(struct xpt_engine *e);	/* the first targets are known: probes that find them by themselves */
	/* A process was chosen. Under `run` it has not begun its program yet; its children are followed. */
	void (*on_target)(struct xpt_engine *e, int pid);
	void (*on_task)(struct xpt_engine *e, const struct xpt_sent_task *t);	/* before the engine forgets it */
	/*
	 * Files that processes map. preload: the libraries that the loader will find for a program
	 * that is about to start (exe may be NULL). on_file: of a file at path that pid is about to
	 * map under that name. wants: whether a mapping is worth a call of on_mapping, which is true
	 * if the process will make calls of a library. misses: whether the file of a mapping that is
	 * read too late would have got probes.
	 */
	void (*preload)(struct xpt_engine *e, const char *exe, const char *ld_library_path);
	void (*on_file)(struct xpt_engine *e, int pid, const char *path, const char *name);
	bool (*wants)(const struct xpt_engine *e, const struct xpt_mapping *m);
	bool (*on_mapping)(struct xpt_engine *e, int pid, const struct xpt_mapping *m);
	bool (*misses)(const struct xpt_engine *e, const struct xpt_mapping *m);
	/*
	 * A file that no process maps any more: whether its probes are to stay all the same; and else to give its
	 * links to xpt_closing__add_links() and to forget it, so that it is new when a process maps it again.
	 */
	bool (*keeps)(const struct xpt_engine *e, const struct xpt_inode *file);
	void (*release)(struct xpt_engine *e, const struct xpt_inode *file);
	void (*step)(struct xpt_engine *e);	/* in each poll, before records are read */
	/*
	 * A call that the engine's own probes saw, complete, before it is handed on; inner calls before outer ones.
	 */
	void (*on_call)(struct xpt_engine *e, const struct xpt_rec_call *call);
	void (*after_records)(struct xpt_engine *e);	/* in each poll, once they are read */
	void (*emit_counts)(struct xpt_engine *e);	/* in xpt_engine__emit_counts(): writes its counts so far */
	void (*stop)(struct xpt_engine *e);	/* the trace ends now; calls of before can still be on their way */
	/* Links that take some 0.1 s each to close, one after the other. */
	uint32_t (*slow_links)(const struct xpt_engine *e);
	void (*detach)(struct xpt_engine *e);	/* may come twice, and in a child that closes links */
	void (*finish)(struct xpt_engine *e);	/* records of the end: all calls have been read */
	void (*losses)(struct xpt_engine *e, uint64_t *lost);	/* adds to lost[enum xpt_loss] */
	/* Fills in the statistics of this source. May be called at any time. */
	void (*stats)(const struct xpt_engine *e, struct xpt_engine_stats *stats);
	void (*free)(struct xpt_engine *e);	/* frees all that the state owns; also after a failure at any place */
};

extern const struct xpt_source *const xpt_sources[];	/* sorted by name (build/gen/registry.c) */
extern const size_t xpt_nr_sources;

/* The state of a source; never NULL between init and free. */
void *xpt_source__state(const struct xpt_engine *e, const struct xpt_source *s);

/* For engine.c: the operations of all sources. open and start end with the first error. */
int xpt_sources__init(struct xpt_engine *e);	/* 0 or -ENOMEM */
const char *xpt_sources__why_not(const struct xpt_engine_cfg *cfg);	/* the first reason, or NULL */
void xpt_sources__configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind);
int xpt_sources__open(struct xpt_engine *e);
int xpt_sources__start(struct xpt_engine *e);
void xpt_sources__on_target(struct xpt_engine *e, int pid);
void xpt_sources__on_task(struct xpt_engine *e, const struct xpt_sent_task *t);
void xpt_sources__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path);
void xpt_sources__on_file(struct xpt_engine *e, int pid, const char *path, const char *name);
bool xpt_sources__want(const struct xpt_engine *e, const struct xpt_mapping *m);	/* one of them */
bool xpt_sources__on_mapping(struct xpt_engine *e, int pid, const struct xpt_mapping *m);
bool xpt_sources__miss(const struct xpt_engine *e, const struct xpt_mapping *m);	/* one of them */
bool xpt_sources__keep(const struct xpt_engine *e, const struct xpt_inode *file);	/* one of them */
void xpt_sources__release(struct xpt_engine *e, const struct xpt_inode *file);
void xpt_sources__step(struct xpt_engine *e);
void xpt_sources__on_call(struct xpt_engine *e, const struct xpt_rec_call *call);
void xpt_sources__after_records(struct xpt_engine *e);
void xpt_sources__emit_counts(struct xpt_engine *e);
void xpt_sources__stop(struct xpt_engine *e);
uint32_t xpt_sources__slow_links(const struct xpt_engine *e);	/* of all of them */
void xpt_sources__detach(struct xpt_engine *e);	/* the last first */
void xpt_sources__finish(struct xpt_engine *e);
void xpt_sources__losses(struct xpt_engine *e, uint64_t *lost);
void xpt_sources__stats(const struct xpt_engine *e, struct xpt_engine_stats *stats);
void xpt_sources__free(struct xpt_engine *e);

#endif
