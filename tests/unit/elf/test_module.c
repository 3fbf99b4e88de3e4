/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * elf/unpack.h and elf/kernel_module.h: packed data that is whole, cut, too
 * large or not packed at all; kernel images; a relocatable file made by hand, and what
 * becomes of it when its headers lie.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>
#include "elf/kernel_module.h"
#include "elf/unpack.h"

enum { SIZE = 100000 };

static uint8_t *plain(void)
{
	uint8_t *p = malloc(SIZE);
	unsigned i;

	assert_non_null(p);
	for (i = 0; i < SIZE; i++)
		p[i] = (uint8_t)(i * i >> 7);
	memcpy(p, "\177ELF", 4);
	return p;
}

static size_t gzip(const uint8_t *p, uint8_t *to, size_t room)
{
	z_stream z = { .next_in = (Bytef *)p, .avail_in = SIZE, .next_out = to,
		       .avail_out = (uInt)room };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void test_unpack(void **state)
{
	uint8_t *p = plain(), *packed = malloc(2 * SIZE);
	size_t n, size;
	void *got;

	(void)state;
	assert_non_null(packed);
	n = gzip(p, packed, 2 * SIZE);
	assert_int_equal(xpt_unpack__mem(packed, n, SIZE, &got, &size), 0);
	assert_int_equal(size, SIZE);
	assert_memory_equal(got, p, SIZE);
	free(got);
	assert_int_equal(xpt_unpack__mem(packed, n, SIZE - 1, &got, &size), -EFBIG);
	assert_int_equal(xpt_unpack__mem(packed, n - 9, SIZE, &got, &size), -EBADMSG);
	packed[n - 6] ^= 0xff;	/* the checksum */
	assert_int_equal(xpt_unpack__mem(packed, n, SIZE, &got, &size), -EBADMSG);
	assert_int_equal(xpt_unpack__mem(p, SIZE, SIZE, &got, &size), 0);
	assert_memory_equal(got, p, SIZE);
	free(got);
	assert_int_equal(xpt_unpack__mem(p, SIZE, SIZE - 1, &got, &size), -EFBIG);
	assert_int_equal(xpt_unpack__mem(p, 0, SIZE, &got, &size), 0);
	assert_int_equal(size, 0);
	free(got);
	free(packed);
	free(p);
}

static void write_file(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

/* A bzImage: setup of 2 sectors behind the first, then code, then the payload. */
static int unpack_kernel(const char *path, void **ret_data, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = xpt_unpack__kernel(fd, XPT_UNPACK_MAX, ret_data, ret_size);

	close(fd);
	return err;
}

/* Holes cost nothing, and allow nothing. */
static void test_allowed(void **state)
{
	FILE *f = tmpfile();
	char some[4096];

	(void)state;
	assert_non_null(f);
	memset(some, 1, sizeof(some));
	assert_int_equal(fwrite(some, sizeof(some), 1, f), 1);
	assert_int_equal(fflush(f), 0);
	assert_int_equal(ftruncate(fileno(f), (off_t)1 << 40), 0);
	assert_true(xpt_unpack__allowed(fileno(f), XPT_UNPACK_MAX) >= 4 << 20);
	assert_true(xpt_unpack__allowed(fileno(f), XPT_UNPACK_MAX) < 8 << 20);
	assert_int_equal(lseek(fileno(f), 0, SEEK_CUR), sizeof(some));
	assert_int_equal(xpt_unpack__allowed(fileno(f), 1), 1);
	fclose(f);
}

static void test_kernel(void **state)
{
	uint8_t *p = plain(), *image = calloc(1, 3 * SIZE);
	char path[128];
	size_t n, size;
	void *got;

	(void)state;
	assert_non_null(image);
	snprintf(path, sizeof(path), "%s/vmlinuz.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
		 getpid());
	n = gzip(p, image + 3 * 512 + 100, 2 * SIZE);
	image[0x1f1] = 2;
	memcpy(image + 0x202, "HdrS", 4);
	put32(image + 0x206, 0x020f);
	put32(image + 0x248, 100);
	put32(image + 0x24c, (uint32_t)n + 4);
	write_file(path, image, 3 * 512 + 100 + n + 4);
	assert_int_equal(unpack_kernel(path, &got, &size), 0);
	assert_int_equal(size, SIZE);
	assert_memory_equal(got, p, SIZE);
	free(got);
	put32(image + 0x24c, 3 * SIZE);
	write_file(path, image, 3 * 512 + 100 + n + 4);
	assert_int_equal(unpack_kernel(path, &got, &size), -EBADMSG);
	write_file(path, image, 100);
	assert_int_equal(unpack_kernel(path, &got, &size), -ENOEXEC);
	write_file(path, p, SIZE);
	assert_int_equal(unpack_kernel(path, &got, &size), 0);
	free(got);
	unlink(path);
	assert_int_equal(unpack_kernel("/", &got, &size), -EISDIR);
	free(image);
	free(p);
}

/* Sections: null, .text, .rela.text, .symtab, .strtab (names of sections too), .modinfo, build id */
enum { NR_SECS = 7, TEXT = 64, RELA = 128, SYMS = 256, STRS = 512, INFO = 768, NOTE = 832, SHDRS = 1024,
       FILE_SIZE = SHDRS + NR_SECS * 64 };

struct image {
	uint8_t b[FILE_SIZE];
};

static const char strings[] = "\0.text\0.rela.text\0.symtab\0.strtab\0.modinfo\0.note.gnu.build-id\0func\0callee";

static uint32_t name_at(const char *s)
{
	size_t i;

	for (i = 1; i < sizeof(strings); i++)
		if (!strcmp(strings + i, s))
			return (uint32_t)i;
	fail();
	return 0;
}

static void section(struct image *m, int i, const char *name, Elf64_Shdr s)
{
	s.sh_name = name_at(name);
	memcpy(m->b + SHDRS + i * 64, &s, sizeof(s));
}

static void make(struct image *m)
{
	const Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_REL, .e_machine = EM_X86_64, .e_shoff = SHDRS, .e_shentsize = 64,
		.e_shnum = NR_SECS, .e_shstrndx = 4 };
	const Elf64_Sym sym[3] = { { 0 },
		{ .st_name = name_at("func"), .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
		  .st_shndx = 1, .st_value = 4, .st_size = 10 },
		{ .st_name = name_at("callee"), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE) } };
	const Elf64_Rela rel[2] = {
		{ .r_offset = 20, .r_info = ELF64_R_INFO(2, R_X86_64_PLT32), .r_addend = -4 },
		{ .r_offset = 5, .r_info = ELF64_R_INFO(2, R_X86_64_PC32), .r_addend = -4 } };
	const Elf64_Nhdr note = { .n_namesz = 4, .n_descsz = 3, .n_type = NT_GNU_BUILD_ID };

	memset(m, 0, sizeof(*m));
	memcpy(m->b, &eh, sizeof(eh));
	memcpy(m->b + SYMS, sym, sizeof(sym));
	memcpy(m->b + RELA, rel, sizeof(rel));
	memcpy(m->b + STRS, strings, sizeof(strings));
	memcpy(m->b + INFO, "version=1.5\0depends=a,b", 24);
	memcpy(m->b + NOTE, &note, sizeof(note));
	memcpy(m->b + NOTE + sizeof(note), "GNU\0\xab\xcd\x01", 7);
	section(m, 1, ".text", (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_offset = TEXT,
		.sh_size = 64, .sh_flags = SHF_ALLOC | SHF_EXECINSTR });
	section(m, 2, ".rela.text", (Elf64_Shdr){ .sh_type = SHT_RELA, .sh_offset = RELA,
		.sh_size = 48, .sh_entsize = 24, .sh_link = 3, .sh_info = 1 });
	section(m, 3, ".symtab", (Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_offset = SYMS,
		.sh_size = 72, .sh_entsize = 24, .sh_link = 4 });
	section(m, 4, ".strtab", (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = STRS,
		.sh_size = sizeof(strings) });
	section(m, 5, ".modinfo", (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_offset = INFO,
		.sh_size = 24 });
	section(m, 6, ".note.gnu.build-id", (Elf64_Shdr){ .sh_type = SHT_NOTE, .sh_offset = NOTE,
		.sh_size = 19 });
}

