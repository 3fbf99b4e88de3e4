// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Filling in a bpftrace script, see script.h. A probe is looked for in the notes of
 * every file that the process has mapped, the program first; a function in their
 * symbols. Text that is no such probe is copied as it stands.
 */
#include "session/spdk/script.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/log.h"
#include "base/parse.h"
#include "elf/elf.h"
#include "elf/usdt.h"
#include "engine/sources/points/program_states.h"
#include "model/domain/domain.h"
#include "proc/libpath.h"
#include "proc/maps.h"

#define MAX_OBJECTS 512
#define EXE "__EXE__"
#define PID "__PID__"
#define NAME_LEN_MAX 256

struct object {
	char *path;		/* as bpftrace can open it */
	uint64_t dev, ino;
	struct xpt_elf *elf;
	struct xpt_usdt *usdt;
};

struct xpt_script {
	int pid;		/* 0: bpftrace starts it */
	struct object object[MAX_OBJECTS];	/* the program first */
	unsigned nr;
};

struct spec {			/* "usdt:__EXE__:spdk:nvmf_*" */
	bool usdt;
	char name[NAME_LEN_MAX];
	size_t len;		/* of it in the text, from the kind on */
};

/* --- files --------------------------------------------------------------------------- */

static bool leads_to(const char *path, const struct stat *st)
{
	struct stat now;

	return !stat(path, &now) && now.st_dev == st->st_dev && now.st_ino == st->st_ino;
}

/* The path itself, if it leads to the same file for us; else in the process's own root; else, if
 * its name is gone, a link of the kernel. */
static char *path_for_us(int pid, const char *path, const struct stat *st, const char *link)
{
	char *p;

	if (!pid || leads_to(path, st))
		return strdup(path);
	if (asprintf(&p, "/proc/%d/root%s", pid, path) < 0)
		return NULL;
	if (leads_to(p, st))
		return p;
	free(p);
	return strdup(link);
}

static int add_file(struct xpt_script *s, int fd, int pid, const char *path, const char *link)
{
	struct object *o = &s->object[s->nr];
	struct stat st;

	if (fd < 0)
		return 0;
	if (s->nr == MAX_OBJECTS || fstat(fd, &st)) {
		close(fd);
		return 0;
	}
	for (unsigned i = 0; i < s->nr; i++) {
		if (s->object[i].dev == st.st_dev && s->object[i].ino == st.st_ino) {
			close(fd);
			return 0;
		}
	}
	*o = (struct object){ .dev = st.st_dev, .ino = st.st_ino };
	if (xpt_elf__open_fd(fd, &o->elf))
		return 0;	/* mapped, and no ELF file */
	o->path = path_for_us(pid, path, &st, link);
	if (!o->path || xpt_usdt__read(o->elf, false, &o->usdt)) {
		xpt_elf__close(o->elf);
		free(o->path);
		return -ENOMEM;
	}
	s->nr++;
	return 0;
}

static int add_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	char link[96];

	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start, m->end);
	return add_file(ctx, xpt_maps__open(pid, m), pid, m->path, link);
}

static int add_process(struct xpt_script *s, int pid)
{
	char link[64], path[4096];
	ssize_t n;
	int err;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return xpt_err(-errno, errno == ENOENT ? "no process %d" : "cannot look at process %d", pid);
	path[n] = '\0';
	err = add_file(s, xpt_regular__open(link, NULL), pid, path, link);
	if (!err)
		err = xpt_maps__each(pid, add_mapping, s);
	return err < 0 ? xpt_err(err, "cannot look at process %d: %s", pid, strerror(-err)) : 0;
}

/* Finds a library as the loader would for an object of the program; false if it is nowhere. */
static bool find_library(const char *exe, const char *user, const char *name, char *buf, size_t n)
{
	struct xpt_libpath of_exe = { .exe = exe, .ld_library_path = getenv("LD_LIBRARY_PATH") };
	struct xpt_libpath of_user = { .exe = user };

	if (!*name || strchr(name, '/'))
		return snprintf(buf, n, "%s", name) < (int)n && *name == '/';
	return xpt_libpath__next(&of_exe, name, buf, n) || xpt_libpath__next(&of_user, name, buf, n);
}

/*
 * The libraries of a program and theirs, read from the files. Nobody runs the loader for it
 * (LD_TRACE_LOADED_OBJECTS): the file names the loader and the libraries that it loads first.
 */
static int add_libraries(struct xpt_script *s, const char *exe)
{
	char path[4096], *name;
	int err = 0;

	for (unsigned at = 0; at < s->nr && !err; at++) {
		const struct object *o = &s->object[at];

		for (unsigned i = 0; !err && !xpt_elf__needed(o->elf, i, &name); i++) {
			if (find_library(exe, o->path, name, path, sizeof(path)))
				err = add_file(s, xpt_regular__open(path, NULL), 0, path, NULL);
			free(name);
		}
	}
	return err;
}

