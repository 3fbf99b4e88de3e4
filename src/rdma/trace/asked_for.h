/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The request of a program in a call that failed: the members of the kernel's struct that its mask of attributes
 * names, with names for their values. "qp_state=RTR path_mtu=4096 dest_qp_num=17 ah.sgid_index=200"
 */
#ifndef XPT_RDMA_TRACE_ASKED_FOR_H
#define XPT_RDMA_TRACE_ASKED_FOR_H

#include <stdbool.h>
#include <stdint.h>
#include "base/formats/json_reader.h"
#include "base/strbuf.h"

enum { XPT_RDMA_ASKED_MEMBERS = 48, XPT_RDMA_ASKED_TEXT = 2048 };

struct xpt_wire_rdma_asked;
struct xpt_rdma_layout;

struct xpt_rdma_asked_for {
	char of[32];		/* "ib_qp_attr" */
	char why[96];		/* why nothing of it is known; "": the rest is */
	uint64_t at;		/* the struct's address, and its size in bytes; 0: not known */
	uint32_t size;
	uint32_t nr, used;
	struct {
		uint16_t name, value;	/* in text */
		bool is_number, is_known;
	} member[XPT_RDMA_ASKED_MEMBERS];
	char text[XPT_RDMA_ASKED_TEXT];
};

/* Reads the copy of the struct, by the layouts of all kinds; NULL: they are not known. False: there is none. */
bool xpt_rdma_asked_for__of(const struct xpt_wire_rdma_asked *a, const struct xpt_rdma_layout *layouts,
			    struct xpt_rdma_asked_for *ret_a);
/* A struct of which only is known why its members are not. */
void xpt_rdma_asked_for__unknown(const char *why, struct xpt_rdma_asked_for *ret_a);
/* Appends "qp_state=RTR path_mtu=4096", or why it is not known. */
void xpt_rdma_asked_for__text(const struct xpt_rdma_asked_for *a, struct xpt_strbuf *sb);
/* Tells whether a pointer leads into the struct; 0 does not. */
bool xpt_rdma_asked_for__has(const struct xpt_rdma_asked_for *a, uint64_t address);
/* Appends an object (docs/format.md), and reads one. */
void xpt_rdma_asked_for__print(const struct xpt_rdma_asked_for *a, struct xpt_strbuf *sb);
void xpt_rdma_asked_for__take(struct xpt_json *j, struct xpt_rdma_asked_for *ret_a);

#endif
