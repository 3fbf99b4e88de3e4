// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns JSON lines into wire records, see lines.h. A line becomes a handful of records: the objects that it names for
 * the first time (function, process, thread, stack), then the call. They wait in one buffer until they are asked for.
 *
 * Times: a line has the wall clock, records a monotonic one; a CLOCK record connects them. The
 * first line lies a day after the monotonic clock's zero, so that calls which began before it,
 * but ended later, have a time.
 */
#include "pipeline/recording/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/files/regular.h"
#include "base/hashmap.h"
#include "model/call.h"
#include "model/domain/cap.h"
#include "model/domain/captures.h"
#include "model/kernel/xid_table.h"
#include "model/vocab.h"
#include "pipeline/recording/json_line.h"

#define BEFORE_NS (86400ull * 1000000000ull)
#define BUF_WORDS (8u << 10)	/* more than the longest line makes: a stack, and texts twice */
#define MAX_PROCS 65536
#define MAX_THREADS 65536
#define MAX_STACKS 65536
#define CRASH_SIGNALS 128
#define PARTIAL "JSON lines tell no exact counts and no ends of processes"

struct fn_key {			/* zeroed before it is filled */
	char domain[XPT_LINE_WORD], name[XPT_LINE_NAME];
	uint32_t layer;
};

/* A function that some line has named. */
struct fn {
	uint32_t id;
	struct xpt_captures caps;
	bool known;			/* to the tables of this build */
	struct xpt_cap_type type[XPT_MAX_VALS];
};

struct thread_key {
	uint32_t pid, tid;
};

struct thread {
	char comm[XPT_COMM_LEN];
	/* Classes of the calls that returned inside of the open call, by depth. */
	uint64_t inside[XPT_MAX_DEPTH + 1];
};

struct stack_key {
	uint32_t pid, id;
};

struct xpt_lines {
	struct xpt_json json;
	int fd;				/* -1: not ours */
	struct xpt_line line;
	bool ended;
	int err;			/* how it ended */
	uint64_t offset_ns;		/* the wall clock at the monotonic clock's zero */
	uint64_t origin_ns, end_ns;	/* monotonic */
	uint64_t rejected;
	struct xpt_hashmap *fns;	/* struct fn_key -> struct fn * */
	struct xpt_hashmap *procs;	/* set of uint32_t pid */
	struct xpt_hashmap *threads;	/* struct thread_key -> struct thread */
	struct xpt_hashmap *stacks;	/* set of struct stack_key */
	uint32_t nr_fns;
	struct xpt_early_states early;
	size_t at, used;		/* words of buf that were handed out, and that are filled */
	uint64_t buf[BUF_WORDS];
};

_Static_assert(XPT_CLASS__MAX <= 64, "classes fit a mask");
_Static_assert(XPT_EARLY_STATES * (XPT_LINE_TEXTS + 128) + XPT_LINE_STACK + 2 * XPT_LINE_TEXTS + 4096 < BUF_WORDS * 8,
	       "the names before the first line fit with what that makes");

/* --- records ------------------------------------------------------------------------ */

/* A zeroed record after the others, with room for the strings that follow; NULL: no room. */
static void *begin_record(struct xpt_lines *l, unsigned kind, uint32_t fn, size_t size)
{
	struct xpt_rec *rec = (void *)&l->buf[l->used];
	size_t words = (size + 7) / 8;

	if (words * 8 > XPT_REC_MAX || words > BUF_WORDS - l->used)
		return NULL;
	memset(rec, 0, words * 8);
	rec->kind = (uint16_t)kind;
	rec->size = (uint16_t)(words * 8);
	rec->fn = fn;
	l->used += words;
	return rec;
}

static char *put_text(char *to, const char *s)
{
	size_t n = strlen(s) + 1;

	memcpy(to, s, n);
	return to + n;
}

static void put_meta(struct xpt_lines *l, const char *key, const char *value)
{
	struct xpt_rec_meta *r = begin_record(l, XPT_REC_META, 0,
					      sizeof(*r) + strlen(key) + strlen(value) + 2);

	if (r)
		put_text(put_text((char *)(r + 1), key), value);
}