int xpt_script__new(int pid, const char *exe, struct xpt_script **ret_s)
{
	struct xpt_script *s = calloc(1, sizeof(*s));
	int err, fd;

	if (!s)
		return xpt_err(-ENOMEM, "out of memory");
	s->pid = pid;
	if (pid) {
		err = add_process(s, pid);
	} else {
		fd = xpt_regular__open(exe, NULL);
		err = fd < 0 ? xpt_err(fd, "cannot read %s: %s", exe, strerror(-fd)) : 0;
		if (!err)
			err = add_file(s, fd, 0, exe, NULL);
		if (!err && s->nr)
			err = add_libraries(s, exe);
	}
	if (!err && !s->nr)
		err = xpt_err(-ENOEXEC, "%s is no program for this machine", pid ? "the process" : exe);
	if (err) {
		xpt_script__free(s);
		return err;
	}
	*ret_s = s;
	return 0;
}

void xpt_script__free(struct xpt_script *s)
{
	for (unsigned i = 0; s && i < s->nr; i++) {
		free(s->object[i].path);
		xpt_usdt__free(s->object[i].usdt);
		xpt_elf__close(s->object[i].elf);
	}
	free(s);
}

/* --- probes ---------------------------------------------------------------------------- */

/* Whether a site's probe is NAME or PROVIDER:NAME, with wildcards. */
static bool is_named(const char *name, const struct xpt_usdt_site *site)
{
	const char *colon = strchr(name, ':'), *base = colon ? colon + 1 : name;
	char provider[NAME_LEN_MAX] = "*";

	if (colon)
		snprintf(provider, sizeof(provider), "%.*s", (int)(colon - name), name);
	return xpt_glob_match(provider, site->provider) && xpt_glob_match(base, site->name);
}

static const struct xpt_usdt_site *find_note(const struct object *o, const char *name)
{
	const struct xpt_usdt_site *site;
	size_t n;

	site = xpt_usdt__sites(o->usdt, &n);
	for (size_t i = 0; i < n; i++)
		if (is_named(name, &site[i]))
			return &site[i];
	return NULL;
}

static bool has_symbol(const struct object *o, const char *name)
{
	const struct xpt_sym *sym;
	size_t n;

	if (!strpbrk(name, "*?"))
		return xpt_elf__find(o->elf, name) != NULL;
	sym = xpt_elf__syms(o->elf, &n);
	for (size_t i = 0; i < n; i++)
		if (xpt_glob_match(name, sym[i].name))
			return true;
	return false;
}

/* The first file that has it; NULL: none. */
static const struct object *find_object(const struct xpt_script *s, const struct spec *p,
					const struct xpt_usdt_site **ret_site)
{
	*ret_site = NULL;
	for (unsigned i = 0; i < s->nr; i++) {
		if (p->usdt)
			*ret_site = find_note(&s->object[i], p->name);
		if (p->usdt ? *ret_site != NULL : has_symbol(&s->object[i], p->name))
			return &s->object[i];
	}
	return NULL;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || strchr("_:*?.@$+", c);
}

/* Is there "usdt:__EXE__:name" at p, and p the beginning of a word? */
static bool take_spec(const char *text, const char *p, struct spec *ret)
{
	static const char *const kinds[] = { "usdt:" EXE ":", "uprobe:" EXE ":", "uretprobe:" EXE ":" };
	size_t n = 0, len;

	if (p > text && (in_name(p[-1]) || p[-1] == '/'))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		len = strlen(kinds[i]);
		if (strncmp(p, kinds[i], len) != 0)
			continue;
		while (p[len + n] && in_name(p[len + n]))
			n++;
		if (!n || n >= sizeof(ret->name))
			return false;
		ret->usdt = !i;
		memcpy(ret->name, p + len, n);
		ret->name[n] = '\0';
		ret->len = len + n;
		return true;
	}
	return false;
}

/* The highest argN in the block after the probe, -1: none. Strings and comments count. */
static int highest_arg(const char *p)
{
	int depth = 0, highest = -1;
	const char *begin = p;

	for (; *p && !(depth == 1 && *p == '}'); p++) {
		depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
		if (depth && p > begin && !in_name(p[-1]) && !strncmp(p, "arg", 3) &&
		    isdigit((unsigned char)p[3]) && !in_name(p[4]) && p[3] - '0' > highest)
			highest = p[3] - '0';
	}
	return highest;
}

