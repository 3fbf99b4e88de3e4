// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints snapshots and hands them out; see snapshot_page.h. */
#include "session/agent/snapshot_page.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/engine.h"
#include "metrics/metrics.h"
#include "session/agent/rest.h"
#include "snapshot/snapshot.h"

static void open_server(struct xpt_snapshot_page *p, const char *socket)
{
	int err = xpt_local_server__open(socket, &p->server);

	if (err == -EADDRINUSE)
		xpt_info("`xputrace top` gets its numbers from another agent, which has %s; --socket names another one", socket);
	else if (err == -EPERM)
		xpt_warn("`xputrace top` cannot get numbers from here: others may write to the folder of %s", socket);
	else if (err)
		xpt_warn("`xputrace top` cannot get numbers from here: %s: %s", socket, strerror(-err));
}

int xpt_snapshot_page__open(struct xpt_snapshot_page *p, uint64_t period_ns, const char *socket, struct xpt_metrics *metrics)
{
	int err;

	if (socket)
		open_server(p, socket);
	if (!period_ns && !p->server)
		return 0;
	p->period_ns = period_ns;
	p->began_ns = xpt_now_ns();
	xpt_strbuf__init(&p->text, XPT_SNAPSHOT_BYTES);
	err = xpt_collector__new(&p->c);
	if (!err && metrics)	/* whose ledger has each call already */
		xpt_collector__set_open_bytes(p->c, xpt_metrics__open_bytes, metrics);
	return err ? xpt_err(err, "cannot keep counts: %s", strerror(-err)) : 0;
}

static int print_document(struct xpt_snapshot_page *p)
{
	const struct xpt_snapshot_self self = {
		.version = XPT_VERSION, .pid = (uint32_t)getpid(), .ts_ns = xpt_now_ns(),
		.unix_ns = xpt_clock_ns(CLOCK_REALTIME), .began_ns = p->began_ns,
	};

	xpt_strbuf__reset(&p->text);
	return xpt_collector__print(p->c, &self, &p->text);
}

/* Returns the next multiple of the period, so that a late round does not delay all later ones. */
static uint64_t next_after(const struct xpt_snapshot_page *p, uint64_t now_ns)
{
	uint64_t next = p->next_ns ? p->next_ns + p->period_ns : 0;

	return next > now_ns ? next : now_ns + p->period_ns;
}

static void hand_out(struct xpt_snapshot_page *p)
{
	int err = print_document(p);

	if (!err && p->server)
		err = xpt_local_server__send(p->server, &p->text, xpt_now_ns());
	if (err == -E2BIG && !p->has_warned) {
		xpt_warn("no snapshot can be made for `xputrace top`: it is too large");
		p->has_warned = true;
	}
	if (err)
		xpt_debug("no snapshot can be made: %s", strerror(-err));
	else if (p->take)
		p->take(p->take_ctx, &p->text);
}

void xpt_snapshot_page__step(struct xpt_snapshot_page *p, struct xpt_engine *e, uint64_t now_ns, bool has_counts)
{
	bool rests = now_ns < p->rest_ns;
	uint64_t began_ns = xpt_now_ns();	/* after the metrics, whose time is not of a snapshot */

	if (!p->c)
		return;
	if (p->period_ns && now_ns >= p->next_ns && !rests) {
		p->next_ns = next_after(p, now_ns);
		xpt_engine__emit_counts(e);
		has_counts = true;
	}
	if (!has_counts)
		return;
	if (((p->server && xpt_local_server__step(p->server, now_ns)) || p->take) && !rests)
		hand_out(p);
	xpt_collector__end_round(p->c);
	if (!rests)
		p->rest_ns = began_ns + xpt_rest_ns(xpt_now_ns() - began_ns);
}

void xpt_snapshot_page__write_last(struct xpt_snapshot_page *p, struct xpt_engine *e)
{
	if (!p->c)
		return;
	xpt_engine__emit_counts(e);
	hand_out(p);
	xpt_collector__end_round(p->c);
}

void xpt_snapshot_page__close(struct xpt_snapshot_page *p)
{
	xpt_local_server__close(p->server);
	xpt_collector__free(p->c);
	xpt_strbuf__free(&p->text);
	*p = (struct xpt_snapshot_page){ .c = NULL };
}
