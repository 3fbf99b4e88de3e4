// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Enums of hooks' keys, see hook_enums.h. A table of hooks may be filled by several
 * programs, of several releases. Its keys are numbers, so a value that two files call
 * differently is shown as one: no name is given that may be wrong.
 */
#include "engine/sources/hooks/hook_enums.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sources/points/program_states.h"

struct xpt_hook_enums {
	const struct xpt_hook *hooks;
	uint32_t nr;
	const char *unnamed[XPT_HOOKS_MAX];
	struct xpt_enum *names[XPT_HOOKS_MAX][XPT_HOOK_KEYS];	/* by the hooks' table; NULL: none yet */
};

int xpt_hook_enums__new(const struct xpt_hook *hooks, uint32_t nr, struct xpt_hook_enums **ret_s)
{
	*ret_s = NULL;
	if (!xpt_hooks_any(hooks, nr, xpt_hook__has_enum_key))
		return 0;
	*ret_s = calloc(1, sizeof(**ret_s));
	if (!*ret_s)
		return -ENOMEM;
	(*ret_s)->hooks = hooks;
	(*ret_s)->nr = nr < XPT_HOOKS_MAX ? nr : XPT_HOOKS_MAX;
	return 0;
}

void xpt_hook_enums__free(struct xpt_hook_enums *s)
{
	for (uint32_t i = 0; s && i < s->nr; i++)
		for (unsigned k = 0; k < XPT_HOOK_KEYS; k++)
			free(s->names[i][k]);
	free(s);
}

/* The newest names that a domain knows are a guess at those of a program whose release is not known. */
static unsigned read_key(struct xpt_hook_enums *s, uint32_t i, unsigned key, const char *path)
{
	const char *type = s->hooks[i].key[key].names;
	struct xpt_enum **slot = &s->names[s->hooks[i].prog.map % XPT_HOOKS_MAX][key];
	struct xpt_state_list l = { .unread = false };

	if (xpt_states__of_type(type, path, &l) && l.from != XPT_STATES_NEWEST) {
		xpt_states__merge(slot, &l.names);
	} else {
		s->unnamed[i] = type;
		xpt_states__merge(slot, &(struct xpt_enum){ .nr = 0 });
	}
	return l.unread;
}

unsigned xpt_hook_enums__read(struct xpt_hook_enums *s, uint64_t hooks, const char *path)
{
	unsigned unread = 0;

	for (uint32_t i = 0; s && i < s->nr; i++)
		for (unsigned k = 0; hooks >> i & 1 && k < s->hooks[i].prog.nr_keys; k++)
			if (s->hooks[i].key[k].kind == XPT_HOOK_KEY_ENUM)
				unread += read_key(s, i, k, path);
	return unread;
}

const char *xpt_hook_enums__unnamed(const struct xpt_hook_enums *s, uint32_t i)
{
	return s && i < s->nr ? s->unnamed[i] : NULL;
}

char *xpt_hook_enums__name(const struct xpt_hook_enums *s, uint32_t map, unsigned key, uint64_t value)
{
	const struct xpt_enum *names = s && map < s->nr ? s->names[map][key] : NULL;
	char number[24];

	if (names && value < names->nr && names->name[value][0])
		return strdup(names->name[value]);
	snprintf(number, sizeof(number), "%" PRId64, (int64_t)value);
	return strdup(number);
}
