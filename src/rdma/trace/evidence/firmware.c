// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See firmware.h. Neither the kernel's strings nor lines of its log are believed: who may write into the log writes
 * any text that he wants.
 */
#include "rdma/trace/evidence/firmware.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP_MOD ") op_mod(0x"

void xpt_rdma_firmware__of(const struct xpt_wire_rdma_command *c, struct xpt_rdma_firmware *ret_f)
{
	struct xpt_rdma_firmware *f = ret_f;

	*f = (struct xpt_rdma_firmware){ .opcode = c->opcode, .op_mod = c->op_mod, .status = c->status,
					 .syndrome = c->syndrome, .err = c->err, .count = c->nr,
					 .at_ns = c->ns, .source = XPT_RDMA_BY_TRACEPOINT };
	snprintf(f->command, sizeof(f->command), "%.*s", XPT_RDMA_COMMAND_TEXT, c->name);
	snprintf(f->status_text, sizeof(f->status_text), "%.*s", XPT_RDMA_COMMAND_TEXT, c->text);
	if (f->err > 0 || f->err < -4095)
		f->err = 0;
}

/* --- a line of the log --------------------------------------------------------------- */

static bool skip_text(const char **p, const char *s)
{
	size_t n = strlen(s);

	if (strncmp(*p, s, n) != 0)
		return false;
	*p += n;
	return true;
}

/* Digits up to max. */
static bool read_number(const char **p, unsigned base, uint64_t max, uint64_t *ret_v)
{
	const char *s = *p;
	uint64_t v = 0;

	for (; base == 16 ? isxdigit((unsigned char)*s) : isdigit((unsigned char)*s); s++) {
		unsigned digit = isdigit((unsigned char)*s) ? (unsigned)(*s - '0') :
				 (unsigned)(tolower((unsigned char)*s) - 'a' + 10);

		v = v * base + digit;
		if (v > max)
			return false;
	}
	if (s == *p)
		return false;
	*p = s;
	*ret_v = v;
	return true;
}

