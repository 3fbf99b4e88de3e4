/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The demangler's expressions, as far as template arguments of kernels use
 * them: literals, addresses, operators, casts, calls, parameters. An unknown
 * expression makes the name bad; its leading part is shown then.
 */
#include "base/demangle/demangle_priv.h"

#include <string.h>

/* Reads the digits of a literal up to its E; "n" is a minus sign. */
static struct xpt_span read_value(struct xpt_dm *d)
{
	struct xpt_span text = { d->len, 0 };

	if (xpt_dm__eat(d, "n"))
		xpt_dm__put(d, "-", 1);
	while (xpt_dm__peek(d) && xpt_dm__peek(d) != 'E')
		xpt_dm__put(d, d->s++, 1);
	text.len = d->len - text.off;
	if (!xpt_dm__eat(d, "E"))
		d->bad = true;
	return text;
}

struct xpt_span xpt_dm__literal(struct xpt_dm *d)
{
	static const char kinds[] = "ijlmxy";
	static const char *const suffix[] = { "", "u", "l", "ul", "ll", "ull" };
	struct xpt_span text;
	struct xpt_dm_type t;
	const char *kind;
	char c;

	d->s++;
	c = xpt_dm__peek(d);
	if (xpt_dm__eat(d, "_Z") || xpt_dm__eat(d, "Z")) {
		text = xpt_dm__encoding(d, true);
		if (!xpt_dm__eat(d, "E"))
			d->bad = true;
		return text;
	}
	if (xpt_dm__eat(d, "b0E"))
		return xpt_dm__join(d, "false");
	if (xpt_dm__eat(d, "b1E"))
		return xpt_dm__join(d, "true");
	if (xpt_dm__eat(d, "DnE") || xpt_dm__eat(d, "Dn0E"))
		return xpt_dm__join(d, "(decltype(nullptr))0");
	kind = c ? strchr(kinds, c) : NULL;
	if (kind) {
		d->s++;
		text = read_value(d);
		return xpt_dm__join(d, "%p%s", &text, suffix[kind - kinds]);
	}
	t = xpt_dm__type(d);
	c = xpt_dm__peek(d);
	text = xpt_dm__text(d, &t);
	if (c == 'E') {		/* a type without a value */
		d->s++;
		return text;
	}
	t.left = read_value(d);
	if ((c >= '0' && c <= '9') || c == 'n')
		return xpt_dm__join(d, "(%p)%p", &text, &t.left);
	return xpt_dm__join(d, "(%p)[%p]", &text, &t.left);
}

/* Reads an operand: adds parentheses unless it is a name. */
static struct xpt_span read_operand(struct xpt_dm *d)
{
	bool name = xpt_dm__peek(d) >= '0' && xpt_dm__peek(d) <= '9';
	struct xpt_span text;

	name |= xpt_dm__peek(d) == 'f' && (xpt_dm__peek2(d) == 'p' || xpt_dm__peek2(d) == 'L');
	text = xpt_dm__expr(d);
	return name ? text : xpt_dm__join(d, "(%p)", &text);
}

static struct xpt_span read_operation(struct xpt_dm *d, const struct xpt_dm_op *op)
{
	bool address = op->text[0] == '&' && op->operands == 1, greater = op->text[0] == '>';
	struct xpt_span a, b, c;

	d->s += 2;
	if (address && xpt_dm__peek(d) == 'L') {
		a = xpt_dm__expr(d);
		return xpt_dm__join(d, "&%p", &a);
	}
	if (op->operands == 1 && (op->text[0] == '+' || op->text[0] == '-') && op->text[1])
		xpt_dm__eat(d, "_");	/* prefix form of ++ and -- */
	a = read_operand(d);
	if (op->operands == 1)
		return xpt_dm__join(d, "%s%p", op->text, &a);
	b = read_operand(d);
	if (op->operands == 2)
		return xpt_dm__join(d, greater ? "(%p%s%p)" : "%p%s%p", &a, op->text, &b);
	c = read_operand(d);
	return xpt_dm__join(d, "%p?%p : %p", &a, &b, &c);
}

/* Reads expressions up to E, joined by commas. */
static struct xpt_span read_list(struct xpt_dm *d)
{
	struct xpt_span all = { 0 }, text;

	while (!xpt_dm__eat(d, "E")) {
		if (d->bad || d->s == d->end) {
			d->bad = true;
			break;
		}
		text = xpt_dm__expr(d);
		if (text.len)
			all = all.len ? xpt_dm__join(d, "%p, %p", &all, &text) : text;
	}
	return all;
}

