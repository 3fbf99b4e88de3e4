// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Looks at stubs' slots in processes through /proc/PID/mem, when a library is
 * seen mapped and some time after, because the loader comes to the slots only
 * then and tools later still. What was found changed goes back to its symbol:
 * all probes of the library are taken away and attached anew. A function whose
 * returns cannot be seen there (returns.h) is not traced any more.
 */
#include "engine/libraries/stub_slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/time.h"
#include "wire/config.h"
#include "call.skel.h"
#include "elf/elf.h"
#include "proc/maps.h"
#include "engine/priv.h"
#include "proc/remote.h"
#include "engine/attach/shared.h"

#define MAX_SEGS 4
#define MAX_SPAN (1u << 20)	/* bytes from the first slot to the last that are read at once */
#define MAX_WAITING 4096	/* processes that are looked at again */
#define STEP_NS 5000000ull
#define REST 19			/* times what looks took, before the next ones */
#define MAX_RELINKS 8		/* of one library: its calls are not seen meanwhile */

/* After the mapping: the loader is done, a tool has started, the program has. */
static const uint64_t looks_ns[] = { 100000000u, 1000000000u, 10000000000u };

struct slot {
	struct xpt_site symbol;	/* the function's site if it is not moved */
	uint64_t vaddr, impl, in_file;
	uint64_t offset, exit_offset;	/* where its probes are */
	int plan;		/* its index there */
	bool changed, gone;	/* gone: it has no probes any more */
	struct xpt_returns returns;	/* once it is changed */
	char *sym;
};

struct xpt_slots {
	struct slot *slot;
	size_t nr;
	uint64_t lo, hi;	/* their addresses, hi behind the last */
	uint64_t seg[MAX_SEGS][3];	/* code: offset and size in the file, address */
	/* Once attached: */
	int fd;
	uint64_t *offsets, *cookies;
	uint32_t n, relinks;
};

struct waiting {
	uint64_t bias, mapped_ns;
	uint32_t lib, look;
	bool told;		/* that its calls are not seen */
};

/* --- slots of a file ------------------------------------------------------------------ */

static bool add_slot(struct xpt_slots *s, struct xpt_elf *elf, const struct xpt_plan *p, int index)
{
	struct slot *slot = &s->slot[s->nr];
	struct xpt_sym sym = { .name = p->sym, .vaddr = p->sym_vaddr };

	*slot = (struct slot){
		.vaddr = p->site.slot_vaddr,
		.impl = p->site.impl_vaddr,
		.offset = p->site.offset,
		.exit_offset = p->site.exit_offset,
		.plan = index,
		.returns.of = p->returns.of,
	};
	xpt_returns__replaced(&slot->returns);
	if (!xpt_elf__offset(elf, sym.vaddr, &sym.offset) ||
	    xpt_elf__read(elf, slot->vaddr, &slot->in_file, sizeof(slot->in_file)) !=
		    sizeof(slot->in_file))
		return false;
	xpt_elf__site(elf, &sym, false, &slot->symbol);
	slot->symbol.reason = "symbol: a running process has changed the stub's slot";
	slot->sym = strdup(p->sym);
	if (!slot->sym)
		return false;
	if (!s->nr || slot->vaddr < s->lo)
		s->lo = slot->vaddr;
	if (!s->nr || slot->vaddr + sizeof(uint64_t) > s->hi)
		s->hi = slot->vaddr + sizeof(uint64_t);
	return true;
}

int xpt_slots__new(struct xpt_elf *elf, const struct xpt_plan *plan, int n,
		   struct xpt_slots **ret_slots)
{
	struct xpt_slots *s = calloc(1, sizeof(*s));
	int i;

	if (s)
		s->slot = calloc((size_t)n + 1, sizeof(*s->slot));
	if (!s || !s->slot) {
		free(s);
		return -ENOMEM;
	}
	s->fd = -1;
	for (i = 0; i < n; i++)
		if (plan[i].site.move == XPT_MOVE_STUB && add_slot(s, elf, &plan[i], i))
			s->nr++;
	xpt_elf__code(elf, s->seg, MAX_SEGS);
	if (!s->nr || s->hi - s->lo > MAX_SPAN) {
		xpt_slots__free(s);
		s = NULL;
	}
	*ret_slots = s;
	return 0;
}

void xpt_slots__free(struct xpt_slots *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->offsets);
	free(s->cookies);
	for (size_t i = 0; i < s->nr; i++)
		free(s->slot[i].sym);
	free(s->slot);
	free(s);
}

