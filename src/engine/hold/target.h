/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the engine: files with probes, and the state that the programs of
 * target.bpf.c keep about them. Only priv.h includes this header.
 */
#ifndef XPT_ENGINE_HOLD_TARGET_H
#define XPT_ENGINE_HOLD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/attach/again.h"
#include "engine/attach/counts.h"
#include "wire/hold.h"

struct bpf_link;
struct ring_buffer;
struct xpt_engine;

enum xpt_hold_kind {		/* best first */
	XPT_HOLD_WAIT,		/* in mmap(2); needs the BPF security module */
	XPT_HOLD_STOP,		/* by SIGSTOP */
	XPT_HOLD_NONE,
};

struct xpt_holder {		/* hold.c */
	struct ring_buffer *wake;	/* NULL: no process is held */
	struct bpf_link *link;
	int guardian;			/* pid, 0 if none is needed */
	uint64_t served;		/* holds that the engine has ended */
	uint64_t held_ns, longest_ns;
};

struct xpt_inode {		/* a file as the kernel's probes know it */
	uint64_t addr;		/* of the inode; 0: not known, dev and ino are those of stat(2) */
	uint64_t dev, ino;
};

#define XPT_MAX_LIBS 1024
/* Time for which a file keeps its table place after its user mapped it, if it counts for another owner's share. */
#define XPT_USER_NS 600000000000ull

struct xpt_elib {		/* a library that was looked at */
	struct xpt_inode inode;
	/* The device that mappings of the file show, which differs under overlayfs. 0: no process maps the file. */
	uint64_t mapped_dev;
	uint64_t changed_ns;	/* its ctime then: a file that has changed is looked at again */
	uint32_t read_for;	/* as which domains it was looked at, a bit each */
	uint64_t owner;		/* whose share it counts for, see owner.h */
	/* When the user who owns the file last mapped it, if the file counts for another owner's share; else 0. */
	uint64_t user_ns;
	int err;		/* why it is not attached, 0 if it is or has nothing for us */
	bool loss_counted;		/* the error was counted as a loss */
	int refused;		/* why the kernel took none of its probes */
	struct xpt_again again;	/* when its probes are tried again */
	bool is_due;		/* the next try is due */
	struct xpt_counted counted;	/* of its contents, whenever it was tried */
	bool starved;		/* the owner's share was too small for all that is in it */
	bool kept;		/* looked at before it was mapped: its place is not given back */
	uint32_t nr_fns;	/* attached; 0: nothing in it for us */
	int *fds;		/* session and multi links */
	size_t nr_fds;
	struct bpf_link **links;	/* perf links */
	size_t nr_links;
};

/* inode.c */
/*
 * Without it stat(2) has to do. Where anybody may join, files of file systems that a user namespace's owner has
 * mounted are not opened from now on (-EREMOTE), other than in memory (tmpfs): he may never answer, himself (FUSE) or
 * for the lower layers of an overlay.
 */
void xpt_inode__open(struct xpt_engine *e);
void xpt_inode__close(struct xpt_engine *e);
/* Finds the inode to which probes on an open file belong, below any overlay. Returns 0; -ENOEXEC: no regular file. */
int xpt_inode__get(struct xpt_engine *e, int fd, struct xpt_inode *ret_inode);
/*
 * Reads the file's name in its own folder, at most XPT_FILE_NAME - 1 bytes: a mount can show the file under any name.
 * Returns false if the kernel does not report it.
 */
bool xpt_inode__own_name(struct xpt_engine *e, int fd, char *ret_name, size_t n);
/* Whether some process maps a file that has probes: 1, 0, or -1 if the kernel does not report that. */
int xpt_inode__is_mapped(struct xpt_engine *e, const struct xpt_inode *inode);

/*
 * hold.c: a process of `run` that is about to map a library is held until the
 * library has its probes.
 */
void xpt_hold__configure(const struct xpt_engine *e, struct xpt_target_cfg *ret_cfg);
/* Returns 0 if that kind may work, or -errno for a feature that this kernel lacks. */
int xpt_hold__why_not(struct xpt_engine *e, enum xpt_hold_kind kind);
int xpt_hold__open(struct xpt_engine *e, enum xpt_hold_kind kind);	/* e->target is there */
void xpt_hold__add_to_epoll(struct xpt_engine *e, uint64_t data);
bool xpt_hold__waiting(const struct xpt_engine *e);	/* whether a process waits */
void xpt_hold__serve(struct xpt_engine *e);		/* serves all waiting processes */
void xpt_hold__stop(struct xpt_engine *e);		/* makes later processes not wait */
/* The probes were removed: the next process that maps a file is held until the file has its probes again. */
void xpt_hold__forget(struct xpt_engine *e);
const char *xpt_hold__how(const struct xpt_engine *e);	/* for messages; NULL: not */
uint64_t xpt_hold__timeouts(const struct xpt_engine *e);
void xpt_hold__close(struct xpt_engine *e);

#endif
