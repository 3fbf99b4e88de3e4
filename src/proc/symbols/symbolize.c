// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Addresses to names, see symbolize.h. A mapped file is opened when one of its addresses is first asked for:
 * through /proc/PID/map_files, so that it is the file that the process has, in a container, deleted or replaced; by
 * its path, if the process is gone and the inode there is still the same. A file that the path does not lead to is
 * opened when the mapping is seen, while the process is there.
 */
#include "proc/symbols/symbolize.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/demangle/demangle.h"
#include "base/files/regular.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "base/time.h"
#include "elf/elf_funcs.h"
#include "proc/maps.h"
#include "proc/remote/allowance.h"
#include "proc/remote/remote.h"
#include "proc/symbols/function_files.h"
#include "proc/symbols/module_paths.h"

#define MAX_PROCS 4096
#define MAX_MODULES 16384	/* executable mappings of one process */
#define MAX_BYTES (256u << 20)	/* memory for mappings: some 2,000 for each process */
#define MAX_RECENT 2048	/* mappings of processes without a look-up so far */
#define MAX_NAME 16384	/* bytes of a demangled name before it is shortened */
#define LOOK_NS 50000000ull	/* between two looks at mappings without a record of a change */
/*
 * Reading the mappings of one owner's processes: at first, and of the time that passes. One with 15,000 takes 50 ms.
 */
#define READ_NS 100000000ull
#define READ_PER_MILLE 50

struct module {
	uint64_t start, end, offset, dev, ino;
	const char *path;	/* of module_paths */
	struct xpt_file_functions *file;
	bool tried;	/* file was looked for */
};

struct proc {
	struct xpt_symbolizer *s;
	uint64_t owner;
	uint32_t life;
	int parent;	/* whose mappings it began with, 0 if none are wanted */
	bool stale;	/* something was mapped since */
	bool known;	/* mappings were read at least once */
	bool made_up;	/* from events about it: it had ended before */
	uint64_t read_ns, listed_ns, done_ns;	/* when reading them began, had the list, and ended */
	uint64_t begun_ns;	/* the last exec before that, as far as it was heard of */
	uint64_t over_ns;	/* it is something else since: never read again; 0: not known to be */
	size_t heard;	/* next_recent when it was read */
	struct module *mod;	/* by address */
	size_t nr, cap;
};

struct recent {
	int pid;
	uint64_t exec_ns;	/* 0: a mapping, else it executed another program then */
	struct xpt_mapping m;	/* path: our copy */
};

struct xpt_symbolizer {
	struct xpt_symbolizer_cfg cfg;
	struct xpt_module_paths *paths;
	struct xpt_hashmap *procs;	/* uint32_t pid -> struct proc * */
	struct xpt_function_files *files;
	struct recent *recent;		/* MAX_RECENT, used in turn */
	size_t next_recent;		/* the oldest */
	struct proc past;		/* made up for the time of past_ns */
	int past_pid;			/* 0: none */
	uint64_t past_ns;
	size_t past_heard;		/* next_recent then */
	struct xpt_allowance reading;	/* time for reading mappings, by owner */
	struct xpt_strbuf full, brief;	/* a demangled name */
	uint32_t lives;
};

/* --- files -------------------------------------------------------------------- */

static int open_mapped(int pid, const struct module *m)
{
	const struct xpt_mapping map = { .start = m->start, .end = m->end, .dev = m->dev, .ino = m->ino,
					 .path = m->path };

	return xpt_maps__open(pid, &map);
}

/* over: its map_files may be those of another program. */
static int open_module(int pid, const struct module *m, bool over)
{
	const struct xpt_file_id id = { m->dev, m->ino };
	int fd = open_mapped(pid, m);
	struct stat st;

	if (fd >= 0 && (!over || (!fstat(fd, &st) && st.st_ino == m->ino)))
		return fd;
	if (fd >= 0)
		close(fd);
	return m->ino ? xpt_regular__open(m->path, &id) : -1;
}

static void set_file(struct xpt_symbolizer *s, struct module *m, int fd, uint64_t owner)
{
	m->tried = true;
	m->file = fd >= 0 ? xpt_function_files__get(s->files, fd, owner) : NULL;
}

static struct xpt_funcs *funcs_of(struct proc *p, int pid, struct module *m)
{
	struct xpt_symbolizer *s = p->s;
	int fd;