/* Skips a text in quotes, a comment, or one character. */
static const char *past_one(const char *p)
{
	const char *end;

	if (*p == '"') {
		for (p++; *p && *p != '"'; p++)
			p += *p == '\\' && p[1];
		return p + (*p != '\0');
	}
	if (p[0] == '/' && p[1] == '/')
		return p + strcspn(p, "\n");
	if (p[0] == '/' && p[1] == '*') {
		end = strstr(p + 2, "*/");
		return end ? end + 2 : p + strlen(p);
	}
	return p + 1;
}

static const char *past_blanks(const char *p)
{
	while (isspace((unsigned char)*p) || (p[0] == '/' && (p[1] == '/' || p[1] == '*')))
		p = past_one(p);
	return p;
}

/* Returns the end of the clause whose only probe is at `from`; NULL if it has others, or no end. */
static const char *end_of_clause(const char *text, const char *from, const char *behind)
{
	const char *p = past_blanks(behind);
	int depth = 0;

	while (from > text && isspace((unsigned char)from[-1]))
		from--;
	if ((*p != '{' && *p != '/') || (from > text && from[-1] == ','))
		return NULL;
	while (*p && *p != '{')	/* a filter: a division sign in it is no comment here */
		p = *p == '"' ? past_one(p) : p + 1;
	for (; *p; p = past_one(p)) {
		depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
		if (*p == '}' && !depth)
			return p + 1;
	}
	return NULL;
}

static int add_path(struct xpt_strbuf *sb, const char *path)
{
	for (const char *p = path; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("/._-+@%,=~", *p))
			return xpt_err(-EINVAL, "bpftrace cannot read the path %s", path);
	xpt_strbuf__add(sb, path);
	return 0;
}

static int add_probe(const struct object *o, const struct spec *p, const char *kind, struct xpt_strbuf *sb)
{
	int err;

	xpt_strbuf__addn(sb, kind, (size_t)(strchr(kind, ':') + 1 - kind));
	err = add_path(sb, o->path);
	xpt_strbuf__addc(sb, ':');
	xpt_strbuf__add(sb, p->name);
	return err;
}

/* A pattern of probes means those of all files: libraries of a program have each some. Of
 * functions it means the first file: every library has something that is called so. */
static int add_more(const struct xpt_script *s, const struct object *first, const struct spec *p, const char *kind,
		    struct xpt_strbuf *sb)
{
	int err = 0;

	if (!p->usdt || !strpbrk(p->name, "*?"))
		return 0;
	for (const struct object *o = first + 1; !err && o < s->object + s->nr; o++) {
		if (!find_note(o, p->name))
			continue;
		xpt_strbuf__add(sb, ", ");
		err = add_probe(o, p, kind, sb);
	}
	return err;
}

/* The argument's operand as the compiler wrote it: word number i of the note. Returns its bytes. */
static int operand_of(const struct xpt_usdt_site *site, unsigned i, const char **ret_s)
{
	const char *s = site->args + strspn(site->args, " ");

	while (i--) {
		s += strcspn(s, " ");
		s += strspn(s, " ");
	}
	*ret_s = s;
	return (int)strcspn(s, " ");
}

/* bpftrace 0.17 is ended by a signal at operands in vector registers, also where the script does not read them. */
static void warn_unreadable(const struct object *o, const struct spec *p)
{
	const struct xpt_usdt_site *site;
	const char *text;
	size_t n;
	int len;

	site = xpt_usdt__sites(o->usdt, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_named(p->name, &site[i]))
			continue;
		for (unsigned k = 0; k < site[i].nr_args; k++) {
			if (site[i].loc[k].kind != XPT_LOC_NONE)
				continue;
			len = operand_of(&site[i], k, &text);
			xpt_warn("argument %u of the probe %s:%s is at %.*s, which bpftrace may not be able to read: some releases "
				 "end by a signal there", k, site[i].provider, site[i].name, len, text);
			return;
		}
	}
}

/*
 * Adds the probe at `kind` with its file. bpftrace gives up at a probe that does not exist: a clause that has no
 * other is left out. Returns the text after the part that was read.
 */
static const char *add_spec(const struct xpt_script *s, const struct spec *p, const char *text,
			    const char *kind, struct xpt_strbuf *sb, int *ret_err)
{
	const struct xpt_usdt_site *site;
	const struct object *o = find_object(s, p, &site);
	const char *behind = kind + p->len, *end = o ? NULL : end_of_clause(text, kind, behind);
	int arg = site ? highest_arg(behind) : -1;

	if (!o)
		xpt_warn("no file of this program has the %s %s%s", p->usdt ? "probe" : "function", p->name,
			 end ? ": its clause is left out" : "");
	if (end)
		return end;
	if (site && arg >= site->nr_args)
		xpt_warn("%s has %u arguments here, and the script reads arg%d: is it of another release?",
			 p->name, site->nr_args, arg);
	if (site)
		warn_unreadable(o, p);
	*ret_err = add_probe(o ? o : &s->object[0], p, kind, sb);
	if (o && !*ret_err)
		*ret_err = add_more(s, o, p, kind, sb);
	return behind;
}

