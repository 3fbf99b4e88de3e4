/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside the engine: what the programs of target.bpf.c know about files.
 * Included by priv.h alone.
 */
#ifndef XPT_ENGINE_TARGET_H
#define XPT_ENGINE_TARGET_H

#include <stdint.h>

struct xpt_engine;

struct xpt_inode {		/* a file as the kernel's probes know it */
	uint64_t addr;		/* of the inode; 0: not known, dev and ino are those of stat(2) */
	uint64_t dev, ino;
};

/* inode.c */
void xpt_inode__open(struct xpt_engine *e);	/* without it stat(2) has to do */
void xpt_inode__close(struct xpt_engine *e);
/* The inode to which probes on an open file belong, below any overlay. 0; -ENOEXEC: no regular file. */
int xpt_inode__get(struct xpt_engine *e, int fd, struct xpt_inode *ret_inode);

#endif