bool xpt_slots__bias(const struct xpt_slots *s, const struct xpt_mapping *m, uint64_t *ret_bias)
{
	size_t i;

	for (i = 0; i < MAX_SEGS; i++) {
		/* A segment is mapped from the page in which it begins. */
		if (m->offset + 4096 <= s->seg[i][0] || m->offset >= s->seg[i][0] + s->seg[i][1])
			continue;
		*ret_bias = m->start - (s->seg[i][2] + (m->offset - s->seg[i][0]));
		return true;
	}
	return false;
}

/* --- a process ------------------------------------------------------------------------ */

/* The bytes from the first slot to the last; to be freed. NULL: not to be had, *ret_err says why. */
static char *read_slots(const struct xpt_slots *s, int pid, uint64_t bias, int *ret_err)
{
	size_t n = (size_t)(s->hi - s->lo);
	char *buf = malloc(n);
	ssize_t r = buf ? xpt_remote__read(pid, s->lo + bias, buf, n) : -ENOMEM;

	if (r == (ssize_t)n)
		return buf;
	*ret_err = r < 0 && r != -EFAULT ? (int)r : -EIO;	/* nothing is mapped there yet */
	free(buf);
	return NULL;
}

/* What is known of a process's slots; live[i]: what lies in slot i. */
struct live {
	const struct xpt_slots *s;
	uint64_t bias, *live;
	bool *is_code;		/* that is the address of some code */
	bool here;		/* the library's code lies where it did */
};

static bool is_own(const struct live *l, size_t i)
{
	const struct slot *slot = &l->s->slot[i];

	return l->live[i] == slot->impl + l->bias || l->live[i] == slot->in_file;
}

/*
 * Another value is believed if it leads to code. Anything may lie there while the loader
 * works, which takes as long as the machine lets it, and in a process that has begun
 * another program or closed the library since.
 */
static int add_code(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct live *l = ctx;
	uint64_t bias;
	size_t i;

	(void)pid;
	l->here |= xpt_slots__bias(l->s, m, &bias) && bias == l->bias;
	for (i = 0; i < l->s->nr; i++)
		l->is_code[i] |= l->live[i] >= m->start && l->live[i] < m->end;
	return 0;
}

/* Reads what lies in the slots; whether the loader has filled one, or -errno. */
static int read_live(struct live *l, int pid, size_t *ret_others)
{
	const struct xpt_slots *s = l->s;
	int err = 0, filled = 0;
	char *buf = read_slots(s, pid, l->bias, &err);
	size_t i;

	if (!buf)
		return err;
	*ret_others = 0;
	for (i = 0; i < s->nr; i++) {
		memcpy(&l->live[i], buf + (s->slot[i].vaddr - s->lo), sizeof(l->live[i]));
		filled |= l->live[i] == s->slot[i].impl + l->bias;
		*ret_others += !s->slot[i].changed && !is_own(l, i);
	}
	free(buf);
	return filled;
}

/* mark: what is changed here is so for all processes from now on. */
static int look(struct live *l, struct xpt_slots *s, int pid, bool mark)
{
	size_t i, others = 0;
	int filled = read_live(l, pid, &others), found = 0;

	if (filled < 0 || !others)
		return filled > 0 ? 0 : filled < 0 ? filled : -EAGAIN;
	if (xpt_maps__each_code(pid, add_code, l) || !l->here)
		return -ESRCH;
	for (i = 0; i < s->nr; i++) {
		if (s->slot[i].changed || is_own(l, i) || !l->is_code[i])
			continue;
		s->slot[i].changed = mark;
		found++;
	}
	return found || filled ? found : -EAGAIN;
}

static int look_at(struct xpt_slots *s, int pid, uint64_t bias, bool mark)
{
	struct live l = { .s = s, .bias = bias };
	int err = -ENOMEM;

	l.live = calloc(s->nr, sizeof(*l.live));
	l.is_code = calloc(s->nr, sizeof(*l.is_code));
	if (l.live && l.is_code)
		err = look(&l, s, pid, mark);
	free(l.live);
	free(l.is_code);
	return err;
}

int xpt_slots__look(struct xpt_slots *s, int pid, uint64_t bias)
{
	return look_at(s, pid, bias, true);
}

void xpt_slots__apply(const struct xpt_slots *s, struct xpt_plan *plan)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->slot[i].changed) {
			plan[s->slot[i].plan].site = s->slot[i].symbol;
			xpt_returns__replaced(&plan[s->slot[i].plan].returns);
		}
}

void xpt_slots__leave_out(struct xpt_slots *s, int plan)
{
	for (size_t i = 0; s && i < s->nr; i++)
		if (s->slot[i].plan == plan)
			s->slot[i].changed = true;
}

/* --- probes that go back ---------------------------------------------------------------- */

