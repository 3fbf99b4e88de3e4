/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * USDT probes whose arguments lie in every form that compilers choose, one of
 * them guarded by a semaphore, two of them in several places, and a function
 * that passes messages to callbacks. Prints a line "NAME VALUE..." a hit, which
 * is what must be seen of it.   sdt ROUNDS [SECONDS TO WAIT FOR THE SEMAPHORE [all]]
 * all: not only for that of one probe, but until each place has its probe.
 */
#include <stdint.h>
#include <stdio.h>
#if __has_include(<sys/sdt.h>)
#include <sys/mman.h>
#include <unistd.h>
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

unsigned short prov_regs_semaphore __attribute__((section(".probes")));
unsigned short prov_memory_semaphore __attribute__((section(".probes")));
unsigned short prov_mixed_semaphore __attribute__((section(".probes")));
unsigned short prov_several_semaphore __attribute__((section(".probes")));
unsigned short prov_text_semaphore __attribute__((section(".probes")));
unsigned short prov_guarded_semaphore __attribute__((section(".probes")));

int global = -7;
static uint16_t table[8] = { 1, 2, 3, 65535, 5, 6, 7, 8 };
static volatile uint64_t wide = 0x1122334455667788;
static double real = 0.5;

struct inner {
	char c;
	short s;
	long l;
};

__attribute__((noinline)) static void regs(int64_t a, uint32_t b, int16_t c, uint8_t d)
{
	DTRACE_PROBE4(prov, regs, a, b, c, d);
	printf("regs %lld %u %d %u\n", (long long)a, b, c, d);
}

__attribute__((noinline)) static void memory(const int *a, long i, const signed char *c, long k,
					     const struct inner *in)
{
	DTRACE_PROBE6(prov, memory, a[i], c[k], global, table[i], in->s, in->l);
	printf("memory %d %d %d %u %d %ld\n", a[i], c[k], global, table[i], in->s, in->l);
}

__attribute__((noinline)) static void mixed(int i)
{
	DTRACE_PROBE5(prov, mixed, 42, -3, real, wide, i);
	printf("mixed 42 -3 - %llu %d\n", (unsigned long long)wide, i);
}

__attribute__((noinline)) static void several(int i)
{
	if (i & 1) {
		DTRACE_PROBE1(prov, several, i);
		printf("several %d\n", i);
	} else {
		long twice = i * 2L;

		DTRACE_PROBE1(prov, several, twice);
		printf("several %ld\n", twice);
	}
}

__attribute__((noinline)) static void text(const char *s, int i)
{
	DTRACE_PROBE2(prov, text, s, i);
}

/* Only where somebody looks. */
__attribute__((noinline)) static void guarded(int i)
{
	if (!prov_guarded_semaphore)
		return;
	DTRACE_PROBE1(prov, guarded, i);
	printf("guarded %d\n", i);
}

/* --- messages --------------------------------------------------------------------- */

typedef void (*msg_fn)(void *ctx);
static unsigned long handled;

__attribute__((noinline)) static void on_read(void *ctx)
{
	handled += (uintptr_t)ctx;
}

__attribute__((noinline)) static void on_write(void *ctx)
{
	handled ^= (uintptr_t)ctx;
}

__attribute__((noinline)) int send_msg(const void *thread, msg_fn fn, void *ctx);

int send_msg(const void *thread, msg_fn fn, void *ctx)
{
	fn(ctx);
	return thread && (uintptr_t)ctx % 5 == 4 ? -12 : 0;
}

static int value_of(const unsigned short *semaphore)
{
	return *(const volatile unsigned short *)semaphore;
}

/* Whether a trace has reached the probe that is guarded, or all: each place has raised its semaphore, several has two. */
static int is_traced(int all)
{
	if (!value_of(&prov_guarded_semaphore))
		return 0;
	return !all || (value_of(&prov_regs_semaphore) && value_of(&prov_memory_semaphore) &&
			value_of(&prov_mixed_semaphore) && value_of(&prov_several_semaphore) > 1 &&
			value_of(&prov_text_semaphore));
}

/* The kernel raises a semaphore and sets the probe while it holds the lock of our mappings, which this waits for. */
static void wait_for_mappings(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		munmap(page, 4096);
}

int main(int argc, char **argv)
{
	static const signed char chars[] = { -1, 2, -3, 4 };
	static const char *const words[] = { "nqn.one", "nqn.two", "nqn.three" };
	int rounds = 10, wait = 0, i;
	int a[] = { 10, -20, 30, -40 };
	struct inner in = { 1, -2, -3 };

	if ((argc > 1 && sscanf(argv[1], "%d", &rounds) != 1) ||
	    (argc > 2 && sscanf(argv[2], "%d", &wait) != 1))
		return 2;
	for (i = 0; i < wait * 100 && !is_traced(argc > 3); i++)
		usleep(10000);
	wait_for_mappings();
	for (i = 0; i < rounds; i++) {
		in.s = (short)(-2 - i);
		regs(-5 - i, 4000000000u + (unsigned)i, (int16_t)(-300 - i), (uint8_t)(200 + i));
		memory(a, i & 3, chars, (i + 1) & 3, &in);
		mixed(i);
		several(i);
		text(words[i % 3], i);
		guarded(i);
		send_msg(&in, i % 4 ? on_read : on_write, (void *)(uintptr_t)i);
	}
	fflush(stdout);
	return handled == 12345;
}
#else
int main(void)
{
	puts("built without sys/sdt.h (systemtap-sdt-dev)");
	return 77;
}
#endif
