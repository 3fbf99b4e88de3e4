// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See refused.h. The final number of probes that the kernel refused is the loss PROBE_FAILED. */
#include "session/refused.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "engine/engine.h"
#include "engine/sources/uverbs_source.h"

/* Errors that concern every probe, and not the file that one is on. */
static bool is_about_us(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -EPERM || err == -EACCES;
}

static void report_libraries(struct xpt_refused *r, const struct xpt_engine *e)
{
	struct xpt_engine_stats st;
	const char *hint;

	if (r->libraries || !is_about_us(xpt_engine__refused(e)))
		return;
	xpt_engine__stats(e, &st);
	r->libraries = true;
	hint = st.refused == -EMFILE ? " ('ulimit -n' allows more)" : "";
	if (st.nr_failed)
		xpt_warn("%u of %u probes could not be set: %s%s", st.nr_failed, st.nr_failed + st.nr_probes,
			 strerror(-st.refused), hint);
	else
		xpt_warn("a library could not be read: %s%s", strerror(-st.refused), hint);
}

static void report_uverbs(struct xpt_refused *r, const struct xpt_engine *e)
{
	int err = xpt_uverbs__refused(e);

	if (!err || r->uverbs)
		return;
	r->uverbs = true;
	xpt_warn("calls into the kernel's RDMA interface are not counted: %s",
		 err == -EACCES || err == -EPERM ? "its modules were loaded after xputrace had given up the right to probe "
						    "them; start it again" : strerror(-err));
}

void xpt_refused__report(struct xpt_refused *r, const struct xpt_engine *e)
{
	report_libraries(r, e);
	report_uverbs(r, e);
}
