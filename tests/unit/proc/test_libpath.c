/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * proc/libpath.h in a folder that plays the root of a file system: order,
 * tokens, links that must stay below the root, the loader's cache and damage
 * in it, commands that are missing or cannot be executed.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>
#include "elf_gen.h"
#include "proc/libpath.h"

static char root[256];

static const char *in_root(const char *path)
{
	static char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return full;
}

static void make_dirs(const char *path)
{
	char part[256];
	size_t i;

	for (i = 1; path[i]; i++) {
		if (path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		assert_true(mkdir(in_root(part), 0755) == 0 || errno == EEXIST);
	}
}

static void put_file(const char *path, const void *p, size_t n, mode_t mode)
{
	int fd;

	make_dirs(path);
	fd = open(in_root(path), O_CREAT | O_WRONLY | O_TRUNC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void put_link(const char *path, const char *target)
{
	make_dirs(path);
	assert_int_equal(symlink(target, in_root(path)), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "%s/xpt-libpath-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The next hit must be path (below the root), or none if NULL. */
static void expect(struct xpt_libpath *lp, const char *soname, const char *path)
{
	char buf[PATH_MAX];
	int ret = xpt_libpath__next(lp, soname, buf, sizeof(buf));

	assert_int_equal(ret, path != NULL);
	if (path)
		assert_string_equal(buf, in_root(path));
}

static void test_folders(void **state)
{
	struct xpt_libpath lp = { .root = root, .ld_library_path = "/no:/a:/b/$LIB;/c/${PLATFORM}" };

	(void)state;
	put_file("/a/libx.so.1", "", 0, 0644);
	put_file("/b/lib64/libx.so.1", "", 0, 0644);
	put_file("/c/x86_64/libx.so.1", "", 0, 0644);
	put_file("/usr/lib/x86_64-linux-gnu/libx.so.1", "", 0, 0644);
	put_link("/lib64", "usr/lib/x86_64-linux-gnu");
	expect(&lp, "libx.so.1", "/a/libx.so.1");
	expect(&lp, "libx.so.1", "/b/lib64/libx.so.1");
	expect(&lp, "libx.so.1", "/c/x86_64/libx.so.1");
	expect(&lp, "libx.so.1", "/usr/lib/x86_64-linux-gnu/libx.so.1");
	expect(&lp, "libx.so.1", NULL);	/* /lib64 has the same file */
	expect(&lp, "libx.so.1", NULL);
}

static void test_links_stay_below_the_root(void **state)
{
	struct xpt_libpath lp = { .root = root, .ld_library_path = "/l" };

	(void)state;
	put_file("/real/liby.so.2", "", 0, 0644);
	put_link("/etc/alternatives/liby", "/real/../real/liby.so.2");
	put_link("/l/liby.so.2", "../../../../etc/alternatives/liby");
	expect(&lp, "liby.so.2", "/real/liby.so.2");
	expect(&lp, "liby.so.2", NULL);
	put_link("/l/loop.so", "loop2.so");
	put_link("/l/loop2.so", "loop.so");
	lp = (struct xpt_libpath){ .root = root, .ld_library_path = "/l:relative::" };
	expect(&lp, "loop.so", NULL);
	lp = (struct xpt_libpath){ .root = root };
	expect(&lp, "/l/liby.so.2", "/real/liby.so.2");
	expect(&lp, "/l/liby.so.2", NULL);
}

static void test_runpath(void **state)
{
	struct xpt_libpath lp = { .root = root, .exe = "/opt/app/bin/prog" };
	struct elf_gen g;

	(void)state;
	eg_init(&g);
	g.runpath = true;
	g.runpath_at = eg_str(&g, "$ORIGIN/../lib:/nowhere");
	eg_finish(&g);
	put_file("/opt/app-1.0/bin/prog", g.img, sizeof(g.img), 0755);
	put_link("/opt/app", "app-1.0");
	put_file("/opt/app-1.0/lib/libz.so.3", "", 0, 0644);
	expect(&lp, "libz.so.3", "/opt/app-1.0/lib/libz.so.3");
	expect(&lp, "libz.so.3", NULL);
	lp = (struct xpt_libpath){ .root = root, .exe = "/opt/none" };
	expect(&lp, "libz.so.3", NULL);
}

struct cache {
	char magic[20];
	uint32_t nr, strings, rest[5];
	struct {
		uint32_t flags, key, value, osversion;
		uint64_t hwcap;
	} e[2];
	char str[64];
};

static void test_cache(void **state)
{
	struct cache c = { .magic = "glibc-ld.so.cache1.", .nr = 2, .str = "libw.so.4" };
	struct xpt_libpath lp = { .root = root };
	uint8_t old[16 + 12 + 4 + sizeof(c)];
	uint32_t key = offsetof(struct cache, str);
	size_t n;

	(void)state;
	c.magic[19] = '1';
	memcpy(c.str + 20, "/w32/libw.so.4", 15);
	memcpy(c.str + 40, "/w64/libw.so.4", 15);
	c.e[0].flags = 0x0003;	/* for another architecture */
	c.e[1].flags = 0x0303;
	c.e[0].key = c.e[1].key = key;
	c.e[0].value = key + 20;
	c.e[1].value = key + 40;
	put_file("/w32/libw.so.4", "", 0, 0644);
	put_file("/w64/libw.so.4", "", 0, 0644);
	put_file("/etc/ld.so.cache", &c, sizeof(c), 0644);
	expect(&lp, "libw.so.4", "/w64/libw.so.4");
	expect(&lp, "libw.so.4", NULL);
	/* Behind a cache of the old format. */
	memset(old, 0, sizeof(old));
	memcpy(old, "ld.so-1.7.0", 12);
	old[12] = 1;
	memcpy(old + 32, &c, sizeof(c));
	put_file("/etc/ld.so.cache", old, sizeof(old), 0644);
	lp = (struct xpt_libpath){ .root = root };
	expect(&lp, "libw.so.4", "/w64/libw.so.4");
	/* Cut anywhere, or with offsets that point outside: no hit, or the right one. */
	for (n = 0; n < sizeof(c); n++) {
		char buf[PATH_MAX];

		put_file("/etc/ld.so.cache", &c, n, 0644);
		lp = (struct xpt_libpath){ .root = root };
		if (xpt_libpath__next(&lp, "libw.so.4", buf, sizeof(buf)))
			assert_string_equal(buf, in_root("/w64/libw.so.4"));
	}
	c.e[1].value = UINT32_MAX;
	c.e[0].key = UINT32_MAX;
	put_file("/etc/ld.so.cache", &c, sizeof(c), 0644);
	lp = (struct xpt_libpath){ .root = root };
	expect(&lp, "libw.so.4", NULL);
	c.nr = UINT32_MAX;
	put_file("/etc/ld.so.cache", &c, sizeof(c), 0644);
	lp = (struct xpt_libpath){ .root = root };
	expect(&lp, "libw.so.4", NULL);
}

static void test_own_root(void **state)
{
	char buf[PATH_MAX], dir[PATH_MAX];
	struct xpt_libpath lp = { .ld_library_path = dir };

	(void)state;
	put_file("/own/libown.so", "", 0, 0644);
	snprintf(dir, sizeof(dir), "%s", in_root("/own"));
	assert_int_equal(xpt_libpath__next(&lp, "libown.so", buf, sizeof(buf)), 1);
	assert_string_equal(buf, in_root("/own/libown.so"));
	assert_int_equal(xpt_libpath__next(&lp, "libown.so", buf, sizeof(buf)), 0);
	lp.pos = lp.nr_seen = 0;
	assert_int_equal(xpt_libpath__next(&lp, "libown.so", buf, 4), 0);
	assert_int_equal(xpt_libpath__next(&lp, "", buf, sizeof(buf)), 0);
}

static void test_commands(void **state)
{
	char buf[PATH_MAX], path[PATH_MAX], cmd[PATH_MAX];

	(void)state;
	put_file("/bin1/tool", "", 0, 0644);
	put_file("/bin2/tool", "", 0, 0755);
	put_file("/bin1/data", "", 0, 0644);
	make_dirs("/bin2/folder/");
	snprintf(path, sizeof(path), "/none:%s/bin1:%s/bin2", root, root);
	assert_int_equal(xpt_libpath__command("tool", path, buf, sizeof(buf)), 0);
	assert_string_equal(buf, in_root("/bin2/tool"));
	assert_int_equal(xpt_libpath__command("data", path, buf, sizeof(buf)), -EACCES);
	assert_int_equal(xpt_libpath__command("folder", path, buf, sizeof(buf)), -EACCES);
	assert_int_equal(xpt_libpath__command("nothing", path, buf, sizeof(buf)), -ENOENT);
	assert_int_equal(xpt_libpath__command("", path, buf, sizeof(buf)), -ENOENT);
	assert_int_equal(xpt_libpath__command("tool", path, buf, 5), -ENAMETOOLONG);
	assert_int_equal(xpt_libpath__command("sh", NULL, buf, sizeof(buf)), 0);
	snprintf(cmd, sizeof(cmd), "%s", in_root("/bin1/data"));
	assert_int_equal(xpt_libpath__command(cmd, path, buf, sizeof(buf)), -EACCES);
	snprintf(cmd, sizeof(cmd), "%s", in_root("/bin2/tool"));
	assert_int_equal(xpt_libpath__command(cmd, NULL, buf, sizeof(buf)), 0);
	assert_string_equal(buf, cmd);
	snprintf(cmd, sizeof(cmd), "%s", in_root("/bin2/tool/x"));
	assert_int_equal(xpt_libpath__command(cmd, path, buf, sizeof(buf)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_folders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_links_stay_below_the_root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_runpath, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cache, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_own_root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_commands, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