static int parse(const struct image *m, size_t n, struct xpt_module **ret_mod)
{
	void *copy = malloc(n + 1);

	assert_non_null(copy);
	memcpy(copy, m->b, n);
	return xpt_module__parse(copy, n, false, ret_mod);
}

static void test_module(void **state)
{
	const struct xpt_mod_sec *sec;
	const struct xpt_mod_sym *syms;
	const struct xpt_mod_rel *rel;
	struct xpt_module *mod;
	struct image m;
	uint32_t nr;

	(void)state;
	make(&m);
	assert_int_equal(parse(&m, FILE_SIZE, &mod), 0);
	sec = xpt_module__sec(mod, ".text");
	assert_non_null(sec);
	assert_int_equal(sec->size, 64);
	assert_null(xpt_module__sec(mod, ".data"));
	syms = xpt_module__syms(mod, &nr);
	assert_int_equal(nr, 3);
	assert_string_equal(syms[1].name, "func");
	assert_int_equal(syms[1].sec, 1);
	assert_int_equal(syms[2].sec, 0);
	/* Sorted, whatever the file's order. */
	rel = xpt_module__rel_from(mod, sec, 0);
	assert_int_equal(rel->offset, 5);
	rel = xpt_module__rel_from(mod, sec, 6);
	assert_int_equal(rel->offset, 20);
	assert_string_equal(syms[rel->sym].name, "callee");
	assert_null(xpt_module__rel_from(mod, sec, 21));
	assert_string_equal(xpt_module__build_id(mod), "abcd01");
	assert_string_equal(xpt_module__info(mod, "version"), "1.5");
	assert_string_equal(xpt_module__info(mod, "depends"), "a,b");
	assert_null(xpt_module__info(mod, "vers"));
	xpt_module__close(mod);
}

