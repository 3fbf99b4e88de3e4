// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sums of hooks: added up over CPUs, with texts for keys. Addresses can be
 * named while their process is known, so the keys that an ending process left
 * in the table are named then. Rows are never merged by equal names: those that
 * would look the same are distinguished by process or address.
 */
#include "engine/sources/hooks/hook_source.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "engine/calls/callers.h"
#include "engine/function_ids.h"
#include "engine/priv.h"
#include "engine/processes/process_lives.h"
#include "engine/sources/hooks/hook_enums.h"
#include "engine/sources/hooks/hook_source_priv.h"
#include "engine/sources/hooks/hook_texts.h"
#include "engine/sources/ioctl_source.h"
#include "proc/symbols/symbolize.h"
#include "wire/config.h"
#include "call.skel.h"

#define SMALL (1 << 20)
#define LOOK_NS 1000000ull	/* a look at all keys that took longer */
#define LOOK_REST 9		/* is not repeated for so many times as long */
#define TEXT_MAX 8192		/* bytes of one part of a key; longer stacks are cut */

struct row {
	struct xpt_wire_hook_key key;
	struct xpt_wire_hook_val val;
	const struct xpt_hook *h;
	char *text[XPT_HOOK_KEYS];
};

struct rows {
	struct row **v;
	size_t n, cap;
};

/* --- keys ------------------------------------------------------------------------- */

static bool means_process(uint8_t kind)
{
	return kind == XPT_HOOK_KEY_USYM || kind == XPT_HOOK_KEY_STACK;
}