static void put_loss(struct xpt_lines *l, unsigned loss, uint64_t ts_ns, uint64_t count)
{
	struct xpt_rec_loss *r = begin_record(l, XPT_REC_LOSS, 0, sizeof(*r));

	if (!r)
		return;
	r->ts_ns = ts_ns;
	r->loss = loss;
	r->count = count;
}

static void put_begin(struct xpt_lines *l)
{
	struct xpt_rec_clock *r = begin_record(l, XPT_REC_CLOCK, 0, sizeof(*r));
	char origin[24];

	if (r) {
		r->monotonic = r->boottime = l->origin_ns;
		r->realtime = l->origin_ns + l->offset_ns;
	}
	snprintf(origin, sizeof(origin), "%llu", (unsigned long long)l->origin_ns);
	if (l->origin_ns)
		put_meta(l, "origin", origin);
	put_meta(l, "partial", PARTIAL);
}

static void put_end(struct xpt_lines *l)
{
	struct xpt_rec_end *r;

	if (l->rejected)
		put_loss(l, XPT_LOSS_DECODE_REJECTED, l->end_ns, l->rejected);
	r = begin_record(l, XPT_REC_END, 0, sizeof(*r));
	if (!r)
		return;
	r->start_ns = l->origin_ns;
	r->end_ns = l->end_ns;
	r->status = -1;
}

/* --- functions ------------------------------------------------------------------------ */

/* The number of a name of the vocabulary, `none` if there is none such. */
static unsigned number_of(const char *(*name)(unsigned), unsigned nr, const char *s, unsigned none)
{
	for (unsigned i = 0; i < nr; i++)
		if (!strcmp(name(i), s))
			return i;
	return none;
}

static unsigned layer_of(const struct xpt_line *line)
{
	return number_of(xpt_layer_name, XPT_LAYER__MAX, line->layer, XPT_LAYER_API);
}

/* A capture of a function that no table has: v is the value as the line has it. */
static void add_plain(struct xpt_captures *c, const char *name, unsigned op, unsigned role)
{
	struct xpt_wire_cap *cap = &c->spec.cap[c->spec.nr_caps];

	if (c->spec.nr_caps == XPT_MAX_VALS)
		return;
	*cap = (struct xpt_wire_cap){ .op = (uint8_t)op, .arg = c->spec.nr_caps, .width = 8,
				      .role = (uint8_t)role };
	snprintf(c->name[c->spec.nr_caps++], XPT_CAP_NAME, "%s", name);
}

/* Its bytes and the direction first, which are no arguments and count most. */
static void make_plain(const struct xpt_line *line, struct xpt_captures *c)
{
	*c = (struct xpt_captures){ .spec = { .size_cap = 0xff, .dir_cap = 0xff } };
	c->spec.cls = (uint8_t)number_of(xpt_class_name, XPT_CLASS__MAX, line->cls, XPT_CLASS_OTHER);
	c->spec.kind = (uint8_t)number_of(xpt_kind_name, XPT_KIND__MAX, line->kind, XPT_KIND_NONE);
	c->spec.ret = line->code_is_hex ? XPT_RET_POINTER : line->has_code || line->has_result ?
		      XPT_RET_STATUS : XPT_RET_NONE;
	if (line->has_size)
		add_plain(c, "size", XPT_CAP_CONST, XPT_ROLE_SIZE);
	if (line->direction[0])
		add_plain(c, "dir", XPT_CAP_CONST, XPT_ROLE_DIR);
	for (unsigned i = 0; i < line->nr_args; i++) {
		const struct xpt_line_arg *a = &line->arg[i];
		bool text = a->kind == XPT_LINE_TEXT && !a->is_hex;

		add_plain(c, a->name, text ? XPT_CAP_STR : XPT_CAP_VAL,
			  a->is_hex || text ? XPT_ROLE_NONE : XPT_ROLE_VALUE);
	}
}

static bool has_capture(const struct xpt_captures *c, const char *name)
{
	for (unsigned i = 0; i < c->spec.nr_caps; i++)
		if (!strcmp(c->name[i], name))
			return true;
	return false;
}

