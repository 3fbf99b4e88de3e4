// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading the kernel's lists of functions, see ksyms.h. They are some
 * megabytes of text without a size, so each is read into memory once and
 * symbols point into it.
 */
#include "kernel/ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE ((size_t)256 << 20)
#define MAX_SYMS ((size_t)4 << 20)

struct xpt_ksyms {
	char *text;
	struct xpt_ksym *v;
	size_t n;
};

static const char itself[] = XPT_KERNEL_ITSELF;

static int read_more(int fd, char **s, size_t *len, size_t *room)
{
	char *more;
	ssize_t n;

	if (*room - *len < 2) {
		*room = *room ? *room * 2 : (size_t)1 << 20;
		more = *room > MAX_FILE ? NULL : realloc(*s, *room);
		if (!more)
			return -ENOMEM;
		*s = more;
	}
	n = read(fd, *s + *len, *room - *len - 1);
	if (n < 0)
		return -errno;
	*len += (size_t)n;
	return n > 0;
}

/* The whole file, with a NUL after it. The caller frees it. */
static int read_all(const char *path, char **ret_s)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1, more;
	size_t len = 0, room = 0;
	char *s = NULL;

	if (fd < 0)
		return path ? -errno : -ENOENT;
	do {
		more = read_more(fd, &s, &len, &room);
	} while (more > 0);
	close(fd);
	if (more < 0) {
		free(s);
		return more;
	}
	s[len] = '\0';
	*ret_s = s;
	return 0;
}

/* Cuts the next line off; NULL at the end. */
static char *next_line(char **at)
{
	char *line = *at, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	*at = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

/* Up to 16 hexadecimal digits, with or without 0x; the end, or NULL if there are none. */
static char *read_hex(char *s, uint64_t *ret_v)
{
	uint64_t v = 0;
	unsigned n;

	if (s[0] == '0' && s[1] == 'x')
		s += 2;
	for (n = 0; n < 16; n++) {
		char c = s[n];

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*ret_v = v;
	return n ? s + n : NULL;
}

/* Cuts "name" and the module in brackets after it, "name\t[module]". False: there is no name. */
static bool cut_name(char *s, struct xpt_ksym *sym)
{
	char *end = s + strcspn(s, "\t "), *open = strchr(end, '[');

	if (end == s || end - s >= XPT_KNAME_LEN)
		return false;
	sym->name = s;
	sym->module = itself;
	if (open) {
		sym->module = open + 1;
		open[strcspn(open, "]")] = '\0';
		if (strlen(open + 1) >= XPT_KMODULE_LEN)
			return false;
	}
	*end = '\0';
	return true;
}

/* Parts that the compiler split off, prefixes and stubs: users do not mean these. */
static bool is_function(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return !(cold && (!cold[5] || cold[5] == '.')) && strncmp(name, "__pfx_", 6) &&
	       strncmp(name, "__cfi_", 6) && strncmp(name, "__SCT__", 7);
}

/* "ffffffff81000000 t name\t[module]": code, whether or not it is a whole function. */
static bool read_code(char *line, struct xpt_ksym *sym)
{
	char *s = read_hex(line, &sym->addr);

	if (!s || s[0] != ' ' || !s[1] || !strchr("tTwW", s[1]) || s[2] != ' ')
		return false;
	return cut_name(s + 3, sym);
}

static bool read_symbol(char *line, struct xpt_ksym *sym)
{
	return read_code(line, sym) && is_function(sym->name);
}

int xpt_ksyms__each_code(const char *path, void (*fn)(void *ctx, const struct xpt_ksym *s), void *ctx)
{
	char *text = NULL, *at, *line;
	struct xpt_ksym sym;
	int err = read_all(path, &text);

	for (at = text; !err && (line = next_line(&at));)
		if (read_code(line, &sym))
			fn(ctx, &sym);
	free(text);
	return err;
}

static uint64_t address_of(const struct xpt_ksyms *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].module == itself && !strcmp(s->v[i].name, name))
			return s->v[i].addr;
	return 0;
}

/* Some kernels (7.2) list data as text: a symbol outside of both texts is no function. */
static void drop_data(struct xpt_ksyms *s)
{
	uint64_t from = address_of(s, "_stext"), end = address_of(s, "_etext");
	uint64_t init = address_of(s, "_sinittext"), init_end = address_of(s, "_einittext");
	size_t i, n = 0;

	if (!from || end <= from)	/* hidden */
		return;
	for (i = 0; i < s->n; i++) {
		const struct xpt_ksym *sym = &s->v[i];
		bool text = (sym->addr >= from && sym->addr < end) ||
			    (sym->addr >= init && sym->addr < init_end);

		if (sym->module != itself || (text && strcmp(sym->name, "_stext") &&
					      strcmp(sym->name, "_sinittext")))
			s->v[n++] = *sym;
	}
	s->n = n;
}

int xpt_ksyms__new(const char *path, struct xpt_ksyms **ret_s)
{
	struct xpt_ksyms *s = calloc(1, sizeof(*s));
	char *at, *line;
	size_t room = 0;
	int err = s ? read_all(path, &s->text) : -ENOMEM;

	for (at = err ? NULL : s->text; at && (line = next_line(&at));) {
		struct xpt_ksym sym;

		if (!read_symbol(line, &sym))
			continue;
		if (s->n == room) {
			struct xpt_ksym *more;

			room = room ? room * 2 : 65536;
			more = room > MAX_SYMS ? NULL : reallocarray(s->v, room, sizeof(*more));
			err = more ? 0 : -ENOMEM;
			if (err)
				break;
			s->v = more;
		}
		s->v[s->n++] = sym;
	}
	if (err) {
		xpt_ksyms__free(s);
		return err;
	}
	drop_data(s);
	*ret_s = s;
	return 0;
}

void xpt_ksyms__free(struct xpt_ksyms *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->v);
	free(s);
}

const struct xpt_ksym *xpt_ksyms__all(const struct xpt_ksyms *s, size_t *ret_n)
{
	*ret_n = s->n;
	return s->v;
}

int xpt_ksyms__each_filter(const char *path, void (*fn)(void *ctx, const struct xpt_ksym *s),
			   void *ctx)
{
	char *text, *at, *line;
	int err = read_all(path, &text);

	if (err)
		return err;
	for (at = text; (line = next_line(&at));) {
		struct xpt_ksym sym = { 0 };

		if (cut_name(line, &sym))
			fn(ctx, &sym);
	}
	free(text);
	return 0;
}

/* "0xffffffff81001000-0xffffffff81001010\tname" */
int xpt_ksyms__each_denied(const char *path, void (*fn)(void *ctx, uint64_t from, uint64_t to),
			   void *ctx)
{
	char *text, *at, *line;
	int err = read_all(path, &text);

	if (err)
		return err;
	for (at = text; (line = next_line(&at));) {
		uint64_t from, to;
		char *s = read_hex(line, &from);

		if (s && *s == '-' && read_hex(s + 1, &to) && from < to)
			fn(ctx, from, to);
	}
	free(text);
	return 0;
}
