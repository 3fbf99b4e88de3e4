// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See log_event.h. The texts are those of libibverbs/enum_strs.c of rdma-core; a test compares them. */
#include "rdma/trace/job_log/log_event.h"

#include <stddef.h>
#include <string.h>

#include "rdma/trace/verb_names.h"

static const char *const texts[] = {	/* by number, enum ibv_event_type */
	"CQ error", "local work queue catastrophic error", "invalid request local work queue error",
	"local access violation work queue error", "communication established", "send queue drained", "path migrated",
	"path migration request error", "local catastrophic error", "port active", "port error", "LID change",
	"P_Key change", "SM change", "SRQ catastrophic error", "SRQ limit reached", "last WQE reached",
	"client reregistration", "GID table change", "WQ fatal",
};

#define PREFIX "IBV_EVENT_"

const char *xpt_rdma_log_event__name(const char *text)
{
	size_t prefix = !strncmp(text, PREFIX, sizeof(PREFIX) - 1) ? sizeof(PREFIX) - 1 : 0;
	uint32_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *name = xpt_rdma_name(XPT_RDMA_EVENTS, i);

		if (prefix ? !strcmp(text + prefix, name) : !strcasecmp(text, texts[i]))
			return name;
	}
	return NULL;
}
