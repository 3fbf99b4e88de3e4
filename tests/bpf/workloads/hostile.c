/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a stranger may do to a tracer, each until --seconds are over or so many times:
 *
 *   hostile maps LIBRARY DIR N    maps N unique copies of a library one after the other, where a number is for #####
 *   hostile storm LIBRARY N       maps one library N times as fast as it goes
 *   hostile links LIBRARY DIR N   maps a file whose name leads elsewhere a moment later
 *   hostile names LIBRARY DIR     names of files, threads and arguments full of controls
 *   hostile exec N                executes itself N times
 *   hostile forks N               as many processes at once as the limit N allows
 *   hostile strings LIBRARY MAPS N   makes N calls whose strings are not in memory, in a process of so many mappings
 *   hostile stacks LIBRARY MAPS N    maps code so often and makes N calls whose callers' caller is nowhere, again and again
 *   hostile rows LIBRARY N FORKS     makes N calls with an argument of their own, then so many processes of one call
 *   hostile unread LIBRARY N         makes N calls with a string that is nowhere
 *   hostile call LIBRARY PREFIX N    calls the library's functions PREFIX0000 and so on, N of them
 *   hostile short LIBRARY N CALLS    has N children one after the other, each with a name of its own, so many calls, and
 *                                    the end; prints their ids
 *   hostile threads LIBRARY N     has N threads that have made a call and stay; says the first one's id
 *   hostile hang LIBRARY N DEPTH  has N threads with so many open calls of the library's cuNest(DEPTH) that never return
 *   hostile lease FILE            maps a file of his own that nobody can open, and stays
 *   hostile long LIBRARY DIR      maps a copy of a library whose path is longer than PATH_MAX, and stays
 *   hostile many LIBRARY DIR N    has N mappings of a file with a long path, and then one of a library, and stays
 *   hostile moved FILE DECOY      maps a file of his own, moves the mapping, maps another file in its place, removes
 *                                 the first, and stays
 *   hostile poke PID...           stops, kills and traces these; says what worked
 *
 * N 0: without an end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

#define KEPT 16		/* mappings at once: the tracer has the time of so many to look at one */
#define MAP_US 1000
#define LIB_MAX (1 << 20)

static char lib[LIB_MAX];
static size_t lib_size;

static int read_library(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, lib, sizeof(lib));

	if (fd >= 0)
		close(fd);
	if (n <= 0 || n == sizeof(lib)) {
		perror(path);
		exit(1);
	}
	lib_size = (size_t)n;
	return 0;
}

/* A new file of that name with the library in it, mapped. */
static void *map_new(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	void *p = MAP_FAILED;

	if (fd >= 0 && write(fd, lib, lib_size) == (ssize_t)lib_size)
		p = mmap(NULL, lib_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		perror(path);
		exit(1);
	}
	close(fd);
	return p;
}

static unsigned long number(const char *text)
{
	unsigned long n = strtoul(text, NULL, 10);

	return n ? n : ~0ul;
}

static char *place[256];	/* of the library, for a number */
static unsigned nr_places;

static void find_places(void)
{
	char *p = lib;

	while (nr_places < 256 && (p = memmem(p, lib_size - (size_t)(p - lib), "#####", 5))) {
		place[nr_places++] = p;
		p += 5;
	}
}

static void number_library(unsigned long nr)
{
	char digits[8];

	snprintf(digits, sizeof(digits), "%05lu", nr % 100000);
	for (unsigned i = 0; i < nr_places; i++)
		memcpy(place[i], digits, 5);
}

static int maps(char **arg)
{
	unsigned long n = number(arg[2]), i;
	void *kept[KEPT] = { 0 };
	char path[4096];

	read_library(arg[0]);
	find_places();
	snprintf(path, sizeof(path), "%s/libcuda.so.1", arg[1]);
	for (i = 0; i < n; i++) {
		if (kept[i % KEPT])
			munmap(kept[i % KEPT], lib_size);
		number_library(i);
		kept[i % KEPT] = map_new(path);
		unlink(path);
		usleep(MAP_US);
	}
	return 0;
}

static int storm(char **arg)
{
	unsigned long n = number(arg[1]), i;
	int fd = open(arg[0], O_RDONLY | O_CLOEXEC);

	for (i = 0; i < n; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (p == MAP_FAILED)
			return 1;
		munmap(p, 4096);
	}
	return 0;
}

