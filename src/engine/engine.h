/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine: from targets to wire records. It loads the BPF programs, finds
 * libraries in processes and on the loader's path, puts probes on their
 * functions, follows processes, and hands every record - from the ring, from
 * /proc, from the final counters - to one callback, in one thread.
 *
 *   new -> [preload, add_pid, add_all]... -> start -> poll... -> stop -> free
 */
#ifndef XPT_ENGINE_ENGINE_H
#define XPT_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/config.h"
#include "kernel/bpf_links.h"
#include "proc/owner.h"
#include "sites/plan.h"
#include "proc/select.h"
#include "model/captures.h"
#include "model/domain.h"
#include "model/probe.h"

struct xpt_engine;
struct xpt_elf;
struct xpt_source;

/* rec is 8-byte aligned and lives for the call. */
typedef void (*xpt_engine_rec_fn)(void *ctx, const void *rec, size_t size);

struct xpt_engine_cfg {
	const struct xpt_domain *const *domains;	/* those to trace, NULL-terminated */
	const char *const *functions;	/* globs of functions to trace, NULL-terminated; NULL: all */
	enum xpt_attach attach;		/* AUTO: the best that works */
	enum xpt_args args;		/* what is captured of each call */
	bool move_sites;		/* false: probes stay at the symbols */
	bool events;			/* false: exact counters only */
	bool follow;			/* children of targets too */
	bool hold;			/* a target waits while a library that it maps gets its probes */
	bool all;			/* every process */
	const struct xpt_select *select;	/* outlives the engine; NULL: those added, or all */
	bool open;			/* with select: processes that nobody added, too */
	bool errors_only;		/* events for failed calls only */
	bool sched;			/* what the scheduler does to threads in calls */
	bool stacks;			/* record the caller's stack of stack_functions */
	uint64_t min_ns, min_bytes;	/* no events for successful calls below these */
	uint8_t sample;			/* events for one successful call of 2^sample */
	uint64_t budget_ppm;		/* of the processes' wall time, parts per million; 0: none */
	uint32_t rate;			/* events of a function per second at most; 0: no limit */
	const char *const *stack_functions;	/* globs, NULL-terminated; NULL: all */
	uint64_t hang_ns;		/* report calls in flight for longer; 0: never */
	bool ioctls, ioctls_of_hooks;	/* device ioctls, too; but only those that hooks are for */
	enum xpt_ioctls_kind ioctls_kind;	/* AUTO: the cheapest that works */
	const struct xpt_ioctl_device *devices;	/* besides those of known drivers */
	uint32_t nr_devices;
	const struct xpt_probe *probes;	/* of the user, XPT_PROBES_MAX at most; outlive the engine */
	uint32_t nr_probes;
	const struct xpt_hook *hooks;	/* XPT_HOOKS_MAX at most; probes and kernel.patterns hold theirs */
	uint32_t nr_hooks;
	struct xpt_kfunc_cfg kernel;	/* functions of the kernel */
	uint64_t ring_bytes;		/* rounded up to a power of two of pages; 0: default */
	bool (*stopped)(void);		/* true: no more files are to be looked at; NULL: never */
	const struct xpt_source *source;	/* one more than the engine's own, or NULL; */
	void *source_state;		/* its state; both outlive the engine */
};