/* As many relocations as a file has no room for: each table lies over the others, and is small by itself. */
static void test_overlapping(void **state)
{
	const Elf64_Shdr all = { .sh_type = SHT_RELA, .sh_size = FILE_SIZE / 24 * 24, .sh_entsize = 24, .sh_link = 3,
				 .sh_info = 1 };
	struct xpt_module *mod;
	struct image m;

	(void)state;
	make(&m);
	section(&m, 5, ".modinfo", all);
	assert_int_equal(parse(&m, FILE_SIZE, &mod), -E2BIG);
	make(&m);
	section(&m, 2, ".rela.text", all);
	assert_int_equal(parse(&m, FILE_SIZE, &mod), 0);
	xpt_module__close(mod);
}

/* No kernel takes a symbol with a name as long. */
static void test_long_name(void **state)
{
	char *text = calloc(1, FILE_SIZE + 1024);
	struct xpt_module *mod;
	struct image m;
	uint32_t nr;

	(void)state;
	assert_non_null(text);
	make(&m);
	section(&m, 4, ".strtab", (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = FILE_SIZE, .sh_size = 1024 });
	memcpy(text, &m, sizeof(m));
	memset(text + FILE_SIZE + 1, 'x', 1022);
	assert_int_equal(xpt_module__parse(text, FILE_SIZE + 1024, false, &mod), 0);
	assert_string_equal(xpt_module__syms(mod, &nr)[1].name, "");
	xpt_module__close(mod);
}

static void test_module_lies(void **state)
{
	struct xpt_module *mod;
	struct image m;
	uint32_t nr;
	size_t n;

	(void)state;
	make(&m);
	for (n = 0; n < FILE_SIZE; n += 13)
		assert_int_equal(parse(&m, n, &mod), -ENOEXEC);
	m.b[16] = ET_DYN;
	assert_int_equal(parse(&m, FILE_SIZE, &mod), -ENOEXEC);
	make(&m);
	m.b[18] = EM_386;
	assert_int_equal(parse(&m, FILE_SIZE, &mod), -ENOEXEC);
	/* A relocation of a symbol that does not exist, or behind the section, is none. */
	make(&m);
	put32(m.b + RELA + 12, 99);
	put32(m.b + RELA + 24, 64);
	assert_int_equal(parse(&m, FILE_SIZE, &mod), 0);
	xpt_module__rels(mod, &nr);
	assert_int_equal(nr, 0);
	xpt_module__close(mod);
	/* Names that do not end. */
	make(&m);
	put32(m.b + SHDRS + 4 * 64 + 32, sizeof(strings) - 1);
	assert_int_equal(parse(&m, FILE_SIZE, &mod), 0);
	assert_string_equal(xpt_module__syms(mod, &nr)[1].name, "");
	xpt_module__close(mod);
	make(&m);
	put32(m.b + NOTE + 4, 64);
	assert_int_equal(parse(&m, FILE_SIZE, &mod), 0);
	assert_string_equal(xpt_module__build_id(mod), "");
	xpt_module__close(mod);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpack), cmocka_unit_test(test_kernel), cmocka_unit_test(test_allowed),
		cmocka_unit_test(test_module), cmocka_unit_test(test_overlapping), cmocka_unit_test(test_long_name), cmocka_unit_test(test_module_lies),
	};

	return cmocka_run_group_tests_name("module", tests, NULL, NULL);
}