static int links(char **arg)
{
	unsigned long n = number(arg[2]), i;
	char path[4096];
	void *p;

	read_library(arg[0]);
	snprintf(path, sizeof(path), "%s/libcuda.so.1", arg[1]);
	for (i = 0; i < n; i++) {
		p = map_new(path);
		unlink(path);
		if (symlink(i % 2 ? "/dev/zero" : "/etc/shadow", path))
			return 1;
		usleep(MAP_US);
		munmap(p, lib_size);
		unlink(path);
	}
	return 0;
}

static int names(char **arg)
{
	static const char hostile[] = "\033[2J\033]0;x\a\n\r\xc2\x9b" "31m\xe2\x80\xae" "=1+1";
	char path[4096];

	read_library(arg[0]);
	prctl(PR_SET_NAME, hostile);
	snprintf(path, sizeof(path), "%s/%s", arg[1], hostile);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/libcuda.so.1", arg[1], hostile);
	map_new(path);
	usleep(100 * MAP_US);
	return unlink(path);
}

/* Pages of a file, each a string that ends after ten characters. */
static char *map_strings(unsigned long extra)
{
	char page[4096], name[] = "/tmp/hostile.XXXXXX", *p;
	int fd = mkstemp(name);

	memset(page, 'k', sizeof(page));
	page[10] = '\0';
	unlink(name);
	if (fd < 0 || write(fd, page, sizeof(page)) < 0 || write(fd, page, sizeof(page)) < 0)
		return MAP_FAILED;
	p = mmap(NULL, sizeof(page), PROT_READ, MAP_PRIVATE, fd, 0);
	for (unsigned long i = 0; i < extra; i++)	/* neighbours would be joined */
		if (mmap(NULL, sizeof(page), PROT_READ, MAP_PRIVATE, fd, (long)(i & 1) * 4096) == MAP_FAILED)
			break;
	return p;
}

/* By turns in one of two mappings, for the last one that was looked up is remembered. */
static int strings(char **arg)
{
	unsigned long n = number(arg[2]), i;
	char *at[2] = { map_strings(number(arg[1])), map_strings(1) };
	void *so = dlopen(arg[0], RTLD_NOW), *function;
	int (*get)(void **, void *, const char *);

	*(void **)&get = so ? dlsym(so, "cuModuleGetFunction") : NULL;
	if (!get || at[0] == MAP_FAILED || at[1] == MAP_FAILED)
		return 1;
	for (i = 0; i < n; i++) {
		madvise(at[i & 1], 4096, MADV_DONTNEED);
		get(&function, NULL, at[i & 1]);
	}
	puts("called");
	fflush(stdout);
	pause();	/* its memory can be read until it is killed */
	return 0;
}

/* The simulated driver does not read the name of a function without a module. */
static int unread(char **arg)
{
	unsigned long n = number(arg[1]), i;
	void *so = dlopen(arg[0], RTLD_NOW), *function;
	int (*get)(void **, void *, const char *);

	*(void **)&get = so ? dlsym(so, "cuModuleGetFunction") : NULL;
	for (i = 0; i < n && get; i++)
		get(&function, NULL, (const char *)8);
	return !get;
}

static int (*get_version)(int *);
static volatile pid_t began;

/* Code in so many mappings, which the kernel does not join, at one place that is always the same. */
static int map_code(unsigned long n)
{
	static char *at;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	unsigned long i;

	if (!at)
		at = mmap(NULL, n * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < n && fd >= 0; i++)
		if (mmap(at + 4096 * i, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, i & 1 ? 4096 : 0) == MAP_FAILED)
			return 1;
	close(fd);
	return fd < 0;
}

/* A call from a frame whose return address is this one. */
static void call_from(uint64_t address)
{
	uint64_t frame[2] = { 0, address }, *at = frame;
	int (*call)(int *) = get_version;
	static int version;
	int *arg = &version;

	__asm__ volatile("sub $128, %%rsp\n\tpush %%rbp\n\tmov %%rsp, %%r12\n\tand $-16, %%rsp\n\t"
			 "mov %0, %%rbp\n\tcall *%1\n\tmov %%r12, %%rsp\n\tpop %%rbp\n\tadd $128, %%rsp"
			 : "+b"(at), "+S"(call), "+D"(arg)
			 : : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "memory", "cc");
}

static int stacks(char **arg)
{
	unsigned long n = number(arg[2]), i;
	uint64_t address = 0x100000000000u;
	void *so = dlopen(arg[0], RTLD_NOW);

	*(void **)&get_version = so ? dlsym(so, "cuDriverGetVersion") : NULL;
	while (get_version && !map_code(number(arg[1]))) {
		for (i = 0; i < n; i++)
			call_from(address += 16);
		puts("called");
		fflush(stdout);
	}
	return 1;
}

