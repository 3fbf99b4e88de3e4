/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What events made by hand are about: a domain with five results, functions
 * with the roles that a test wants, processes. Part of feed.h.
 */
#ifndef TESTS_UNIT_FEED_MODEL_H
#define TESTS_UNIT_FEED_MODEL_H

#include <stdint.h>
#include <string.h>
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "model/event.h"

#define FEED_T0 1000000000ull
#define US 1000ull
#define MS 1000000ull
#define SEC 1000000000ull
#define MIB (1ull << 20)
#define GIB (1ull << 30)

enum { ERR_OK = 0, ERR_MEMORY = 2, ERR_NOT_READY = 600, ERR_ILLEGAL = 700, ERR_REMOTE = 701 };

static const struct xpt_result feed_results[] = {
	{ ERR_OK, "OK", "Done.", false, false, false, false },
	{ ERR_MEMORY, "ERR_MEMORY", "The device has no memory left.", false, false, true, false },
	{ ERR_NOT_READY, "ERR_NOT_READY", "Work is still going on.", true, false, false, false },
	{ ERR_ILLEGAL, "ERR_ILLEGAL", "A kernel used a bad address", false, true, false, true },
	{ ERR_REMOTE, "ERR_REMOTE", "Another rank failed.", false, true, false, false },
};

static const struct xpt_expected feed_expected[] = {
	{ "probe*", ERR_MEMORY, "Tried to find out what there is." }, { NULL, 0, NULL },
};

static const struct xpt_domain feed_domain = {
	.name = "fake", .results = feed_results, .nr_results = 5, .expected = feed_expected,
};

/* A function whose captured values have these roles (ends at XPT_ROLE_NONE). */
static inline struct xpt_fn feed_fn(const char *name, unsigned cls, unsigned kind,
				    const uint8_t *roles)
{
	static uint32_t id;
	struct xpt_fn fn = { .id = id++ % XPT_MAX_FNS, .name = name, .base = name,
			     .domain_name = "fake", .domain = &feed_domain,
			     .cls = (uint8_t)cls, .kind = (uint8_t)kind, .ret = XPT_RET_STATUS };

	memset(fn.role_idx, -1, sizeof(fn.role_idx));
	for (; roles && roles[fn.nr_caps]; fn.nr_caps++) {
		fn.cap[fn.nr_caps] = (struct xpt_wire_cap){ XPT_CAP_VAL, fn.nr_caps, 8,
							    roles[fn.nr_caps], 0 };
		fn.cap_name[fn.nr_caps] = "arg";
		fn.role_idx[roles[fn.nr_caps]] = (int8_t)fn.nr_caps;
	}
	return fn;
}

/* FEED_FN("alloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE); no values: XPT_ROLE_NONE. */
#define FEED_FN(name, cls, kind, ...)                                          \
	feed_fn(name, XPT_CLASS_##cls, XPT_KIND_##kind,                        \
		(const uint8_t[]){ __VA_ARGS__, XPT_ROLE_NONE })

static inline struct xpt_proc feed_proc(uint32_t pid, const char *comm)
{
	return (struct xpt_proc){ .pid = pid, .comm = comm, .exe = "", .cmdline = "",
				  .first_ns = FEED_T0 };
}

#endif
