/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of a watch on RDMA functions. Between rdma_watch.c and
 * rdma_attach.c only.
 */
#ifndef XPT_ENGINE_RDMA_RDMA_PROBES_PRIV_H
#define XPT_ENGINE_RDMA_RDMA_PROBES_PRIV_H

#include "kernel/kfind.h"
#include "engine/rdma/rdma_asked.h"
#include "engine/rdma/rdma_probes.h"

struct rdma_bpf;
struct xpt_hashmap;
struct xpt_ring;

/* The purpose of a program on a function. ASKED: LEAVE of those that ask; END: of XPT_RDMA_FN_SPECIAL. */
enum xpt_rdma_purpose { XPT_RDMA_LEAVE, XPT_RDMA_ASKED, XPT_RDMA_END, XPT_RDMA_ENTER, XPT_RDMA_EVENT, XPT_RDMA_NR_PURPOSES };

/* One program on one function. */
struct xpt_rdma_job {
	uint32_t id;		/* of the function */
	enum xpt_rdma_purpose purpose;
	enum xpt_kattach kind;	/* AUTO: in no way */
	bool linked;
};

struct xpt_rdma_fn_state {
	struct xpt_kfunc k;	/* its names are the finder's: while attaching only */
	bool found;
	struct xpt_rdma_hold hold;
	struct xpt_wire_rdma_asks asks;
};

struct xpt_rdma_watch {
	struct xpt_rdma_watch_cfg cfg;
	struct rdma_bpf *skel;
	struct xpt_ring *ring;
	struct xpt_kfind *find;	/* while attaching */
	struct xpt_hashmap *ids;	/* hash of module and name: id */
	struct xpt_kattach_caps caps;
	uint32_t is_return;	/* id of bpf_session_is_return; 0: the kernel has none */
	struct xpt_rdma_layout layouts[XPT_RDMA_NR_ASKED];
	struct xpt_rdma_fn_state *fns;	/* XPT_RDMA_FNS, by id; 0 is none */
	struct xpt_rdma_job *jobs;
	uint32_t nr_jobs;
	int *fds, *progs;	/* links and perf events; programs */
	size_t nr_fds, nr_progs;
	bool has_sessions;	/* among them */
	size_t lasting_fds, lasting_progs;	/* those of them that no xpt_rdma_watch__less() closes */
	uint32_t lasting_nr;	/* functions; 0: there are no others */
	uint16_t generation;	/* of those others */
	int command_fd;		/* link of the tracepoint mlx5_cmd; 0: it is not there (yet) */
	bool said_none;
	uint64_t attach_ns, missed;	/* missed: by programs that are closed */
};

/* Returns the generation of a function, as in struct xpt_wire_rdma_fn. */
static inline uint16_t xpt_rdma_generation(const struct xpt_rdma_watch *w, uint32_t id)
{
	return w->lasting_nr && id > w->lasting_nr ? w->generation : 0;
}

/*
 * The best way after `after` (AUTO: of all) for a program on a function, or the one that the configuration
 * demands. AUTO: none, and *ret_why says why, in a static text.
 */
enum xpt_kattach xpt_rdma_attach__choose(const struct xpt_rdma_watch *w, const struct xpt_kfunc *k,
					 enum xpt_kattach after, const char **ret_why);
/* Attaches all jobs but those of kind AUTO; a refused job gets its next kind. */
void xpt_rdma_attach(struct xpt_rdma_watch *w);
/* The tracepoint of commands that the firmware refused, if that is there by now. */
void xpt_rdma_attach__commands(struct xpt_rdma_watch *w);
/* Which templates that may need; before the skeleton is loaded. */
void xpt_rdma_attach__want(struct xpt_rdma_watch *w);

#endif