static void *call_and_stay(void *unused)
{
	int version;

	(void)unused;
	get_version(&version);
	began = thread_id();
	pause();
	return NULL;
}

static int rows(char **arg)
{
	unsigned long n = number(arg[1]), forks = number(arg[2]), i;
	void *so = dlopen(arg[0], RTLD_NOW);
	int (*init)(unsigned);

	*(void **)&init = so ? dlsym(so, "cuInit") : NULL;
	for (i = 0; i < n && init; i++)
		init((unsigned)(4096 * (i + 1)));
	for (i = 0; i < forks && init; i++) {
		if (!fork()) {
			init(0);
			_exit(0);
		}
		wait(NULL);
	}
	puts("called");
	fflush(stdout);
	pause();
	return 0;
}

static void *find_function(void *so, const char *prefix, unsigned long i)
{
	char name[64];

	snprintf(name, sizeof(name), "%.32s%04lu", prefix, i);
	return so ? dlsym(so, name) : NULL;
}

/* Waits until there is a probe, a breakpoint in place of the first byte; 10 s at most. */
static void wait_for_probe(const void *function)
{
	const volatile unsigned char *byte = function;

	for (int i = 0; i < 10000 && *byte != 0xcc; i++)
		usleep(1000);
}

/* Calls each function of a library once, when the first and the last have their probes. */
static int call_all(char **arg)
{
	unsigned long n = number(arg[2]), i;
	void *so = dlopen(arg[0], RTLD_NOW);
	void (*function)(void);

	if (!find_function(so, arg[1], 0) || !find_function(so, arg[1], n - 1))
		return 1;
	wait_for_probe(find_function(so, arg[1], 0));
	wait_for_probe(find_function(so, arg[1], n - 1));
	for (i = 0; i < n; i++) {
		*(void **)&function = find_function(so, arg[1], i);
		if (!function)
			return 1;
		function();
	}
	return 0;
}

static int short_lives(char **arg)
{
	unsigned long n = number(arg[1]), calls = number(arg[2]), i;
	void *so = dlopen(arg[0], RTLD_NOW);
	char name[16];
	int version;
	pid_t child;

	*(void **)&get_version = so ? dlsym(so, "cuDriverGetVersion") : NULL;
	for (i = 0; i < n && get_version; i++) {
		child = fork();
		if (!child) {
			snprintf(name, sizeof(name), "short%lu", i);
			prctl(PR_SET_NAME, name);
			while (calls--)
				get_version(&version);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
		printf("%d\n", child);
	}
	return get_version ? 0 : 1;
}

static int threads(char **arg)
{
	unsigned long n = number(arg[1]), i;
	void *so = dlopen(arg[0], RTLD_NOW);
	pid_t first = 0;
	pthread_t t;

	*(void **)&get_version = so ? dlsym(so, "cuDriverGetVersion") : NULL;
	for (i = 0; i < n && get_version; i++) {
		began = 0;
		if (pthread_create(&t, NULL, call_and_stay, NULL))
			return 1;
		while (!began)
			usleep(100);
		first = first ? first : began;
	}
	printf("%d\n", first);
	fflush(stdout);
	pause();
	return 1;
}

static void (*nest)(int depth);
static int nest_depth;

static void *hang_nested(void *unused)
{
	nest(nest_depth);
	return unused;
}

static int hang(char **arg)
{
	unsigned long n = number(arg[1]), i;
	void *so = dlopen(arg[0], RTLD_NOW);
	pthread_attr_t small;
	pthread_t t;

	*(void **)&nest = so ? dlsym(so, "cuNest") : NULL;
	nest_depth = (int)number(arg[2]);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (i = 0; i < n && nest; i++)
		if (pthread_create(&t, &small, hang_nested, NULL))
			break;
	printf("%lu\n", i);
	fflush(stdout);
	pause();
	return 1;
}

static int lease(char **arg)
{
	int fd = open(arg[0], O_RDONLY | O_CLOEXEC);

	signal(SIGIO, SIG_IGN);	/* somebody wants to open it */
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK) ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) {
		perror(arg[0]);
		return 1;
	}
	puts("mapped");
	fflush(stdout);
	pause();
	return 1;
}

/* Goes so many folders of long names down. */
static bool go_down(const char *dir, int folders)
{
	char name[256] = "";

	memset(name, 'n', 200);
	if (chdir(dir))
		return false;
	for (int i = 0; i < folders; i++)
		if (mkdir(name, 0755) || chdir(name))
			return false;
	return true;
}

