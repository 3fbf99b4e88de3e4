// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The last interval in which the kernel's count of missed returns grew, see misses.h. Earlier ones
 * matter to no call that is read now, but for those that began before both: they overlap the last.
 */
#include "rdma/trace/misses.h"

void xpt_rdma_misses__set(struct xpt_rdma_misses *m, uint64_t count, uint64_t now_ns)
{
	if (count > m->count) {
		m->from_ns = m->asked_ns;
		m->to_ns = now_ns;
	}
	m->count = count;
	m->asked_ns = now_ns;
}

bool xpt_rdma_misses__during(const struct xpt_rdma_misses *m, uint64_t start_ns, uint64_t end_ns)
{
	return m->to_ns && start_ns <= m->to_ns && end_ns >= m->from_ns;
}