/* Makes a function from its domain's row, completed (--args all) if the line has more arguments than the row. */
static void make_known(const struct xpt_domain *d, const struct xpt_line *line, struct fn *f)
{
	const struct xpt_fn_row *row = xpt_domain__row(d, line->name);

	xpt_captures__make(d, row, line->name, XPT_ARGS_ROLES, &f->caps);
	for (unsigned i = 0; i < line->nr_args; i++) {
		if (has_capture(&f->caps, line->arg[i].name))
			continue;
		xpt_captures__make(d, row, line->name, XPT_ARGS_ALL, &f->caps);
		break;
	}
	for (unsigned i = 0; i < f->caps.spec.nr_caps; i++)
		f->type[i] = xpt_sig__cap_type(d->sigs, line->name, &f->caps.spec.cap[i],
					       f->caps.name[i]);
}

/* Does a table describe the function? */
static bool is_known(const struct xpt_domain *d, const struct xpt_line *line)
{
	return d && d->layer == layer_of(line) && xpt_domain__traces(d, line->name);
}

static bool put_fn(struct xpt_lines *l, const struct fn *f)
{
	const struct xpt_line *line = &l->line;
	char base[XPT_LINE_NAME], *to;
	struct xpt_rec_fn *r;

	xpt_fn_base_name(line->name, base, sizeof(base));
	r = begin_record(l, XPT_REC_FN, f->id, sizeof(*r) + 2 * XPT_LINE_NAME + XPT_LINE_WORD +
			 XPT_MAX_VALS * XPT_CAP_NAME);
	if (!r)
		return false;
	r->lib = UINT32_MAX;		/* no line says in which library it is */
	r->layer = (uint8_t)layer_of(line);
	r->spec = f->caps.spec;
	to = put_text(put_text(put_text((char *)(r + 1), line->name), base), line->domain);
	for (unsigned i = 0; i < f->caps.spec.nr_caps; i++)
		to = put_text(to, f->caps.name[i]);
	return true;
}

/* NULL: no room for another function. */
static const struct fn *fn_of(struct xpt_lines *l)
{
	const struct xpt_line *line = &l->line;
	const struct xpt_domain *d;
	struct fn_key key;
	struct fn **slot, *f;

	memset(&key, 0, sizeof(key));
	memcpy(key.domain, line->domain, strlen(line->domain));
	memcpy(key.name, line->name, strlen(line->name));
	key.layer = layer_of(line);
	slot = xpt_hashmap__get(l->fns, &key, NULL);
	if (!slot || *slot)
		return slot ? *slot : NULL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->id = ++l->nr_fns;
	d = xpt_domain__find(line->domain);
	f->known = is_known(d, line);
	if (f->known)
		make_known(d, line, f);
	else
		make_plain(line, &f->caps);
	*slot = f;
	return put_fn(l, f) ? f : NULL;
}

/* --- processes, threads, stacks ----------------------------------------------------------- */

static void note_process(struct xpt_lines *l, uint64_t ts_ns)
{
	const struct xpt_line *line = &l->line;
	uint32_t pid = (uint32_t)line->pid;
	struct xpt_rec_proc *r;
	bool is_new = false;
	char *text;

	if (!xpt_hashmap__get(l->procs, &pid, &is_new) || !is_new)
		return;
	r = begin_record(l, XPT_REC_PROC, 0, sizeof(*r) + sizeof(line->comm) + sizeof(line->container) +
			 sizeof(line->pod) + sizeof(line->slurm_job) + 2);
	if (!r)
		return;
	r->ts_ns = ts_ns;
	r->tgid = pid;
	r->ns_pid = (uint32_t)line->ns_pid;
	text = put_text((char *)(r + 1), line->comm) + 2;	/* no path, no command line */
	put_text(put_text(put_text(text, line->container), line->pod), line->slurm_job);
}

/* NULL: no room. */
static struct thread *note_thread(struct xpt_lines *l, uint64_t ts_ns)
{
	const struct xpt_line *line = &l->line;
	struct thread_key key = { (uint32_t)line->pid, (uint32_t)line->tid };
	struct xpt_rec_task *r;
	struct thread *t;
	bool is_new;