/* when: of its life, NULL if that is not known. */
static char *name_word(struct xpt_engine *e, const struct xpt_hook_word *w, const struct xpt_span *when)
{
	struct xpt_strbuf sb;
	char *text;

	xpt_strbuf__init(&sb, TEXT_MAX);
	if (w->kind == XPT_HOOK_KEY_STACK)
		xpt_callers__add_stack(e, w->tgid, when, w->word, &sb);
	else
		xpt_callers__add_symbol(e, w->tgid, when, w->word, &sb);
	text = strdup(xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	return text;
}

static const struct xpt_hook *hook_of_map(const struct xpt_engine *e, uint32_t map)
{
	return map < e->cfg.nr_hooks ? &e->cfg.hooks[map] : NULL;
}

static struct xpt_hook_word word_of(const struct xpt_hook *h, const struct xpt_wire_hook_key *key, unsigned i)
{
	return (struct xpt_hook_word){ .tgid = key->tgid, .kind = h->key[i].kind, .life = key->life,
				       .word = key->word[h->prog.key[i].at] };
}

/* Names a key for the life that it is of. Naming may read records, which add to the tables. */
static void name_key(struct xpt_engine *e, const struct xpt_hook *h, const struct xpt_wire_hook_key *key,
		     const struct xpt_span *when)
{
	struct xpt_hooks *hs = xpt_hooks__of(e);

	for (unsigned i = 0; i < h->prog.nr_keys; i++) {
		struct xpt_hook_word w = word_of(h, key, i);
		char *text, **slot;

		if (!means_process(w.kind) || xpt_hashmap__find(hs->texts, &w))
			continue;
		text = name_word(e, &w, when);
		slot = text ? xpt_hashmap__get(hs->texts, &w, NULL) : NULL;
		if (slot && !*slot)
			*slot = text;
		else
			free(text);
	}
}

/* Names the keys of a table that are of lives that have ended. */
static void name_keys(struct xpt_engine *e, const struct bpf_map *table)
{
	struct xpt_hashmap *naming = xpt_hooks__of(e)->naming;
	struct xpt_wire_hook_key key, *prev = NULL;
	int fd = bpf_map__fd(table);
	size_t seen = 0;

	for (; seen < 2 * XPT_HOOK_ROWS && !bpf_map_get_next_key(fd, prev, &key); prev = &key, seen++) {
		const struct xpt_hook_life life = { key.tgid, key.life };
		const struct xpt_hook *h = hook_of_map(e, key.map);
		const struct xpt_span *when = h ? xpt_hashmap__find(naming, &life) : NULL;

		if (when)
			name_key(e, h, &key, when);
	}
}

/* Looks at all keys, for those of lives that have ended. Those that end meanwhile have their turn later. */
static void name_ended(struct xpt_engine *e)
{
	struct xpt_hooks *hs = xpt_hooks__of(e);
	struct xpt_hashmap *naming = hs->ended;
	uint64_t began = xpt_now_ns(), took;

	hs->ended = hs->naming;
	hs->naming = naming;
	hs->is_naming = true;
	name_keys(e, e->skel->maps.xpt_hook_vals);
	name_keys(e, e->skel->maps.xpt_hook_spare);
	hs->is_naming = false;
	xpt_hashmap__clear(naming);
	took = xpt_now_ns() - began;
	if (took > LOOK_NS)
		hs->next_look_ns = began + (1 + LOOK_REST) * took;
}

/* Who has filled the table, and ends processes all the time, gets a part of our time only. */
void xpt_hooks__step(struct xpt_engine *e)
{
	struct xpt_hooks *hs = xpt_hooks__of(e);

	if (hs && !hs->is_naming && xpt_hashmap__len(hs->ended) && xpt_now_ns() >= hs->next_look_ns)
		name_ended(e);
}

void xpt_hooks__on_task(struct xpt_engine *e, const struct xpt_sent_task *t)
{
	struct xpt_hooks *hs = xpt_hooks__of(e);
	struct xpt_hook_life life = { t->task.tgid, 0 };
	struct xpt_span when, *slot;

	if (hs && xpt_hooks_any(e->cfg.hooks, e->cfg.nr_hooks, xpt_hook__wants_symbols))
		life.life = xpt_lives__ended(e, t, &when);
	if (!life.life)
		return;
	xpt_callers__on_end(e->callers, (int)t->task.tgid, t->task.ts_ns);
	slot = xpt_hashmap__get(hs->ended, &life, NULL);
	if (slot)
		*slot = when;
	if (!hs->is_naming && (!slot || xpt_hashmap__len(hs->ended) == XPT_HOOK_ROWS))
		name_ended(e);
	else
		xpt_hooks__step(e);
}

/* Returns the text of a word: as it was when its life ended, or as it is now. */
static char *word_text(struct xpt_engine *e, const struct xpt_hook_word *w)
{
	const struct xpt_life *l = xpt_lives__find(e, w->tgid);
	struct xpt_span when = { l ? l->since_ns : 0, UINT64_MAX };
	char **had = xpt_hashmap__find(xpt_hooks__of(e)->texts, w);

	return had && *had ? strdup(*had) : name_word(e, w, l && l->nr == w->life ? &when : NULL);
}

static char *printf_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *printf_text(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return s;
}

/* Copies a name that others chose: bytes that cannot be shown become question marks. */
static char *clean_comm(const __u64 *word)
{
	char *s = strndup((const char *)word, XPT_HOOK_SHORT);

	if (s)
		xpt_utf8__clean(s, "");
	return s;
}

/* How the result of a hook's functions is called, which are of one library; NULL: nothing is known of it. */
static const struct xpt_result *name_result(const struct xpt_hook *h, int64_t code)
{
	const struct xpt_probe *p = &h->probe;
	const struct xpt_domain *d = p->kind < XPT_PROBE_KERNEL ? xpt_hooks__domain(p->path) : NULL;

	if (p->kind == XPT_PROBE_IOCTL || (p->kind == XPT_PROBE_KERNEL && code < 0))	/* an errno */
		d = xpt_domain__find("ioctl");
	return d ? xpt_domain__result(d, code) : NULL;
}

/* A name that all hooks of the table have for it, else the number. */
static char *result_text(struct xpt_engine *e, const struct row *r, int64_t code)
{
	const struct xpt_result *res = name_result(r->h, code), *other;

	for (uint32_t i = 0; res && i < e->cfg.nr_hooks; i++) {
		if (e->cfg.hooks[i].prog.map != r->key.map)
			continue;
		other = name_result(&e->cfg.hooks[i], code);
		if (!other || strcmp(other->name, res->name))
			res = NULL;
	}
	return res ? strdup(res->name) : printf_text("%" PRId64, code);
}

/* The word number n of a list; beyond it the number. */
static char *name_of(const char *names, uint64_t n)
{
	uint64_t left = n;

	while (*names && left--) {
		names += strcspn(names, " ");
		names += *names == ' ';
	}
	return *names ? strndup(names, strcspn(names, " ")) : printf_text("%" PRIu64, n);
}

static char *function_text(struct xpt_engine *e, uint64_t id)
{
	char name[XPT_IOCTL_NAME_MAX];

	if (xpt_ioctl__function(e, id, name, sizeof(name)))
		return strdup(name);
	return strdup(id < e->nr_fns && e->fns[id].sym ? e->fns[id].sym : "?");
}

static char *key_text(struct xpt_engine *e, const struct row *r, unsigned i)
{
	const __u64 *word = &r->key.word[r->h->prog.key[i].at];
	struct xpt_hook_word w = word_of(r->h, &r->key, i);

	switch (w.kind) {
	case XPT_HOOK_KEY_TEXT:
		return xpt_hook_texts__find(e, *word);
	case XPT_HOOK_KEY_COMM:
		return clean_comm(word);
	case XPT_HOOK_KEY_FUNC:
		return function_text(e, *word);
	case XPT_HOOK_KEY_RESULT:
		return result_text(e, r, (int64_t)*word);
	case XPT_HOOK_KEY_NAMES:
		return name_of(r->h->key[i].names, *word);
	case XPT_HOOK_KEY_ENUM:
		return xpt_hook_enums__name(xpt_hooks__of(e)->enums, r->key.map, i, *word);
	case XPT_HOOK_KEY_SIGNED:
		return printf_text("%" PRId64, (int64_t)*word);
	case XPT_HOOK_KEY_USYM:
	case XPT_HOOK_KEY_STACK:
		return word_text(e, &w);
	default:	/* so large a word is an address, but for small numbers below 0 */
		if ((int64_t)*word < 0 && (int64_t)*word > -SMALL)
			return printf_text("%" PRId64, (int64_t)*word);
		return printf_text(*word >> 40 ? "0x%" PRIx64 : "%" PRIu64, (uint64_t)*word);
	}
}

/* --- rows --------------------------------------------------------------------------- */

static void add_val(struct xpt_wire_hook_val *sum, const void *one, bool hists)
{
	struct xpt_wire_hook_val v = { 0 };

	memcpy(&v, one, hists ? sizeof(v) : XPT_HOOK_VAL_HEAD);
	sum->count += v.count;
	sum->sum += v.sum;
	sum->min = v.min > sum->min ? v.min : sum->min;
	sum->max = v.max > sum->max ? v.max : sum->max;
	for (unsigned i = 0; hists && i < XPT_HOOK_BUCKETS; i++)
		sum->bucket[i] += v.bucket[i];
}

static bool add_row(struct xpt_engine *e, struct rows *rows, const struct xpt_wire_hook_key *key,
		    const char *vals, int cpus)
{
	bool hists = e->skel->rodata->cfg.hook_hists;
	size_t size = hists ? sizeof(struct xpt_wire_hook_val) : XPT_HOOK_VAL_HEAD;
	struct row *r = calloc(1, sizeof(*r)), **more;

	if (r && rows->n == rows->cap) {
		rows->cap = rows->cap ? 2 * rows->cap : 64;
		more = reallocarray(rows->v, rows->cap, sizeof(*more));
		if (!more) {
			free(r);
			return false;
		}
		rows->v = more;
	}
	if (!r)
		return false;
	r->key = *key;
	r->h = hook_of_map(e, key->map);
	for (int i = 0; i < cpus; i++)
		add_val(&r->val, vals + (size_t)i * size, hists);
	rows->v[rows->n++] = r;
	for (unsigned i = 0; r->h && i < r->h->prog.nr_keys; i++)
		r->text[i] = key_text(e, r, i);
	return true;
}

static void free_row(struct row *r)
{
	for (unsigned i = 0; r && i < XPT_HOOK_KEYS; i++)
		free(r->text[i]);
	free(r);
}

static void free_rows(struct rows *rows)
{
	while (rows->n)
		free_row(rows->v[--rows->n]);
	free(rows->v);
}

/* Adds the row of a key, with the values of both tables: when the first table is read, or where it has nothing. */
static bool read_row(struct xpt_engine *e, struct rows *rows, const struct xpt_wire_hook_key *key, bool is_spare, char *vals)
{
	const struct bpf_map *first = e->skel->maps.xpt_hook_vals, *spare = e->skel->maps.xpt_hook_spare;
	size_t n = 0;

	if (!bpf_map_lookup_elem(bpf_map__fd(first), key, vals))
		n = (size_t)libbpf_num_possible_cpus();
	if (is_spare && n)
		return true;
	if (!bpf_map_lookup_elem(bpf_map__fd(spare), key, vals + n * bpf_map__value_size(spare)))
		n++;
	return !n || add_row(e, rows, key, vals, (int)n);
}

static void read_table(struct xpt_engine *e, struct rows *rows, bool is_spare, char *vals)
{
	int fd = bpf_map__fd(is_spare ? e->skel->maps.xpt_hook_spare : e->skel->maps.xpt_hook_vals);
	struct xpt_wire_hook_key key, *prev = NULL;
	size_t seen = 0;

	for (; seen < 2 * XPT_HOOK_ROWS && !bpf_map_get_next_key(fd, prev, &key); prev = &key, seen++)
		if (!read_row(e, rows, &key, is_spare, vals))
			break;
}

static void read_rows(struct xpt_engine *e, struct rows *rows)
{
	int cpus = libbpf_num_possible_cpus();
	char *vals = cpus > 0 ? calloc((size_t)cpus + 1, sizeof(struct xpt_wire_hook_val)) : NULL;

	if (vals) {
		read_table(e, rows, false, vals);
		read_table(e, rows, true, vals);
	}
	free(vals);
}

static int compare_texts(const struct row *a, const struct row *b)
{
	int diff = 0;

	for (unsigned i = 0; !diff && i < XPT_HOOK_KEYS; i++)
		diff = strcmp(a->text[i] ? a->text[i] : "", b->text[i] ? b->text[i] : "");
	return diff;
}

static int by_text(const void *x, const void *y)
{
	const struct row *a = *(struct row *const *)x, *b = *(struct row *const *)y;

	int diff = a->key.map == b->key.map ? compare_texts(a, b) : a->key.map < b->key.map ? -1 : 1;

	if (!diff)
		diff = a->key.tgid == b->key.tgid ? 0 : a->key.tgid < b->key.tgid ? -1 : 1;
	return diff || a->key.life == b->key.life ? diff : a->key.life < b->key.life ? -1 : 1;
}

static int64_t size_of(const struct row *r)
{
	int64_t sum = (int64_t)r->val.sum;

	switch (r->h->prog.action) {
	case XPT_HOOK_SUM: return sum;
	case XPT_HOOK_MIN: return XPT_HOOK_FROM_MIN(r->val.min);
	case XPT_HOOK_MAX: return XPT_HOOK_FROM_MAX(r->val.max);
	case XPT_HOOK_AVG: return r->val.count ? sum / (int64_t)r->val.count : 0;
	default: return (int64_t)r->val.count;
	}
}

static int by_size(const void *x, const void *y)
{
	const struct row *a = *(struct row *const *)x, *b = *(struct row *const *)y;

	if (a->key.map != b->key.map)
		return a->key.map < b->key.map ? -1 : 1;
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	return compare_texts(a, b);
}

/* Stacks begin at the caller: of two functions, or places, they may be the same. */
static bool same_stacks(const struct row *a, const struct row *b)
{
	bool stack = false;

	for (unsigned i = 0; i < a->h->prog.nr_keys; i++) {
		uint8_t at = a->h->prog.key[i].at;

		if (a->h->key[i].kind == XPT_HOOK_KEY_STACK)
			stack = true;
		else if (a->key.word[at] != b->key.word[at])
			return false;
	}
	return stack && a->key.tgid == b->key.tgid && a->key.life == b->key.life;
}

/* Merges rows of equal text, from..to, whose stacks are the same. Returns the new end. */
static size_t merge_stacks(struct rows *rows, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		for (size_t k = i + 1; k < to;) {
			if (!same_stacks(rows->v[i], rows->v[k])) {
				k++;
				continue;
			}
			add_val(&rows->v[i]->val, &rows->v[k]->val, true);
			free_row(rows->v[k]);
			memmove(&rows->v[k], &rows->v[k + 1], (rows->n - k - 1) * sizeof(*rows->v));
			rows->n--;
			to--;
		}
	}
	return to;
}

