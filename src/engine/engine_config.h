/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The requests of the engine's users (engine.h), and the state that the engine reports to them. */
#ifndef XPT_ENGINE_ENGINE_CONFIG_H
#define XPT_ENGINE_ENGINE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hooks/hook.h"
#include "kernel/bpf_links.h"
#include "kernel/kattach.h"
#include "model/domain/captures.h"
#include "model/domain/domain.h"
#include "model/domain/probe.h"
#include "proc/owner.h"
#include "proc/select.h"
#include "sites/plan.h"

struct xpt_kfind;
struct xpt_source;

/* How the system call is watched, cheapest first. */
enum xpt_ioctls_kind {
	XPT_IOCTLS_AUTO,
	XPT_IOCTLS_FENTRY,	/* on the system call itself: other system calls pay nothing */
	XPT_IOCTLS_TRACEPOINT,	/* its own tracepoints: the others pay a little */
	XPT_IOCTLS_RAW,		/* those of all system calls: the others pay; without tracefs */
	XPT_IOCTLS__MAX
};

struct xpt_ioctl_device {
	uint64_t dev;		/* xpt_ioctl_device_key(), or with XPT_IOCTL_ANY_MINOR */
	uint32_t table;		/* enum xpt_ioctl_table; 0: its driver's */
};

#define XPT_KFUNCS_MAX 3000u	/* of one trace; XPT_MAX_FNS is for all layers */

struct xpt_kfunc_cfg {
	struct xpt_kfind *find;	/* NULL: none are traced; needed until xpt_engine__new() returns */
	const char *const *patterns;	/* as for xpt_kfind__match(), or NULL */
	bool tables;		/* functions of loaded drivers that a domain knows, too */
	enum xpt_kattach kind;	/* AUTO: for each function the best that works */
	uint32_t max;		/* functions at most */
};

struct xpt_kfunc_stats {
	uint32_t nr, nr_failed;	/* traced; wanted, but not to be had */
	uint32_t by_kind[XPT_KATTACH__MAX];
	bool works;		/* some way of attaching does, of those asked for */
	uint64_t attach_ns;
	uint32_t slow_links;	/* each takes about 0.14 s to close */
};

/* The outcome of a hook, for messages. */
struct xpt_hook_state {
	uint32_t nr_fns;		/* functions that have it */
	uint64_t too_many;		/* number of matches in a file that exceeded the room, 0: never */
	struct xpt_hook_error err;	/* why[0]: why a function that matched does not have it */
	const char *unnamed;		/* an enum of a key of which a file has no names; NULL: all have */
	const char *unseen;		/* why returns of a function that matched cannot be seen; NULL: they can */
};

/* rec is 8-byte aligned and lives for the call. */
typedef void (*xpt_engine_rec_fn)(void *ctx, const void *rec, size_t size);

