// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Subordinate ids for BPF programs, see subid_map.h. Ranges become blocks of ids that have a prefix in common, at most
 * 62 each: a look-up in a trie of them is one call, where a search in a table would be a loop for the verifier.
 */
#include "engine/processes/subid_map.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>

#include "base/log.h"
#include "proc/subids.h"
#include "wire/user.h"

/* Puts the blocks of all ranges into the map; fd -1: none. Returns their number, or -errno. */
static int put_blocks(int fd)
{
	const struct xpt_subids *s = xpt_subids__loaded();
	int nr = 0, err = 0;

	for (unsigned i = 0; i < s->nr && !err; i++) {
		uint64_t first = s->range[i].first;

		for (; first <= s->range[i].last && !err; nr++) {
			uint32_t bits = xpt_subids__bits((uint32_t)first, s->range[i].last);
			struct xpt_wire_subid key = { .bits = bits, .uid = htonl((uint32_t)first) };

			if (fd >= 0)
				err = bpf_map_update_elem(fd, &key, &s->range[i].user, BPF_ANY);
			first += 1ull << (32 - bits);
		}
	}
	return err ? err : nr;
}

void xpt_subid_map__configure(struct bpf_map *map)
{
	int nr;

	xpt_subids__load();
	nr = put_blocks(-1);
	bpf_map__set_max_entries(map, nr ? (uint32_t)nr : 1);
}

void xpt_subid_map__fill(const struct bpf_map *map)
{
	int err = put_blocks(bpf_map__fd(map));

	if (err < 0)
		xpt_debug("subordinate ids count as users of their own: %s", strerror(-err));
}
