/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The folder that a flight recorder writes to. It holds at most XPT_RECORDER_FILES recordings. To make room for a new
 * one, the oldest recording of the owner who caused most of them is removed, so that the faults of one owner cannot
 * push out all recordings of another.
 */
#ifndef XPT_SESSION_AGENT_RECORDER_FILES_H
#define XPT_SESSION_AGENT_RECORDER_FILES_H

#include <stdint.h>
#include <sys/types.h>

enum { XPT_RECORDER_FILES = 32, XPT_RECORDER_NAME = 64 };

struct xpt_recorder_file {
	char name[XPT_RECORDER_NAME];
	uint64_t owner;
};

struct xpt_recorder_files {
	const char *path;	/* of the folder */
	int dir;		/* its descriptor, -1: there is none */
	struct xpt_recorder_file file[XPT_RECORDER_FILES];	/* the oldest first */
	unsigned nr;
};

/*
 * Makes the folder, if it is missing, and finds the recordings that are there; path lives as long. Under sudo it is
 * made with the rights of the user who called, unless it is XPT_RECORDER_DIR. 0, or -errno after a message.
 */
#define XPT_RECORDER_DIR "/var/lib/xputrace/flight"
int xpt_recorder_files__open(struct xpt_recorder_files *f, const char *path);
/* Removes recordings until there is room for one more. */
void xpt_recorder_files__make_room(struct xpt_recorder_files *f);
/* Makes the name of a recording that is written now: flight_20261127_093000_hang.xtr. */
void xpt_recorder_files__name(const struct xpt_recorder_files *f, const char *cause, char ret_name[XPT_RECORDER_NAME]);
/* Adds a recording that was published: its name, and the owner whose process caused it. */
void xpt_recorder_files__add(struct xpt_recorder_files *f, const char *name, uint64_t owner);
/*
 * Opens a new file for a recording, one at a time in a process, which has no name of one before __publish(). The
 * descriptor or -errno.
 */
int xpt_recorder_files__create(const struct xpt_recorder_files *f);
int xpt_recorder_files__publish(const struct xpt_recorder_files *f, const char *name);	/* 0 or -errno */
void xpt_recorder_files__discard(const struct xpt_recorder_files *f, pid_t writer);	/* instead of __publish() */
void xpt_recorder_files__close(struct xpt_recorder_files *f);

#endif
