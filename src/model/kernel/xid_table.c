// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The table of Xids, from publications of the vendor and of operators of large
 * installations, and the reader of log lines. Lines come from a log into which every
 * privileged program can write, so nothing of them is taken for granted.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "model/event.h"
#include "model/kernel/xid_table.h"

#define PROGRAM "program"
#define DEVICE "device"
#define FATAL "fatal"
#define INFO "info"

#define DEBUG "Run the program under compute-sanitizer; if other programs fail as well, test the GPU."
#define RESET "Reset the GPU; if it comes back, test and replace it."
#define REBOOT "Restart the machine; if it comes back, reseat or replace the GPU and check power and cooling."
#define REPORT "Look at the lines before it in the kernel log, update the driver, and report it if it comes back."
#define LINK "Check the NVLink connections and the fabric manager's log, then reset the GPUs that are linked."
#define NOTHING "Nothing has to be done at once; note how often it comes."

static const struct xpt_xid_info table[] = {
	{ 8, "GPU stopped processing: a timeout", PROGRAM, DEBUG },
	{ 13, "graphics engine exception: bad access or instruction of a kernel", PROGRAM, DEBUG },
	{ 31, "MMU fault: access to an address that is not mapped", PROGRAM, DEBUG },
	{ 32, "invalid or corrupted push buffer stream", DEVICE, REPORT },
	{ 38, "driver firmware error", DEVICE, REPORT },
	{ 43, "GPU stopped processing: a channel was reset", PROGRAM, DEBUG },
	{ 45, "preemptive removal of channels, behind another error or a killed program", INFO,
	  "Look for the Xid before it; alone, after a program was killed, it means nothing." },
	{ 48, "double bit ECC error: memory that cannot be corrected", FATAL, RESET },
	{ 61, "internal microcontroller breakpoint or warning", DEVICE, REBOOT },
	{ 62, "internal microcontroller halt", FATAL, REBOOT },
	{ 63, "a memory page is retired, or a row remapped", INFO,
	  "Restart the programs on this GPU, and reset it soon, so that it takes effect." },
	{ 64, "retiring a page, or remapping a row, failed", FATAL, RESET },
	{ 68, "video processor exception", DEVICE, REPORT },
	{ 69, "graphics engine class error", PROGRAM, DEBUG },
	{ 74, "NVLink error", DEVICE, LINK },
	{ 79, "GPU has fallen off the bus", FATAL, REBOOT },
	{ 92, "high rate of single bit ECC errors", INFO, NOTHING },
	{ 94, "contained memory error: the program that met it was ended", PROGRAM,
	  "Restart the program, on another GPU if there is one; reset this one when it is idle." },
	{ 95, "uncontained memory error: all programs on the GPU are hit", FATAL, RESET },
	{ 109, "context switch timeout", DEVICE, RESET },
	{ 110, "security fault", FATAL, REBOOT },
	{ 119, "the GPU's system processor (GSP) did not answer a call in time", FATAL, RESET },
	{ 120, "error of the GPU's system processor (GSP)", FATAL, RESET },
	{ 121, "corrected error on the chip-to-chip link", INFO, NOTHING },
	{ 122, "power or information ROM of the SPI bus failed", DEVICE, REBOOT },
	{ 123, "access to the SPI bus through the PMU failed", DEVICE, REBOOT },
	{ 136, "link training of NVLink failed", DEVICE, LINK },
	{ 137, "fault on the side of a peer, through NVLink", PROGRAM, DEBUG },
	{ 140, "unrecovered ECC error", FATAL, RESET },
	{ 143, "GPU initialization failed", FATAL, REBOOT },
	{ 144, "NVLink: SAW error", DEVICE, LINK },
	{ 145, "NVLink: RLW error", DEVICE, LINK },
	{ 146, "NVLink: TLW error", DEVICE, LINK },
	{ 147, "NVLink: TREX error", DEVICE, LINK },
	{ 148, "NVLink: NVLPW control error", DEVICE, LINK },
	{ 149, "NVLink: NETIR error", DEVICE, LINK },
	{ 150, "NVLink: MSE error", DEVICE, LINK },
	{ 151, "key rotation failed", DEVICE, REBOOT },
	{ 154, "the action that is needed to recover the GPU has changed", INFO,
	  "Do what the line in the kernel log asks for: nothing, a reset, or a restart." },
	{ 155, "an NVLink link went down as software asked", INFO, NOTHING },
	{ 156, "resource retirement: memory set aside", INFO, NOTHING },
	{ 157, "resource retirement failed", DEVICE, RESET },
	{ 158, "fatal timeout of the GPU", FATAL, RESET },
	{ 160, "channel retirement: memory set aside", INFO, NOTHING },
	{ 161, "channel retirement failed", DEVICE, RESET },
};

static const struct xpt_xid_info unknown = {
	0, "not in the table of this build", "unknown",
	"Look the number up in the vendor's list of Xid errors.",
};

const struct xpt_xid_info *xpt_xid__info(uint32_t xid)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].xid == xid)
			return &table[i];
	}
	return &unknown;
}

static const char *const sources[XPT_XID__MAX] = {
	[XPT_XID_LOG] = "log", [XPT_XID_TRACEPOINT] = "tracepoint", [XPT_XID_KPROBE] = "kprobe",
	[XPT_XID_LOG_ALONE] = "log_alone",
};

const char *xpt_xid__source(uint32_t source)
{
	return source < XPT_XID__MAX && sources[source] ? sources[source] : "log";
}

uint32_t xpt_xid__source_of(const char *name)
{
	uint32_t i;

	for (i = 0; i < XPT_XID__MAX; i++)
		if (sources[i] && !strcmp(sources[i], name))
			return i;
	return XPT_XID_LOG;
}