/* The fields by which rows with equal texts differ. */
struct differ {
	bool pid, life, address;
};

static struct differ find_difference(const struct rows *rows, size_t from, size_t to)
{
	struct differ d = { false, false, false };

	/* They lie by process, life and words. */
	for (size_t i = from + 1; i < to; i++) {
		const struct xpt_wire_hook_key *a = &rows->v[i - 1]->key, *b = &rows->v[i]->key;

		if (a->tgid != b->tgid)
			d.pid = true;
		else if (a->life != b->life)
			d.life = true;
		else
			d.address = true;
	}
	return d;
}

/* Adds to the first name of code how rows differ: process, number of its program, or address. */
static void mark_difference(struct row *r, const struct differ *d, unsigned life)
{
	char pid[24] = "", nr[24] = "", addr[32] = "";

	for (unsigned i = 0; i < r->h->prog.nr_keys; i++) {
		char *text = r->text[i];
		bool stack = r->h->key[i].kind == XPT_HOOK_KEY_STACK;

		if (!means_process(r->h->key[i].kind) || !text)
			continue;
		if (d->pid || d->life || stack)
			snprintf(pid, sizeof(pid), "process %u", r->key.tgid);
		if (d->life)
			snprintf(nr, sizeof(nr), ", program %u", life);
		if (d->address && !stack)
			snprintf(addr, sizeof(addr), "%s0x%" PRIx64, pid[0] ? ", " : "",
				 (uint64_t)r->key.word[r->h->prog.key[i].at]);
		r->text[i] = printf_text("%s (%s%s%s)", text, pid, nr, addr);
		free(text);
		return;
	}
}

