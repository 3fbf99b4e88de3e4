/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading files that processes chose, in the thread that also empties the rings. While a file
 * is read, records are handed over and signals to end are noticed, and the files of one user
 * take no more of the thread's time than that user's share.
 */
#ifndef XPT_ENGINE_WAITING_READING_H
#define XPT_ENGINE_WAITING_READING_H

#include <stdbool.h>
#include <stdint.h>
#include "elf/elf.h"

struct xpt_engine;
struct xpt_hashmap;

struct xpt_reading {
	struct xpt_elf_pause pause;	/* for xpt_elf__open_for() */
	bool delivering;		/* records are being handed over */
	bool inside;			/* of a file: no other one may be looked at */
	uint64_t paused_ns;		/* of a processor, for records that came meanwhile */
	uint64_t blocked_ns;		/* that system calls of blocking.h took themselves */
	uint64_t owner;			/* of the file, see owner.h */
	struct xpt_elf_pause naming;	/* for files that are read to name code: nothing is handed over */
	bool was_delivering;		/* before that */
	uint64_t owner_before;
	uint64_t batch_ns;		/* when the records began to be handed over */
	bool has_more;			/* records were left, because others of them had taken long or were many */
	struct xpt_hashmap *spent;	/* owner -> uint64_t units of work (elf_work.c) */
};

int xpt_reading__open(struct xpt_engine *e);	/* 0 or -ENOMEM */
void xpt_reading__close(struct xpt_engine *e);
/*
 * Marks the begin of reading a file of that owner, until xpt_reading__end(). Returns the owner of the file that was
 * read before, for the end.
 */
uint64_t xpt_reading__begin(struct xpt_engine *e, uint64_t owner);
void xpt_reading__end(struct xpt_engine *e, uint64_t owner_before);
/*
 * Returns the processor time used until now for looking at files and setting probes, without that for records that
 * came meanwhile.
 */
uint64_t xpt_reading__used_ns(const struct xpt_engine *e);
/* Whether that owner's share of the time for reading is not used up. */
bool xpt_reading__has_share(struct xpt_engine *e, uint64_t owner);
/*
 * The same for a file that is read to name code, perhaps while a record is handed over or another file
 * is read: returns 0, or -EDQUOT if that owner's share is used up. The end gets the result of the reading as
 * err, and returns err or -EDQUOT.
 */
int xpt_reading__begin_naming(struct xpt_engine *e, uint64_t owner);
int xpt_reading__end_naming(struct xpt_engine *e, int err);
/* Between two files: hands over the records that have come, if they are many. */
void xpt_reading__pause(struct xpt_engine *e);
/* The user has asked for the end: no more files are looked at. */
bool xpt_reading__is_stopped(const struct xpt_engine *e);
/* Hands over the records that there are; as xpt_merge__consume(), never within itself. */
int xpt_reading__consume(struct xpt_engine *e, uint64_t now_ns);

#endif
