/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares of a file that has a limit, where processes of several owners are traced: a user, or a
 * container. The calls of one may take three times as much of it as is left free: one owner gets three
 * quarters of the file, the next one three quarters of what is left then, and so on; of two who write at
 * the same time each gets three sevenths. So a user who fills a file leaves room for the calls of others.
 */
#ifndef XPT_PIPELINE_RECORDING_FILE_SHARE_H
#define XPT_PIPELINE_RECORDING_FILE_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_file_share;

/* Who a process belongs to: any number, the same for all processes of one owner. */
typedef uint64_t (*xpt_owner_fn)(void *ctx, uint32_t tgid);

/* 0 or -ENOMEM. max_bytes: of the file. */
int xpt_file_share__new(uint64_t max_bytes, xpt_owner_fn owner, void *ctx, struct xpt_file_share **ret_s);
void xpt_file_share__free(struct xpt_file_share *s);	/* NULL is fine */
/*
 * Returns whether a call of that process may be written to a file that has `bytes` by now. Once an owner's share is
 * used up, no call of his fits any more, so that his calls in the file have no holes.
 */
bool xpt_file_share__fits(struct xpt_file_share *s, uint32_t tgid, uint64_t bytes);
/* A call of that process took so many bytes. */
void xpt_file_share__took(struct xpt_file_share *s, uint32_t tgid, uint64_t bytes);
/* It did not fit. True: it is the owner's first one. */
bool xpt_file_share__cut(struct xpt_file_share *s, uint32_t tgid, uint64_t *ret_owner);
/* The owner of whom most calls were cut, their number, and how many others lost some. False: none. */
bool xpt_file_share__most_cut(const struct xpt_file_share *s, uint64_t *ret_owner, uint64_t *ret_calls,
			      uint32_t *ret_others);

#endif
