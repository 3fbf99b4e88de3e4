// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The page of help: keys, and the meaning of the columns. */
#include "top/draw.h"

static const char *const lines[] = {
	"Keys                                    Order (again: the other way round)",
	"  Up Down PgUp PgDn Home End   move       a  attention: long calls first",
	"  Enter   functions of the process        c  calls/s      l  launches/s",
	"  Esc     back, or no filter              b  bytes copied/s",
	"  /       filter by name, user, pid ...   w  waiting      e  errors/s",
	"  d       devices                         g  GPU          m  memory",
	"  r       RDMA ports                      o  oldest call in flight",
	"  t       latency since the start",
	"  h ?     this page        q  quit        p  process id   n  name",
	"",
	"Columns",
	"  CALLS/s LNCH/s  calls of the program, and work that they put on a device;",
	"                  calls inside other traced calls are not counted again",
	"  COPY/s          bytes that copies have moved, in all directions",
	"  WAIT            share of the time in calls that wait for a device; 200%: two",
	"                  threads wait all the time",
	"  GPU MEM         what the devices tell of the process; -: they do not",
	"  ALLOC           bytes that calls allocated and have not freed, on wide screens",
	"  IN FLIGHT       the oldest call that has not returned, from 1 s on",
	"  (other)         processes that found no row of their own",
};

void xpt_top_draw__help(struct xpt_top_draw *d)
{
	uint32_t from, to;

	xpt_top_draw__scroll(d, sizeof(lines) / sizeof(lines[0]), &from, &to);
	for (uint32_t i = from; i < to; i++)
		xpt_top_draw__say(d, lines[i][0] && lines[i][0] != ' ' ? XPT_TOP_BOLD : XPT_TOP_PLAIN, "%s", lines[i]);
}