	t = xpt_hashmap__get(l->threads, &key, &is_new);
	if (!t || (!is_new && !strcmp(t->comm, line->comm)))
		return t;
	memcpy(t->comm, line->comm, sizeof(t->comm));
	r = begin_record(l, XPT_REC_TASK, 0, sizeof(*r));
	if (!r)
		return t;
	r->ts_ns = ts_ns;
	r->tgid = key.pid;
	r->tid = key.tid;
	r->event = XPT_TASK_THREAD;
	r->uid = UINT32_MAX;
	memcpy(r->comm, line->comm, sizeof(r->comm));
	return t;
}

/* Returns the id of the line's stack, whose record is emitted before the first use. */
static uint32_t note_stack(struct xpt_lines *l)
{
	const struct xpt_line *line = &l->line;
	struct stack_key key = { (uint32_t)line->pid, (uint32_t)xpt_hash(line->stack, line->stack_len) };
	const char *s = line->stack;
	struct xpt_rec_stack *r;
	bool is_new = true;
	char *to;

	xpt_hashmap__get(l->stacks, &key, &is_new);
	if (!is_new)
		return key.id;
	r = begin_record(l, XPT_REC_STACK, 0, sizeof(*r) + line->stack_len + line->nr_frames);
	if (!r)
		return key.id;
	r->tgid = key.pid;
	r->id = key.id;
	r->nr = line->nr_frames;
	r->truncated = line->truncated;
	to = (char *)(r + 1);
	for (unsigned i = 0; i < line->nr_frames; i++, s += strlen(s) + 1)
		to = put_text(to, s) + 1;	/* and no module */
	return key.id;
}

/* --- calls ---------------------------------------------------------------------------------- */

static const struct xpt_line_arg *arg_of(const struct xpt_line *line, const char *name)
{
	for (unsigned i = 0; i < line->nr_args; i++)
		if (!strcmp(line->arg[i].name, name))
			return &line->arg[i];
	return NULL;
}

/* Values that follow from the function or the copy; false: there is none. */
static bool implied_value(const struct xpt_line *line, const struct xpt_wire_cap *cap, bool known, uint64_t *ret_v)
{
	unsigned dir = number_of(xpt_dir_name, XPT_DIR__MAX, line->direction, XPT_DIR__MAX);

	if (cap->op == XPT_CAP_CONST && known) {
		*ret_v = (uint64_t)(int64_t)cap->off;
		return true;
	}
	*ret_v = cap->role == XPT_ROLE_SIZE ? line->size : dir;
	return cap->role == XPT_ROLE_SIZE ? line->has_size : dir < XPT_DIR__MAX;
}

/* Value i, a number or the name of one; false: the line lacks it. */
static bool value_of(const struct xpt_line *line, const struct fn *f, unsigned i, uint64_t *ret_v)
{
	const struct xpt_wire_cap *cap = &f->caps.spec.cap[i];
	const struct xpt_line_arg *a = arg_of(line, f->caps.name[i]);
	const char *text;

	if (!xpt_cap_is_arg(cap))
		return implied_value(line, cap, f->known, ret_v);
	if (!a || a->kind == XPT_LINE_NULL)
		return false;
	*ret_v = a->number;
	if (a->kind == XPT_LINE_NUMBER || a->is_hex)
		return true;
	text = line->texts + a->text;
	if (cap->role == XPT_ROLE_DIR) {
		*ret_v = number_of(xpt_dir_name, XPT_DIR__MAX, text, XPT_DIR__MAX);
		return *ret_v < XPT_DIR__MAX;
	}
	return f->type[i].constants && xpt_enum__value(f->type[i].constants, text, ret_v);
}

#define TEXTS_ROOM (XPT_LINE_TEXTS + XPT_MAX_VALS)	/* each text once, and an end for each that has none */