struct xpt_engine_cfg {
	const struct xpt_domain *const *domains;	/* those to trace, NULL-terminated */
	const char *const *functions;	/* globs of functions to trace, NULL-terminated; NULL: all */
	enum xpt_attach attach;		/* AUTO: the best that works */
	enum xpt_args args;		/* the values captured of each call */
	bool move_sites;		/* false: probes stay at the symbols */
	bool events;			/* false: exact counters only */
	bool follow;			/* children of targets too */
	bool hold;			/* a target waits while a library that it maps gets its probes */
	bool all;			/* every process */
	const struct xpt_select *select;	/* outlives the engine; NULL: those added, or all */
	bool open;			/* with select: also processes that were not added */
	bool errors_only;		/* events for failed calls only */
	bool sched;			/* record scheduler switches of threads in calls */
	bool stacks;			/* record the caller's stack of stack_functions */
	uint64_t min_ns, min_bytes;	/* no events for successful calls below these */
	uint8_t sample;			/* events for one successful call of 2^sample */
	uint64_t budget_ppm;		/* of the processes' wall time, parts per million; 0: none */
	uint32_t rate;			/* events of a function per second at most; 0: no limit */
	const char *const *stack_functions;	/* globs, NULL-terminated; NULL: all */
	uint64_t hang_ns;		/* report calls in flight for longer; 0: never */
	bool ioctls, ioctls_of_hooks;	/* device ioctls, too; but only those that hooks are for */
	bool uverbs;			/* calls of the kernel's RDMA interface, by method */
	enum xpt_ioctls_kind ioctls_kind;	/* AUTO: the cheapest that works */
	const struct xpt_ioctl_device *devices;	/* besides those of known drivers */
	uint32_t nr_devices;
	const struct xpt_probe *probes;	/* of the user, XPT_PROBES_MAX at most; outlive the engine */
	uint32_t nr_probes;
	const struct xpt_hook *hooks;	/* XPT_HOOKS_MAX at most; probes and kernel.patterns hold theirs */
	uint32_t nr_hooks;
	struct xpt_kfunc_cfg kernel;	/* functions of the kernel */
	uint64_t ring_bytes;		/* rounded up to a power of two of pages; 0: default */
	uint64_t readings_ns;		/* from one reading of all devices to the next; 0: none */
	const char *nvml;		/* path of libnvidia-ml; NULL: searched for */
	bool (*stopped)(void);		/* true: no more files are to be looked at; NULL: never */
	/* Called a few times a second while the engine waits for the kernel; or NULL. */
	void (*waiting)(void);
	const struct xpt_source *source;	/* one more than the engine's own, or NULL; */
	void *source_state;		/* its state; both outlive the engine */
};

/* The findings of the engine, for `list` and messages. */
struct xpt_engine_stats {
	enum xpt_attach attach;
	uint32_t nr_libs, nr_fns, nr_probes, nr_slow;
	uint32_t nr_failed;		/* places without room, or that the kernel refused */
	int not_followed;		/* why children of targets cannot be followed (-errno), or 0 */
	int refused;			/* why it refused the first of them (-errno), or 0 */
	uint64_t probes_found;		/* bit i: a place of the user's probe i was found */
	const char *hold;		/* how a target is held until its library has probes; NULL: not */
	bool leaves_late;		/* probes are still being taken away, in the background */
	bool slow_to_leave;		/* probes will go in the background, after the trace */
	bool uverbs;			/* the RDMA interface has probes: its modules are loaded */
	uint32_t xids;			/* enum xpt_xid_source: the best that works, 0: none */
	int no_log;			/* why the kernel log cannot be read (-errno), or 0 */
	uint32_t nr_unsafe;		/* functions left alone: their first instruction cannot be probed, */
	uint32_t nr_unseen;		/* or their returns cannot be seen safely: the first, and why */
	char unseen[128];
	const char *unseen_why;
	uint32_t nr_refused;		/* or they are probes of the user and the places for such are used up; */
	uint64_t refused_owner;		/* whose file had the first of them, see owner.h */
	/* Functions that are counted as "(other)", because the ids for names that no table has are used up. */
	uint32_t nr_unnamed;
	uint64_t unnamed_owner;		/* whose files have most of them */
	uint64_t costly_owner;		/* whose the first file is that was not read, for that would take too much, */
	uint32_t nr_costly;		/* of so many */
	char costly[128];
	uint32_t nr_served;		/* files and processes left alone, for their owners may never answer: */
	struct xpt_process_owner served_owner;	/* one of them, see xpt_process_owner__choose() */
	char served[128];
	uint32_t nr_unread;		/* times that debug information ended its reader, or limits did */
	uint64_t cut;			/* calls of the user who had most that were not sent as events */
	uint64_t cut_owner;		/* if cut is not 0, see owner.h; */
	uint32_t cut_cgroup;		/* for the name of his container: inode of its cgroup, or 0 */
	uint64_t nr_mappings_lost;	/* for which the kernel had no room, or that came too late */
	struct xpt_process_owner mapper;	/* whose came most before them, */
	unsigned mapper_percent;	/* share of all; 0: not known, or none had half of them */
	enum xpt_ioctls_kind ioctls;	/* AUTO: not traced */
	uint32_t nr_devices;		/* devices and majors watched for ioctls */
	struct xpt_kfunc_stats kernel;
	uint64_t attach_ns;		/* spent in attaching */
	uint64_t load_ns;		/* spent in loading the BPF programs */
};

#endif
