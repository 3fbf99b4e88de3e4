// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the inode to which probes on a file belong. Under overlayfs that is the inode of the layer, and neither
 * stat(2) nor /proc reports it. So the file is mapped here, and a BPF program looks at the mapping as the kernel's
 * uprobes do.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "kernel/btf_part.h"
#include "proc/remote/fuse_mount.h"
#include "proc/remote/remote.h"
#include "call.skel.h"
#include "target.skel.h"

#define DEV_MINOR_BITS 20	/* of the kernel's own dev_t, include/linux/kdev_t.h */
#define TRIES 1000	/* of 0.1 ms: it does not wait for a lock by itself */

static struct target_bpf *open_programs(struct xpt_engine *e)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = xpt_btf_part__path(e->types));
	struct target_bpf *skel = target_bpf__open_opts(&opts);

	if (!skel || !e->types || !xpt_btf_part__fill(e->types, bpf_object__btf(skel->obj)))
		return skel;
	target_bpf__destroy(skel);
	xpt_btf_part__free(e->types);
	e->types = NULL;
	return open_programs(e);
}

static int load_program(struct xpt_engine *e, enum xpt_hold_kind kind)
{
	struct target_bpf *skel = open_programs(e);
	int err;

	if (!skel)
		return -errno;
	bpf_program__set_autoload(skel->progs.xpt_inode, true);
	bpf_program__set_autoload(skel->progs.xpt_mapped, true);
	bpf_program__set_autoload(skel->progs.xpt_served, true);
	bpf_program__set_autoload(skel->progs.xpt_hold, kind == XPT_HOLD_WAIT);
	bpf_program__set_autoload(skel->progs.xpt_stop, kind == XPT_HOLD_STOP);
	xpt_hold__configure(e, (struct xpt_target_cfg *)&skel->rodata->cfg);
	err = bpf_map__reuse_fd(skel->maps.xpt_targets, bpf_map__fd(e->skel->maps.xpt_targets));
	if (!err)
		err = target_bpf__load(skel);
	e->target = skel;
	if (!err)
		err = xpt_hold__open(e, kind);
	if (err)
		xpt_inode__close(e);
	return err;
}

/* Kernels that are built, started or locked down without a feature that a kind needs
 * return one of these errors (ESRCH: no such hook); then libbpf's alarm would
 * mislead. */
static bool is_normal(int err)
{
	return err == -EPERM || err == -ESRCH || err == -ENOTSUP;
}

static int try_kind(struct xpt_engine *e, enum xpt_hold_kind kind)
{
	int err = xpt_hold__why_not(e, kind);
	libbpf_print_fn_t print;

	if (err)
		return err;
	print = libbpf_set_print(NULL);
	err = load_program(e, kind);
	libbpf_set_print(print);
	if (err && !is_normal(err) && xpt_log__level() >= XPT_LOG_DEBUG)
		err = load_program(e, kind);	/* again, so that libbpf prints why */
	return err;
}

static void open_best(struct xpt_engine *e)
{
	enum xpt_hold_kind kind = e->cfg.hold ? XPT_HOLD_WAIT : XPT_HOLD_NONE;
	int err;

	for (; kind <= XPT_HOLD_NONE; kind++) {
		err = try_kind(e, kind);
		if (!err)
			return;
		xpt_debug("%s: %s", kind == XPT_HOLD_WAIT ? "this kernel lets nobody wait in mmap(2)" :
				    kind == XPT_HOLD_STOP ? "this kernel lets nobody be stopped for a moment" :
							    "inodes by stat(2) only",
			  strerror(-err));
	}
}

#define IS_FUSE 2	/* of xpt_served() */

/* Whether a file of a process that the user did not name may be read. */
static int check_file(void *ctx, int fd)
{
	struct xpt_engine *e = ctx;
	uint64_t args[1] = { (uint64_t)fd };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	if (!e->target)
		return 0;
	if (bpf_prog_test_run_opts(bpf_program__fd(e->target->progs.xpt_served), &opts))
		return -errno;
	if (opts.retval == IS_FUSE && xpt_fuse_mount__is_of_root(fd))
		return 0;
	return opts.retval ? -EREMOTE : 0;
}

static void guard_links(struct xpt_engine *e)
{
	e->guard = (struct xpt_regular_guard){ xpt_remote__walk, xpt_remote__link, check_file, e };
	xpt_regular__set_guard(&e->guard);
	xpt_remote__distrust();
}

void xpt_inode__open(struct xpt_engine *e)
{
	open_best(e);
	if (xpt_engine__is_open(e))
		guard_links(e);
	xpt_btf_part__free(e->types);	/* these were the last programs */
	e->types = NULL;
}

void xpt_inode__close(struct xpt_engine *e)
{
	xpt_regular__set_guard(NULL);
	xpt_hold__close(e);
	target_bpf__destroy(e->target);
	e->target = NULL;
}

/* Finds the inode of the file mapped at addr; false if the kernel does not report it. */
static bool mapped_inode(struct target_bpf *t, const void *addr, struct xpt_inode *ret_inode)
{
	uint64_t args[1] = { (uint64_t)(uintptr_t)addr };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	const volatile typeof(*t->bss) *answer = t->bss;
	int i;

	for (i = 0; i < TRIES; i++) {
		if (bpf_prog_test_run_opts(bpf_program__fd(t->progs.xpt_inode), &opts))
			return false;
		if (!opts.retval)
			break;
		usleep(100);
	}
	if (opts.retval || !answer->xpt_inode_addr)
		return false;
	ret_inode->addr = answer->xpt_inode_addr;
	ret_inode->dev = makedev(answer->xpt_inode_dev >> DEV_MINOR_BITS,
				 answer->xpt_inode_dev & ((1u << DEV_MINOR_BITS) - 1));
	ret_inode->ino = answer->xpt_inode_ino;
	return true;
}

int xpt_inode__get(struct xpt_engine *e, int fd, struct xpt_inode *ret_inode)
{
	struct xpt_inode inode = { 0 };
	struct stat st;
	void *p;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	p = e->target ? mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (p == MAP_FAILED || !mapped_inode(e->target, p, &inode)) {
		inode.dev = st.st_dev;
		inode.ino = st.st_ino;
	}
	if (p != MAP_FAILED)
		munmap(p, 1);
	*ret_inode = inode;
	return 0;
}

bool xpt_inode__own_name(struct xpt_engine *e, int fd, char *ret_name, size_t n)
{
	void *p = e->target ? mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	struct xpt_inode inode;
	bool known = p != MAP_FAILED && mapped_inode(e->target, p, &inode);

	if (p != MAP_FAILED)
		munmap(p, 1);
	if (known)
		snprintf(ret_name, n, "%.*s", (int)sizeof(e->target->bss->xpt_inode_name), e->target->bss->xpt_inode_name);
	return known;
}

int xpt_inode__is_mapped(struct xpt_engine *e, const struct xpt_inode *inode)
{
	uint64_t args[2] = { inode->addr, inode->ino };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	if (!e->target || !inode->addr ||
	    bpf_prog_test_run_opts(bpf_program__fd(e->target->progs.xpt_mapped), &opts))
		return -1;
	return opts.retval > 1 ? -1 : (int)opts.retval;
}