/* The texts of the captures that have one, in their order; returns the bytes, 0: there is none. */
static size_t put_strings(const struct xpt_line *line, const struct fn *f, char *to, uint16_t *valid)
{
	size_t len = 0;
	bool any = false;

	for (unsigned i = 0; i < f->caps.spec.nr_caps; i++) {
		const struct xpt_line_arg *a = arg_of(line, f->caps.name[i]);

		if (!xpt_cap_is_string(&f->caps.spec.cap[i]))
			continue;
		if (len + XPT_MAX_VALS >= TEXTS_ROOM)
			break;
		if (a && a->kind == XPT_LINE_TEXT && !a->is_hex &&
		    len + strlen(line->texts + a->text) + XPT_MAX_VALS < TEXTS_ROOM) {
			any = true;
			*valid |= (uint16_t)(1u << i);
			len = (size_t)(put_text(to + len, line->texts + a->text) - to);
		} else {
			to[len++] = '\0';
		}
	}
	return any ? len : 0;
}

/* Judges return values of such functions as the kernel side does. */
static bool is_error(unsigned ret, int64_t code)
{
	switch (ret) {
	case XPT_RET_STATUS:
		return (int32_t)code != 0;
	case XPT_RET_NEGATIVE:
		return (int32_t)code < 0;
	case XPT_RET_POINTER:
		return !code;
	case XPT_RET_LONG:
	case XPT_RET_ERR_PTR:
		return code < 0 && code >= -4095;
	default:
		return false;
	}
}

/*
 * Did a call of the same class run inside? Operations have another type then; for other classes, the calls that
 * returned inside of it decide. Calls come in the order in which they returned.
 */
static bool is_outer(const struct xpt_line *line, const struct fn *f, struct thread *t)
{
	struct xpt_fn fn = { .cls = f->caps.spec.cls, .kind = f->caps.spec.kind,
			     .layer = (uint8_t)layer_of(line) };
	uint64_t bit = 1ull << f->caps.spec.cls, inside;
	unsigned depth = line->depth < XPT_MAX_DEPTH ? (unsigned)line->depth : XPT_MAX_DEPTH - 1;

	inside = t ? t->inside[depth + 1] : 0;
	if (t) {
		t->inside[depth] |= inside | bit;
		t->inside[depth + 1] = 0;
		t->inside[0] = 0;	/* nothing is around the outermost call */
	}
	if (strcmp(xpt_fn__type(&fn, false), xpt_fn__type(&fn, true)) != 0)
		return !strcmp(line->type, xpt_fn__type(&fn, true));
	return inside & bit;
}

static uint8_t flags_of(const struct xpt_line *line, const struct fn *f, bool inflight, struct thread *t)
{
	unsigned ret = f->caps.spec.ret, flags = line->depth ? XPT_CALL_NESTED : 0;

	if (inflight)
		return (uint8_t)(flags | (line->left ? XPT_CALL_LEFT : 0));
	if (is_outer(line, f, t))
		flags |= XPT_CALL_OUTER;
	if (line->failed || (line->has_code && is_error(ret, line->code)))
		flags |= XPT_CALL_FAILED;
	if (!line->has_code && ret != XPT_RET_NONE)
		flags |= XPT_CALL_NO_RESULT;
	return (uint8_t)(flags | (line->nr_frames ? XPT_CALL_STACK : 0));
}

static int64_t signal_of(const char *name)
{
	char buf[32];

	for (unsigned i = 1; *name && i < CRASH_SIGNALS; i++)
		if (!strcmp(xpt_signal_name(i, buf, sizeof(buf)), name))
			return i;
	return 0;
}

/* Gives back the room that its texts do not need. */
static void end_call(struct xpt_lines *l, struct xpt_rec_call *r, unsigned words)
{
	size_t size = (sizeof(*r) + words * sizeof(uint64_t) + r->str_len + 7) / 8 * 8;

	l->used -= (r->rec.size - size) / 8;
	r->rec.size = (uint16_t)size;
}

static void put_call(struct xpt_lines *l, const struct fn *f, uint64_t start_ns, bool inflight,
		     struct thread *t)
{
	const struct xpt_line *line = &l->line;
	uint32_t stack = line->nr_frames ? note_stack(l) : 0;
	struct xpt_rec_call *r = begin_record(l, inflight ? XPT_REC_INFLIGHT : XPT_REC_CALL, f->id,
					      sizeof(*r) + XPT_MAX_WORDS * sizeof(uint64_t) +
					      TEXTS_ROOM);
	unsigned n = f->caps.spec.nr_caps, words = n;