int xpt_slots__keep(struct xpt_elib *lib, struct xpt_slots *s, int fd, uint64_t *offsets,
		    uint64_t *cookies, uint32_t n)
{
	s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (s->fd < 0)
		return -errno;
	s->offsets = offsets;
	s->cookies = cookies;
	s->n = n;
	xpt_slots__free(lib->slots);
	lib->slots = s;
	return 0;
}

/* Whether place i is an end of the function whose probe the slot moved; ends lie before it. */
static bool is_end_of(const struct xpt_slots *s, const struct slot *slot, uint32_t i)
{
	uint32_t k;

	if (!(s->cookies[i] & XPT_AT_RETURN) || s->cookies[i] & XPT_AT_SHARED)
		return false;
	for (k = i + 1; k < s->n; k++)
		if (s->offsets[k] == slot->offset && XPT_COOKIE_FN(s->cookies[k]) == XPT_COOKIE_FN(s->cookies[i]))
			return true;
	return false;
}

/* The place of the function's entry becomes its symbol; false: it has none any more. */
static bool move_entry(struct xpt_engine *e, struct xpt_slots *s, struct slot *slot, bool points, uint32_t i)
{
	bool slow = slot->symbol.cls == XPT_SITE_SINGLE_STEP;

	if (!points && slot->returns.way == XPT_RETURN_UNSEEN) {
		if (!slot->gone)
			xpt_libs__unseen(e, slot->sym, &slot->returns);
		slot->gone = true;
		return false;
	}
	s->offsets[i] = slot->symbol.offset;
	if (!points)
		s->cookies[i] = XPT_COOKIE_FN(s->cookies[i]);
	xpt_shared__set_cost_kind(e, (uint32_t)s->cookies[i], slow ? XPT_COST_STEPPED : XPT_COST_EMULATED);
	e->stats.nr_slow += slow;
	return true;
}

/* The place of a function whose slot was changed becomes its symbol; that of its exit goes. */
static void move_back(struct xpt_engine *e, struct xpt_slots *s, struct slot *slot, bool points)
{
	uint32_t i, kept = 0;

	for (i = 0; i < s->n; i++) {
		if (!points && is_end_of(s, slot, i))
			continue;	/* of an implementation that nobody calls any more */
		if (s->offsets[i] == slot->offset && !move_entry(e, s, slot, points, i))
			continue;
		if (slot->exit_offset && s->offsets[i] == slot->exit_offset)
			continue;
		s->offsets[kept] = s->offsets[i];
		s->cookies[kept++] = s->cookies[i];
	}
	s->n = kept;
}

/* Probes at the places that are kept with lib; how many there are, or -errno. */
static int link_kept(struct xpt_engine *e, struct xpt_elib *lib)
{
	struct xpt_slots *s = lib->slots;
	char path[32];

	for (size_t i = 0; i < s->nr; i++)
		if (s->slot[i].changed)
			move_back(e, s, &s->slot[i], lib->link != NULL);
	if (!s->n)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	return (lib->link ? lib->link : xpt_libs__link)(e, lib, path, s->offsets, s->cookies, s->n);
}

uint32_t xpt_slots__nr_places(const struct xpt_slots *s)
{
	return s->n;
}

int xpt_slots__link(struct xpt_engine *e, struct xpt_elib *lib, int pid, const struct xpt_mapping *m)
{
	uint64_t bias;

	if (m && !xpt_engine__is_open(e) && xpt_slots__bias(lib->slots, m, &bias))
		xpt_slots__look(lib->slots, pid, bias);
	return link_kept(e, lib);
}

/* No call may begin while some of its probes are there: it would look as if cut off. */
static void relink(struct xpt_engine *e, struct xpt_elib *lib)
{
	struct xpt_slots *s = lib->slots;
	uint32_t had = s->n;
	int done;

	e->skel->bss->xpt_stopping = 1;
	xpt_libs__unlink(lib);
	done = link_kept(e, lib);
	e->skel->bss->xpt_stopping = 0;
	e->stats.nr_probes -= had;
	e->stats.nr_probes += done > 0 ? (uint32_t)done : 0;
	e->lost[XPT_LOSS_RELINKED]++;
	s->relinks++;
}

/*
 * Where anybody's processes are traced, one that changes its slots changes nothing for the others: probes at
 * the symbols cost all of them more, and none of them is seen while probes are exchanged.
 */
static void not_seen(struct xpt_engine *e, int pid, int found, struct waiting *w)
{
	if (w->told)
		return;
	w->told = true;
	e->stats.nr_failed += (uint32_t)found;
	if (xpt_whose__tell(&e->stats.own_slots_owner, e->stats.nr_own_slots++, pid))
		e->stats.own_slots_pid = (uint32_t)pid;
}