static int many(char **arg)
{
	unsigned long n = number(arg[2]), i;
	int fd;

	/* Lines of /proc/PID/maps have the order of addresses, and new mappings lie below those before. */
	dlopen(arg[0], RTLD_NOW);
	if (!go_down(arg[1], 17))
		return 1;
	fd = open("many", O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	if (ftruncate(fd, 4096))
		return 1;
	for (i = 0; i < n; i++)
		if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			return 1;
	puts("mapped");
	fflush(stdout);
	pause();
	return 1;
}

static int long_path(char **arg)
{
	read_library(arg[0]);
	if (!go_down(arg[1], 4096 / 200 + 5))
		return 1;
	map_new("libcuda.so.1");
	puts("mapped");
	fflush(stdout);
	pause();
	return 1;
}

static int moved(char **arg)
{
	int fd = open(arg[0], O_RDONLY | O_CLOEXEC), decoy = open(arg[1], O_RDONLY | O_CLOEXEC);
	void *to = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (at == MAP_FAILED || mremap(at, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to ||
	    mmap(at, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, decoy, 0) != at || unlink(arg[0]))
		return 1;
	puts("moved");
	fflush(stdout);
	pause();
	return 1;
}

static int exec_again(char **argv)
{
	unsigned long n = number(argv[2]);
	char left[32];

	snprintf(left, sizeof(left), "%lu", n - 1);
	argv[2] = left;
	if (n > 1)
		execv("/proc/self/exe", argv);
	return n > 1;
}

static int forks(char **arg)
{
	struct rlimit r = { number(arg[0]), number(arg[0]) };
	int pid, had = 0, end[2];
	char byte;

	if (pipe(end) || setrlimit(RLIMIT_NPROC, &r))
		return 1;
	while ((pid = fork()) > 0)
		had++;
	if (!pid) {	/* waits for the parent's end */
		close(end[1]);
		_exit(read(end[0], &byte, 1) != 0);
	}
	close(end[1]);
	while (wait(NULL) > 0)
		;
	printf("%d\n", had);
	return errno == ECHILD && had ? 0 : 1;
}

static int worked(int pid, const char *what)
{
	printf("%d: %s\n", pid, what);
	return 1;
}

static int poke(char **arg)
{
	int done = 0, pid;
	char path[64];

	for (; *arg; arg++) {
		pid = (int)strtoul(*arg, NULL, 10);
		if (!kill(pid, SIGSTOP) || !kill(pid, SIGTERM))	/* SIGCONT is free within a session */
			done = worked(pid, "a signal");
		if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != -1)
			done = worked(pid, "ptrace");
		snprintf(path, sizeof(path), "/proc/%d/mem", pid);
		if (open(path, O_RDWR) >= 0)
			done = worked(pid, "memory");
		snprintf(path, sizeof(path), "/proc/%d/fd/0", pid);
		if (open(path, O_RDONLY) >= 0)
			done = worked(pid, "a descriptor");
	}
	return done;
}

int main(int argc, char **argv)
{
	char **arg = argv + 2;
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "maps") && argc == 5)
		return maps(arg);
	if (!strcmp(what, "storm") && argc == 4)
		return storm(arg);
	if (!strcmp(what, "links") && argc == 5)
		return links(arg);
	if (!strcmp(what, "names") && argc == 4)
		return names(arg);
	if (!strcmp(what, "strings") && argc == 5)
		return strings(arg);
	if (!strcmp(what, "stacks") && argc == 5)
		return stacks(arg);
	if (!strcmp(what, "rows") && argc == 5)
		return rows(arg);
	if (!strcmp(what, "unread") && argc == 4)
		return unread(arg);
	if (!strcmp(what, "call") && argc == 5)
		return call_all(arg);
	if (!strcmp(what, "short") && argc == 5)
		return short_lives(arg);
	if (!strcmp(what, "threads") && argc == 4)
		return threads(arg);
	if (!strcmp(what, "hang") && argc == 5)
		return hang(arg);
	if (!strcmp(what, "lease") && argc == 3)
		return lease(arg);
	if (!strcmp(what, "long") && argc == 4)
		return long_path(arg);
	if (!strcmp(what, "many") && argc == 5)
		return many(arg);
	if (!strcmp(what, "moved") && argc == 4)
		return moved(arg);
	if (!strcmp(what, "exec") && argc == 3)
		return exec_again(argv);
	if (!strcmp(what, "forks") && argc == 3)
		return forks(arg);
	if (!strcmp(what, "poke"))
		return poke(arg);
	return 2;
}