	if (!r) {
		l->rejected++;
		return;
	}
	r->start_ns = start_ns;
	r->dur_ns = inflight ? line->age_ns : line->dur_ns;
	r->tgid = (uint32_t)line->pid;
	r->tid = (uint32_t)line->tid;
	r->ret = inflight ? signal_of(line->signal) : line->code;
	r->nr_vals = (uint8_t)n;
	r->depth = line->depth < XPT_MAX_DEPTH ? (uint8_t)line->depth : XPT_MAX_DEPTH - 1;
	r->flags = flags_of(line, f, inflight, t);
	if (inflight && line->nr_frames)
		r->flags |= XPT_CALL_STACK;
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = 0;

		if (value_of(line, f, i, &v))
			r->valid |= (uint16_t)(1u << i);
		r->val[i] = v;
	}
	if (line->nr_frames)
		r->val[words++] = stack;
	r->str_len = (uint16_t)put_strings(line, f, (char *)&r->val[words], &r->valid);
	end_call(l, r, words);
}

/* --- lines ------------------------------------------------------------------------------------ */

/* When the call began; false: at no time that a record can have. */
static bool start_of(const struct xpt_lines *l, bool inflight, uint64_t *ret_ns)
{
	const struct xpt_line *line = &l->line;
	uint64_t took = inflight ? line->age_ns : line->dur_ns, start = line->ts_ns;

	if (line->phase == 'E' && __builtin_sub_overflow(start, took, &start))
		return false;
	if (__builtin_sub_overflow(start, l->offset_ns, ret_ns))
		return false;
	return *ret_ns <= UINT64_MAX - took;
}

static void on_call(struct xpt_lines *l)
{
	const struct xpt_line *line = &l->line;
	bool inflight = line->in_flight || line->left;
	const struct fn *f;
	uint64_t start, end;
	struct thread *t;

	if (line->phase == 'B' && !inflight)	/* all of it is in the E line that follows */
		return;
	f = start_of(l, inflight, &start) ? fn_of(l) : NULL;
	if (!f) {
		l->rejected++;
		return;
	}
	end = start + (inflight ? line->age_ns : line->dur_ns);
	l->end_ns = end > l->end_ns ? end : l->end_ns;
	note_process(l, start);
	t = note_thread(l, start);
	put_call(l, f, start, inflight, t);
}

static uint64_t time_of(const struct xpt_lines *l)
{
	return l->line.ts_ns > l->offset_ns ? l->line.ts_ns - l->offset_ns : 0;
}

static void on_xid(struct xpt_lines *l)
{
	const struct xpt_line *line = &l->line;
	struct xpt_rec_xid *r = begin_record(l, XPT_REC_XID, 0, sizeof(*r) + sizeof(line->device) +
					     sizeof(line->text));

	if (!r)
		return;
	r->ts_ns = time_of(l);
	r->xid = (uint32_t)line->xid;
	r->tgid = line->named ? (uint32_t)line->pid : 0;
	r->minor = XPT_XID_NO_MINOR;
	r->source = xpt_xid__source_of(line->source);
	put_text(put_text((char *)(r + 1), line->device), line->text);
}

static void put_states(struct xpt_lines *l, const char *kind, const char *names)
{
	char key[XPT_LINE_WORD + 16];

	snprintf(key, sizeof(key), "states:%s", kind);
	put_meta(l, key, names);
}

static void on_line(struct xpt_lines *l)
{
	const struct xpt_line *line = &l->line;
	unsigned loss;

	switch (line->content) {
	case XPT_LINE_CALL:
		on_call(l);
		break;
	case XPT_LINE_XID:
		on_xid(l);
		break;
	case XPT_LINE_DEVICE:
		break;
	case XPT_LINE_STATES:
		put_states(l, line->kind, line->texts + 1);
		break;
	case XPT_LINE_LOSS:
		loss = number_of(xpt_loss_name, XPT_LOSS__MAX, line->name, XPT_LOSS__MAX);
		if (loss < XPT_LOSS__MAX)	/* the limit of a file has no number */
			put_loss(l, loss, time_of(l), line->count ? line->count : 1);
		break;
	default:
		l->rejected++;
		break;
	}
}