static void distinguish_rows(struct rows *rows)
{
	size_t from, to, i;
	struct differ d;
	unsigned life;

	qsort(rows->v, rows->n, sizeof(*rows->v), by_text);
	for (from = 0; from < rows->n; from = to) {
		for (to = from + 1; to < rows->n && rows->v[from]->key.map == rows->v[to]->key.map &&
		     !compare_texts(rows->v[from], rows->v[to]); to++)
			;
		to = merge_stacks(rows, from, to);
		d = find_difference(rows, from, to);
		for (i = from, life = 1; to - from > 1 && i < to; i++) {
			const struct xpt_wire_hook_key *a = &rows->v[i ? i - 1 : 0]->key, *b = &rows->v[i]->key;

			if (i > from)
				life = a->tgid != b->tgid ? 1 : life + (a->life != b->life);
			mark_difference(rows->v[i], &d, life);
		}
	}
}

/* Makes the record in e->scratch. Returns its size, or 0 if it does not fit. */
static size_t make_record(struct xpt_engine *e, const struct row *r)
{
	struct xpt_rec_hook *rec = memset(e->scratch, 0, sizeof(*rec));
	unsigned first = 0, end = r->h->prog.action >= XPT_HOOK_LOG2 ? XPT_HOOK_BUCKETS : 0;
	size_t at, need = 0;

	while (first < end && !r->val.bucket[first])
		first++;
	while (end > first && !r->val.bucket[end - 1])
		end--;
	rec->rec.kind = XPT_REC_HOOK;
	rec->action = r->h->prog.action;
	rec->nr_keys = r->h->prog.nr_keys;
	rec->first = (uint8_t)(first < end ? first : 0);
	rec->nr_buckets = (uint8_t)(end - first);
	rec->is_time = r->h->is_time;
	rec->count = r->val.count;
	if (rec->action != XPT_HOOK_COUNT) {
		rec->sum = (int64_t)r->val.sum;
		rec->min = XPT_HOOK_FROM_MIN(r->val.min);
		rec->max = XPT_HOOK_FROM_MAX(r->val.max);
	}
	rec->steps = (uint8_t)r->h->prog.nr_buckets;
	rec->low = r->h->prog.low;
	rec->step = r->h->prog.step;
	memcpy(rec + 1, &r->val.bucket[first], (end - first) * 8u);
	at = sizeof(*rec) + (end - first) * 8u;
	for (unsigned i = 0; i < rec->nr_keys; i++)
		need += strlen(r->text[i] ? r->text[i] : "?") + sizeof(r->h->key[i].text);
	if (at + need + XPT_HOOK_NAME + 8 > XPT_REC_MAX)
		return 0;
	at = xpt_facts__add_str(e, at, r->h->name);
	for (unsigned i = 0; i < rec->nr_keys; i++) {
		at = xpt_facts__add_str(e, at, r->h->key[i].text);
		at = xpt_facts__add_str(e, at, r->text[i] ? r->text[i] : "?");
	}
	return at;
}

void xpt_hooks__rows(struct xpt_engine *e, void (*fn)(void *ctx, const void *rec, size_t size), void *ctx)
{
	struct rows rows = { 0 };
	size_t i, size;

	if (!xpt_hooks__of(e))
		return;
	if (!xpt_hooks__of(e)->is_naming && xpt_hashmap__len(xpt_hooks__of(e)->ended))
		name_ended(e);
	read_rows(e, &rows);
	if (rows.n) {
		distinguish_rows(&rows);
		qsort(rows.v, rows.n, sizeof(*rows.v), by_size);
	}
	for (i = 0; i < rows.n; i++) {
		size = make_record(e, rows.v[i]);
		if (size)
			fn(ctx, e->scratch, size);
	}
	free_rows(&rows);
}

static void emit_row(void *ctx, const void *rec, size_t size)
{
	(void)rec;
	xpt_facts__emit(ctx, size);
}

void xpt_hooks__emit(struct xpt_engine *e)
{
	xpt_hooks__rows(e, emit_row, e);
}
