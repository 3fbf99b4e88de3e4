/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions found in made lists and made type information: names,
 * modules, doubles, prototypes, and what must not harm us - lines of any form,
 * types that lead nowhere or in circles, random damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>
#include "kernel/kattach.h"
#include "kernel/kfind.h"

static char dir[256];

static const char *path_of(const char *name)
{
	static char buf[8][512];
	static unsigned i;

	i = (i + 1) % 8;
	snprintf(buf[i], sizeof(buf[i]), "%s/%s", dir, name);
	return buf[i];
}

static void put(const char *name, const void *data, size_t n)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void put_text(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T vfs_read\n"
	"ffffffff81000100 t state_show\n"
	"ffffffff81000200 t state_show\n"
	"ffffffff81000300 T printk_like\n"
	"ffffffff81000400 t vfs_read.cold\n"
	"ffffffff81000500 t helper.isra.0\n"
	"ffffffff81000600 t __pfx_vfs_read\n"
	"ffffffff81000700 D vfs_data\n"
	"ffffffff81000800 W vfs_weak\n"
	"ffffffff81000900 T _etext\n"
	"ffffffff81000a00 t vfs_table\n"	/* data, which some kernels list so */
	"ffffffff81000b00 t _sinittext\n"
	"ffffffff81000b00 T vfs_boot\n"
	"ffffffff81000c00 t _einittext\n"
	"ffffffff81000d00 t vfs_behind\n"
	"ffffffffc0000000 t nv_open\t[nvidia]\n"
	"ffffffffc0000100 t nv_two\t[nvidia]\n"
	"ffffffffc0000200 t create_qp\t[nvidia]\n"
	"ffffffffc0001000 t create_qp\t[other]\n"
	"\n"
	"nonsense\n"
	"ffffffffc0002000\n"
	"ffffffffc0002000 t \n"
	"ffffffffc0002000 t unended\t[nvi";

static const char filter[] =
	"vfs_read\nstate_show\nprintk_like\nhelper.isra.0\nvfs_weak\nnv_open [nvidia]\n"
	"nv_two [nvidia]\ncreate_qp [nvidia]\ncreate_qp [other]\n\n [x]\n";

/* Ids: 1 int, 2 long, 3 bool, 4 struct file, 5 its pointer, 6 char, 7 const char *, 9 u64 ... */
static struct btf *make_kernel(void)
{
	struct btf *b = btf__new_empty();
	int i32, i64, u64, boolean, file, file_p, ch, cch, str, big, tdef, p, loop;

	i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	i64 = btf__add_int(b, "long int", 8, BTF_INT_SIGNED);
	u64 = btf__add_int(b, "long unsigned int", 8, 0);
	boolean = btf__add_int(b, "_Bool", 1, BTF_INT_BOOL);
	file = btf__add_struct(b, "file", 8);
	file_p = btf__add_ptr(b, file);
	ch = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	cch = btf__add_const(b, ch);
	str = btf__add_ptr(b, cch);
	big = btf__add_struct(b, "big", 16);
	tdef = btf__add_typedef(b, "ssize_t", i64);
	/* ssize_t vfs_read(struct file *file, const char *name, long unsigned int n, int) */
	p = btf__add_func_proto(b, tdef);
	btf__add_func_param(b, "file", file_p);
	btf__add_func_param(b, "name", str);
	btf__add_func_param(b, "n", u64);
	btf__add_func_param(b, NULL, i32);
	btf__add_func(b, "vfs_read", BTF_FUNC_STATIC, p);
	p = btf__add_func_proto(b, i32);	/* int printk_like(const char *, ...) */
	btf__add_func_param(b, "fmt", str);
	btf__add_func_param(b, NULL, 0);
	btf__add_func(b, "printk_like", BTF_FUNC_STATIC, p);
	p = btf__add_func_proto(b, boolean);	/* bool state_show(struct big, int) */
	btf__add_func_param(b, "by_value", big);
	btf__add_func_param(b, "after", i32);
	btf__add_func(b, "state_show", BTF_FUNC_STATIC, p);
	/* A typedef of itself, a function without a prototype. */
	loop = btf__type_cnt(b);
	btf__add_typedef(b, "loop", loop);
	p = btf__add_func_proto(b, loop);
	btf__add_func_param(b, "l", loop);
	btf__add_func_param(b, "far", 100000);
	btf__add_func(b, "vfs_weak", BTF_FUNC_STATIC, p);
	btf__add_func(b, "vfs_boot", BTF_FUNC_STATIC, i32);
	return b;
}

static void make_module(struct btf *base, const char *name)
{
	struct btf *b = btf__new_empty_split(base);
	int fn_p, p;
	uint32_t size;
	const void *raw;

	p = btf__add_func_proto(b, 6);	/* struct file *nv_open(void) */
	btf__add_func(b, "nv_open", BTF_FUNC_STATIC, p);
	fn_p = btf__add_ptr(b, p);
	p = btf__add_func_proto(b, 0);
	btf__add_func_param(b, "callback", fn_p);
	btf__add_func(b, "nv_two", BTF_FUNC_STATIC, p);
	btf__add_func(b, "create_qp", BTF_FUNC_STATIC, p);
	btf__add_func(b, "create_qp", BTF_FUNC_STATIC, p);
	raw = btf__raw_data(b, &size);
	put(name, raw, size);
	btf__free(b);
}

static struct xpt_kfind_paths paths;

static int setup(void **state)
{
	struct btf *b = make_kernel();
	uint32_t size;
	const void *raw;

	(void)state;
	libbpf_set_print(NULL);
	snprintf(dir, sizeof(dir), "%s/kfind.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(dir));
	put_text("kallsyms", kallsyms);
	put_text("filter", filter);
	put_text("blacklist", "0xffffffff81000800-0xffffffff81000801\tvfs_weak\n0x12-\n-\nx\n0x2-0x1\n");
	raw = btf__raw_data(b, &size);
	put("vmlinux", raw, size);
	make_module(b, "nvidia");
	btf__free(b);
	paths = (struct xpt_kfind_paths){ strdup(path_of("kallsyms")), strdup(path_of("filter")),
					  strdup(path_of("blacklist")), dir };
	return 0;
}

static int teardown(void **state)
{
	static const char *const files[] = { "kallsyms", "filter", "blacklist", "vmlinux", "nvidia" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(path_of(files[i]));
	rmdir(dir);
	free((char *)paths.kallsyms);
	free((char *)paths.filter);
	free((char *)paths.blacklist);
	return 0;
}

static struct xpt_kfind *find;
static const struct xpt_kfunc *v;
static size_t n;

static void match(const char *pattern)
{
	const char *patterns[] = { pattern, NULL };

	xpt_kfind__free(find);
	assert_int_equal(xpt_kfind__new(&paths, &find), 0);
	assert_int_equal(xpt_kfind__match(find, patterns, &v, &n), 0);
}

static void done(void)
{
	xpt_kfind__free(find);
	find = NULL;
}

static const char *text_of(size_t i)
{
	static char buf[256];

	return xpt_kfind__text(find, &v[i], buf, sizeof(buf));
}

static void test_names(void **state)
{
	(void)state;
	match("kernel:vmlinux:vfs_*");
	assert_int_equal(n, 3);	/* no data, no .cold, no prefix */
	assert_string_equal(v[0].name, "vfs_boot");
	assert_string_equal(v[1].name, "vfs_read");
	assert_string_equal(v[2].name, "vfs_weak");
	assert_string_equal(v[1].module, "vmlinux");
	assert_int_equal(v[1].addr, 0xffffffff81000000);
	assert_int_equal(v[1].same, 1);
	match("nv_*");
	assert_int_equal(n, 2);
	assert_string_equal(v[0].module, "nvidia");
	match("nvidia:*");
	assert_int_equal(n, 3);
	match("*:create_qp");
	assert_int_equal(n, 2);
	assert_int_equal(v[0].same, 2);
	assert_string_equal(v[1].module, "other");
	match("vmlinux:state_show");
	assert_int_equal(n, 2);
	assert_int_equal(v[1].same, 2);
	assert_true(v[0].addr < v[1].addr);
	match("unended");
	assert_int_equal(n, 1);
	match("nothing*");
	assert_int_equal(n, 0);
	match("other:vfs_read");
	assert_int_equal(n, 0);
	match(":vfs_read");	/* no module: no pattern */
	assert_int_equal(n, 0);
	match("vmlinux:");
	assert_int_equal(n, 0);
	done();
}

static void test_facts(void **state)
{
	(void)state;
	match("vmlinux:*");
	assert_int_equal(n, 7);
	assert_string_equal(v[0].name, "helper.isra.0");
	assert_int_equal(v[0].traceable, XPT_KTRACE_YES);
	assert_false(v[0].has_proto);
	assert_string_equal(v[4].name, "vfs_boot");
	assert_int_equal(v[4].traceable, XPT_KTRACE_NO);
	assert_false(v[4].has_proto);	/* its type is an int */
	assert_string_equal(v[6].name, "vfs_weak");
	assert_true(v[6].denied);
	assert_false(v[5].denied);
	done();
}

static void test_prototypes(void **state)
{
	const struct xpt_kproto *p;

	(void)state;
	match("vmlinux:vfs_read");
	p = &v[0].proto;
	assert_true(v[0].has_proto);
	assert_string_equal(text_of(0), "ssize_t (struct file *file, const char *name, "
			    "long unsigned int n, int)");
	assert_int_equal(p->ret, XPT_RET_LONG);
	assert_int_equal(p->nr_params, 4);
	assert_true(p->param[0].pointer);
	assert_int_equal(p->param[2].width, 8);
	assert_int_equal(p->param[3].width, 0x84);
	assert_int_equal(p->param[3].word, 3);
	assert_string_equal(p->param[3].name, "arg3");
	match("printk_like");
	assert_true(v[0].proto.varargs);
	assert_int_equal(v[0].proto.nr_params, 1);
	assert_string_equal(text_of(0), "int (const char *fmt, ...)");
	match("state_show");
	assert_true(v[0].proto.by_value);
	assert_int_equal(v[0].proto.param[1].width, 0);	/* who knows where it is */
	assert_int_equal(v[0].proto.ret, XPT_RET_VALUE);
	assert_int_equal(v[0].proto.ret_width, 1);
	done();
}

/* Of a FUNC with that result and nr arguments of that type. */
static bool too_large(struct btf *b, int ret, int nr, int type)
{
	int p = btf__add_func_proto(b, ret), id;
	struct xpt_kproto k;

	for (int i = 0; i < nr; i++)
		btf__add_func_param(b, "x", type);
	id = btf__add_func(b, "f", BTF_FUNC_STATIC, p);
	assert_true(xpt_kbtf__proto(b, (uint32_t)id, &k));
	return k.too_large;
}

/* What the kernel's btf_distill_func_proto() refuses. */
static void test_too_large(void **state)
{
	struct btf *b = btf__new_empty();
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED), wide = btf__add_int(b, "u128", 16, 0);
	int fits = btf__add_struct(b, "fits", 16), large = btf__add_struct(b, "large", 17);
	int empty = btf__add_struct(b, "empty", 0), real = btf__add_float(b, "double", 8);
	int p = btf__add_ptr(b, large);

	(void)state;
	assert_false(too_large(b, i32, 12, i32));
	assert_true(too_large(b, i32, 13, i32));
	assert_false(too_large(b, 0, 1, fits));
	assert_false(too_large(b, 0, 1, wide));
	assert_false(too_large(b, p, 1, p));
	assert_true(too_large(b, 0, 1, large));
	assert_true(too_large(b, 0, 1, empty));
	assert_true(too_large(b, 0, 1, real));
	assert_true(too_large(b, fits, 0, i32));
	btf__free(b);
}

static void test_modules(void **state)
{
	(void)state;
	match("nvidia:nv_*");
	assert_true(v[0].has_proto && v[1].has_proto);
	assert_string_equal(text_of(0), "struct file * (void)");
	assert_int_equal(v[0].proto.ret, XPT_RET_ERR_PTR);
	assert_int_equal(v[1].proto.ret, XPT_RET_NONE);
	assert_string_equal(text_of(1), "void ((function) *callback)");
	match("*:create_qp");
	assert_false(v[0].has_proto);	/* twice in that BTF */
	assert_true(v[0].proto.id);
	assert_false(v[1].has_proto);	/* that module has none */
	done();
}

static void test_hostile_types(void **state)
{
	(void)state;
	match("vfs_weak");
	assert_true(v[0].has_proto);
	assert_true(v[0].proto.by_value);
	assert_int_equal(v[0].proto.param[0].width, 0);
	assert_string_equal(text_of(0), "loop (loop l, ? far)");
	done();
}

/* A short text is cut where the room ends. */
static void test_cut(void **state)
{
	char buf[12];

	(void)state;
	match("vmlinux:vfs_read");
	assert_string_equal(xpt_kfind__text(find, &v[0], buf, sizeof(buf)), "ssize_t (st");
	done();
}

/* Whatever is in the files: no crash, no endless loop, and names that were asked for. */
static void test_random_damage(void **state)
{
	static const char *const files[] = { "vmlinux", "nvidia", "kallsyms", "filter" };
	static unsigned char saved[65536], bad[65536];
	unsigned round, f, k;
	char buf[64];
	size_t len, i;

	(void)state;
	srand(7);
	for (f = 0; f < 4; f++) {
		FILE *in = fopen(path_of(files[f]), "r");

		assert_non_null(in);
		len = fread(saved, 1, sizeof(saved), in);
		fclose(in);
		for (round = 0; round < 200; round++) {
			memcpy(bad, saved, len);
			for (k = 0; k < 4; k++)	/* behind the header of a BTF */
				bad[24 + (size_t)rand() % (len - 24)] = (unsigned char)rand();
			put(files[f], bad, round % 10 ? len : (size_t)rand() % len);
			match("*:*v*");
			for (i = 0; i < n; i++) {
				assert_non_null(strchr(v[i].name, 'v'));
				text_of(i);
				xpt_kfind__text(find, &v[i], buf, sizeof(buf));
			}
		}
		put(files[f], saved, len);
	}
	done();
}

static void test_missing_files(void **state)
{
	struct xpt_kfind_paths none = { paths.kallsyms, NULL, NULL, NULL };

	(void)state;
	none.kallsyms = "/nonexistent";
	assert_int_equal(xpt_kfind__new(&none, &find), -ENOENT);
	none.kallsyms = paths.kallsyms;
	assert_int_equal(xpt_kfind__new(&none, &find), 0);
	assert_int_equal(xpt_kfind__match(find, (const char *const[]){ "vfs_read", NULL }, &v, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(v[0].traceable, XPT_KTRACE_UNKNOWN);
	assert_false(v[0].has_proto);
	done();
}

/* Which way a function gets, by what is known of it and by what works. */
static void test_choice(void **state)
{
	struct xpt_kfunc f = { .name = "f", .module = "m", .addr = 1, .same = 1, .has_proto = true };
	struct xpt_kattach_caps all = { { 0 } }, some = { { 0 } };
	const char *why = NULL;

	(void)state;
#define CHOOSE(c, force, after, many) xpt_kattach__choose(c, &f, force, after, many, &why)
	assert_int_equal(CHOOSE(&all, 0, 0, false), XPT_KATTACH_FSESSION_MULTI);
	some.err[XPT_KATTACH_FSESSION_MULTI] = some.err[XPT_KATTACH_FENTRY_MULTI] = -EINVAL;
	assert_int_equal(CHOOSE(&some, 0, 0, false), XPT_KATTACH_FENTRY);
	assert_int_equal(CHOOSE(&some, 0, 0, true), XPT_KATTACH_KPROBE_SESSION);
	assert_int_equal(CHOOSE(&some, 0, XPT_KATTACH_FENTRY, false), XPT_KATTACH_KPROBE_SESSION);
	assert_int_equal(CHOOSE(&some, XPT_KATTACH_FENTRY, 0, true), XPT_KATTACH_FENTRY);
	assert_int_equal(CHOOSE(&some, XPT_KATTACH_FENTRY_MULTI, 0, true), XPT_KATTACH_AUTO);
	assert_non_null(why);
	some.err[XPT_KATTACH_KPROBE_SESSION] = some.err[XPT_KATTACH_KPROBE_MULTI] = -EINVAL;
	assert_int_equal(CHOOSE(&some, 0, 0, true), XPT_KATTACH_KPROBE);
	some.err[XPT_KATTACH_KPROBE] = -EINVAL;
	assert_int_equal(CHOOSE(&some, 0, 0, true), XPT_KATTACH_FENTRY);
	some.err[XPT_KATTACH_KPROBE] = 0;
	f.same = 2;
	assert_int_equal(CHOOSE(&some, 0, 0, false), XPT_KATTACH_KPROBE);
	why = NULL;
	assert_int_equal(CHOOSE(&some, XPT_KATTACH_FENTRY, 0, false), XPT_KATTACH_AUTO);
	assert_string_equal(why, "its name is not the only one");
	f.addr = 0;
	assert_int_equal(CHOOSE(&all, 0, 0, false), XPT_KATTACH_AUTO);
	f.same = 1;
	f.has_proto = false;
	assert_int_equal(CHOOSE(&all, 0, 0, false), XPT_KATTACH_KPROBE);
	f.denied = true;
	assert_int_equal(CHOOSE(&all, 0, 0, false), XPT_KATTACH_AUTO);
	f = (struct xpt_kfunc){ .addr = 1, .same = 1, .has_proto = true, .traceable = XPT_KTRACE_NO };
	assert_int_equal(CHOOSE(&all, 0, 0, false), XPT_KATTACH_AUTO);
	f.traceable = XPT_KTRACE_YES;
	f.proto.varargs = true;
	assert_int_equal(CHOOSE(&all, 0, 0, false), XPT_KATTACH_KPROBE_SESSION);
	f.proto.varargs = false;
	f.proto.too_large = true;
	assert_int_equal(CHOOSE(&all, 0, 0, false), XPT_KATTACH_KPROBE_SESSION);
#undef CHOOSE
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_prototypes),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_hostile_types),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_random_damage),
		cmocka_unit_test(test_missing_files),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
