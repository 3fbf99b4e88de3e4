/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs for kernel functions: instructions of a template that libbpf has
 * loaded are loaded again, for another attach type, another module's type
 * information or another function.
 */
#ifndef XPT_KERNEL_KLOAD_H
#define XPT_KERNEL_KLOAD_H

#include <stdint.h>
#include "kernel/kattach.h"

struct bpf_program;

enum xpt_khalf { XPT_KHALF_ENTER, XPT_KHALF_LEAVE, XPT_KHALF_BOTH };

/*
 * A program for that half of the kind, made of any template that libbpf has loaded. btf: descriptor
 * of the type information that id is in, 0: the kernel's own; id: of the function, for kinds that
 * load one for each. is_return: id of bpf_session_is_return, for sessions. A descriptor, or -errno.
 */
int xpt_kload__again(const struct bpf_program *p, enum xpt_kattach kind, enum xpt_khalf half,
		     int btf, uint32_t id, uint32_t is_return);
/* The type information of a loaded module as a descriptor, or -ENOENT. */
int xpt_kload__module_btf(const char *module);
/* How often a program did not run because it, or another, ran on that CPU. */
uint64_t xpt_kload__missed(int prog);
/*
 * How often the kernel did not come to run the program of a link: a kprobe inside another one, or a return that it had
 * no room to keep. Of kprobe-session and kprobe-multi since 6.8, of kprobe since 6.7; of others 0.
 */
uint64_t xpt_kload__link_missed(int link);

#endif
