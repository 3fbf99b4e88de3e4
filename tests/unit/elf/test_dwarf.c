/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: libdw
 * elf/dwarf/dwarf_args.h and elf/dwarf/dwarf_enums.h on this program's own debug information: as it
 * is, and damaged at random in copies of the file. Whatever a child makes of those, the
 * answer is none or one that holds what its readers rely on.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/process/jail.h"
#include "elf/dwarf/dwarf_args.h"
#include "elf/dwarf/dwarf_child.h"
#include "elf/dwarf/dwarf_enums.h"

#define ROUNDS 200

struct dwarf_leaf {
	char pad[3];
	int16_t small;
};

struct dwarf_node {
	double weight;
	const struct dwarf_leaf *leaf;
};

enum dwarf_state { DWARF_STATE_NONE, DWARF_STATE_HALF = 3, DWARF_STATE_WHOLE };

int dwarf_visit(float scale, const struct dwarf_node *node, unsigned char level, enum dwarf_state state);

__attribute__((noinline, used)) int dwarf_visit(float scale, const struct dwarf_node *node, unsigned char level,
						enum dwarf_state state)
{
	__asm__ volatile("" : "+r"(node));
	return scale > 0 && state ? -level : node->leaf->small;
}

static struct xpt_hook hook;
static char *image;		/* of this program */
static size_t size;
static char path[64];