	if (!m->tried) {
		fd = m->path[0] == '/' ? open_module(pid, m, p->over_ns) : -1;
		set_file(s, m, fd, p->owner);
	}
	return m->file ? xpt_function_files__read(s->files, m->file, pid, m->path) : NULL;
}

/* --- processes ---------------------------------------------------------------- */

static void drop_module(struct proc *p, struct module *m)
{
	if (m->file)
		xpt_file_functions__put(m->file);
	xpt_module_paths__put(p->s->paths, m->path);
	xpt_module_paths__refund(p->s->paths, p->owner, sizeof(*m));
}

/* Drops modules that the process has no longer mapped. */
static void drop_modules(struct proc *p, struct module *mod, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		drop_module(p, &mod[i]);
	free(mod);
}

static void clear_proc(struct proc *p)
{
	drop_modules(p, p->mod, p->nr);
	p->mod = NULL;
	p->nr = p->cap = 0;
}

static void free_proc(struct proc *p)
{
	clear_proc(p);
	free(p);
}

/*
 * Returns the path that insert_mapping() needs for one module. NULL: the owner of the process has no share of it
 * left.
 */
static const char *take_path(struct proc *p, const char *text)
{
	const char *path = NULL;

	if (xpt_module_paths__charge(p->s->paths, p->owner, sizeof(struct module)))
		path = xpt_module_paths__get(p->s->paths, p->owner, text);
	else
		return NULL;
	if (!path)
		xpt_module_paths__refund(p->s->paths, p->owner, sizeof(struct module));
	return path;
}

static int insert_mapping(struct proc *p, size_t at, const struct xpt_mapping *m)
{
	const char *path;

	if (p->nr == MAX_MODULES)
		return -E2BIG;
	if (p->nr == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 64;
		struct module *mod = reallocarray(p->mod, cap, sizeof(*mod));

		if (!mod)
			return -ENOMEM;
		p->mod = mod;
		p->cap = cap;
	}
	path = take_path(p, m->path);
	if (!path)
		return -ENOMEM;
	memmove(&p->mod[at + 1], &p->mod[at], (p->nr++ - at) * sizeof(*p->mod));
	p->mod[at] = (struct module){ .start = m->start, .end = m->end, .offset = m->offset,
				      .dev = m->dev, .ino = m->ino, .path = path };
	return 0;
}

static int append_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct proc *p = ctx;

	(void)pid;
	if (!p->nr)
		p->listed_ns = xpt_now_ns();
	return p->nr && m->start < p->mod[p->nr - 1].end ? 0 : insert_mapping(p, p->nr, m);
}

/* Removes the mappings at addresses where something else was mapped. */
static void map_over(struct proc *p, const struct xpt_mapping *m)
{
	size_t i, at = 0, out = 0;

	for (i = 0; i < p->nr; i++) {
		struct module *old = &p->mod[i];

		if (old->start >= m->start && old->start < m->end) {
			drop_module(p, old);
			continue;
		}
		if (old->start < m->start) {
			old->end = old->end < m->start ? old->end : m->start;
			at = out + 1;
		}
		p->mod[out++] = *old;
	}
	p->nr = out;
	insert_mapping(p, at, m);
}

/* Modules that are there as before keep their file. */
static void keep_files(struct proc *p, struct module *old, size_t nr)
{
	size_t i, k = 0;

	for (i = 0; i < p->nr; i++) {
		struct module *m = &p->mod[i];

		while (k < nr && old[k].start < m->start)
			k++;
		if (k == nr || old[k].start != m->start || old[k].end != m->end ||
		    old[k].offset != m->offset || old[k].ino != m->ino ||
		    strcmp(old[k].path, m->path) != 0)
			continue;
		m->file = old[k].file;
		m->tried = old[k].tried;
		old[k].file = NULL;
	}
}

static void copy_modules(struct proc *p, const struct proc *from)
{
	size_t i;

	for (i = 0; i < from->nr; i++) {
		const struct module *m = &from->mod[i];
		struct xpt_mapping map = { .start = m->start, .end = m->end, .offset = m->offset,
					   .dev = m->dev, .ino = m->ino, .path = m->path };

		if (insert_mapping(p, p->nr, &map))
			break;
		p->mod[p->nr - 1].file = m->file;
		p->mod[p->nr - 1].tried = m->tried;
		if (m->file)
			xpt_file_functions__use(m->file);
	}
	p->known = p->nr > 0;
}

