// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See btf_part.h. BTF stores all types one after the other. The length of a type depends
 * on its kind, and its id is its position. One pass finds where each type begins; then
 * the types whose names the programs use, and the types that they contain, get new ids
 * and are copied. Pointers in the copy are pointers to void: a type that a pointer leads
 * to is copied if the programs name it, and else they do not look into it.
 */
#include "kernel/btf_part.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hashmap.h"

#define VMLINUX "/sys/kernel/btf/vmlinux"
#define MAX_BYTES (256u << 20)
#define MAX_NAMES 65536
#define KIND_ENUM64 19		/* newer than some headers */
#define BYTES_ENUM64 12

struct whole {			/* all types */
	const uint8_t *types;
	const char *strs;
	uint32_t types_len, strs_len, nr;
	uint32_t *at;			/* id -> where its type begins */
};

struct xpt_btf_part {
	int fd;
	char path[32];
	void *all;			/* the kernel's types; NULL: not read yet */
	size_t size;
	bool is_mapped;
	struct whole whole;
	uint64_t filled_for;		/* hash of the types that the file was filled for, 0: none */
};

struct parting {
	struct whole w;
	struct xpt_hashmap *names;	/* hashes of the names of the programs' types */
	struct xpt_hashmap *texts;	/* offset of a name -> its offset in the copy */
	uint32_t *to;			/* id -> new id, 0: not taken */
	uint32_t *taken;		/* new id - 1 -> id */
	uint32_t nr_taken;
	uint8_t *out;			/* the copy, with room for all types, and out_strs for all strings */
	char *out_strs;
	uint32_t out_len, out_strs_len;
};

/* --- reading ------------------------------------------------------------------------- */

/* Returns the bytes of a type after its struct btf_type; UINT32_MAX for an unknown kind. */
static uint32_t rest_of(const struct btf_type *t)
{
	uint32_t n = btf_vlen(t);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * (uint32_t)sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * (uint32_t)sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * (uint32_t)sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * (uint32_t)sizeof(struct btf_var_secinfo);
	case KIND_ENUM64:
		return n * BYTES_ENUM64;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return UINT32_MAX;
	}
}

static const struct btf_type *type_at(const struct whole *w, uint32_t id)
{
	return (const struct btf_type *)(w->types + w->at[id]);
}

/* Returns "" if the offset is outside of the strings. They end with a NUL, as open_sections() has checked. */
static const char *name_at(const struct whole *w, uint32_t off)
{
	return off < w->strs_len ? w->strs + off : "";
}

/* Whether CO-RE relocations of programs find this type by its name. */
static bool has_a_name(const struct btf_type *t)
{
	unsigned kind = btf_kind(t);

	return t->name_off && (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION ||
			       kind == BTF_KIND_ENUM || kind == KIND_ENUM64 ||
			       kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_INT);
}

/* Notes the names of the programs' types, without the flavour after "___", which libbpf ignores, too. */
static int note_names(struct parting *p, const struct btf *local)
{
	uint32_t id, n = btf__type_cnt(local);

	for (id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(local, id);
		const char *name, *flavour;
		uint64_t key;

		if (!has_a_name(t))
			continue;
		name = btf__name_by_offset(local, t->name_off);
		flavour = strstr(name, "___");
		key = xpt_hash(name, flavour > name ? (size_t)(flavour - name) : strlen(name));
		if (!xpt_hashmap__get(p->names, &key, NULL))
			return -ENOMEM;
	}
	return 0;
}

static int open_sections(struct whole *w, const void *all, size_t size)
{
	const struct btf_header *h = all;
	uint64_t room;

	if (size < sizeof(*h) || size > MAX_BYTES || h->magic != BTF_MAGIC ||
	    h->hdr_len < sizeof(*h) || h->hdr_len > size)
		return -EINVAL;
	room = size - h->hdr_len;
	if (h->type_off % 4 || h->hdr_len % 4 || h->type_off > room ||
	    h->type_len > room - h->type_off || h->str_off > room ||
	    h->str_len > room - h->str_off || !h->str_len)
		return -EINVAL;
	w->types = (const uint8_t *)all + h->hdr_len + h->type_off;
	w->types_len = h->type_len;
	w->strs = (const char *)all + h->hdr_len + h->str_off;
	w->strs_len = h->str_len;
	return w->strs[w->strs_len - 1] ? -EINVAL : 0;
}

/*
 * Walks over all types, and writes where each begins to `at`, unless that is NULL. Returns their number or -EINVAL.
 */
static int walk_types(const struct whole *w, uint32_t *at)
{
	uint32_t pos = 0, nr = 0;

	while (w->types_len - pos >= sizeof(struct btf_type)) {
		uint32_t rest = rest_of((const struct btf_type *)(w->types + pos));

		nr++;
		if (at)
			at[nr] = pos;
		pos += (uint32_t)sizeof(struct btf_type);
		if (rest > w->types_len - pos)
			return -EINVAL;
		pos += rest;
	}
	return pos == w->types_len ? (int)nr : -EINVAL;
}