/* "NAME(0x503" that ends at end, in a text that begins at line. */
static bool take_command(const char *line, const char *end, struct xpt_rdma_firmware *f)
{
	const char *p = end, *name;
	uint64_t v;

	while (p > line && isxdigit((unsigned char)p[-1]))
		p--;
	if (p - line < 3 || strncmp(p - 3, "(0x", 3) != 0 || !read_number(&p, 16, UINT16_MAX, &v) || p != end)
		return false;
	while (isxdigit((unsigned char)p[-1]))
		p--;
	p -= 3;
	for (name = p; name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_' || name[-1] == ' ');)
		name--;
	name += strspn(name, " ");
	if (name >= p)
		return false;
	f->opcode = (uint16_t)v;
	snprintf(f->command, sizeof(f->command), "%.*s", (int)(p - name < 1000 ? p - name : 1000), name);
	return true;
}

/* " failed, status bad parameter(0x3), syndrome (0x1d7ac), err(-22)"; err may be missing. */
static bool take_status(const char *p, struct xpt_rdma_firmware *f)
{
	const char *text, *end;
	uint64_t v;

	if (!skip_text(&p, " failed, status "))
		return false;
	text = p;
	end = strstr(p, "(0x");
	if (!end)
		return false;
	p = end + 3;
	snprintf(f->status_text, sizeof(f->status_text), "%.*s", (int)(end - text < 1000 ? end - text : 1000),
		 text);
	if (!read_number(&p, 16, UINT8_MAX, &v) || !skip_text(&p, "), syndrome (0x"))
		return false;
	f->status = (uint8_t)v;
	if (!read_number(&p, 16, UINT32_MAX, &v) || !skip_text(&p, ")"))
		return false;
	f->syndrome = (uint32_t)v;
	if (skip_text(&p, ", err(-") && read_number(&p, 10, 4095, &v) && *p == ')')
		f->err = -(int32_t)v;
	return true;
}

/* Of "(pid 9993)" before end; XPT_RDMA_NO_THREAD of "(pid 0)", 0 if the line has none. */
static uint32_t thread_of(const char *line, const char *end)
{
	const char *p = strstr(line, "(pid ");
	uint64_t v;

	if (!p || p >= end)
		return 0;
	p += 5;
	if (!read_number(&p, 10, INT32_MAX, &v) || *p != ')')
		return 0;
	return v ? (uint32_t)v : XPT_RDMA_NO_THREAD;
}

/* Hexadecimal digits, between min and max of them. */
static bool skip_hex(const char **p, size_t min, size_t max)
{
	size_t n = strspn(*p, "0123456789abcdef");

	*p += n;
	return n >= min && n <= max;
}

/*
 * After "infiniband mlx5_0: ", as the driver of the RDMA device writes. A process may be named so, too, so the
 * following text has to begin as the driver's functions do, for which its name has no room.
 */
static const char *behind_rdma_device(const char *line)
{
	const char *p = line;
	size_t n;

	if (!skip_text(&p, "infiniband "))
		return NULL;
	n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	p += n;
	return n && skip_text(&p, ": ") && !strncmp(p, "mlx5_", 5) ? p : NULL;
}

/*
 * After "mlx5_core 0000:3b:00.0: ", or "mlx5_core.sf mlx5_core.sf.2: " of a part of a device; NULL: the line is
 * something else. Both are longer than the part of a line's beginning that a user can choose, the 15 bytes of a
 * process's name in "NAME[4711]: segfault ..."; and the part that he can choose after that, a file's name, is not
 * looked at then.
 */
static const char *behind_device(const char *line)
{
	const char *p = line;

	if (skip_text(&p, "mlx5_core.sf mlx5_core.sf.")) {
		size_t n = strspn(p, "0123456789");

		p += n;
		return n && skip_text(&p, ": ") ? p : NULL;
	}
	if (!skip_text(&p, "mlx5_core ") || !skip_hex(&p, 4, 8) || !skip_text(&p, ":") || !skip_hex(&p, 2, 2) ||
	    !skip_text(&p, ":") || !skip_hex(&p, 2, 2) || !skip_text(&p, ".") || !skip_hex(&p, 1, 1) || !skip_text(&p, ": "))
		return NULL;
	return p;
}

bool xpt_rdma_firmware__parse(const char *line, struct xpt_rdma_firmware *ret_f, uint32_t *ret_tid)
{
	struct xpt_rdma_firmware f = { .source = XPT_RDMA_BY_LOG, .count = 1 };
	const char *said = behind_device(line), *op_mod, *p;
	uint64_t v;

	if (!said)
		said = behind_rdma_device(line);
	op_mod = said ? strstr(said, OP_MOD) : NULL;
	if (!op_mod || !take_command(said, op_mod, &f))
		return false;
	p = op_mod + sizeof(OP_MOD) - 1;
	if (!read_number(&p, 16, UINT16_MAX, &v) || !skip_text(&p, ")"))
		return false;
	f.op_mod = (uint16_t)v;
	if (skip_text(&p, " uid(") && (!read_number(&p, 10, UINT16_MAX, &v) || !skip_text(&p, ")")))
		return false;
	if (!take_status(p, &f))
		return false;
	*ret_f = f;
	*ret_tid = thread_of(said, op_mod);
	return true;
}

bool xpt_rdma_firmware__find(const char *const *lines, unsigned n, uint32_t tid, bool named,
			     struct xpt_rdma_firmware *ret_f)
{
	struct xpt_rdma_firmware f, first = { .count = 0 };
	uint32_t found_tid;
	unsigned i;

	for (i = 0; i < n; i++) {
		if (!xpt_rdma_firmware__parse(lines[i], &f, &found_tid) || (found_tid ? found_tid != tid : named))
			continue;
		if (!first.count)
			first = f;
		else
			first.count++;
	}
	if (first.count)
		*ret_f = first;
	return first.count;
}

/* --- out ----------------------------------------------------------------------------- */

const char *xpt_rdma_firmware__text(const struct xpt_rdma_firmware *f, char *buf, size_t n)
{
	char op_mod[24] = "";

	if (f->op_mod)
		snprintf(op_mod, sizeof(op_mod), ", op_mod 0x%x", f->op_mod);
	snprintf(buf, n, "%s (0x%x%s) refused: %s (0x%x), syndrome 0x%" PRIx32,
		 *f->command ? f->command : "a command", f->opcode, op_mod,
		 *f->status_text ? f->status_text : "status", f->status, f->syndrome);
	return buf;
}

const char *xpt_rdma_firmware__key(const struct xpt_rdma_firmware *f, char *buf, size_t n)
{
	buf[0] = '\0';
	if (f)
		snprintf(buf, n, "%x.%x.%" PRIx32, f->opcode, f->status, f->syndrome);
	return buf;
}
