/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * C++ names, see demangle.h: a mangled name in full, by the reader in demangle_*.c, or else its leading part; and the
 * short form of a readable name.
 *
 * The demanglers of compilers were not made for hostile names: a few dozen bytes can make them print for years, walk
 * a type for as long without output, or loop. This one copies text into an arena of fixed size, so its time and
 * memory are bounded.
 */
#include "base/demangle/demangle.h"

#include <stdlib.h>
#include <string.h>
#include "base/demangle/demangle_priv.h"

#define OUT_MAX 8192	/* bytes of a demangled name */
#define PREFIX_PARTS 64
#define SHORT_MAX 512	/* bytes of a short form, its return type included */
#define IDENTIFIER "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static bool add_whole(const char *mangled, struct xpt_strbuf *sb)
{
	size_t n = strnlen(mangled, XPT_MANGLED_MAX + 1);
	struct xpt_dm *d = n <= XPT_MANGLED_MAX ? malloc(sizeof(*d)) : NULL;
	struct xpt_span text;
	bool done;

	if (!d)
		return false;
	memset(d, 0, offsetof(struct xpt_dm, sub));
	d->s = mangled + 2;
	d->end = mangled + n;
	d->args.nr = d->len = 0;
	d->closure = false;
	d->pack_index = d->pack_nr = -1;
	text = xpt_dm__encoding(d, true);
	if (xpt_dm__peek(d) == '.') {	/* a clone by the compiler: ".part.0" */
		text = xpt_dm__join(d, "%p [clone %s]", &text, d->s);
		d->s = d->end;
	}
	done = !d->bad && d->s == d->end && text.len && text.len <= OUT_MAX;
	if (done)
		xpt_strbuf__addn(sb, d->buf + text.off, text.len);
	free(d);
	return done;
}

/* --- the leading part ------------------------------------------------------------ */

/* Appends a source name, <length><identifier>, cut at the end of s. NULL: none. */
static const char *source_name(const char *s, struct xpt_strbuf *sb)
{
	size_t n = 0, have = strlen(s);

	if (*s < '1' || *s > '9')
		return NULL;
	for (; *s >= '0' && *s <= '9'; s++)
		n = n < have ? n * 10 + (size_t)(*s - '0') : n;
	have = strlen(s);
	if (!have)
		return NULL;
	if (n >= 10 && !strncmp(s, "_GLOBAL__N", 10))
		xpt_strbuf__add(sb, "(anonymous namespace)");
	else
		xpt_strbuf__addn(sb, s, n < have ? n : have);
	return s + (n < have ? n : have);
}

static void cut_back(struct xpt_strbuf *sb, size_t len)
{
	if (sb->s && sb->len > len)
		sb->s[sb->len = len] = '\0';
}

/* a::b::c of _ZN1a1b1cI...; template arguments and all that follows is "<...>". */
static bool add_prefix(const char *s, struct xpt_strbuf *sb)
{
	bool nested = s[2] == 'N';
	size_t len = sb->len;
	int parts = 0;

	for (s += 2; *s == 'N' || *s == 'L' || *s == 'r' || *s == 'V' || *s == 'K'; s++)
		;
	if (!strncmp(s, "St", 2)) {
		xpt_strbuf__add(sb, "std::");
		s += 2;
	}
	do {
		const char *next = source_name(s, sb);

		if (!next)
			break;
		s = next;
		len = sb->len;
		xpt_strbuf__add(sb, "::");
	} while (++parts < PREFIX_PARTS && nested);
	cut_back(sb, len);
	if (parts)
		xpt_strbuf__add(sb, *s == 'I' ? "<...>" : "(...)");
	return parts != 0;
}

bool xpt_demangle(const char *mangled, struct xpt_strbuf *sb)
{
	if (strncmp(mangled, "_Z", 2) != 0)
		return false;
	return add_whole(mangled, sb) || add_prefix(mangled, sb);
}

/* --- the short form ------------------------------------------------------------- */

struct brief {
	size_t len, word;	/* word: where the name began, after the return type */
	char s[SHORT_MAX];
};

static void add_text(struct brief *b, const char *s, size_t n)
{
	if (n > sizeof(b->s) - b->len)
		n = sizeof(b->s) - b->len;
	memcpy(b->s + b->len, s, n);
	b->len += n;
}

/* Returns the text after the bracket that closes the one at s, or the end of the text. */
static const char *skip_group(const char *s)
{
	unsigned round = 0, angle = 0;

	for (; *s; s++) {
		if (*s == '(' || *s == '{' || *s == '[')
			round++;
		else if (round && (*s == ')' || *s == '}' || *s == ']'))
			round--;
		else if (!round && *s == '<')
			angle++;
		else if (!round && *s == '>' && angle)
			angle--;
		if (!round && !angle)
			return s + 1;
	}
	return s;
}

/* operator(), operator<, operator unsigned int: up to its arguments. */
static const char *operator_name(const char *s, struct brief *b)
{
	const char *end = s + 8;

	if (!strncmp(end, "()", 2))
		end += 2;
	else if (*end == ' ')
		end += strcspn(end, "(<");
	else
		end += strspn(end, "<>=!+-*/%^&|~,[]");
	add_text(b, s, (size_t)(end - s));
	return *end == ' ' ? end + 1 : end;	/* operator< <int> */
}

/* {lambda(int)#1} without its parameters. */
static const char *closure_name(const char *s, struct brief *b)
{
	const char *end = skip_group(s);

	while (s < end) {
		size_t n = strcspn(s, "(");

		if (n > (size_t)(end - s))
			n = (size_t)(end - s);
		add_text(b, s, n);
		s += n;
		if (s < end)
			s = skip_group(s);
	}
	return end;
}

/* Takes the next piece of a name into b; NULL: the name ends here. */
static const char *take_piece(const char *s, struct brief *b)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *end = s + 1;

	switch (*s) {
	case '<':
		return skip_group(s);
	case '{':
		return closure_name(s, b);
	case ' ':
		b->word = b->len;
		return end;
	case '(':
		if (!strncmp(s, anonymous, sizeof(anonymous) - 1)) {
			add_text(b, anonymous, sizeof(anonymous) - 1);
			return s + sizeof(anonymous) - 1;
		}
		end = skip_group(s);
		return b->len == b->word || !strncmp(end, "::", 2) ? end : NULL;
	case 'o':
		if (!strncmp(s, "operator", 8) && !strchr(IDENTIFIER, s[8]) &&
		    (!b->len || b->len == b->word || b->s[b->len - 1] == ':'))
			return operator_name(s, b);
	}
	add_text(b, s, 1);
	return end;
}

void xpt_demangle_short(const char *name, struct xpt_strbuf *sb)
{
	struct brief b = { 0 };
	const char *s = name;

	while (s && *s && b.len < sizeof(b.s))
		s = take_piece(s, &b);
	if (b.len > b.word)
		xpt_strbuf__addn(sb, b.s + b.word, b.len - b.word);
	else
		xpt_strbuf__add(sb, name);
}