static struct proc *find_proc(struct xpt_symbolizer *s, int pid)
{
	uint32_t key = (uint32_t)pid;
	struct proc **p = xpt_hashmap__find(s->procs, &key);

	return p ? *p : NULL;
}

/* False for one that is ending: it has no mappings any more. */
static bool is_alive(int pid)
{
	int fd = xpt_remote__proc(pid, "maps", XPT_REMOTE_TEXT);
	ssize_t n = -1;
	char c;

	if (fd >= 0) {
		n = read(fd, &c, 1);
		close(fd);
	}
	return n == 1;
}

static void keep_recent(struct xpt_symbolizer *s, int pid, const struct xpt_mapping *m, uint64_t exec_ns)
{
	struct recent *r = &s->recent[s->next_recent++ % MAX_RECENT];
	char *path = strdup(m->path);

	free((char *)r->m.path);
	r->pid = path ? pid : 0;
	r->exec_ns = exec_ns;
	r->m = *m;
	r->m.path = path;
}

/* When it last executed another program, as far as that is still known. */
static uint64_t last_exec(const struct xpt_symbolizer *s, int pid)
{
	uint64_t last = 0;
	size_t i;

	for (i = 0; i < MAX_RECENT; i++)
		if (s->recent[i].pid == pid && s->recent[i].exec_ns > last)
			last = s->recent[i].exec_ns;
	return last;
}

static void take_recent(struct xpt_symbolizer *s, struct proc *p, int pid)
{
	size_t i;

	for (i = 0; i < MAX_RECENT; i++) {
		struct recent *r = &s->recent[(s->next_recent + i) % MAX_RECENT];

		if (r->pid != pid)
			continue;
		if (!r->exec_ns) {
			map_over(p, &r->m);
			continue;
		}
		clear_proc(p);
	}
	p->known = p->nr > 0;
}

/*
 * A process that is gone: with its own mappings, or those of its parent, or those that the kernel reported before
 * anybody asked. A list that its end cut off goes.
 */
static void make_up(struct xpt_symbolizer *s, struct proc *p, int pid, struct module *old, size_t nr)
{
	struct proc *parent = p->parent ? find_proc(s, p->parent) : NULL;

	clear_proc(p);
	p->mod = old;
	p->nr = p->cap = nr;
	if (!nr && parent && parent->known)
		copy_modules(p, parent);
	else if (!nr && p->parent)
		take_recent(s, p, p->parent);
	if (!nr)
		take_recent(s, p, pid);
}

/* Whether the file cannot be opened after the end of the process: it is of another root, replaced or deleted. */
static void hold_files(struct xpt_symbolizer *s, struct proc *p, int pid)
{
	struct stat st;
	size_t i;
	int fd;

	for (i = 0; i < p->nr && xpt_function_files__may_hold(s->files, p->owner); i++) {
		struct module *m = &p->mod[i];

		if (m->tried || m->path[0] != '/' || (!xpt_regular__look(m->path, &st) && st.st_ino == m->ino))
			continue;
		fd = open_mapped(pid, m);
		if (fd >= 0)
			set_file(s, m, fd, p->owner);
	}
}

static void read_now(struct xpt_symbolizer *s, struct proc *p, int pid)
{
	struct module *old = p->mod;
	size_t nr = p->nr;

	p->heard = s->next_recent;
	p->begun_ns = last_exec(s, pid);
	p->stale = false;
	p->mod = NULL;
	p->nr = p->cap = 0;
	xpt_maps__each_code(pid, append_mapping, p);
	p->made_up = !is_alive(pid);
	p->done_ns = xpt_now_ns();
	if (p->made_up) {
		make_up(s, p, pid, old, nr);
		return;
	}
	p->known = p->nr > 0;
	keep_files(p, old, nr);
	drop_modules(p, old, nr);
	hold_files(s, p, pid);
	p->done_ns = xpt_now_ns();
}

/* Unless the owner's processes have taken too much time for that: then the known mappings stay. */
static void read_modules(struct xpt_symbolizer *s, struct proc *p, int pid)
{
	uint64_t now = xpt_now_ns();

	if (!xpt_allowance__has(&s->reading, p->owner, now))
		return;
	p->read_ns = now;
	read_now(s, p, pid);
	xpt_allowance__spend(&s->reading, p->owner, p->done_ns - p->read_ns, p->done_ns);
}

