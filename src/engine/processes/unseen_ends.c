// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looks for the ends of processes that no program saw, see unseen_ends.h. */
#include "engine/processes/unseen_ends.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>

#include "base/log.h"
#include "engine/priv.h"
#include "wire/config.h"
#include "call.skel.h"

#define REST_NS 2000000000ull	/* between looks */

/* Whether the process has no number any more; if so, it is taken out of the table. */
static bool remove_ended(int fd, uint32_t tgid)
{
	return kill((pid_t)tgid, 0) && errno == ESRCH && !bpf_map_delete_elem(fd, &tgid);
}

void xpt_unseen_ends__step(struct xpt_engine *e, uint64_t now_ns, int (*on_end)(void *e, const void *record, size_t size))
{
	int fd = bpf_map__fd(e->skel->maps.xpt_targets);
	uint32_t tgid, next, target;
	bool more;

	if (now_ns - e->ends_ns < REST_NS)
		return;
	e->ends_ns = now_ns;
	more = !bpf_map_get_next_key(fd, NULL, &next);
	while (more) {
		struct xpt_rec_task t = {
			.rec = { .kind = XPT_REC_TASK, .size = sizeof(t) },
			.ts_ns = now_ns,
			.event = XPT_TASK_EXIT,
			.uid = UINT32_MAX,
		};
		bool is_own;

		tgid = next;
		more = !bpf_map_get_next_key(fd, &tgid, &next);
		is_own = !bpf_map_lookup_elem(fd, &tgid, &target) && target == XPT_TARGET_OWN;
		if (!remove_ended(fd, tgid) || is_own)
			continue;
		t.tgid = t.tid = tgid;
		xpt_debug("the end of process %u was not seen", tgid);
		on_end(e, &t, sizeof(t));
	}
}
