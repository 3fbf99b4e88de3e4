/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Slots of running processes. A probe that was moved behind a forwarding stub
 * (site.h) sees the calls as long as the stub's slot names the implementation;
 * a tool in the process may have put something else there. Then the function's
 * probe goes back to its symbol, for all processes: one at both places would be
 * hit twice by those whose slot is as it was.
 */
#ifndef XPT_ENGINE_LIBRARIES_STUB_SLOTS_H
#define XPT_ENGINE_LIBRARIES_STUB_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_elf;
struct xpt_elib;
struct xpt_engine;
struct xpt_mapping;
struct xpt_plan;
struct xpt_slots;

/* The slots behind which plan[n] goes; *ret_slots is NULL if there are none. 0 or -ENOMEM. */
int xpt_slots__new(struct xpt_elf *elf, const struct xpt_plan *plan, int n,
		   struct xpt_slots **ret_slots);
void xpt_slots__free(struct xpt_slots *s);	/* NULL is fine */
/* What the loader added to the addresses of the file mapped at m; false: m is not of its code. */
bool xpt_slots__bias(const struct xpt_slots *s, const struct xpt_mapping *m, uint64_t *ret_bias);
/*
 * Looks at the slots of a process with one read of its memory. The number of
 * those found changed for the first time, which lead to other code now, or -errno:
 * -EAGAIN as long as the loader has not filled them, -ESRCH if the process is gone,
 * or the library from its place there.
 */
int xpt_slots__look(struct xpt_slots *s, int pid, uint64_t bias);
/* Puts the functions whose slots were found changed back to their symbols, or says that their
 * returns cannot be seen any more. */
void xpt_slots__apply(const struct xpt_slots *s, struct xpt_plan *plan);

/* The probe of plan[index] is somebody else's: its slot is not looked at. s: NULL is fine. */
void xpt_slots__leave_out(struct xpt_slots *s, int index);

/*
 * With probes: s and the places are taken over by lib, fd (of the file) is
 * duplicated. offsets and cookies are from calloc(). 0 or -errno, then nothing
 * was taken.
 */
int xpt_slots__keep(struct xpt_elib *lib, struct xpt_slots *s, int fd, uint64_t *offsets,
		    uint64_t *cookies, uint32_t n);
uint32_t xpt_slots__nr_places(const struct xpt_slots *s);	/* those that are kept */
/* Probes at the kept places, as far as the process that has mapped the file at m leaves the slots
 * alone; m: NULL without a process. How many there are, or -errno. */
int xpt_slots__link(struct xpt_engine *e, struct xpt_elib *lib, int pid, const struct xpt_mapping *m);
/* A process has mapped lib: looks now, and some times again in xpt_slots__step(). */
void xpt_slots__on_mapping(struct xpt_engine *e, struct xpt_elib *lib, int pid,
			   const struct xpt_mapping *m);
/* No process is looked at again for lib, whose place goes to another. */
void xpt_slots__forget(struct xpt_engine *e, const struct xpt_elib *lib);
void xpt_slots__step(struct xpt_engine *e);

#endif