static void drop_all(struct xpt_symbolizer *s)
{
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(s->procs, &pos, &key, &val))
		free_proc(*(struct proc **)val);
	xpt_hashmap__clear(s->procs);
}

static struct proc *new_proc(struct xpt_symbolizer *s, int pid)
{
	uint32_t key = (uint32_t)pid;
	struct proc *p, **slot;

	/* Only if ends of mappings have no records: then old ones are not needed. */
	if (xpt_hashmap__len(s->procs) >= MAX_PROCS)
		drop_all(s);
	p = calloc(1, sizeof(*p));
	if (p) {
		p->s = s;
		p->owner = s->cfg.owner ? s->cfg.owner(s->cfg.ctx, pid) : 0;
	}
	slot = p ? xpt_hashmap__get(s->procs, &key, NULL) : NULL;
	if (!slot) {
		free(p);
		return NULL;
	}
	*slot = p;
	p->life = ++s->lives;
	return p;
}

/* Returns the process with its mappings, as far as they can be read. */
static struct proc *get_proc(struct xpt_symbolizer *s, int pid)
{
	struct proc *p = find_proc(s, pid);

	if (!p)
		p = new_proc(s, pid);
	if (p && !p->known && (!p->read_ns || p->heard != s->next_recent))
		read_modules(s, p, pid);
	return p;
}

uint32_t xpt_symbolizer__add(struct xpt_symbolizer *s, int pid)
{
	struct proc *p = get_proc(s, pid);

	return p ? p->life : 0;
}

void xpt_symbolizer__drop(struct xpt_symbolizer *s, int pid, uint64_t ts_ns)
{
	struct proc *p = find_proc(s, pid);
	uint32_t key = (uint32_t)pid;

	if (!p)
		return;
	if (p->read_ns > ts_ns) {
		p->life = ++s->lives;
		p->parent = 0;
		return;
	}
	xpt_hashmap__del(s->procs, &key);
	free_proc(p);
}

/* A list of very many mappings takes long to change. Where that took too much, all of it is read again later. */
static void note_mapping(struct xpt_symbolizer *s, struct proc *p, const struct xpt_mapping *m)
{
	uint64_t began = xpt_now_ns(), now;

	p->stale = true;
	if (!xpt_allowance__has(&s->reading, p->owner, began))
		return;
	map_over(p, m);
	now = xpt_now_ns();
	xpt_allowance__spend(&s->reading, p->owner, now - began, now);
}

void xpt_symbolizer__mapped(struct xpt_symbolizer *s, int pid, const struct xpt_mapping *m)
{
	struct proc *p = find_proc(s, pid);

	/*
	 * Each processor has its own list of mappings and execs: a mapping of the program before may be reported
	 * after the exec.
	 */
	if (m->start >= m->end || (m->at_ns && m->at_ns < last_exec(s, pid)))
		return;
	if (p && p->known && !p->over_ns) {
		note_mapping(s, p, m);
		return;
	}
	if (p)
		p->stale = true;
	keep_recent(s, pid, m, 0);
}

/* The opened files may be of the program that the process runs now. */
static void close_files(struct proc *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++) {
		if (p->mod[i].file)
			xpt_file_functions__put(p->mod[i].file);
		p->mod[i].file = NULL;
		p->mod[i].tried = false;
	}
}

/*
 * It became something else. /proc/PID/maps shows the program for which it was opened; where that
 * was before or after ts_ns is not known, the list is nobody's.
 */
static void end_program(struct proc *p, uint64_t ts_ns)
{
	p->over_ns = ts_ns;
	if (p->made_up || ts_ns > p->done_ns)
		return;
	close_files(p);
	if (ts_ns <= p->listed_ns)
		p->begun_ns = ts_ns;
}

void xpt_symbolizer__execed(struct xpt_symbolizer *s, int pid, uint64_t ts_ns)
{
	static const struct xpt_mapping none = { .path = "" };
	struct proc *p = find_proc(s, pid);

	keep_recent(s, pid, &none, ts_ns);
	if (!p || !p->known || p->over_ns)
		return;
	if (ts_ns > p->read_ns)
		end_program(p, ts_ns);
	else if (ts_ns > p->begun_ns)	/* heard late */
		p->begun_ns = ts_ns;
}

