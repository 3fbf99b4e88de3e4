/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slow_memory LIBRARY FOLDER SECONDS [HOW [PADDING]]: what keeps others waiting. Mounts a file system of its own (FUSE)
 * on FOLDER, for which it must be root of a user namespace. Reading a file of it is never answered. HOW:
 *   name	calls cuModuleGetFunction of LIBRARY with a name that lies in such a file; the default
 *   overlay	maps libcuda.so.1 of an overlay above it, whose folders do not answer any more either
 *   arguments	has its own command line in such a file; PADDING, 8,000 bytes of it, lies there
 *   mappings	waits for such a file inside mmap(2), so that nobody can look at its mappings
 * Prints "ready" and the process of the file system, which has to be killed first. FUSE_DEVICE names another
 * device than /dev/fuse.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_NODE = 2, SIZE = 1 << 20, ROOM = 1 << 17 };

static int fuse;
static pid_t server;
static const char *how = "name";

static void reply(const struct fuse_in_header *to, int err, const void *what, size_t n)
{
	char buf[256];
	struct fuse_out_header h = { .len = (uint32_t)(sizeof(h) + n), .error = err, .unique = to->unique };

	memcpy(buf, &h, sizeof(h));
	if (n)
		memcpy(buf + sizeof(h), what, n);
	if (write(fuse, buf, h.len) < 0)
		perror("slow_memory: reply");
}

static struct fuse_attr attr(uint64_t node)
{
	return (struct fuse_attr){ .ino = node, .nlink = 1, .size = SIZE, .blksize = 4096,
				   .mode = node == FILE_NODE ? S_IFREG | 0644 : S_IFDIR | 0755 };
}

static void answer(const struct fuse_in_header *h)
{
	struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
	uint64_t valid = strcmp(how, "overlay") != 0 ? 1000 : 0;	/* seconds; then the folder is asked again */
	struct fuse_entry_out entry = { .nodeid = FILE_NODE, .entry_valid = valid, .attr_valid = 1000,
					.attr = attr(FILE_NODE) };
	struct fuse_attr_out attrs = { .attr_valid = 1000, .attr = attr(h->nodeid) };
	struct fuse_open_out file = { .fh = 1 };
	struct fuse_statfs_out fs = { .st = { .bsize = 4096, .namelen = 255 } };
	static bool opened;

	switch (h->opcode) {
	case FUSE_INIT:
		reply(h, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		reply(h, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		reply(h, 0, &attrs, sizeof(attrs));
		break;
	case FUSE_OPEN:
		file.open_flags = !opened && !strcmp(how, "mappings") ? FOPEN_DIRECT_IO : 0;
		opened = true;
		reply(h, 0, &file, sizeof(file));
		break;
	case FUSE_OPENDIR:
	case FUSE_RELEASEDIR:
		reply(h, 0, &file, h->opcode == FUSE_OPENDIR ? sizeof(file) : 0);
		break;
	case FUSE_STATFS:
		reply(h, 0, &fs, sizeof(fs));
		break;
	case FUSE_READ:
	case FUSE_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(h, -ENOSYS, NULL, 0);
	}
}

static void serve(void)
{
	static _Alignas(8) char buf[ROOM];

	while (read(fuse, buf, sizeof(buf)) > 0 || errno == EINTR)
		answer((const void *)buf);
}

static void *touch(void *page)
{
	return (void *)(intptr_t)*(volatile char *)page;
}

/*
 * The file system is another process: when that is killed, all that waits for it goes on. A thread of this one
 * would wait for itself.
 */
static bool start(const char *folder)
{
	const char *device = getenv("FUSE_DEVICE");
	char opts[80];
	pid_t of = getpid();

	fuse = open(device ? device : "/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(opts, sizeof(opts), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (fuse < 0 || mount("slow", folder, "fuse", 0, opts))
		return false;
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == of)
			serve();
		_exit(0);
	}
	close(fuse);
	return server > 0;
}

static int open_file(const char *folder)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/file", folder);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void *slow_page(const char *folder)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open_file(folder), 0);
	pthread_t thread;

	if (page != MAP_FAILED && pthread_create(&thread, NULL, touch, page))
		return MAP_FAILED;
	return page;
}

static bool has_overlay(const char *folder)
{
	char opts[4200];
	void *page;
	int fd;

	snprintf(opts, sizeof(opts), "lowerdir=%s:/mnt/none", folder);
	if (mount("above", "/mnt", "tmpfs", 0, NULL) || mkdir("/mnt/none", 0755) ||
	    mkdir("/mnt/above", 0755) || mount("above", "/mnt/above", "overlay", 0, opts))
		return false;
	fd = open("/mnt/above/libcuda.so.1", O_RDONLY | O_CLOEXEC);
	page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	return page != MAP_FAILED && !kill(server, SIGSTOP);
}

/* Puts the page into the middle of the argument. */
static bool has_arguments(const char *folder, char *padding)
{
	char *at = (char *)(((uintptr_t)padding + 4095) & ~4095ul);
	void *page = strlen(padding) < 8000 ? MAP_FAILED : slow_page(folder);

	return page != MAP_FAILED && mremap(page, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
}

static void *map_directly(void *fd)
{
	return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, (int)(intptr_t)fd, 0);	/* waits for what is being read */
}

static bool has_mappings(const char *folder)
{
	int fd = open_file(folder);
	pthread_t thread;

	if (slow_page(folder) == MAP_FAILED)
		return false;
	usleep(100000);
	return !pthread_create(&thread, NULL, map_directly, (void *)(intptr_t)fd);
}

static int call_with(const char *library, const char *name, long seconds)
{
	void *lib = dlopen(library, RTLD_NOW), *out;
	int (*call)(void **fn, void *module, const char *name);

	call = lib ? (int (*)(void **, void *, const char *))(intptr_t)dlsym(lib, "cuModuleGetFunction") : NULL;
	if (!call)
		return 1;
	for (long i = seconds * 20; i > 0; i--) {
		usleep(50000);
		call(&out, NULL, name);
	}
	return 0;
}

int main(int argc, char **argv)
{
	long seconds = argc >= 4 ? strtol(argv[3], NULL, 10) : 0;
	const char *page = NULL;
	bool ready = false;

	how = argc >= 5 ? argv[4] : how;
	if (argc < 4 || !start(argv[2])) {
		perror("slow_memory");
		return 1;
	}
	if (!strcmp(how, "name")) {
		page = slow_page(argv[2]);
		ready = page != MAP_FAILED;
	}
	if (!strcmp(how, "overlay"))
		ready = has_overlay(argv[2]);
	if (argc == 6 && !strcmp(how, "arguments"))
		ready = has_arguments(argv[2], argv[5]);
	if (!strcmp(how, "mappings"))
		ready = has_mappings(argv[2]);
	if (!ready) {
		perror("slow_memory");
		return 1;
	}
	printf("ready %d\n", server);
	fflush(stdout);
	if (page)
		return call_with(argv[1], page, seconds);
	usleep((useconds_t)seconds * 1000000);
	_exit(0);
}
