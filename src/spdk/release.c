// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of states by release, see release.h: enum nvmf_tgt_state and enum
 * spdk_nvmf_subsystem_state as the tags of SPDK's repository have them, 21.07 to 26.05.
 */
#include "spdk/release.h"

#include <string.h>

#define BEFORE "INIT_NONE", "INIT_CREATE_TARGET", "INIT_CREATE_POLL_GROUPS", \
	"INIT_START_SUBSYSTEMS", "RUNNING"
#define BEHIND "STOPPED", "ERROR", NULL
#define DESTROY "FINI_DESTROY_SUBSYSTEMS", "FINI_DESTROY_POLL_GROUPS", "FINI_DESTROY_TARGET"

static const char *const since_2107[] = {
	BEFORE, "FINI_STOP_SUBSYSTEMS", "FINI_DESTROY_POLL_GROUPS", "FINI_FREE_RESOURCES", BEHIND,
};
static const char *const since_2201[] = { BEFORE, "FINI_STOP_SUBSYSTEMS", DESTROY, BEHIND };
static const char *const since_2405[] = {
	BEFORE, "FINI_STOP_LISTEN", "FINI_STOP_SUBSYSTEMS", DESTROY, BEHIND,
};
static const char *const since_2601[] = {
	BEFORE, "FINI_STOP_SUBSYSTEMS", "FINI_STOP_LISTEN", DESTROY, BEHIND,
};

const char *const xpt_spdk_subsystem_states[] = {
	"INACTIVE", "ACTIVATING", "ACTIVE", "PAUSING", "PAUSED", "RESUMING", "DEACTIVATING",
	"NUM_STATES", NULL,
};

const char *const *xpt_spdk_target_states(unsigned release)
{
	if (!release || release >= 2601)
		return since_2601;
	return release >= 2405 ? since_2405 : release >= 2201 ? since_2201 : since_2107;
}

static int digit(const char *s)
{
	return *s >= '0' && *s <= '9' ? *s - '0' : -1;
}

/* "24.01" in n bytes. */
static unsigned take(const char *s, size_t n)
{
	if (n < 5 || s[2] != '.' || digit(s) < 0 || digit(s + 1) < 0 || digit(s + 3) < 0 ||
	    digit(s + 4) < 0)
		return 0;
	return (unsigned)(digit(s) * 1000 + digit(s + 1) * 100 + digit(s + 3) * 10 + digit(s + 4));
}

unsigned xpt_spdk_release__parse(const char *s)
{
	s += *s == 'v';
	return take(s, strlen(s));
}

unsigned xpt_spdk_release__find(const void *data, size_t n)
{
	static const char mark[] = "SPDK v";
	const char *p = data, *end = p + n, *at;
	unsigned release;

	while ((at = memmem(p, (size_t)(end - p), mark, sizeof(mark) - 1))) {
		p = at + sizeof(mark) - 1;
		release = take(p, (size_t)(end - p));
		if (release)
			return release;
	}
	return 0;
}