static struct xpt_span read_cast(struct xpt_dm *d)
{
	struct xpt_dm_type t = xpt_dm__type(d);
	struct xpt_span type = xpt_dm__text(d, &t), text;

	if (xpt_dm__eat(d, "_")) {
		text = read_list(d);
		return xpt_dm__join(d, "(%p)(%p)", &type, &text);
	}
	text = read_operand(d);
	return xpt_dm__join(d, "(%p)%p", &type, &text);
}

/* Reads an unresolved name, in `scope` if that has text. */
static struct xpt_span read_unresolved(struct xpt_dm *d, struct xpt_span scope)
{
	struct xpt_dm_name n = { .text = scope };
	struct xpt_span args;

	xpt_dm__unqualified(d, &n);
	if (xpt_dm__peek(d) == 'I') {
		args = xpt_dm__args(d, false);
		n.text = xpt_dm__join(d, "%p%p", &n.text, &args);
	}
	return n.text;
}

/* Reads the rest after "sr": a type and a name, or plain qualifiers, E and a name. */
static struct xpt_span read_scoped(struct xpt_dm *d)
{
	struct xpt_span text = { 0 };
	struct xpt_dm_type t;

	if (xpt_dm__peek(d) < '0' || xpt_dm__peek(d) > '9') {
		t = xpt_dm__type(d);
		return read_unresolved(d, xpt_dm__text(d, &t));
	}
	while (xpt_dm__peek(d) >= '0' && xpt_dm__peek(d) <= '9')
		text = read_unresolved(d, text);
	if (xpt_dm__peek(d) == 'E' && xpt_dm__peek2(d) >= '0' && xpt_dm__peek2(d) <= '9') {
		d->s++;
		text = read_unresolved(d, text);
	}
	return text;
}

/* Reads the forms that begin with two letters; *ret_known: false if it is none of these. */
static struct xpt_span read_special(struct xpt_dm *d, bool *ret_known)
{
	struct xpt_span a = { 0 }, b;
	struct xpt_dm_type t;
	unsigned n = 0;

	*ret_known = true;
	if (xpt_dm__eat(d, "cv"))
		return read_cast(d);
	if (xpt_dm__eat(d, "sp")) {
		t = xpt_dm__expansion(d, true);
		return xpt_dm__text(d, &t);
	}
	if (xpt_dm__eat(d, "st")) {
		t = xpt_dm__type(d);
		a = xpt_dm__text(d, &t);
		return xpt_dm__join(d, "sizeof (%p)", &a);
	}
	if (xpt_dm__eat(d, "sz")) {
		a = read_operand(d);
		return xpt_dm__join(d, "sizeof %p", &a);
	}
	if (xpt_dm__eat(d, "cl")) {
		a = read_operand(d);
		b = read_list(d);
		return xpt_dm__join(d, "%p(%p)", &a, &b);
	}
	if (xpt_dm__eat(d, "dt") || xpt_dm__eat(d, "pt")) {
		const char *dot = d->s[-2] == 'd' ? "." : "->";

		a = read_operand(d);
		b = read_unresolved(d, (struct xpt_span){ 0 });
		return xpt_dm__join(d, "%p%s%p", &a, dot, &b);
	}
	if (xpt_dm__eat(d, "sr"))
		return read_scoped(d);
	if (xpt_dm__eat(d, "fp")) {
		if (!xpt_dm__seq(d, &n))
			d->bad = true;
		return xpt_dm__join(d, "{parm#%u}", n + 1);
	}
	*ret_known = false;
	return a;
}

struct xpt_span xpt_dm__expr(struct xpt_dm *d)
{
	const struct xpt_dm_op *op;
	struct xpt_span text = { 0 };
	char c = xpt_dm__peek(d);
	struct xpt_dm_type t;
	bool known = true;

	if (!xpt_dm__enter(d))
		return text;
	if (c == 'L') {
		text = xpt_dm__literal(d);
	} else if (c == 'T') {
		d->s++;
		t = xpt_dm__param(d);
		text = xpt_dm__text(d, &t);
	} else if (c >= '0' && c <= '9') {
		text = read_unresolved(d, text);
	} else {
		text = read_special(d, &known);
		op = known ? NULL : xpt_dm__find_op(d);
		if (op && op->operands)
			text = read_operation(d, op);
		else if (!known)
			d->bad = true;
	}
	d->depth--;
	return text;
}
