// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See records_out.h. Widths are those of a terminal of 80 columns, wherever it goes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/output/sink.h"
#include "session/rdma/output/records_out.h"

int xpt_rdma_out__open(struct xpt_rdma_out *o, const char *sink)
{
	struct xpt_sink_cfg cfg = { .file = stdout, .columns = 80 };
	const struct xpt_sink *s = xpt_sink__find(sink);
	int err;

	*o = (struct xpt_rdma_out){ .sink = s };
	if (!s)
		return xpt_err(-ENOENT, "this build has no sink '%s'", sink);
	o->st = calloc(1, s->state_size);
	err = o->st ? s->open(o->st, &cfg) : -ENOMEM;
	return err ? xpt_err(err, "cannot write: %s", strerror(-err)) : 0;
}

int xpt_rdma_out__record(void *o, const struct xpt_schema *schema, const void *rec)
{
	struct xpt_rdma_out *out = o;
	const struct xpt_sink *s = out->sink;

	return s->record(out->st, schema, rec);
}

int xpt_rdma_out__close(struct xpt_rdma_out *o)
{
	const struct xpt_sink *s = o->sink;
	int err = o->st ? s->close(o->st) : 0;

	free(o->st);
	o->st = NULL;
	return err ? xpt_err(err, "cannot write: %s", strerror(-err)) : 0;
}