/* What a library has to offer; for `list` and messages. */
struct xpt_engine_stats {
	enum xpt_attach attach;
	uint32_t nr_libs, nr_fns, nr_probes, nr_slow;
	uint32_t nr_failed;		/* places without room, or that the kernel refused */
	int refused;			/* why it refused the first of them (-errno), or 0 */
	uint64_t probes_found;		/* bit i: a place of the user's probe i was found */
	const char *hold;		/* how a target is held until its library has probes; NULL: not */
	bool slow_to_leave;		/* probes will go in the background, after the trace */
	uint32_t xids;			/* enum xpt_xid_source: the best that works, 0: none */
	int no_log;			/* why the kernel log cannot be read (-errno), or 0 */
	uint32_t nr_unsafe;		/* functions left alone: their first instruction cannot be probed, */
	uint32_t nr_unseen;		/* or their returns cannot be seen safely: the first, and why */
	char unseen[128];
	const char *unseen_why;
	uint32_t nr_refused;		/* or no table knows their names and the places for such are used up; */
	uint64_t refused_owner;		/* whose file had the first of them, see owner.h */
	uint64_t costly_owner;		/* whose the first file is that was not read, for that would take too much, */
	uint32_t nr_costly;		/* of so many */
	char costly[128];
	uint32_t nr_served;		/* files and processes left alone, for their owners may never answer: */
	struct xpt_whose served_owner;	/* one of them, see xpt_whose__tell() */
	char served[128];
	uint32_t nr_unread;		/* times that debug information ended its reader, or limits did */
	uint64_t cut;			/* calls of the user who had most that were not sent as events */
	uint32_t cut_user;		/* if cut is not 0; in the container whose cgroup */
	uint32_t cut_group;		/* has this inode, 0: none */
	uint64_t nr_mappings_lost;	/* that the kernel had no room to tell of, or that came too late */
	struct xpt_whose mapper;	/* whose came most before them, */
	unsigned mapper_percent;	/* so much of all; 0: not known */
	enum xpt_ioctls_kind ioctls;	/* AUTO: not traced */
	uint32_t nr_devices;		/* devices and majors watched for ioctls */
	struct xpt_kfunc_stats kernel;
	uint64_t attach_ns;		/* spent in attaching */
	uint64_t load_ns;		/* spent in loading the BPF programs */
};

/*
 * Loads the programs, writes CLOCK and META. Errors: -EPERM without privileges, -ENOTSUP if no way of
 * attaching works, else -errno. ret_why (may be NULL) gets a static text.
 */
int xpt_engine__new(const struct xpt_engine_cfg *cfg, xpt_engine_rec_fn fn, void *ctx,
		    struct xpt_engine **ret_e, const char **ret_why);
/* Detaches; many perf links in a child, which outlives the caller. NULL is fine. */
void xpt_engine__free(struct xpt_engine *e);

/* Puts probes on the library at path, if a domain knows it by this name. 1:
 * attached, 0: nothing to do (unknown, known already, no function), -errno. */
int xpt_engine__add_library(struct xpt_engine *e, const char *path, const char *name);
/* Attaches to what the loader will find for a program: its own search path
 * first, then the environment's and the system's. exe may be NULL. */
void xpt_engine__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path);
/* Makes a process a target, and attaches to the libraries it has mapped. 0 or -ESRCH. */
int xpt_engine__add_pid(struct xpt_engine *e, int pid);
/* The same without looking at its mappings: a process that is about to exec. */
int xpt_engine__add_child(struct xpt_engine *e, int pid);
/* Attaches to the known libraries of all running processes. */
int xpt_engine__add_all(struct xpt_engine *e);

/* Follows processes and watches for libraries. */
int xpt_engine__start(struct xpt_engine *e);
/* Whose a process is (owner.h) of which a PROC record was written, until its end; XPT_OWNER_NOBODY: not known. */
uint64_t xpt_engine__owner(const struct xpt_engine *e, uint32_t tgid);
/* Waits up to timeout_ms, then hands over what there is. 0 or -errno (-EINTR). */
int xpt_engine__poll(struct xpt_engine *e, int timeout_ms);
/* Writes an INFLIGHT record for every call that has not returned. */
void xpt_engine__report_inflight(struct xpt_engine *e);
/* True once a target was there and none is left (never if others may join). */
bool xpt_engine__targets_gone(const struct xpt_engine *e);
/*
 * Ends tracing: detaches, drains the ring, writes calls in flight, counters,
 * losses, cost, END. status: wait status of the command or -1; reason: as in
 * struct xpt_rec_end.
 */
int xpt_engine__stop(struct xpt_engine *e, int status, uint32_t reason);
/* What became of hook nr (from 0); what the engine found. */
void xpt_engine__hook_state(const struct xpt_engine *e, uint32_t nr, struct xpt_hook_state *ret_state);
void xpt_engine__stats(const struct xpt_engine *e, struct xpt_engine_stats *ret_stats);

#endif
