/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the engine: its state, and the functions that its files share. No file
 * outside src/engine/ includes this header.
 */
#ifndef XPT_ENGINE_PRIV_H
#define XPT_ENGINE_PRIV_H

#include "base/files/regular.h"
#include "base/hashmap.h"
#include "engine/cost/call_cost.h"
#include "engine/engine_config.h"
#include "engine/hold/target.h"
#include "engine/read/merge.h"
#include "proc/owner.h"
#include "proc/remote/allowance.h"
#include "wire/config.h"

struct call_bpf;
struct target_bpf;
struct xpt_btf_part;
struct xpt_calibration;
struct xpt_callers;
struct xpt_efn;
struct xpt_functions;
struct xpt_mappings;
struct xpt_reading;
struct xpt_reported;
struct xpt_closing;
struct xpt_shared;
struct xpt_source;
struct xpt_spend;
struct xpt_thread;
struct xpt_users;
#define XPT_MAX_PROCS 65536
#define XPT_MAX_UNWANTED 16384	/* of whom we know that they are not traced */
#define XPT_SOURCES_MAX 32

struct xpt_strings {		/* calls/late_strings.c: the call that is completed */
	uint64_t failed;
	struct xpt_allowance time;	/* that reading takes, by owner */
	uint64_t call[(sizeof(struct xpt_long_call) + 7) / 8 + 1];
};

struct xpt_engine {
	struct xpt_engine_cfg cfg;
	xpt_engine_rec_fn fn;
	void *ctx;
	struct call_bpf *skel;
	struct xpt_btf_part *types;	/* while programs are loaded */
	struct xpt_merge rings;
	struct xpt_reading *reading;
	struct xpt_own_devices own_devices;
	struct xpt_users *users;	/* NULL: there are no shares */
	struct target_bpf *target;	/* NULL: this kernel refuses it */
	struct xpt_holder holder;
	void *source_state[XPT_SOURCES_MAX];	/* of xpt_sources, see source.h */
	const struct xpt_source *call_source[XPT_SOURCES_MAX];	/* those that look at each call */
	uint32_t nr_call_sources;
	struct xpt_closing *closing;	/* NULL: no probes are being removed */
	struct xpt_shared *shared;	/* NULL: every function has its own probe */
	struct xpt_mappings *mappings;
	int epfd;
	enum xpt_attach attach;
	int tracefs, events_lock;	/* perf kind: its directory, and who holds its events; or -1 */
	uint32_t nr_events, gone_events, events_of;	/* perf kind: definitions made, removed; whose */
	uint32_t nr_groups;		/* perf kind: attach cookies given out */
	struct xpt_efn *fns;		/* index = function id; 0 is the calibration */
	uint32_t nr_fns;
	struct xpt_functions *functions;
	struct xpt_hashmap *procs;	/* tgid -> struct xpt_known_proc: its PROC record was written */
	struct xpt_hashmap *unheard;	/* tgid -> when counts of it were there first (processes/known_processes.c) */
	struct { uint64_t owner; uint32_t tgid; } last_ended;
	uint64_t containers_ns, containers_round_ns;	/* time of the last look, and of the first one of its round */
	size_t containers_pos;		/* position in procs at which the last look ended */
	struct xpt_hashmap *lives;	/* tgid -> struct xpt_life */
	struct xpt_hashmap *ended;	/* tgid -> struct xpt_ended, until its counters are handed on */
	uint64_t ended_ns;		/* the first of them, 0: none */
	uint64_t busy_ns;		/* when a poll had something to do */
	uint64_t ends_ns;		/* last look for targets whose end was not seen */
	bool had_target;
	bool traces_alloc, traces_free;	/* a function of that class was attached */
	struct xpt_reported *reported;	/* calls that hang (calls/open_calls.c); NULL: none did yet */
	uint64_t next_hang_ns;
	struct xpt_callers *callers;	/* NULL: no stacks */
	struct xpt_calibration *calibration;	/* NULL: not begun */
	struct xpt_call_cost cost;	/* of a traced call; 0: not known */
	uint32_t batch;		/* records taken; wraps */
	struct xpt_strings strings;
	struct xpt_regular_guard guard;	/* while the user has not named the processes */
	uint64_t lost[XPT_LOSS__MAX];	/* by enum xpt_loss: losses that the engine itself has counted */
	uint64_t lost_emitted[XPT_LOSS__MAX];	/* final_counts.c */
	uint64_t start_ns;
	struct xpt_engine_stats stats;
	struct xpt_spend *spend;	/* spend.h; NULL: no --budget */
	uint64_t scratch[XPT_REC_MAX / 8];	/* the record that is being built */
};