const char *xpt_xid__severity(const struct xpt_xid *x)
{
	return x->rec->source == XPT_XID_LOG_ALONE ? XPT_XID_UNCONFIRMED : x->info->severity;
}

const char *xpt_xid__title(const struct xpt_event *ev, char *buf, size_t n)
{
	snprintf(buf, n, "Xid %u on %s: %s%s", ev->u.xid->rec->xid, ev->u.xid->device, ev->u.xid->info->name,
		 ev->u.xid->rec->source == XPT_XID_LOG_ALONE ? " (" XPT_XID_UNCONFIRMED ")" : "");
	return buf;
}

void xpt_xid__clean(char *to, size_t n, const char *from, size_t len)
{
	size_t i;

	for (i = 0; i < len && i + 1 < n && from[i]; i++)
		to[i] = from[i] < ' ' || from[i] > '~' ? '?' : from[i];
	to[i] = 0;
}

/* Returns the end of `word` within [s, end), or NULL. */
static const char *skip_word(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (; (size_t)(end - s) >= n; s++) {
		if (!memcmp(s, word, n))
			return s + n;
	}
	return NULL;
}

/* Decimal digits; false: none, or too many. */
static bool read_number(const char **s, const char *end, uint32_t *ret_v)
{
	uint64_t v = 0;
	const char *p = *s;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		v = v * 10 + (uint64_t)(*p - '0');
		if (v > UINT32_MAX)
			return false;
	}
	if (p == *s)
		return false;
	*s = p;
	*ret_v = (uint32_t)v;
	return true;
}

/* Hexadecimal digits, between min and max of them. */
static bool skip_hex(const char **s, const char *end, ptrdiff_t min, ptrdiff_t max)
{
	const char *p = *s;

	while (p < end && isxdigit((unsigned char)*p))
		p++;
	if (p - *s < min || p - *s > max)
		return false;
	*s = p;
	return true;
}

/*
 * Returns the text after "DOMAIN:BUS:DEVICE", or "BUS:DEVICE" of the first drivers, and a function if there is one;
 * NULL if s is something else. Lines about programs begin with names that any user may choose, of 15 bytes
 * (TASK_COMM_LEN): "NAME invoked oom-killer", "NAME (4711): ...". That is enough for the driver's first words, not
 * for them and the shortest of addresses.
 */
static const char *behind_address(const char *s, const char *end)
{
	unsigned parts = 1;

	if (!skip_hex(&s, end, 2, 8))
		return NULL;
	for (; s < end && *s == ':' && parts < 3; parts++) {
		s++;
		if (!skip_hex(&s, end, 2, 2))
			return NULL;
	}
	if (parts < 2)
		return NULL;
	if (s < end && *s == '.') {
		s++;
		if (!skip_hex(&s, end, 1, 1))
			return NULL;
	}
	return s;
}

/* "GPU-I:05 GPU-CI:00": of which part of a divided GPU a report is (MIG). */
static bool is_instance(const char *s, const char *end)
{
	for (; s < end; s++)
		if (!isalnum((unsigned char)*s) && *s != ' ' && *s != ':' && *s != '-')
			return false;
	return true;
}

static void take_text(struct xpt_xid_line *l, const char *instance, size_t n, const char *s, const char *end)
{
	const char *pid = skip_word(s, end, "pid=");
	size_t at = 0;

	if (n)	/* at most XPT_XID_DEVICE_MAX */
		at = (size_t)snprintf(l->text, sizeof(l->text), "%.*s%s", (int)n, instance, s < end ? ", " : "");
	xpt_xid__clean(l->text + at, sizeof(l->text) - at, s, (size_t)(end - s));
	if (pid && !read_number(&pid, end, &l->pid))
		l->pid = 0;	/* '<unknown>' */
}

bool xpt_xid__parse(const char *line, size_t len, struct xpt_xid_line *ret_line)
{
	static const char begin[] = "NVRM: Xid (";
	const char *end = line + len, *s = line + sizeof(begin) - 1, *close, *instance;
	struct xpt_xid_line l = { .pid = 0 };

	if (len < sizeof(begin) - 1 || memcmp(line, begin, sizeof(begin) - 1) != 0)
		return false;
	if (end - s > 4 && !memcmp(s, "PCI:", 4))
		s += 4;
	instance = behind_address(s, end);
	if (!instance || (size_t)(instance - s) >= sizeof(l.device))
		return false;
	xpt_xid__clean(l.device, sizeof(l.device), s, (size_t)(instance - s));
	xpt_xid__normalize(l.device);
	close = memchr(instance, ')', (size_t)(end - instance));
	if (!close || (close > instance && *instance++ != ' ') || close - instance > XPT_XID_DEVICE_MAX ||
	    !is_instance(instance, close))
		return false;
	s = close + 1;
	if (end - s < 2 || *s++ != ':' || *s++ != ' ' || !read_number(&s, end, &l.xid))
		return false;
	while (s < end && (*s == ',' || *s == ' '))
		s++;
	take_text(&l, instance, (size_t)(close - instance), s, end);
	*ret_line = l;
	return true;
}

void xpt_xid__of_report(const char *device, uint32_t xid, const char *text, struct xpt_xid_line *ret_line)
{
	struct xpt_xid_line l = { .xid = xid };

	if (!*device)
		device = "?";
	text += strspn(text, ", ");	/* as after the number of a line */
	xpt_xid__clean(l.device, sizeof(l.device), device, strcspn(device, "."));
	xpt_xid__normalize(l.device);
	take_text(&l, "", 0, text, text + strlen(text));
	*ret_line = l;
}