void xpt_symbolizer__ended(struct xpt_symbolizer *s, int pid, uint64_t ts_ns)
{
	struct proc *p = find_proc(s, pid);

	if (p && p->known && !p->over_ns && (p->made_up || p->read_ns < ts_ns))
		end_program(p, ts_ns);
}

/* Whether these are the mappings of the process at that time. */
static bool is_of(const struct proc *p, const struct xpt_span *when)
{
	if (!when->until_ns || !p || !p->known || p->begun_ns > when->since_ns || (p->over_ns && p->over_ns <= when->since_ns))
		return false;
	return p->made_up || (p->over_ns ? p->listed_ns : p->done_ns) <= when->until_ns;
}

/* Returns the mappings reported between two execs, if the process was not looked at then. */
static struct proc *past_proc(struct xpt_symbolizer *s, int pid, uint64_t at_ns)
{
	struct proc *p = &s->past;
	size_t i;

	if (s->past_pid == pid && s->past_ns == at_ns && s->past_heard == s->next_recent)
		return p->known ? p : NULL;
	clear_proc(p);
	*p = (struct proc){ .s = s, .over_ns = UINT64_MAX };
	s->past_pid = pid;
	s->past_ns = at_ns;
	s->past_heard = s->next_recent;
	for (i = 0; i < MAX_RECENT; i++) {
		struct recent *r = &s->recent[(s->next_recent + i) % MAX_RECENT];

		if (r->pid == pid && r->exec_ns > at_ns)
			break;
		if (r->pid == pid && r->exec_ns) {
			clear_proc(p);
			p->known = true;
		} else if (r->pid == pid && p->known) {
			map_over(p, &r->m);
		}
	}
	return p->known ? p : NULL;
}

void xpt_symbolizer__forked(struct xpt_symbolizer *s, int pid, int parent)
{
	struct proc *p = find_proc(s, pid) ? NULL : new_proc(s, pid);

	if (p)
		p->parent = parent;
}

static struct module *module_in(const struct proc *p, uint64_t addr)
{
	size_t lo = 0, hi = p->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->mod[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < p->mod[lo - 1].end ? &p->mod[lo - 1] : NULL;
}

static struct module *module_of(struct xpt_symbolizer *s, struct proc *p, int pid,
				uint64_t addr)
{
	struct module *m = module_in(p, addr);

	if (m || p->over_ns || (!p->stale && xpt_now_ns() - p->read_ns < LOOK_NS))
		return m;
	read_modules(s, p, pid);
	return module_in(p, addr);
}

/* --- text --------------------------------------------------------------------- */

static bool starts_with(const char *s, const char *begin)
{
	return !strncmp(s, begin, strlen(begin));
}

/* Where the C library starts programs and threads; these functions are local
 * ones, without a name in a stripped library. */
static bool is_libc(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return starts_with(name, "libc.so") || starts_with(name, "libc-") ||
	       starts_with(name, "libpthread") || starts_with(name, "ld-linux") ||
	       starts_with(name, "ld-musl") || starts_with(name, "libc.musl");
}

static bool is_start(const char *fn)
{
	static const char *const names[] = {
		"_start", "__libc_start_main", "__libc_start_main_impl",
		"__libc_start_call_main", "start_thread", "clone", "clone3", "__clone", "__clone3",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(fn, names[i]))
			return true;
	return false;
}

/* For people: demangled, without parameters if the name fits only so. */
static const char *readable_name(struct xpt_symbolizer *s, const char *name)
{
	xpt_strbuf__reset(&s->full);
	if (!xpt_demangle(name, &s->full) || xpt_strbuf__err(&s->full))
		return name;
	if (s->full.len <= XPT_FRAME_FN_MAX)
		return xpt_strbuf__str(&s->full);
	xpt_strbuf__reset(&s->brief);
	xpt_demangle_short(xpt_strbuf__str(&s->full), &s->brief);
	return xpt_strbuf__str(xpt_strbuf__err(&s->brief) ? &s->full : &s->brief);
}

/* Names an address in a mapped file. at: the address whose function is looked up, addr: the printed one. */
static void name_in_file(struct xpt_symbolizer *s, struct xpt_funcs *f, const struct module *m,
			 uint64_t at, uint64_t addr, struct xpt_frame_text *t)
{
	uint64_t vaddr = at - m->start + m->offset, off, behind = addr - at;
	const char *slash = strrchr(m->path, '/');
	char name[XPT_MANGLED_MAX + 1];
	const char *text;
	bool cut;

	if (f && xpt_funcs__vaddr(f, vaddr, &vaddr) &&
	    xpt_funcs__find(f, vaddr, name, sizeof(name), &off)) {
		t->kind = is_start(name) ? XPT_FRAME_START : XPT_FRAME_CODE;
		text = readable_name(s, name);
		cut = strlen(text) > XPT_FRAME_FN_MAX;
		snprintf(t->fn, sizeof(t->fn), "%.*s%s+0x%" PRIx64,
			 XPT_FRAME_FN_MAX - (cut ? 3 : 0), text, cut ? "..." : "", off + behind);
		return;
	}
	t->kind = is_libc(m->path) ? XPT_FRAME_START : XPT_FRAME_CODE;
	snprintf(t->fn, sizeof(t->fn), "%.*s+0x%" PRIx64, XPT_FRAME_FN_MAX,
		 slash ? slash + 1 : m->path, vaddr + behind);
}

static void frame_of(struct xpt_symbolizer *s, struct proc *p, int pid, uint64_t addr, bool ret,
		     struct xpt_frame_text *t)
{
	uint64_t at = ret && addr ? addr - 1 : addr;
	struct module *m = p ? module_of(s, p, pid, at) : NULL;

