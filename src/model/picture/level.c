/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sum and its peak in order of time, see level.h. */
#include "model/picture/level.h"

#include <string.h>

void xpt_level__add(struct xpt_level *l, uint64_t ts_ns, uint64_t n)
{
	l->now = n > UINT64_MAX - l->now ? UINT64_MAX : l->now + n;
	if (l->now <= xpt_level__peak(l).value)
		return;
	if (l->nr == XPT_LEVEL_MAX) {
		l->floor = l->high[0];
		memmove(l->high, l->high + 1, --l->nr * sizeof(l->high[0]));
	}
	l->high[l->nr++] = (struct xpt_high){ ts_ns, l->now };
}

void xpt_level__sub(struct xpt_level *l, uint64_t ts_ns, uint64_t n)
{
	unsigned from = l->nr, nr;

	l->now = l->now > n ? l->now - n : 0;
	l->late += ts_ns < l->floor.ns && l->floor.value;
	while (from && l->high[from - 1].ns > ts_ns)
		from--;
	nr = from;
	for (unsigned i = from; i < l->nr; i++) {
		uint64_t value = l->high[i].value > n ? l->high[i].value - n : 0;

		if (value <= (nr ? l->high[nr - 1] : l->floor).value)
			continue;
		l->high[nr++] = (struct xpt_high){ l->high[i].ns, value };
	}
	l->nr = nr;
}