/* engine.c: whether processes that the user did not name can become targets at any time */
bool xpt_engine__is_open(const struct xpt_engine *e);
/* processes/known_processes.c: a process is new: who owns it, and its PROC record */
void xpt_engine__know(struct xpt_engine *e, uint32_t tgid, uint64_t ts_ns);
bool xpt_known__may_tell(struct xpt_engine *e, uint32_t tgid);	/* counts of it: its name and user are known */
/* For the engine's own files: xpt_engine__owner(). */
uint64_t xpt_engine__owner_of(const struct xpt_engine *e, uint32_t tgid);
/* Adds a process of xputrace itself as a target of the BPF programs, but not of any source. Returns 0 or -errno. */
int xpt_engine__add_own(struct xpt_engine *e, int pid);
/* Excludes a process of xputrace and its children, before their first call. On -errno it has to be ended. */
int xpt_engine__leave_own(struct xpt_engine *e, int pid);
/* Notes that the kernel refused a probe there, and the error. The statistics keep the first refusal. */
void xpt_engine__probe_refused(struct xpt_engine *e, const char *path, uint64_t offset, int err);

/* perf_events.c: the perf kind. link: places that have their entry probe, or -errno. */
void xpt_perf__open(struct xpt_engine *e);
int xpt_perf__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		   const uint64_t *offsets, const uint64_t *fns, uint32_t n);
void xpt_perf__forget(struct xpt_engine *e);	/* definitions of events that are closed */
void xpt_perf__close(struct xpt_engine *e);	/* after the last event */

/* facts.c: records that do not come from the kernel */
void xpt_facts__emit(struct xpt_engine *e, size_t size);	/* the record in scratch, padded */
/* Appends a NUL-terminated string after `at` in scratch; the new end. */
size_t xpt_facts__add_str(struct xpt_engine *e, size_t at, const char *s);
void xpt_facts__clock(struct xpt_engine *e), xpt_facts__probing(struct xpt_engine *e);	/* META "ticks", "probing" */
void xpt_facts__meta(struct xpt_engine *e, const char *key, const char *value);
void xpt_facts__system(struct xpt_engine *e);
void xpt_facts__partial(struct xpt_engine *e);
void xpt_facts__proc(struct xpt_engine *e, int pid, uint64_t ts_ns);
void xpt_facts__lib(struct xpt_engine *e, uint32_t id, const struct xpt_elib *lib, const char *path,
		    const char *build_id);

/* processes/threads.c: every thread that has made a traced call. at: zeroed before the first. The copy
 * is good until the next call; frames and counts go on changing in the kernel. */
struct xpt_threads_at {
	uint32_t slot;
};
const struct xpt_thread *xpt_threads__next(struct xpt_engine *e, struct xpt_threads_at *at);

/* calls/open_calls.c: INFLIGHT records of calls older than older_ns; news_only: each once */
void xpt_inflight__report(struct xpt_engine *e, uint64_t older_ns, bool news_only);
/* Returns timeout_ms or less, so that hangs are reported at most a quarter of their limit late, readings in time. */
int xpt_idle__limit_wait(const struct xpt_engine *e, int timeout_ms);
void xpt_inflight__emit_now(struct xpt_engine *e);	/* INFLIGHT_NOW */

/* calls/late_strings.c: the call, with its string if the probe could not read it; until the next call */
void xpt_strings__open(struct xpt_engine *e);
const void *xpt_strings__on_call(struct xpt_engine *e, const void *rec);

#endif