static void back_to_symbols(struct xpt_engine *e, struct xpt_elib *lib, int pid, int found)
{
	/* Each of many links would take 0.1 s to go. */
	bool can = !xpt_libs__slow_to_leave(e) && lib->slots->relinks < MAX_RELINKS;

	xpt_debug("process %d has changed the slots of %d functions: %s", pid, found,
		  can ? "their probes go back to the symbols" : "its calls of them are not seen");
	if (can)
		relink(e, lib);
}

/* --- when ----------------------------------------------------------------------------------- */

static uint32_t id_of(const struct xpt_engine *e, const struct xpt_elib *lib)
{
	return lib->set ? XPT_MAX_LIBS + lib->set - 1 : (uint32_t)(lib - e->libs);
}

static struct xpt_elib *lib_of(struct xpt_engine *e, const struct waiting *w)
{
	struct xpt_elib *lib = NULL;

	if (w->lib >= XPT_MAX_LIBS)
		lib = xpt_sources__set(e, w->lib - XPT_MAX_LIBS);
	else if (w->lib < e->nr_libs)
		lib = &e->libs[w->lib];
	return lib && lib->slots ? lib : NULL;
}

/* As xpt_slots__look(). */
static int find_changed(struct xpt_engine *e, struct xpt_elib *lib, int pid, struct waiting *w)
{
	bool open = xpt_engine__is_open(e);
	int found = look_at(lib->slots, pid, w->bias, !open);

	if (found > 0 && open)
		not_seen(e, pid, found, w);
	else if (found > 0)
		back_to_symbols(e, lib, pid, found);
	return found;
}

void xpt_slots__on_mapping(struct xpt_engine *e, struct xpt_elib *lib, int pid,
			   const struct xpt_mapping *m)
{
	uint64_t key = (uint64_t)pid << 32 | id_of(e, lib), bias;
	struct waiting *w, first;

	if (!lib->slots || !pid || !m || !xpt_slots__bias(lib->slots, m, &bias))
		return;
	first = (struct waiting){ .bias = bias, .mapped_ns = xpt_now_ns(), .lib = id_of(e, lib) };
	if (!xpt_engine__is_open(e))	/* else nothing is moved, and later is soon enough */
		find_changed(e, lib, pid, &first);
	if (!e->waiting && xpt_hashmap__new(sizeof(key), sizeof(*w), MAX_WAITING, &e->waiting))
		return;
	w = xpt_hashmap__get(e->waiting, &key, NULL);
	if (w)
		*w = first;
}

void xpt_slots__forget(struct xpt_engine *e, const struct xpt_elib *lib)
{
	size_t pos = 0;
	const void *key;
	void *val;

	while (lib->slots && e->waiting && xpt_hashmap__next(e->waiting, &pos, &key, &val)) {
		uint64_t k;

		memcpy(&k, key, sizeof(k));
		if (((struct waiting *)val)->lib == id_of(e, lib))
			xpt_hashmap__del(e->waiting, &k);
	}
}

/* False: it need not be looked at any more. */
static bool look_again(struct xpt_engine *e, int pid, struct waiting *w)
{
	struct xpt_elib *lib = lib_of(e, w);
	int found;

	if (!lib)
		return false;
	found = find_changed(e, lib, pid, w);
	if (found < 0 && found != -EAGAIN && found != -EIO)
		return false;	/* gone, most likely */
	return ++w->look < sizeof(looks_ns) / sizeof(looks_ns[0]);
}

/*
 * A process may make a look as long as it likes, by many mappings: where anybody is traced, a step takes a few looks at
 * most, and looks a twentieth of the time.
 */
static bool goes_on(const struct xpt_engine *e, uint64_t began)
{
	return !xpt_engine__is_open(e) || xpt_now_ns() - began < STEP_NS;
}

void xpt_slots__step(struct xpt_engine *e)
{
	uint64_t now = xpt_now_ns();
	const void *key;
	void *val;

	if (!e->waiting || now < e->next_slots_ns)
		return;
	while (goes_on(e, now)) {
		struct waiting *w;
		uint64_t id;

		if (!xpt_hashmap__next(e->waiting, &e->slots_pos, &key, &val)) {
			e->slots_pos = 0;
			break;
		}
		w = val;
		memcpy(&id, key, sizeof(id));
		if (now < w->mapped_ns + looks_ns[w->look])
			continue;
		if (!look_again(e, (int)(id >> 32), w))
			xpt_hashmap__del(e->waiting, &id);
	}
	e->next_slots_ns = now + looks_ns[0] / 2;
	if (xpt_engine__is_open(e))
		e->next_slots_ns += REST * (xpt_now_ns() - now);
}