static int index_types(struct whole *w, const void *all, size_t size)
{
	int err = open_sections(w, all, size), nr = err ? err : walk_types(w, NULL);

	if (nr < 0)
		return nr;
	w->nr = (uint32_t)nr;
	w->at = calloc((size_t)nr + 1, sizeof(*w->at));
	if (!w->at)
		return -ENOMEM;
	walk_types(w, w->at);
	return 0;
}

/* --- taking --------------------------------------------------------------------------- */

/*
 * Returns the new id of a type, and puts the type on the list of those to copy. Of functions and variables: 0, void.
 */
static uint32_t take_type(struct parting *p, uint32_t id)
{
	unsigned kind;

	if (!id || id > p->w.nr)
		return 0;
	kind = btf_kind(type_at(&p->w, id));
	if (kind == BTF_KIND_FUNC_PROTO || kind == BTF_KIND_FUNC || kind == BTF_KIND_VAR ||
	    kind == BTF_KIND_DATASEC || kind == BTF_KIND_DECL_TAG)
		return 0;
	if (!p->to[id]) {
		p->taken[p->nr_taken++] = id;
		p->to[id] = p->nr_taken;
	}
	return p->to[id];
}

static void take_named(struct parting *p)
{
	uint32_t id;

	for (id = 1; id <= p->w.nr; id++) {
		const struct btf_type *t = type_at(&p->w, id);
		const char *name;
		uint64_t key;

		if (!has_a_name(t))
			continue;
		name = name_at(&p->w, t->name_off);
		key = xpt_hash(name, strlen(name));
		if (xpt_hashmap__find(p->names, &key))
			take_type(p, id);
	}
}

/* Copies a name, unless it is copied already, and changes *off to its offset in the copy. */
static int take_name(struct parting *p, uint32_t *off)
{
	const char *name = name_at(&p->w, *off);
	uint32_t *to, len = (uint32_t)strlen(name) + 1, key = *off;
	bool is_new;

	if (len == 1) {
		*off = 0;
		return 0;
	}
	to = xpt_hashmap__get(p->texts, &key, &is_new);
	if (!to)
		return -ENOMEM;
	if (is_new) {
		/* In a damaged file names may overlap: their copies may need more room than they did. */
		if (len > p->w.strs_len - p->out_strs_len)
			return -EINVAL;
		*to = p->out_strs_len;
		memcpy(p->out_strs + *to, name, len);
		p->out_strs_len += len;
	}
	*off = *to;
	return 0;
}

static int take_members(struct parting *p, struct btf_type *t)
{
	struct btf_member *m = btf_members(t);
	unsigned i;
	int err = 0;

	for (i = 0; !err && i < btf_vlen(t); i++) {
		m[i].type = take_type(p, m[i].type);
		err = take_name(p, &m[i].name_off);
	}
	return err;
}

/* Copies the names of an enum's values; both struct btf_enum and its 64-bit form begin with the name. */
static int take_values(struct parting *p, struct btf_type *t, uint32_t bytes)
{
	uint8_t *value = (uint8_t *)(t + 1);
	unsigned i;
	int err = 0;

	for (i = 0; !err && i < btf_vlen(t); i++)
		err = take_name(p, (uint32_t *)(void *)(value + i * bytes));
	return err;
}

/* Copies a type, and calls take_type() for the types that it contains. */
static int copy_type(struct parting *p, uint32_t id)
{
	const struct btf_type *from = type_at(&p->w, id);
	uint32_t len = (uint32_t)sizeof(*from) + rest_of(from);
	struct btf_type *t = memcpy(p->out + p->out_len, from, len);
	int err = take_name(p, &t->name_off);

	p->out_len += len;
	if (err)
		return err;
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return take_members(p, t);
	case BTF_KIND_ENUM:
		return take_values(p, t, sizeof(struct btf_enum));
	case KIND_ENUM64:
		return take_values(p, t, BYTES_ENUM64);
	case BTF_KIND_ARRAY:
		btf_array(t)->type = take_type(p, btf_array(t)->type);
		btf_array(t)->index_type = take_type(p, btf_array(t)->index_type);
		return 0;
	case BTF_KIND_PTR:
		t->type = 0;
		return 0;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		t->type = take_type(p, t->type);
		return 0;
	default:
		return 0;
	}
}

static int copy_all(struct parting *p)
{
	uint32_t i;
	int err = 0;

	p->out = malloc(p->w.types_len + 1);
	p->out_strs = malloc(p->w.strs_len);
	if (!p->out || !p->out_strs)
		return -ENOMEM;
	p->out_strs[0] = '\0';
	p->out_strs_len = 1;
	for (i = 0; !err && i < p->nr_taken; i++)	/* copy_type() adds types */
		err = copy_type(p, p->taken[i]);
	return err;
}

