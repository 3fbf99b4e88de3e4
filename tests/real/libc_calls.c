/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls some ninety functions of the C library, each another number of times, in
 * two threads and a child. Prints `NAME CALLS`: its own count. The library calls
 * some of these itself, so a tracer may see more, never less.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static struct {
	const char *name;
	unsigned calls;
} fns[256];

static unsigned nr_fns;
static volatile unsigned long sink;

/* Times grow with the place in the list, so that two functions cannot be mixed up unseen. */
#define C(label, ...)                                                                              \
	do {                                                                                       \
		unsigned times_ = 2 + nr_fns % 7, i_;                                              \
		for (i_ = 0; i_ < times_; i_++)                                                    \
			sink += (unsigned long)(__VA_ARGS__);                                      \
		fns[nr_fns].name = label;                                                          \
		fns[nr_fns++].calls = times_;                                                      \
	} while (0)

static int by_char(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static void numbers(void)
{
	char buf[64] = "";

	C("strtoul", strtoul("19", NULL, 10));
	C("strtod", strtod("1.5", NULL));
	C("rand", rand());
	C("srand", (srand(1), 0));
	C("random", random());
	C("a64l", a64l("abc"));
	C("l64a", l64a(77)[0]);
	C("drand48", drand48() > 2);
	C("lrand48", lrand48());
	C("snprintf", snprintf(buf, sizeof(buf), "%d %s", 5, "x"));
	C("inet_addr", inet_addr("127.0.0.1"));
	C("inet_pton", inet_pton(AF_INET, "10.0.0.1", buf));
	C("inet_ntop", inet_ntop(AF_INET, "\1\2\3\4", buf, sizeof(buf))[0]);
}

static void strings(void)
{
	char s[64] = "d,c,b,a", *p = s;
	regex_t re;

	C("isalpha", (isalpha)('a'));
	C("isdigit", (isdigit)('a'));
	C("isspace", (isspace)('a'));
	C("qsort", (qsort(s, 3, 1, by_char), 0));
	C("strdup", (free(strdup("x")), 0));
	C("strndup", (free(strndup("xyz", 2)), 0));
	C("strerror", strerror(ENOENT)[0]);
	C("strsignal", strsignal(9)[0]);
	C("strsep", strsep(&p, ",") != NULL);
	C("strcoll", strcoll("a", "b"));
	C("strxfrm", strxfrm(s, "abc", sizeof(s)));
	C("strfry", strfry(s)[0]);
	C("memfrob", memfrob(s, 4) != NULL);
	C("fnmatch", fnmatch("*.c", "x.c", 0));
	C("regcomp", regcomp(&re, "a*b", 0));
	C("regexec", regexec(&re, "aab", 0, NULL, 0));
	C("wcstol", wcstol(L"12", NULL, 10));
	C("mblen", mblen("a", 1));
	C("mbstowcs", mbstowcs(NULL, "abc", 0));
	C("hcreate", hcreate(8));
	C("hdestroy", (hdestroy(), 0));
	C("setlocale", setlocale(LC_ALL, NULL)[0]);
	C("localeconv", localeconv() != NULL);
}

static void system_calls(void)
{
	struct rlimit rl;
	struct utsname un;
	struct stat st;
	char buf[4096];
	int fd;

	C("getpid", getpid());
	C("getppid", getppid());
	C("getuid", getuid());
	C("geteuid", geteuid());
	C("getgid", getgid());
	C("getpgrp", getpgrp());
	C("getsid", getsid(0));
	C("umask", umask(022));
	C("access", access("/", R_OK));
	C("getcwd", getcwd(buf, sizeof(buf)) != NULL);
	C("open", (fd = open("/dev/zero", O_RDONLY | O_CLOEXEC)));
	C("read", read(fd, buf, 16));
	C("lseek", lseek(fd, 0, SEEK_SET));
	C("dup", dup(fd));
	C("fcntl", fcntl(fd, F_GETFD));
	C("fstat", fstat(fd, &st));
	C("stat", stat("/", &st));
	C("close", close(fd--));
	C("uname", uname(&un));
	C("getrlimit", getrlimit(RLIMIT_NOFILE, &rl));
	C("poll", poll(NULL, 0, 0));
	C("sched_yield", sched_yield());
	C("usleep", usleep(1));
	C("nanosleep", nanosleep(&(struct timespec){ 0, 1 }, NULL));
	C("mmap", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != NULL);
	C("sysconf", sysconf(_SC_PAGESIZE));
	C("getenv", getenv("PATH") != NULL);
	C("setenv", setenv("XPT_TEST", "1", 1));
	C("unsetenv", unsetenv("XPT_TEST"));
	C("isatty", isatty(0));
	C("ttyname", ttyname(99) != NULL);
	C("gethostname", gethostname(buf, sizeof(buf)));
}

static void *thread(void *arg)
{
	sink += getpagesize() + (unsigned long)arg;
	return NULL;
}

static void others(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	time_t t = 86400;
	pthread_t id;
	struct tm tm;
	char buf[64];
	glob_t g;
	sem_t sem;
	FILE *f;
	DIR *d;

	C("malloc", (free(malloc(10)), 0));
	C("calloc", (free(calloc(1, 10)), 0));
	C("realloc", (free(realloc(NULL, 10)), 0));
	C("posix_memalign", posix_memalign((void **)&d, 64, 64));
	C("gmtime_r", gmtime_r(&t, &tm) != NULL);
	C("localtime_r", localtime_r(&t, &tm) != NULL);
	C("mktime", mktime(&tm));
	C("strftime", strftime(buf, sizeof(buf), "%F", &tm));
	C("fopen", (f = fopen("/dev/null", "we")) != NULL);
	C("fputs", fputs("x", f));
	C("fwrite", fwrite("x", 1, 1, f));
	C("fprintf", fprintf(f, "%d", 5));
	C("fflush", fflush(f));
	C("ftell", ftell(f));
	C("opendir", (d = opendir("/")) != NULL);
	C("readdir", readdir(d) != NULL);
	C("rewinddir", (rewinddir(d), 0));
	C("glob", glob("/e*", 0, NULL, &g));
	C("sem_init", sem_init(&sem, 0, 9));
	C("sem_post", sem_post(&sem));
	C("sem_wait", sem_wait(&sem));
	C("pthread_mutex_lock", (pthread_mutex_lock(&m), pthread_mutex_unlock(&m)));
	C("pthread_create", (pthread_create(&id, NULL, thread, NULL), pthread_join(id, NULL)));
	C("fork", ({ int pid = fork(); if (!pid) _exit(0); waitpid(pid, NULL, 0); }));
}

int main(void)
{
	unsigned i;

	numbers();
	strings();
	system_calls();
	others();
	for (i = 0; i < nr_fns; i++)
		printf("%s %u\n", fns[i].name, fns[i].calls);
	return fflush(stdout) ? 1 : 0;
}