static ssize_t read_file(void *ctx, void *buf, size_t n)
{
	const int *fd = ctx;
	ssize_t got;

	do
		got = read(*fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got;
}

static int make_tables(struct xpt_lines *l)
{
	int err = xpt_hashmap__new(sizeof(struct fn_key), sizeof(struct fn *), XPT_MAX_FNS - 1, &l->fns);

	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), 1, MAX_PROCS, &l->procs);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct thread_key), sizeof(struct thread), MAX_THREADS,
				       &l->threads);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct stack_key), 1, MAX_STACKS, &l->stacks);
	return err;
}

/* The first line, which says that this is a trace, and when it was. */
static int begin_trace(struct xpt_lines *l)
{
	int more = xpt_early_states__read(&l->early, &l->json, &l->line);

	if (more <= 0 || l->line.content == XPT_LINE_NONE)
		return more == -EIO || more == -ENOMEM ? more : -EINVAL;
	l->offset_ns = l->line.ts_ns > BEFORE_NS ? l->line.ts_ns - BEFORE_NS : 0;
	l->origin_ns = time_of(l);
	if (l->line.phase == 'E')
		l->origin_ns -= l->line.dur_ns < l->origin_ns ? l->line.dur_ns : 0;
	l->end_ns = l->origin_ns;
	put_begin(l);
	for (unsigned i = 0; i < l->early.nr; i++)
		put_states(l, l->early.of[i].kind, l->early.of[i].names);
	l->rejected += l->early.left_out;
	on_line(l);
	return 0;
}

static int start_reading(struct xpt_lines *l, xpt_json_read_fn read, void *ctx, struct xpt_lines **ret_l)
{
	int err = xpt_json__init(&l->json, read, ctx);

	if (!err)
		err = make_tables(l);
	if (!err)
		err = begin_trace(l);
	if (err) {
		xpt_lines__close(l);
		return err;
	}
	*ret_l = l;
	return 0;
}

int xpt_lines__new(xpt_json_read_fn read, void *ctx, struct xpt_lines **ret_l)
{
	struct xpt_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->fd = -1;
	return start_reading(l, read, ctx, ret_l);
}

int xpt_lines__open(const char *path, struct xpt_lines **ret_l)
{
	struct xpt_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->fd = xpt_regular__open_below(-1, path);
	if (l->fd < 0) {
		int err = l->fd;

		free(l);
		return err;
	}
	return start_reading(l, read_file, &l->fd, ret_l);
}

int xpt_lines__next(struct xpt_lines *l, const void **ret_rec, size_t *ret_size)
{
	const struct xpt_rec *rec;
	int more;

	while (l->at == l->used) {
		l->at = l->used = 0;
		if (l->ended)
			return l->err;
		more = xpt_line__read(&l->json, &l->line);
		if (more > 0) {
			on_line(l);
			continue;
		}
		l->ended = true;
		l->err = more;
		put_end(l);
	}
	rec = (const void *)&l->buf[l->at];
	l->at += rec->size / 8;
	*ret_rec = rec;
	*ret_size = rec->size;
	return 1;
}

uint64_t xpt_lines__offset(const struct xpt_lines *l)
{
	return xpt_json__offset(&l->json);
}

void xpt_lines__close(struct xpt_lines *l)
{
	const void *key;
	size_t pos = 0;
	void *val;

	if (!l)
		return;
	while (l->fns && xpt_hashmap__next(l->fns, &pos, &key, &val))
		free(*(struct fn **)val);
	xpt_hashmap__free(l->fns);
	xpt_hashmap__free(l->procs);
	xpt_hashmap__free(l->threads);
	xpt_hashmap__free(l->stacks);
	xpt_early_states__free(&l->early);
	xpt_json__free(&l->json);
	if (l->fd >= 0)
		close(l->fd);
	free(l);
}
