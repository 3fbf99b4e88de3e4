// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a program sees of being traced, for bench/changes.sh: its mappings and private memory, the
 * depth of backtrace(), handlers of a cancelled thread, a seccomp filter, the cost of calls.
 *   changes maps|backtrace|cancel|seccomp|strict|cost|memory
 */
#include <errno.h>
#include <execinfo.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int chg_call(void (*fn)(void));
void chg_nop5(void);
void chg_step(void);

enum { CALLS = 20000, FRAMES = 64 };

static void nothing(void)
{
}

static void call_all(void)
{
	for (int i = 0; i < 10; i++) {
		chg_call(nothing);
		chg_nop5();
		chg_step();
	}
}

static void show_maps(void)
{
	char line[512];
	unsigned lines = 0;
	FILE *f;

	call_all();
	f = fopen("/proc/self/maps", "re");
	while (f && fgets(line, sizeof(line), f)) {
		lines++;
		if (strstr(line, "uprobes"))
			printf("  %s", line);
	}
	printf("  %u mappings; chg_call begins with 0x%02x\n", lines, *(volatile unsigned char *)(uintptr_t)chg_call);
	if (f)
		fclose(f);
}

static void show_depth(void)
{
	void *v[FRAMES];

	printf("  backtrace() in a callback: %d frames\n", backtrace(v, FRAMES));
}

static int cleaned;

static void clean(int *p)
{
	cleaned += *p;
}

static void wait_here(void)
{
	for (;;)
		pause();	/* where threads are cancelled */
}

static void handler(void *arg)
{
	*(int *)arg = 1;
}

static void *thread(void *arg)
{
	int of_frame __attribute__((cleanup(clean))) = 1;

	pthread_cleanup_push(handler, arg);
	chg_call(wait_here);
	pthread_cleanup_pop(0);
	return of_frame ? arg : NULL;
}

static void show_cancel(void)
{
	pthread_t t;
	int pushed = 0;

	pthread_create(&t, NULL, thread, &pushed);
	usleep(200000);
	pthread_cancel(t);
	pthread_join(t, NULL);
	printf("  cancelled: %d of 1 destructors of frames, %d of 1 handlers of pthread_cleanup_push\n", cleaned, pushed);
}

static void show_seccomp(int strict)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };
	static const char begin[] = "  under the filter\n", end[] = "  calls made, alive\n";

	call_all();	/* so that all that is made at the first hit is there */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strict ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return;
	if (write(1, begin, sizeof(begin) - 1) > 0)
		call_all();
	if (write(1, end, sizeof(end) - 1) < 0)
		syscall(SYS_exit, 1);
	syscall(strict ? SYS_exit : SYS_exit_group, 0);
}

static double cpu_ns(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e9 + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e3;
}

static void call_push(void)
{
	chg_call(nothing);
}

static void show_cost_of(const char *what, void (*fn)(void))
{
	double best = 0;

	for (int round = 0; round < 7; round++) {
		double ns, before = cpu_ns();

		for (int i = 0; i < CALLS; i++)
			fn();
		ns = (cpu_ns() - before) / CALLS;
		best = !round || ns < best ? ns : best;
	}
	printf("  %-5s %.0f ns a call\n", what, best);
}

/* Of the mappings of the library: what is private to the process. */
static void show_memory(const char *when)
{
	char line[512];
	unsigned anonymous = 0, kb;
	int ours = 0;
	FILE *f = fopen("/proc/self/smaps", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "-") && strstr(line, " r-xp ") && line[0] != ' ')
			ours = strstr(line, "libchanges") != NULL;
		else if (ours && sscanf(line, "Anonymous: %u kB", &kb) == 1)
			anonymous += kb, ours = 0;
	}
	if (f)
		fclose(f);
	printf("  %s: %u kB of the library's code private\n", when, anonymous);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "maps"))
		show_maps();
	else if (!strcmp(what, "backtrace"))
		chg_call(show_depth);
	else if (!strcmp(what, "cancel"))
		show_cancel();
	else if (!strcmp(what, "seccomp") || !strcmp(what, "strict"))
		show_seccomp(what[1] == 't');
	else if (!strcmp(what, "cost")) {
		show_cost_of("nop5", chg_nop5);
		show_cost_of("push", call_push);
		show_cost_of("xor", chg_step);
	} else
		while (fgets(line, sizeof(line), stdin)) {
			line[strcspn(line, "\n")] = '\0';
			call_all();
			show_memory(line);
			show_maps();
		}
	return 0;
}
