/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the vocabulary, made from the tables of wire/vocab.h. Numbers come
 * from recordings too, so any value is answered.
 */
#include "model/vocab.h"
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NAME(e, n, s) [n] = s,

static const char *name_of(const char *const *names, size_t nr, unsigned i)
{
	return i < nr && names[i] ? names[i] : "?";
}

const char *xpt_layer_name(unsigned layer)
{
	static const char *const names[] = { XPT_LAYERS(NAME) };

	return name_of(names, COUNT(names), layer);
}

const char *xpt_class_name(unsigned cls)
{
	static const char *const names[] = { XPT_CLASSES(NAME) };

	return name_of(names, COUNT(names), cls);
}

const char *xpt_role_name(unsigned role)
{
	static const char *const names[] = { XPT_ROLES(NAME) };

	return name_of(names, COUNT(names), role);
}

enum xpt_role xpt_role_by_name(const char *s, size_t len)
{
	for (unsigned i = 0; i < XPT_ROLE__MAX; i++)
		if (strlen(xpt_role_name(i)) == len && !memcmp(xpt_role_name(i), s, len))
			return (enum xpt_role)i;
	return XPT_ROLE_NONE;
}

const char *xpt_dir_name(unsigned dir)
{
	static const char *const names[] = { XPT_DIRS(NAME) };

	return name_of(names, COUNT(names), dir);
}

const char *xpt_kind_name(unsigned kind)
{
	static const char *const names[] = { XPT_KINDS(NAME) };

	return name_of(names, COUNT(names), kind);
}

const char *xpt_mode_name(unsigned mode)
{
	static const char *const names[] = { XPT_MODES(NAME) };

	return name_of(names, COUNT(names), mode);
}

const char *xpt_loss_name(unsigned loss)
{
#define X(e, s) { #e },
	static char names[][24] = { XPT_LOSSES(X) };
#undef X
	char *p;

	if (loss >= COUNT(names))
		return "?";
	for (p = names[loss]; *p; p++)	/* enumerators are upper case, output is not */
		*p = (char)tolower((unsigned char)*p);
	return names[loss];
}

const char *xpt_loss_text(unsigned loss)
{
#define X(e, s) s,
	static const char *const texts[] = { XPT_LOSSES(X) };
#undef X

	return name_of(texts, COUNT(texts), loss);
}

const char *xpt_loss_outcome(unsigned loss)
{
	switch (loss) {
	case XPT_LOSS_FILTERED:
	case XPT_LOSS_RATE:
	case XPT_LOSS_BUDGET:
		return "left out so far";
	case XPT_LOSS_CUT_LONGJMP:
	case XPT_LOSS_CUT_EXIT:
	case XPT_LOSS_CUT_EXEC:
	case XPT_LOSS_CUT_FORK:
		return "did not return so far";
	default:
		return "lost so far";
	}
}
