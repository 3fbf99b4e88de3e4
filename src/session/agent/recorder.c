// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See recorder.h. A process counts for its owner, a user or a container (wire/user.h). The faults of one owner's
 * processes start at most one recording per minute.
 */
#include "session/agent/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/fds.h"
#include "base/time.h"
#include "engine/engine.h"
#include "pipeline/recording/flight.h"
#include "pipeline/recording/recording.h"
#include "proc/owner.h"
#include "wire/wire.h"

#define SECOND_NS 1000000000ull
#define COOLDOWN_NS (60 * SECOND_NS)	/* from one recording for an owner's faults to the next */
#define NO_OWNER (UINT64_MAX - 16)	/* minus the cause: the owner of requests and of the machine's Xids */
#define UNKNOWN_OWNER (UINT64_MAX - 32)	/* minus the cause: the owner of Xids whose process has no known one */
#define END_WAITS 500		/* checks whether the writer has ended, at most */
#define END_WAIT_US 10000	/* pause after each check: a disk that hangs delays the end by 5 s */
#define NICE 10			/* priority of the process that writes */

static const char *const cause_names[XPT_RECORDER__MAX] = {
	[XPT_RECORDER_ASKED] = "asked", [XPT_RECORDER_HANG] = "hang", [XPT_RECORDER_CRASH] = "crash",
	[XPT_RECORDER_ERROR] = "error", [XPT_RECORDER_XID] = "xid",
};

const char *xpt_recorder_cause(enum xpt_recorder_cause cause)
{
	return cause_names[cause];
}

int xpt_recorder__open(struct xpt_recorder *r, const struct xpt_recorder_cfg *cfg)
{
	const struct xpt_flight_cfg flight = { cfg->max_bytes, cfg->keep_ns, cfg->owner, cfg->owner_ctx };
	int err;

	if (!cfg->dir)
		return 0;
	r->cfg = *cfg;
	err = xpt_recorder_files__open(&r->files, cfg->dir);
	if (err)
		return err;
	err = xpt_flight__new(&flight, &r->flight);
	if (err) {
		xpt_recorder_files__close(&r->files);
		return xpt_err(err, "cannot start the flight recorder: %s", strerror(-err));
	}
	xpt_flight__step(r->flight, xpt_now_ns());
	return 0;
}

static void wait_for_writer(struct xpt_recorder *r);

int xpt_recorder__change(struct xpt_recorder *r, const struct xpt_recorder_cfg *cfg)
{
	struct xpt_recorder_files files;
	int err;

	if (!r->flight || !cfg->dir)
		return xpt_recorder__open(r, cfg);
	if (strcmp(r->cfg.dir, cfg->dir) != 0) {
		wait_for_writer(r);	/* it may still use the old folder */
		err = xpt_recorder_files__open(&files, cfg->dir);
		if (err)
			return err;
		xpt_recorder_files__close(&r->files);
		r->files = files;
	}
	r->cfg = *cfg;
	xpt_flight__set_limits(r->flight, cfg->max_bytes, cfg->keep_ns);
	return 0;
}

/* --- faults and requests --------------------------------------------------------------------------- */

/*
 * Returns the owner that a fault or request counts for. Requests, Xids of the machine and Xids of processes whose
 * owner is not known have owners of their own, so that they never delay a recording for the faults of a real owner,
 * and are never delayed by one.
 */
static uint64_t owner_of_trigger(enum xpt_recorder_cause cause, uint64_t owner)
{
	if (cause == XPT_RECORDER_ASKED || (cause == XPT_RECORDER_XID && owner == XPT_OWNER_MACHINE))
		return NO_OWNER - cause;
	return cause == XPT_RECORDER_XID && owner == XPT_OWNER_NOBODY ? UNKNOWN_OWNER - cause : owner;
}

/*
 * Whether one more recording may be pending for the owner. The last entries are kept for requests and for Xids of the
 * machine, so that owners of processes cannot take all.
 */
static bool has_room(const struct xpt_recorder *r, uint64_t owner)
{
	return r->nr_pending < XPT_RECORDER_PENDING - (owner <= UNKNOWN_OWNER ? XPT_RECORDER__MAX : 0);
}

void xpt_recorder__want(struct xpt_recorder *r, enum xpt_recorder_cause cause, uint64_t owner, const char *fmt, ...)
{
	struct xpt_recorder_trigger *n;
	va_list ap;

	if (!r->flight)
		return;
	owner = owner_of_trigger(cause, owner);
	for (unsigned i = 0; i < r->nr_pending; i++)
		if (r->pending[i].owner == owner)
			return;		/* the recording that is pending for this owner will show this fault, too */
	if (!has_room(r, owner))
		return;
	n = &r->pending[r->nr_pending++];
	n->cause = cause;
	n->owner = owner;
	va_start(ap, fmt);
	vsnprintf(n->text, sizeof(n->text), fmt, ap);
	va_end(ap);
}