static void put(const char *bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

static int setup(void **state)
{
	static const struct xpt_hook_env env = { "/x", 1 };
	struct xpt_hook_error err;
	struct stat st;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;

	(void)state;
	if (fd < 0 || fstat(fd, &st))
		return -1;
	size = (size_t)st.st_size;
	image = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	to = memfd_create("damaged", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
	return image == MAP_FAILED || to < 0 ||
	       xpt_hook__parse("uprobe:x:dwarf_* count by level, node->leaf->small, node->none", &env, &hook, &err);
}

/* The function as it was read; NULL: built without libdw, or without debug information. */
static const struct xpt_dwarf_fn *read_own(struct xpt_dwarf_fn **v)
{
	size_t n = 0;

	put(image);
	xpt_dwarf__read(path, &hook, v, &n);
	return xpt_dwarf__find(*v, n, "dwarf_visit");
}

static void test_own(void **state)
{
	struct xpt_dwarf_fn *v = NULL;
	const struct xpt_dwarf_fn *f = read_own(&v);
	struct xpt_enum e;
	int fd;

	(void)state;
	if (!f) {
		print_message("skip dwarf: no libdw, or no debug information\n");
		skip();
	}
	/* a float has no word of its own; an enum is a number */
	assert_int_equal(f->nr, 3);
	assert_string_equal(f->name[0], "node");
	assert_string_equal(f->name[1], "level");
	assert_string_equal(f->name[2], "state");
	assert_int_equal(f->word[1], 1);
	assert_int_equal(f->width[0], 8);
	assert_int_equal(f->width[1], 1);
	assert_true(f->has_way[1] && !f->has_way[2]);
	assert_int_equal(f->way[1].nr, 2);
	assert_int_equal(f->way[1].step[1].off, offsetof(struct dwarf_leaf, small));
	assert_int_equal(f->way[1].step[1].width, 2 | 0x80);
	assert_string_equal(f->why[2], "there is no member 'none'");
	free(v);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(xpt_enum__read(fd, -1, "dwarf_state", "DWARF_STATE_", &e), 0);
	assert_int_equal(e.nr, 5);
	assert_string_equal(e.name[4], "WHOLE");
	assert_string_equal(e.name[1], "");
	close(fd);
}

static bool is_width(uint8_t w)
{
	w &= 0x7f;
	return w == 1 || w == 2 || w == 4 || w == 8;
}

static void is_printable(const char *s, size_t max)
{
	assert_true(strnlen(s, max) < max);
	for (; *s; s++)
		assert_true((unsigned char)*s > ' ' && *s != 0x7f);
}

static void check_function(const struct xpt_dwarf_fn *f)
{
	is_printable(f->sym, sizeof(f->sym));
	assert_true(f->nr <= XPT_MAX_VALS);
	for (unsigned i = 0; i < f->nr; i++) {
		is_printable(f->name[i], sizeof(f->name[i]));
		assert_true(f->word[i] <= 12 && is_width(f->width[i]));
	}
	for (unsigned i = 0; i < XPT_MAX_VALS; i++) {
		assert_true(f->way[i].nr <= XPT_HOOK_DEREFS && f->way[i].arg <= 12);
		assert_true(strnlen(f->why[i], XPT_DWARF_WHY) < XPT_DWARF_WHY);
		for (unsigned k = 0; f->has_way[i] && k < f->way[i].nr; k++)
			assert_true(f->way[i].step[k].off >= 0 && (is_width(f->way[i].step[k].width) ||
				    (!f->way[i].step[k].width && k + 1 == f->way[i].nr)));
	}
}

/* How many answers there were. */
static unsigned check_file(void)
{
	struct xpt_dwarf_fn *v = NULL;
	unsigned answers = 0;
	struct xpt_enum e;
	size_t n = 0;
	int fd;

	xpt_dwarf__read(path, &hook, &v, &n);
	for (size_t i = 0; i < n; i++)
		check_function(&v[i]);
	answers += n > 0;
	free(v);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!xpt_enum__read(fd, -1, "dwarf_state", "DWARF_STATE_", &e)) {
		answers++;
		assert_in_range(e.nr, 1, XPT_STATES_MAX);
		for (unsigned i = 0; i < XPT_STATES_MAX; i++)
			is_printable(e.name[i], XPT_ENUM_NAME);
	}
	close(fd);
	return answers;
}

static uint64_t next_random(void)
{
	static uint64_t rng = 1;

	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

/* Where the sections of debug information lie, one behind the other. */
static void debug_range(size_t *ret_from, size_t *ret_to)
{
	const Elf64_Ehdr *eh = (const void *)image;
	const Elf64_Shdr *sh = (const void *)(image + eh->e_shoff);
	const char *names = image + sh[eh->e_shstrndx].sh_offset;

	*ret_from = size;
	*ret_to = 0;
	for (unsigned i = 1; i < eh->e_shnum; i++) {
		if (strncmp(names + sh[i].sh_name, ".debug_", 7) != 0)
			continue;
		*ret_from = sh[i].sh_offset < *ret_from ? sh[i].sh_offset : *ret_from;
		*ret_to = sh[i].sh_offset + sh[i].sh_size > *ret_to ? sh[i].sh_offset + sh[i].sh_size : *ret_to;
	}
}

static void test_damaged(void **state)
{
	struct xpt_dwarf_fn *v = NULL;
	bool known = read_own(&v);
	char *copy = malloc(size);
	unsigned answers = 0;
	size_t from, to;

	(void)state;
	free(v);
	assert_non_null(copy);
	debug_range(&from, &to);
	for (unsigned round = 0; known && round < ROUNDS; round++) {
		memcpy(copy, image, size);
		for (unsigned k = 0; k < 1u << round % 12; k++) {
			size_t at = round % 8 ? from + next_random() % (to - from) : next_random() % size;

			copy[at] = (char)next_random();
		}
		put(copy);
		answers += check_file();
	}
	free(copy);
	assert_true(!known || (answers > 0 && answers < 2 * ROUNDS));	/* some damage is seen */
}

#ifdef XPT_HAVE_LIBDW
/* Makes a section of debug information in copy say that it unpacks to that size. Returns false: it has no such section. */
static bool claim_unpacked(char *copy, const char *section, uint64_t unpacked)
{
	const Elf64_Ehdr *eh = (const void *)copy;
	Elf64_Shdr *sh = (void *)(copy + eh->e_shoff);
	const char *names = copy + sh[eh->e_shstrndx].sh_offset;
	Elf64_Chdr packed = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = unpacked, .ch_addralign = 1 };

	for (unsigned i = 1; i < eh->e_shnum; i++) {
		if (strcmp(names + sh[i].sh_name, section) != 0 || sh[i].sh_size < sizeof(packed))
			continue;
		sh[i].sh_flags |= SHF_COMPRESSED;
		memcpy(copy + sh[i].sh_offset, &packed, sizeof(packed));
		return true;
	}
	return false;
}

static int open_image(int fd, int to, const void *ctx)
{
	struct Dwarf *dw = NULL;
	int err = xpt_dwarf_child__open(fd, NULL, &dw);

	(void)ctx;
	return write(to, &err, sizeof(err)) == (ssize_t)sizeof(err) ? 0 : -EIO;
}

/* How the file is opened where two of its sections claim such sizes: 0 or -errno. */
static int open_claiming(uint64_t info, uint64_t strings)
{
	char *copy = malloc(size);
	size_t n = 0;
	int err, fd;

	assert_non_null(copy);
	memcpy(copy, image, size);
	assert_true(claim_unpacked(copy, ".debug_info", info) && claim_unpacked(copy, ".debug_str", strings));
	put(copy);
	free(copy);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(xpt_jail__run(open_image, fd, NULL, &err, sizeof(err), &n), 0);
	assert_int_equal(n, sizeof(err));
	close(fd);
	return err;
}

/*
 * What sections say that they unpack to is allocated at once: together they may have 16 times of what the file stores, or
 * 64 MiB.
 */
static void test_unpacked(void **state)
{
	struct xpt_dwarf_fn *v = NULL;
	bool known = read_own(&v);
	uint64_t limit = 16ull * size, most = 64ull << 20;

	(void)state;
	free(v);
	if (!known)
		skip();
	limit = (limit > most ? limit : most) + (1 << 20);	/* a file takes whole blocks */
	assert_int_not_equal(open_claiming(4096, 4096), -EFBIG);
	assert_int_equal(open_claiming(limit, 4096), -EFBIG);
	assert_int_equal(open_claiming(4096, limit), -EFBIG);
	assert_int_equal(open_claiming(limit / 2, limit / 2 + 1), -EFBIG);
	assert_int_equal(open_claiming(UINT64_MAX, UINT64_MAX), -EFBIG);
	assert_int_equal(open_claiming(UINT64_MAX - 4095, 8192), -EFBIG);	/* their sum wraps */
}

#else
static void test_unpacked(void **state)
{
	(void)state;
	skip();
}
#endif

/* As a child that the file has made its own would answer. */
static int lie(int fd, int to, const void *ctx)
{
	static struct xpt_dwarf_fn f;

	(void)fd;
	memset(&f, *(const unsigned char *)ctx, sizeof(f));
	return write(to, &f, sizeof(f)) != sizeof(f);
}

static void test_lies(void **state)
{
	static const unsigned char bytes[] = { 0, 1, 3, 8, 0x1b, 0x7f, 0xff };
	struct xpt_dwarf_fn f;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		assert_int_equal(xpt_jail__run(lie, -1, &bytes[i], &f, sizeof(f), &n), 0);
		assert_int_equal(n, sizeof(f));
		if (xpt_dwarf__good(&f))
			check_function(&f);
	}
}

static int dies(int fd, int to, const void *ctx)
{
	(void)fd;
	(void)ctx;
	return write(to, "x", 1) == 1 ? (__builtin_trap(), 0) : 0;
}

static void test_dies(void **state)
{
	struct xpt_dwarf_fn *v = NULL;
	char answer[8];
	size_t n = 0;

	(void)state;
	assert_int_equal(xpt_jail__run(dies, -1, NULL, answer, sizeof(answer), &n), -EBADMSG);
	assert_int_equal(n, 1);	/* what came before: its readers look at the size */
	assert_int_equal(xpt_dwarf__read("/nonexistent", &hook, &v, &n), -ENOENT);
	assert_null(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own), cmocka_unit_test(test_damaged), cmocka_unit_test(test_unpacked),
		cmocka_unit_test(test_lies), cmocka_unit_test(test_dies),
	};

	return cmocka_run_group_tests_name("dwarf", tests, setup, NULL);
}
