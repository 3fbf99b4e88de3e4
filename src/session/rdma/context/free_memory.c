// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See free_memory.h. Kernels without CMA have no lines of it. */
#include "session/rdma/context/free_memory.h"

#include <stdio.h>

void xpt_rdma_memory__find(const char *path, struct xpt_rdma_trace *t)
{
	FILE *f = fopen(path, "re");
	unsigned long long kib;
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemFree: %llu kB", &kib) == 1) {
			t->memory_free = kib * 1024;
			t->lock_known |= XPT_RDMA_MEMORY_FREE;
		} else if (sscanf(line, "CmaTotal: %llu kB", &kib) == 1) {
			t->cma_total = kib * 1024;
			t->lock_known |= XPT_RDMA_MEMORY_CMA;
		} else if (sscanf(line, "CmaFree: %llu kB", &kib) == 1) {
			t->cma_free = kib * 1024;
		}
	}
	if (f)
		fclose(f);
}