/* Copies one word or character that is no probe. Returns the text after it. */
static const char *copy_one(const struct xpt_script *s, const char *p, struct xpt_strbuf *sb,
			    int *ret_err)
{
	if (!strncmp(p, EXE, strlen(EXE))) {
		*ret_err = add_path(sb, s->object[0].path);
		return p + strlen(EXE);
	}
	if (strncmp(p, PID, strlen(PID)) != 0) {
		xpt_strbuf__addc(sb, *p);
		return p + 1;
	}
	if (s->pid)
		xpt_strbuf__addu64(sb, (unsigned)s->pid);
	else
		xpt_strbuf__add(sb, "cpid");	/* that which bpftrace starts */
	return p + strlen(PID);
}

static int fill_in(const struct xpt_script *s, const char *text, struct xpt_strbuf *sb)
{
	const char *p = text, *plain = text;	/* the end of a text in quotes or a comment */
	bool left_out = false;
	struct spec spec;
	int err = 0;

	while (*p && !err) {
		if (p >= plain && *p == 'u' && take_spec(text, p, &spec)) {
			size_t before = sb->len;

			p = add_spec(s, &spec, text, p, sb, &err);
			left_out = left_out || sb->len == before;
			continue;
		}
		if (p >= plain && (*p == '"' || *p == '/'))
			plain = past_one(p);
		p = copy_one(s, p, sb, &err);
	}
	if (!err && left_out && !strchr(xpt_strbuf__str(sb), '{'))
		err = xpt_err(-ENOENT, "nothing of the script is left");
	return err;
}

/* --- names of states ------------------------------------------------------------------------ */

/* Finds the states from the first file that has the kind's enum, else by its release, else the newest ones. */
static void find_states(const struct xpt_script *s, unsigned kind, unsigned release,
			struct xpt_state_list *ret)
{
	const struct xpt_domain *d = xpt_domain__find("spdk");
	struct xpt_state_list l;

	xpt_states__of_file(d, kind, "", "/dev/null", release, ret);
	for (unsigned i = 0; !release && i < s->nr && ret->from != XPT_STATES_DEBUG; i++) {
		xpt_states__of_file(d, kind, "", s->object[i].path, 0, &l);
		if (l.unread)
			xpt_warn("%s: debug information not read: its reader came to no end or was stopped", s->object[i].path);
		if (l.from == XPT_STATES_DEBUG || (l.release && !ret->release))
			*ret = l;
	}
}

static void add_states(struct xpt_strbuf *sb, const char *map, const struct xpt_enum *e)
{
	for (unsigned i = 0; i < e->nr; i++)
		if (e->name[i][0] && !strpbrk(e->name[i], "\"\\\n"))
			xpt_strbuf__addf(sb, "  @%s[%u] = \"%s\";\n", map, i, e->name[i]);
}

/* Maps that the script reads; BEGIN may stand several times. */
static void supply_states(const struct xpt_script *s, const char *text, unsigned release,
			  struct xpt_strbuf *sb)
{
	bool target = strstr(text, "@target["), subsystem = strstr(text, "@subsystem[");
	struct xpt_state_list l;

	if (!target && !subsystem)
		return;
	xpt_strbuf__add(sb, "\nBEGIN {\n");
	if (target) {
		find_states(s, XPT_KIND_TARGET, release, &l);
		if (l.from == XPT_STATES_NEWEST)
			xpt_warn("no release of SPDK in the program: states are called as in 26.01 (see "
				 "--release)");
		add_states(sb, "target", &l.names);
	}
	if (subsystem) {
		find_states(s, XPT_KIND_SUBSYSTEM, release, &l);
		add_states(sb, "subsystem", &l.names);
	}
	xpt_strbuf__add(sb, "}\nEND {\n");
	if (target)
		xpt_strbuf__add(sb, "  clear(@target);\n");
	if (subsystem)
		xpt_strbuf__add(sb, "  clear(@subsystem);\n");
	xpt_strbuf__add(sb, "}\n");
}

int xpt_script__add(struct xpt_script *s, const char *text, unsigned release,
		    struct xpt_strbuf *program)
{
	int err = fill_in(s, text, program);

	if (!err)
		supply_states(s, text, release, program);
	if (!err && xpt_strbuf__err(program))
		err = xpt_err(xpt_strbuf__err(program), "the script is too long");
	return err;
}