static uint64_t owner_of(const struct xpt_recorder *r, uint32_t tgid)
{
	return r->cfg.owner ? r->cfg.owner(r->cfg.owner_ctx, tgid) : 0;
}

/*
 * Takes a call that has not returned. Its ret is the signal that ended the thread inside of it, or 0. A call that was
 * left by longjmp or an exception does not hang.
 */
static void notice_call(struct xpt_recorder *r, const struct xpt_rec_call *c)
{
	const char *name = xpt_flight__function(r->flight, c->rec.fn);

	if (c->ret)
		xpt_recorder__want(r, XPT_RECORDER_CRASH, owner_of(r, c->tgid), "process %u got signal %d in %s", c->tgid,
				   (int)c->ret, name);
	else if (!(c->flags & XPT_CALL_LEFT) && r->cfg.hang_ns && c->dur_ns >= r->cfg.hang_ns)
		xpt_recorder__want(r, XPT_RECORDER_HANG, owner_of(r, c->tgid),
				   "%s of process %u has not returned for %llu s", name, c->tgid,
				   c->dur_ns / SECOND_NS);
}

/* An Xid that the driver reports without a process counts for the machine. */
static void notice_xid(struct xpt_recorder *r, const struct xpt_rec_xid *x)
{
	xpt_recorder__want(r, XPT_RECORDER_XID, x->tgid ? owner_of(r, x->tgid) : XPT_OWNER_MACHINE,
			   "the driver reported Xid %u", x->xid);
}

void xpt_recorder__take(struct xpt_recorder *r, const void *rec, size_t size)
{
	const struct xpt_rec *head = rec;

	if (!r->flight)
		return;
	xpt_flight__take(r->flight, rec, size);
	if (r->muted)
		return;
	if (head->kind == XPT_REC_INFLIGHT && size >= sizeof(struct xpt_rec_call))
		notice_call(r, rec);
	else if (head->kind == XPT_REC_XID && size >= sizeof(struct xpt_rec_xid))
		notice_xid(r, rec);
}

void xpt_recorder__end(struct xpt_recorder *r)
{
	r->muted = true;
	r->nr_pending = 0;
}

/*
 * Returns whether the owner's last recording began at least COOLDOWN_NS ago, and if so, notes that another one begins
 * now. An owner without an entry takes the one that is unused for longest.
 */
static bool may_record(struct xpt_recorder *r, uint64_t owner, uint64_t now_ns)
{
	struct xpt_recorder_cooldown *oldest = &r->cooldown[0];

	for (unsigned i = 0; i < XPT_RECORDER_COOLDOWNS; i++) {
		struct xpt_recorder_cooldown *c = &r->cooldown[i];

		if (c->owner == owner && c->since_ns) {
			if (now_ns - c->since_ns < COOLDOWN_NS)
				return false;
			c->since_ns = now_ns;
			return true;
		}
		if (c->since_ns < oldest->since_ns)
			oldest = c;
	}
	*oldest = (struct xpt_recorder_cooldown){ owner, now_ns };
	return true;
}

/* Takes the first fault or request whose owner may have a recording now. Returns false if there is none. */
static bool take_trigger(struct xpt_recorder *r, uint64_t now_ns, struct xpt_recorder_trigger *ret_trigger)
{
	for (unsigned i = 0; i < r->nr_pending; i++) {
		struct xpt_recorder_trigger *n = &r->pending[i];

		if (n->cause != XPT_RECORDER_ASKED && !may_record(r, n->owner, now_ns))
			continue;
		*ret_trigger = *n;
		r->nr_pending--;
		memmove(n, n + 1, (r->nr_pending - i) * sizeof(*n));
		return true;
	}
	return false;
}

/* --- writing ----------------------------------------------------------------------------------------- */

static int put_record(void *writer, const void *rec, size_t size)
{
	return xpt_rec_writer__write(writer, rec, size);
}

static int put_clock(struct xpt_rec_writer *w)
{
	const struct xpt_rec_clock c = {
		.rec = { XPT_REC_CLOCK, sizeof(c), 0 }, .monotonic = xpt_now_ns(),
		.boottime = xpt_clock_ns(CLOCK_BOOTTIME), .realtime = xpt_clock_ns(CLOCK_REALTIME),
	};

	return xpt_rec_writer__write(w, &c, sizeof(c));
}

static int put_meta(struct xpt_rec_writer *w, const char *key, const char *value)
{
	struct {
		struct xpt_rec_meta m;
		char text[256];
	} rec = { 0 };
	size_t n = strlen(key) + 1 + strlen(value) + 1;

	if (n > sizeof(rec.text))
		return -E2BIG;
	memcpy(rec.text, key, strlen(key));
	memcpy(rec.text + strlen(key) + 1, value, strlen(value));
	rec.m.rec = (struct xpt_rec){ XPT_REC_META, (__u16)((sizeof(rec.m) + n + 7) & ~(size_t)7), 0 };
	return xpt_rec_writer__write(w, &rec, rec.m.rec.size);
}