	snprintf(t->fn, sizeof(t->fn), "0x%" PRIx64, addr);
	t->module = "";
	if (!m && p)	/* the kernel's trampoline has nothing before it */
		m = module_in(p, addr);
	if (!m) {
		t->kind = p && p->known ? XPT_FRAME_NONE : XPT_FRAME_UNKNOWN;
		return;
	}
	t->module = m->path[0] ? m->path : "[anon]";
	if (m->path[0] == '/') {
		name_in_file(s, funcs_of(p, pid, m), m, at, addr, t);
		return;
	}
	t->kind = !strcmp(m->path, "[uprobes]") ? XPT_FRAME_UPROBE : XPT_FRAME_CODE;
}

void xpt_symbolizer__frame(struct xpt_symbolizer *s, int pid, uint64_t addr, bool ret,
			   struct xpt_frame_text *t)
{
	frame_of(s, get_proc(s, pid), pid, addr, ret, t);
}

void xpt_symbolizer__frame_then(struct xpt_symbolizer *s, int pid, const struct xpt_span *when,
				uint64_t addr, bool ret, struct xpt_frame_text *t)
{
	struct proc *p = get_proc(s, pid);

	if (!is_of(p, when))
		p = past_proc(s, pid, when->since_ns);
	if (p) {
		frame_of(s, p, pid, addr, ret, t);
		return;
	}
	t->kind = XPT_FRAME_UNKNOWN;
	t->module = "";
	snprintf(t->fn, sizeof(t->fn), "unknown(0x%" PRIx64 ")", addr);
}

int xpt_symbolizer__new(const struct xpt_symbolizer_cfg *cfg, struct xpt_symbolizer **ret_s)
{
	struct xpt_symbolizer *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return -ENOMEM;
	if (cfg)
		s->cfg = *cfg;
	s->past.s = s;
	s->reading.most_ns = READ_NS;
	s->reading.per_mille = READ_PER_MILLE;
	xpt_strbuf__init(&s->full, MAX_NAME);
	xpt_strbuf__init(&s->brief, MAX_NAME);
	s->recent = calloc(MAX_RECENT, sizeof(*s->recent));
	if (s->recent)
		err = xpt_function_files__new(&s->cfg, &s->files);
	if (!err)
		err = xpt_module_paths__new(MAX_BYTES, &s->paths);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct proc *), MAX_PROCS,
				       &s->procs);
	if (err) {
		xpt_symbolizer__free(s);
		return err;
	}
	*ret_s = s;
	return 0;
}

void xpt_symbolizer__free(struct xpt_symbolizer *s)
{
	size_t i;

	if (!s)
		return;
	if (s->procs)
		drop_all(s);
	for (i = 0; s->recent && i < MAX_RECENT; i++)
		free((char *)s->recent[i].m.path);
	xpt_hashmap__free(s->procs);
	if (s->paths)
		clear_proc(&s->past);
	xpt_function_files__free(s->files);
	xpt_module_paths__free(s->paths);
	free(s->recent);
	xpt_strbuf__free(&s->full);
	xpt_strbuf__free(&s->brief);
	free(s);
}
