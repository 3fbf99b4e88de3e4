/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Xids: numbered reports of NVIDIA's driver of a fault of a GPU or of a
 * program's work on it. The meanings of the numbers, and the reader of kernel
 * log lines that have an Xid.
 */
#ifndef XPT_MODEL_KERNEL_XID_TABLE_H
#define XPT_MODEL_KERNEL_XID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_xid_info {
	uint32_t xid;
	const char *name;	/* the fault in a few words */
	const char *severity;	/* "info", "program", "device" or "fatal"; see docs/kernel.md */
	const char *action;	/* a sentence: the usual remedy */
};

struct xpt_rec_xid;
struct xpt_proc;

struct xpt_xid {		/* of an event */
	const struct xpt_rec_xid *rec;
	const struct xpt_xid_info *info;
	const char *device, *text;	/* "0000:3b:00"; printable ASCII */
	const struct xpt_proc *proc;	/* that it names (rec->tgid), or who used the GPU last; or NULL */
};

/* Never NULL: of an unknown number the severity is "unknown". */
const struct xpt_xid_info *xpt_xid__info(uint32_t xid);

/*
 * The same by number and text: 154 says which action the GPU asks for, 144 to 150 whether the error of
 * the link was fatal.
 */
const struct xpt_xid_info *xpt_xid__info_of(uint32_t xid, const char *text);
/* The Xid that the text names as cause ("caused by previous Xid 149"), or 0. */
uint32_t xpt_xid__cause(const char *text);
/* How grave a severity is: 0 for "info", the more the graver. */
unsigned xpt_xid__rank(const char *severity);
/*
 * Gives a GPU the one name that all sources get: "00000000:3B:00.0" and "3b:00" become "0000:3b:00". A text
 * that is no PCI address stays as it is. device: of XPT_XID_DEVICE_MAX bytes.
 */
void xpt_xid__normalize(char *device);

struct xpt_event;
/* "Xid 31 on 0000:3b:00: MMU fault: ...", in buf: the text for pictures and the live table. */
const char *xpt_xid__title(const struct xpt_event *ev, char *buf, size_t n);

#define XPT_XID_DEVICE_MAX 32
#define XPT_XID_TEXT_MAX 256
#define XPT_XID_STR_MAX 64

struct xpt_xid_line {
	char device[XPT_XID_DEVICE_MAX];	/* "0000:3b:00" */
	uint32_t xid;
	uint32_t pid;		/* that the driver names, initial namespace; 0: none */
	char text[XPT_XID_TEXT_MAX];	/* after the number, printable ASCII */
};

/*
 * Reads "NVRM: Xid (PCI:0000:3b:00): 31, pid=1234, name=train, Ch ...", of any
 * driver version; len without NUL. False: the line is something else.
 */
bool xpt_xid__parse(const char *line, size_t len, struct xpt_xid_line *ret_line);
/*
 * The same from the values of a probe in the driver: the device's name ("0000:3b:00.0"; "": not known, the
 * line's is "?"), the number, and the text that the driver puts after it.
 */
void xpt_xid__of_report(const char *device, uint32_t xid, const char *text, struct xpt_xid_line *ret_line);
/* The number's severity, or XPT_XID_UNCONFIRMED where the probe in the driver should have seen the report. */
#define XPT_XID_UNCONFIRMED "unconfirmed"
const char *xpt_xid__severity(const struct xpt_xid *x);
/* "log", "tracepoint", "kprobe" or "log_alone", of enum xpt_xid_source. */
const char *xpt_xid__source(uint32_t source);
uint32_t xpt_xid__source_of(const char *name);	/* the other way round; XPT_XID_LOG of any other word */
/*
 * Formats fmt as the kernel's printf does, into `to` (n bytes, NUL included): word i is the
 * i-th argument, str[i] the text that it points to. Arguments that are missing are "?".
 */
void xpt_xid__format(char *to, size_t n, const char *fmt, const uint64_t *word,
		     const char (*str)[XPT_XID_STR_MAX], unsigned nr);
/* Text from elsewhere, made printable and cut to n - 1 bytes. */
void xpt_xid__clean(char *to, size_t n, const char *from, size_t len);

#endif
