// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The messages of `spdk annotate`: gaps in a recording or a trace, and why entries are shown without host. Each of
 * these has a count.
 */
#include "session/spdk/say.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"

void xpt_spdk_say__record(const char *with, const struct xpt_spdk_record_stats *st)
{
	if (st->bad)
		xpt_warn("%s: %" PRIu64 " lines of queue pairs are not whole and were left out", with,
			 st->bad);
	if (st->cut)
		xpt_warn("%s ends in the middle of a line", with);
	if (st->left_out)
		xpt_warn("%s: %" PRIu64 " lines found no room", with, st->left_out);
	if (st->lost)
		xpt_warn("%s has gaps: %" PRIu64 " events were lost when it was recorded", with, st->lost);
	if (!st->points)
		xpt_warn("%s holds no queue pairs: is it what 'trace.py --record' wrote?", with);
}

int xpt_spdk_say__damage(const char *name, int err, bool begun, const struct xpt_spdk_spot *spot)
{
	if (err == -EBADMSG && begun)
		return xpt_err(err, "%s is no JSON from byte %" PRIu64 " (line %" PRIu64 ") on, after its entries", name,
			       spot->byte, spot->line);
	if (err == -EBADMSG && spot->line)
		return xpt_err(err, "%s is no JSON from byte %" PRIu64 " (line %" PRIu64 ") on, before its entries", name,
			       spot->byte, spot->line);
	if (err == -EBADMSG)
		return xpt_err(err, "%s is no trace in JSON, as 'spdk_trace -j' writes it, with tsc_rate "
			       "and tpoints before its entries", name);
	if (err == -ENODATA)
		return xpt_err(err, begun ? "%s ends in the middle: it was cut off"
				     : "%s holds no trace in JSON, or was cut off", name);
	if (err == -E2BIG)
		return xpt_err(err, "%s: an entry is too long, or nested too deeply", name);
	return xpt_err(err, "cannot read %s: %s", name, strerror(-err));
}

void xpt_spdk_say__join(const char *with, const struct xpt_spdk_lives *l, const struct xpt_spdk_join *j)
{
	const struct xpt_spdk_join_stats *st = xpt_spdk_join__stats(j);
	size_t cut = xpt_spdk_lives__nr_cut(l);

	if (with && st->unknown)
		xpt_warn("%" PRIu64 " entries have queue pairs that %s does not know: %zu%s, one is 0x%"
			 PRIx64, st->unknown, with, st->nr_unknown,
			 st->nr_unknown == XPT_SPDK_MAX_UNKNOWN ? " or more" : "", st->first_unknown);
	if (with && st->by_owner)
		xpt_warn("%" PRIu64 " entries have queue pairs that %s does not know, but an owner: shown "
			 "without host", st->by_owner, with);
	if (with && st->outside)
		xpt_warn("%" PRIu64 " entries are of before or after the time of %s: shown without host", st->outside,
			 with);
	if (with && st->unsure)
		xpt_warn("%" PRIu64 " entries are of before the first or after the last line of %s, which does not say whether "
			 "it was recorded then: their hosts may be wrong", st->unsure, with);
	if (with && st->unknown + st->by_owner && st->annotated == st->by_owner)
		xpt_warn("%s knows none of the trace's queue pairs: was it recorded of this process, and "
			 "at this time?", with);
	if (with && st->presumed)
		xpt_warn("%" PRIu64 " entries are of the only queue pair of their name in %s (marked 'presumed'): they may be of one "
			 "that was connected before it began", st->presumed, with);
	if (with && st->no_proof)
		xpt_warn("%" PRIu64 " entries may be of a queue pair of %s or of one that was connected before it began: shown "
			 "without host; a trace in a file, not a pipe, is read twice and may tell", st->no_proof, with);
	if (with && st->no_host)
		xpt_warn("%" PRIu64 " entries have queue pairs whose host %s does not name: it began after their connect, or "
			 "the name was not read", st->no_host, with);
	if (with && st->no_qpair)
		xpt_warn("%" PRIu64 " entries say nothing of a queue pair, %s for one: shown without host", st->no_qpair,
			 st->no_qpair_point);
	if (st->many)
		xpt_warn("%" PRIu64 " entries fit queue pairs of several hosts: shown without host",
			 st->many);
	if (with && xpt_spdk_lives__gave_up(l))
		xpt_warn("%s has too many queue pairs of one name to compare them all with the owners of the trace", with);
	if (cut)
		xpt_warn("%s has names of 63 bytes, to which bpftrace cuts unless BPFTRACE_STRLEN is "
			 "larger", with);
}

int xpt_spdk_say__spots(const char *name, const struct xpt_spdk_trace *t)
{
	struct xpt_spdk_spot first;
	uint64_t nr = xpt_spdk_trace__damaged(t, &first), printed = xpt_spdk_trace__printed(t);

	if (printed)
		xpt_info("%s: %" PRIu64 " lines of spdk_trace's own within the JSON were skipped", name, printed);
	if (!nr)
		return 0;
	return xpt_err(-EBADMSG, "%s is no JSON at %" PRIu64 " spot%s, the first at byte %" PRIu64 " (line %" PRIu64
		       "); entries there were left out", name, nr, nr == 1 ? "" : "s", first.byte, first.line);
}
