// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Looks at stubs' slots in processes through /proc/PID/mem, when a library is
 * seen mapped and some time after, because the loader comes to the slots only
 * then and tools later still. What was found changed goes back to its symbol:
 * all probes of the library are taken away and attached anew.
 */
#include "engine/slots.h"

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
#include "engine/elf.h"
#include "engine/maps.h"
#include "engine/priv.h"

#define MAX_SEGS 4
#define MAX_SPAN (1u << 20)	/* bytes from the first slot to the last that are read at once */
#define MAX_WAITING 4096	/* processes that are looked at again */
#define MAX_RELINKS 8		/* of one library: its calls are not seen meanwhile */

/* After the mapping: the loader is done, a tool has started, the program has. */
static const uint64_t looks_ns[] = { 100000000u, 1000000000u, 10000000000u };

struct slot {
	struct xpt_site symbol;	/* the function's site if it is not moved */
	uint64_t vaddr, impl, in_file;
	uint64_t offset, exit_offset;	/* where its probes are */
	int plan;		/* its index there */
	bool changed;
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
	};
	if (!xpt_elf__offset(elf, sym.vaddr, &sym.offset) ||
	    xpt_elf__read(elf, slot->vaddr, &slot->in_file, sizeof(slot->in_file)) !=
		    sizeof(slot->in_file))
		return false;
	xpt_elf__site(elf, &sym, false, &slot->symbol);
	slot->symbol.reason = "symbol: a running process has changed the stub's slot";
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
	char path[64], *buf = malloc(n);
	ssize_t r;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!buf || fd < 0) {
		*ret_err = fd < 0 ? -errno : -ENOMEM;
		goto fail;
	}
	r = pread(fd, buf, n, (off_t)(s->lo + bias));
	*ret_err = r < 0 ? -errno : -EIO;
	if (r == (ssize_t)n) {
		close(fd);
		return buf;
	}
fail:
	if (fd >= 0)
		close(fd);
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
	int err, filled = 0;
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

static int look(struct live *l, struct xpt_slots *s, int pid)
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
		s->slot[i].changed = true;
		found++;
	}
	return found || filled ? found : -EAGAIN;
}

int xpt_slots__look(struct xpt_slots *s, int pid, uint64_t bias)
{
	struct live l = { .s = s, .bias = bias };
	int err = -ENOMEM;

	l.live = calloc(s->nr, sizeof(*l.live));
	l.is_code = calloc(s->nr, sizeof(*l.is_code));
	if (l.live && l.is_code)
		err = look(&l, s, pid);
	free(l.live);
	free(l.is_code);
	return err;
}

void xpt_slots__apply(const struct xpt_slots *s, struct xpt_plan *plan)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->slot[i].changed)
			plan[s->slot[i].plan].site = s->slot[i].symbol;
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

/* The place of a function whose slot was changed becomes its symbol; that of its exit goes. */
static void move_back(struct xpt_engine *e, struct xpt_slots *s, const struct slot *slot)
{
	uint32_t i, kept = 0, fn = 0;

	for (i = 0; i < s->n; i++) {
		if (s->offsets[i] == slot->offset) {
			fn = (uint32_t)s->cookies[i];
			s->offsets[i] = slot->symbol.offset;
			e->fns[fn].slow = slot->symbol.cls == XPT_SITE_SINGLE_STEP;
			e->stats.nr_slow += e->fns[fn].slow;
		}
		if (slot->exit_offset && s->offsets[i] == slot->exit_offset)
			continue;
		s->offsets[kept] = s->offsets[i];
		s->cookies[kept++] = s->cookies[i];
	}
	s->n = kept;
}

/* No call may begin while some of its probes are there: it would look as if cut off. */
static void relink(struct xpt_engine *e, struct xpt_elib *lib)
{
	struct xpt_slots *s = lib->slots;
	uint32_t had = s->n;
	char path[32];
	size_t i;
	int done;

	for (i = 0; i < s->nr; i++)
		if (s->slot[i].changed)
			move_back(e, s, &s->slot[i]);
	e->skel->bss->xpt_stopping = 1;
	xpt_libs__unlink(lib);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	done = xpt_libs__link(e, lib, path, s->offsets, s->cookies, s->n);
	e->skel->bss->xpt_stopping = 0;
	e->stats.nr_probes -= had;
	e->stats.nr_probes += done > 0 ? (uint32_t)done : 0;
	e->relinks++;
	s->relinks++;
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

static struct xpt_elib *lib_of(struct xpt_engine *e, const struct waiting *w)
{
	return w->lib < e->nr_libs && e->libs[w->lib].slots ? &e->libs[w->lib] : NULL;
}

void xpt_slots__on_mapping(struct xpt_engine *e, struct xpt_elib *lib, int pid,
			   const struct xpt_mapping *m)
{
	uint64_t key = (uint64_t)pid << 32 | (uint32_t)(lib - e->libs), bias;
	struct waiting *w;
	int found;

	if (!lib->slots || !pid || !m || !xpt_slots__bias(lib->slots, m, &bias))
		return;
	found = xpt_slots__look(lib->slots, pid, bias);
	if (found > 0)
		back_to_symbols(e, lib, pid, found);
	if (!e->waiting && xpt_hashmap__new(sizeof(key), sizeof(*w), MAX_WAITING, &e->waiting))
		return;
	w = xpt_hashmap__get(e->waiting, &key, NULL);
	if (w)
		*w = (struct waiting){ bias, xpt_now_ns(), (uint32_t)(lib - e->libs), 0 };
}

/* False: it need not be looked at any more. */
static bool look_again(struct xpt_engine *e, int pid, struct waiting *w)
{
	struct xpt_elib *lib = lib_of(e, w);
	int found;

	if (!lib)
		return false;
	found = xpt_slots__look(lib->slots, pid, w->bias);
	if (found > 0)
		back_to_symbols(e, lib, pid, found);
	if (found < 0 && found != -EAGAIN && found != -EIO)
		return false;	/* gone, most likely */
	return ++w->look < sizeof(looks_ns) / sizeof(looks_ns[0]);
}

void xpt_slots__step(struct xpt_engine *e)
{
	uint64_t now = xpt_now_ns();
	size_t pos = 0;
	const void *key;
	void *val;

	if (!e->waiting || now < e->next_slots_ns)
		return;
	e->next_slots_ns = now + looks_ns[0] / 2;
	while (xpt_hashmap__next(e->waiting, &pos, &key, &val)) {
		struct waiting *w = val;
		uint64_t id;

		memcpy(&id, key, sizeof(id));
		if (now < w->mapped_ns + looks_ns[w->look])
			continue;
		if (!look_again(e, (int)(id >> 32), w))
			xpt_hashmap__del(e->waiting, &id);
	}
}