static int join_sections(const struct parting *p, void **ret, size_t *ret_size)
{
	struct btf_header h = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h),
		.type_len = p->out_len, .str_off = p->out_len, .str_len = p->out_strs_len,
	};
	char *buf = malloc(sizeof(h) + p->out_len + p->out_strs_len);

	if (!buf)
		return -ENOMEM;
	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), p->out, p->out_len);
	memcpy(buf + sizeof(h) + p->out_len, p->out_strs, p->out_strs_len);
	*ret = buf;
	*ret_size = sizeof(h) + p->out_len + p->out_strs_len;
	return 0;
}

static int make_part(const struct whole *w, const struct btf *local, void **ret, size_t *ret_size)
{
	struct parting p = { .w = *w };
	int err = xpt_hashmap__new(sizeof(uint64_t), 1, MAX_NAMES, &p.names);

	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(uint32_t), MAX_BYTES, &p.texts);
	if (!err)
		err = note_names(&p, local);
	p.to = calloc((size_t)w->nr + 1, sizeof(*p.to));
	p.taken = calloc((size_t)w->nr + 1, sizeof(*p.taken));
	if (!p.to || !p.taken)
		err = -ENOMEM;
	if (!err) {
		take_named(&p);
		err = copy_all(&p);
	}
	if (!err)
		err = join_sections(&p, ret, ret_size);
	xpt_hashmap__free(p.names);
	xpt_hashmap__free(p.texts);
	free(p.to);
	free(p.taken);
	free(p.out);
	free(p.out_strs);
	return err;
}

int xpt_btf_part__make(const void *all, size_t size, const struct btf *local, void **ret,
		       size_t *ret_size)
{
	struct whole w = { 0 };
	int err = index_types(&w, all, size);

	if (!err)
		err = make_part(&w, local, ret, ret_size);
	free(w.at);
	return err;
}

/* --- files ----------------------------------------------------------------------------- */

/* Reads the whole file, which kernels before 6.16 cannot map. */
static void *read_all(int fd, size_t size)
{
	char *buf = malloc(size);
	size_t n = 0;
	ssize_t got;

	while (buf && n < size) {
		got = read(fd, buf + n, size - n);
		if (got <= 0) {
			free(buf);
			return NULL;
		}
		n += (size_t)got;
	}
	return buf;
}

static int write_all(int fd, const char *buf, size_t n)
{
	while (n) {
		ssize_t done = write(fd, buf, n);

		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		buf += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Maps or reads the kernel's types, once. */
static int open_kernel(struct xpt_btf_part *p)
{
	int fd = open(VMLINUX, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	void *map;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > MAX_BYTES) {
		close(fd);
		return -EINVAL;
	}
	p->size = (size_t)st.st_size;
	map = mmap(NULL, p->size, PROT_READ, MAP_PRIVATE, fd, 0);
	p->is_mapped = map != MAP_FAILED;
	p->all = p->is_mapped ? map : read_all(fd, p->size);
	close(fd);
	return p->all ? index_types(&p->whole, p->all, p->size) : -EIO;
}

static int write_part(struct xpt_btf_part *p, const struct btf *local)
{
	void *buf = NULL;
	size_t size;
	int err = make_part(&p->whole, local, &buf, &size);

	if (!err && (ftruncate(p->fd, 0) || lseek(p->fd, 0, SEEK_SET)))
		err = -errno;
	if (!err)
		err = write_all(p->fd, buf, size);
	free(buf);
	return err;
}

int xpt_btf_part__fill(struct xpt_btf_part *p, const struct btf *local)
{
	uint32_t size = 0;
	const void *raw = btf__raw_data(local, &size);
	uint64_t hash = raw ? xpt_hash(raw, size) | 1 : 1;
	int err = 0;

	if (hash == p->filled_for)
		return 0;
	p->filled_for = 0;
	if (!p->all)
		err = open_kernel(p);
	if (!err)
		err = p->whole.at ? write_part(p, local) : -EINVAL;
	if (!err && hash != 1)
		p->filled_for = hash;
	return err;
}

uint32_t xpt_btf_part__function(struct xpt_btf_part *p, const char *name)
{
	const struct whole *w = &p->whole;
	uint32_t id;

	for (id = 1; w->at && id <= w->nr; id++)
		if (btf_kind(type_at(w, id)) == BTF_KIND_FUNC &&
		    !strcmp(name_at(w, type_at(w, id)->name_off), name))
			return id;
	return 0;
}

struct xpt_btf_part *xpt_btf_part__new(void)
{
	struct xpt_btf_part *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->fd = memfd_create("xputrace-btf", MFD_CLOEXEC);
	if (p->fd < 0) {
		free(p);
		return NULL;
	}
	snprintf(p->path, sizeof(p->path), "/proc/self/fd/%d", p->fd);
	return p;
}

void xpt_btf_part__free(struct xpt_btf_part *p)
{
	if (!p)
		return;
	if (p->is_mapped)
		munmap(p->all, p->size);
	else
		free(p->all);
	free(p->whole.at);
	close(p->fd);
	free(p);
}

const char *xpt_btf_part__path(const struct xpt_btf_part *p)
{
	return p ? p->path : NULL;
}