static int put_end(struct xpt_rec_writer *w, uint64_t start_ns)
{
	const struct xpt_rec_end end = {
		.rec = { XPT_REC_END, sizeof(end), 0 }, .start_ns = start_ns, .end_ns = xpt_now_ns(),
		.status = -1, .reason = XPT_END_GOES_ON,
	};

	return xpt_rec_writer__write(w, &end, sizeof(end));
}

static int put_all(const struct xpt_recorder *r, struct xpt_rec_writer *w)
{
	struct xpt_flight_stats st;
	char origin[24];
	int err;

	xpt_flight__stats(r->flight, &st);
	st.oldest_ns = st.oldest_ns ? st.oldest_ns : xpt_now_ns();
	snprintf(origin, sizeof(origin), "%" PRIu64, st.oldest_ns);
	err = put_clock(w);
	if (!err)
		err = put_meta(w, "origin", origin);
	if (!err)
		err = put_meta(w, "recorder", r->writing_for.text);
	if (!err)
		err = put_meta(w, "partial", "a flight recorder has the newest calls only");
	if (!err)
		err = xpt_flight__write(r->flight, put_record, w);
	return err ? err : put_end(w, st.oldest_ns);
}

static int write_file(const struct xpt_recorder *r, int fd)
{
	struct xpt_rec_writer *w;
	int err = xpt_rec_writer__new(fd, 0, &w), e;

	if (err)
		return err;
	err = put_all(r, w);
	e = xpt_rec_writer__close(w);
	err = err ? err : e;
	if (!err && fsync(fd))
		err = -errno;
	return err;
}

/*
 * Runs in the child process, whose memory is a copy of the parent's: the records do not change while they are
 * written. Exits with 0 or an errno.
 */
static void write_recording(const struct xpt_recorder *r)
{
	int fd, err;

	xpt_fds__keep_only(&r->files.dir, 1);
	setpriority(PRIO_PROCESS, 0, NICE);
	fd = xpt_recorder_files__create(&r->files);
	err = fd < 0 ? fd : write_file(r, fd);
	if (!err)
		err = xpt_recorder_files__publish(&r->files, r->name);
	if (err && fd >= 0)
		xpt_recorder_files__discard(&r->files, getpid());
	_exit(err ? -err & 0xff : 0);
}

static void begin_writing(struct xpt_recorder *r, struct xpt_engine *e)
{
	r->muted = true;
	xpt_engine__report_inflight(e);
	r->muted = false;
	xpt_recorder_files__make_room(&r->files);
	xpt_recorder_files__name(&r->files, xpt_recorder_cause(r->writing_for.cause), r->name);
	r->writer = fork();
	if (!r->writer)
		write_recording(r);
	if (r->writer > 0)
		return;
	xpt_warn("no recording is written (%s): %s", r->writing_for.text, strerror(errno));
	r->writer = 0;
	r->nr_failed[r->writing_for.cause]++;
}

/* Reports the outcome of the recording, if its writer has ended. */
static void end_writing(struct xpt_recorder *r)
{
	pid_t pid, writer = r->writer;
	int status = 0, err;

	if (!writer)
		return;
	pid = waitpid(r->writer, &status, WNOHANG);
	if (!pid)
		return;
	r->writer = 0;
	err = pid < 0 ? errno : WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	if (err) {
		r->nr_failed[r->writing_for.cause]++;
		xpt_recorder_files__discard(&r->files, writer);
		xpt_warn("no recording was written (%s): %s", r->writing_for.text, strerror(err));
		return;
	}
	r->nr_written[r->writing_for.cause]++;
	xpt_recorder_files__add(&r->files, r->name, r->writing_for.owner);
	xpt_warn("%s: the calls before that are in %s/%s", r->writing_for.text, r->files.path, r->name);
}

static void wait_for_writer(struct xpt_recorder *r)
{
	for (unsigned i = 0; r->writer && i < END_WAITS; i++) {
		end_writing(r);
		if (r->writer)
			usleep(END_WAIT_US);
	}
}

void xpt_recorder__step(struct xpt_recorder *r, struct xpt_engine *e, uint64_t now_ns)
{
	if (!r->flight)
		return;
	xpt_flight__step(r->flight, now_ns);
	end_writing(r);
	if (!r->writer && take_trigger(r, now_ns, &r->writing_for))
		begin_writing(r, e);
}

void xpt_recorder__close(struct xpt_recorder *r)
{
	if (!r->flight)
		return;
	wait_for_writer(r);
	xpt_flight__free(r->flight);
	xpt_recorder_files__close(&r->files);
	*r = (struct xpt_recorder){ .flight = NULL };
}
