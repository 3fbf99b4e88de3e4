/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the engine: its state, and what its files offer each other. Nobody
 * outside src/engine/ includes this.
 */
#ifndef XPT_ENGINE_PRIV_H
#define XPT_ENGINE_PRIV_H

#include "base/hashmap.h"
#include "engine/callers.h"
#include "engine/engine.h"
#include "engine/ioctl.h"
#include "engine/merge.h"
#include "engine/points.h"
#include "engine/program.h"
#include "engine/slots.h"
#include "engine/spend.h"
#include "engine/target.h"
#include "engine/watch.h"
#include "engine/xid.h"
#include "wire/config.h"

struct call_bpf;
struct target_bpf;
struct xpt_kfuncs;
struct xpt_thread;
struct bpf_link;

#define XPT_MAX_LIBS 1024
#define XPT_MAX_PROCS 65536
#define XPT_MAX_UNWANTED 16384	/* of whom we know that they are not traced */

struct xpt_efn {		/* a function that has an id */
	char *sym;
	const struct xpt_domain *domain;
	bool slow;		/* its probe is single-stepped */
	bool kernel;		/* a function of the kernel */
	bool keep;		/* its events are always needed (XPT_FN_KEEP) */
	uint8_t str_cap;	/* 1 + index of its string, 0 if none */
	uint64_t events, calls;	/* that came as records; from the final counters */
};

struct xpt_strings {		/* strings.c: a constant mapping, and the call that is completed */
	int pid;
	uint32_t batch;
	uint64_t start, end, failed;
	uint64_t call[(sizeof(struct xpt_long_call) + 7) / 8 + 1];
};

struct xpt_engine {
	struct xpt_engine_cfg cfg;
	xpt_engine_rec_fn fn;
	void *ctx;
	struct call_bpf *skel;
	struct xpt_merge rings;
	struct target_bpf *target;	/* NULL: this kernel refuses it */
	struct xpt_holder holder;
	struct xpt_eioctl ioctl;
	struct xpt_exid xid;
	struct xpt_points *points;	/* NULL: no probe was named */
	struct xpt_hooks *hooks;	/* NULL: none, as the next two */
	struct xpt_tps *tracepoints;
	struct xpt_kfuncs *kernel;
	struct xpt_watch *watch;	/* NULL: not available, /proc is polled */
	int epfd;
	enum xpt_attach attach;
	int tracefs;			/* perf kind: its directory, or -1 */
	uint32_t nr_events, gone_events, events_of;	/* perf kind: definitions made, removed; whose */
	uint32_t nr_groups;		/* perf kind: attach cookies given out */
	struct xpt_efn *fns;		/* index = function id; 0 is the calibration */
	uint32_t nr_fns;
	struct xpt_hashmap *fn_ids;	/* hash of domain and symbol -> id */
	struct xpt_elib libs[XPT_MAX_LIBS];
	uint32_t nr_libs;
	struct xpt_programs *programs;
	struct xpt_hashmap *waiting;	/* slots.c: processes to look at again */
	uint64_t next_slots_ns, relinks;
	struct xpt_hashmap *procs;	/* tgid -> 1: its PROC record was written */
	struct xpt_hashmap *lives;	/* tgid -> struct xpt_life */
	struct xpt_hashmap *ended;	/* tgid -> when, until its counters are handed on */
	uint64_t ended_ns;		/* the first of them, 0: none */
	uint64_t ends_ns;		/* last look for targets whose end was not seen */
	bool had_target;
	bool traces_alloc, traces_free;	/* a function of that class was attached */
	struct xpt_hashmap *told;	/* place of a call -> its start, once reported as hanging */
	uint64_t next_hang_ns;
	struct xpt_callers *callers;	/* NULL: no stacks */
	int calibrator;			/* pid whose records are not the user's, 0 if none */
	uint32_t batch, batches;	/* records taken in this poll; polls so far */
	struct xpt_strings strings;
	uint64_t watch_lost, libs_failed;	/* libraries that are mapped and got no probe */
	uint64_t start_ns, next_scan_ns;
	struct xpt_engine_stats stats;
	uint64_t hit_ns[2][2];		/* calibrated: [emulated, single-stepped][XPT_COST_*] */
	uint64_t calibration_left_out;	/* calls of it that are in XPT_LOSS_BUDGET */
	struct xpt_spend *spend;	/* spend.h; NULL: no --budget */
	uint64_t scratch[XPT_REC_MAX / 8];	/* the record that is being built */
};

/* engine.c: processes that nobody named can become targets at any time */
bool xpt_engine__is_open(const struct xpt_engine *e);

/* libs.c */
void xpt_libs__on_mapping(void *ctx, int pid, const struct xpt_mapping *m);
void xpt_libs__on_file(struct xpt_engine *e, int pid, const char *path, const char *name);
int xpt_libs__scan_pid(struct xpt_engine *e, int pid);
void xpt_libs__detach(struct xpt_engine *e);
void xpt_libs__unlink(struct xpt_elib *lib);	/* its probes only */
bool xpt_libs__slow_to_leave(const struct xpt_engine *e);
bool xpt_libs__leave_in_background(struct xpt_engine *e);	/* false: no child could be made */
int xpt_libs__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *cookies, uint32_t n);

/* perf_events.c: the perf kind. link: places that have their entry probe, or -errno. */
void xpt_perf__open(struct xpt_engine *e);
int xpt_perf__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *fns, uint32_t n);
void xpt_perf__forget(struct xpt_engine *e);	/* definitions of events that are closed */
int xpt_perf__fork_heir(void);			/* fork(), of a child that closes them later */

/* facts.c: records that do not come from the kernel */
void xpt_facts__emit(struct xpt_engine *e, size_t size);	/* what lies in scratch, padded */
/* Appends a NUL-terminated string behind `at` in scratch; the new end. */
size_t xpt_facts__add_str(struct xpt_engine *e, size_t at, const char *s);
void xpt_facts__clock(struct xpt_engine *e);	/* with probes, also "ticks": of the TSC */
void xpt_facts__meta(struct xpt_engine *e, const char *key, const char *value);
void xpt_facts__system(struct xpt_engine *e);
void xpt_facts__partial(struct xpt_engine *e);
void xpt_facts__proc(struct xpt_engine *e, int pid, uint64_t ts_ns);
void xpt_facts__fn(struct xpt_engine *e, uint32_t id, uint32_t lib, const struct xpt_plan *p,
		   const struct xpt_captures *caps);
void xpt_facts__lib(struct xpt_engine *e, uint32_t id, const char *path, const char *build_id);

/* threads.c: every thread that has made a traced call. at: zeroed before the first. The copy
 * is good until the next call; frames and counts go on changing in the kernel. */
struct xpt_threads_at {
	uint32_t slot;
};
const struct xpt_thread *xpt_threads__next(struct xpt_engine *e, struct xpt_threads_at *at);

/* inflight.c: INFLIGHT records of calls older than older_ns; news_only: each once */
void xpt_inflight__report(struct xpt_engine *e, uint64_t older_ns, bool news_only);

/* strings.c: the call, with its string if the probe could not read it; until the next call */
const void *xpt_strings__on_call(struct xpt_engine *e, const void *rec);

/* calibrate.c: sets e->hit_ns, once, by tracing a child of our own */
void xpt_calibrate(struct xpt_engine *e);

#endif
