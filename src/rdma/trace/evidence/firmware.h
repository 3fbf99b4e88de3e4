/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Commands that the firmware of an adapter refused (mlx5): which one, with which status, and the meaning of that.
 * From the driver's tracepoint, or from the line that it writes into the kernel's log.
 */
#ifndef XPT_RDMA_TRACE_EVIDENCE_FIRMWARE_H
#define XPT_RDMA_TRACE_EVIDENCE_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/formats/json_reader.h"
#include "base/strbuf.h"
#include "rdma/trace/cause.h"
#include "rdma/trace/trace.h"
#include "wire/rdma_command.h"

enum { XPT_RDMA_FIRMWARE_TEXT = 48 };

enum xpt_rdma_firmware_source { XPT_RDMA_BY_TRACEPOINT, XPT_RDMA_BY_LOG };

struct xpt_rdma_firmware {
	char command[XPT_RDMA_FIRMWARE_TEXT];		/* "INIT2RTR_QP"; "" if not known */
	char status_text[XPT_RDMA_FIRMWARE_TEXT];	/* the driver's word for the status */
	uint16_t opcode, op_mod;
	uint8_t status, source;		/* source: enum xpt_rdma_firmware_source */
	uint32_t syndrome;		/* means something to the firmware's maker alone */
	int32_t err;			/* negative errno that the driver made of it; 0: not known */
	uint32_t count;			/* commands that failed in the call, this one the first */
	uint64_t at_ns;			/* when, after the root's start; 0: not known */
};

void xpt_rdma_firmware__of(const struct xpt_wire_rdma_command *c, struct xpt_rdma_firmware *ret_f);
/*
 * One line of the kernel's log, as the driver writes it:
 *	mlx5_core 0000:3b:00.0: FUNCTION:795:(pid 9993): INIT2RTR_QP(0x503) op_mod(0x0)
 *	failed, status bad parameter(0x3), syndrome (0x1d7ac), err(-22)
 * Older ones have no err, some a uid. *ret_tid: the thread, 0: it is not told. False: another line.
 */
bool xpt_rdma_firmware__parse(const char *line, struct xpt_rdma_firmware *ret_f, uint32_t *ret_tid);
/* *ret_tid of a line that names pid 0: an interrupt wrote it while no thread ran. */
#define XPT_RDMA_NO_THREAD UINT32_MAX
/*
 * The first of the lines that is about that thread or, unless named, does not say whose it
 * is. False: none.
 */
bool xpt_rdma_firmware__find(const char *const *lines, unsigned n, uint32_t tid, bool named,
			     struct xpt_rdma_firmware *ret_f);
/*
 * Sets the cause that the status means for a call that failed of it; `what` and `advice` name no values. Statuses
 * that are not known are the device's.
 */
void xpt_rdma_firmware__cause(const struct xpt_rdma_firmware *f, struct xpt_rdma_cause *ret_cause);
/* Positive errno that the driver makes of a status, where it is not told; 0: not known. */
int xpt_rdma_firmware__errno(const struct xpt_rdma_firmware *f);
/* "INIT2RTR_QP (0x503) refused: bad parameter (0x3), syndrome 0x1d7ac"; returns buf. */
const char *xpt_rdma_firmware__text(const struct xpt_rdma_firmware *f, char *buf, size_t n);
/* Returns buf with the key by which refusals differ, "503.3.1d7ac"; "" of NULL. */
const char *xpt_rdma_firmware__key(const struct xpt_rdma_firmware *f, char *buf, size_t n);

/* Appends the members of an object, docs/format.md, without its braces. */
void xpt_rdma_firmware__print(const struct xpt_rdma_firmware *f, struct xpt_strbuf *sb);
/* Takes the value of that key; false, and nothing is read, if it is none of them. */
bool xpt_rdma_firmware__take_key(struct xpt_json *j, const char *key, struct xpt_rdma_firmware *f);

#endif
