/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can happen to a call of the simulated driver before its body runs:
 * latency, a fault, a hang, an ioctl (XPT_FAKE_LATENCY, _FAULT, _HANG, _IOCTL), the
 * answer of a driver that is not initialized, and the sticky error of a broken context.
 *
 * fake_hooks[i] is zero as long as none of these can happen to function i, so
 * that an ordinary call pays one compare. Also the start and the end of the
 * library.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "driver.h"

#define MAX_RULES 64
#define DEINIT_MAGIC 0x321cba00

enum rule_kind { LATENCY, FAULT, HANG, IOCTL };

/* NAME[@N[+]][=VALUE]: n 0 means every call, from: call n and all after it. */
struct rule {
	enum rule_kind kind;
	char name[64];
	uint64_t n, value;
	bool from, spin;
};

static struct rule rules[MAX_RULES];
static unsigned int nr_rules;
static uint64_t *calls;		/* per function, counted where a rule exists */
static unsigned char *flags;	/* per function */
static const char *counts_path;	/* XPT_FAKE_COUNTS: where to tell what was called */
static int sticky;		/* the error that stays, 0: none */
static bool ready;
static int device = -1;		/* XPT_FAKE_DEVICE */

int fake_deinit;
bool fake_forked;
uint64_t fake_kernel_ns;

enum { EARLY = 1, RULED = 2 };	/* flags: works without cuInit; has a rule */

uint64_t fake_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A number with an optional unit, up to `*end`; ns, us, ms, s or K, M, G (binary). */
static uint64_t number(const char *s, char **ret_end)
{
	static const struct { const char *unit; uint64_t factor; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
		{ "K", 1ull << 10 }, { "M", 1ull << 20 }, { "G", 1ull << 30 },
	};
	uint64_t v = strtoull(s, ret_end, 0);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].unit);

		if (!strncmp(*ret_end, units[i].unit, n)) {
			*ret_end += n;
			return v * units[i].factor;
		}
	}
	return v;
}

uint64_t fake_env_u64(const char *name, uint64_t fallback)
{
	const char *s = getenv(name);
	char *end;

	return s && *s ? number(s, &end) : fallback;
}

static void bad(const char *env, const char *text)
{
	fprintf(stderr, "simulated libcuda: %s: cannot read '%s'\n", env, text);
	_exit(2);
}

static void parse_rule(enum rule_kind kind, const char *env, const char *text)
{
	struct rule *r = &rules[nr_rules];
	size_t n = strcspn(text, "@=");
	char *end = (char *)text + n;

	if (nr_rules == MAX_RULES || !n || n >= sizeof(r->name))
		bad(env, text);
	memcpy(r->name, text, n);
	r->kind = kind;
	if (*end == '@') {
		r->n = number(end + 1, &end);
		r->from = *end == '+';
		end += r->from;
	}
	if (*end == '=')
		r->value = number(end + 1, &end);
	r->spin = *end == '!';
	end += r->spin;
	if (*end || (kind != HANG && !r->value))
		bad(env, text);
	nr_rules++;
}

static void parse_rules(enum rule_kind kind, const char *env)
{
	const char *s = getenv(env);
	char *copy, *save, *tok;

	if (!s)
		return;
	copy = strdup(s);
	if (!copy)
		abort();
	for (tok = strtok_r(copy, ", ", &save); tok; tok = strtok_r(NULL, ", ", &save))
		parse_rule(kind, env, tok);
	free(copy);
}

static bool is_early(const char *name)
{
	static const char *const early[] = {
		"cuInit", "cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString",
		"cuGetProcAddress", "cuGetProcAddress_v2", "cuGetExportTable",
	};

	for (size_t i = 0; i < sizeof(early) / sizeof(*early); i++)
		if (!strcmp(name, early[i]))
			return true;
	return !strncmp(name, "cudbg", 5);
}

static void set_hooks(void)
{
	for (uint64_t i = 0; i < fake_nr_fns; i++) {
		bool ask = (!ready || sticky) && !(flags[i] & EARLY);

		__atomic_store_n(&fake_hooks[i], ask || flags[i] & RULED, __ATOMIC_RELAXED);
	}
}

void fake_initialized(void)
{
	pthread_mutex_lock(&fake_lock);
	if (!ready) {
		ready = true;
		set_hooks();
	}
	pthread_mutex_unlock(&fake_lock);
}

static bool is_sticky(int code)
{
	return code == 700 || code == 702 || code == 710 || (code >= 714 && code <= 719);
}

void fake_break(int code)
{
	pthread_mutex_lock(&fake_lock);
	if (!sticky) {
		sticky = code;
		set_hooks();
	}
	pthread_mutex_unlock(&fake_lock);
}

int fake_broken(void)
{
	return __atomic_load_n(&sticky, __ATOMIC_ACQUIRE);
}

static void delay(const struct rule *r)
{
	struct timespec t = { (time_t)(r->value / 1000000000u), (long)(r->value % 1000000000u) };
	uint64_t end = fake_now() + r->value;

	if (!r->spin) {
		nanosleep(&t, NULL);
		return;
	}
	while (fake_now() < end)
		__builtin_ia32_pause();
}

/* 0, or what a driver's failure becomes for the caller, if the rule says so. */
static int make_ioctl(const struct rule *r)
{
	char arg[256] = { 0 };

	if (device < 0 || !ioctl(device, (unsigned long)r->value, arg) || !r->spin)
		return 0;
	return errno == ENOMEM ? 2 : 999;
}

static int apply(const struct rule *r, uint64_t nth)
{
	if (r->n && (r->from ? nth < r->n : nth != r->n))
		return 0;
	if (r->kind == LATENCY)
		delay(r);
	while (r->kind == HANG)
		pause();
	if (r->kind == IOCTL)
		return make_ioctl(r);
	return r->kind == FAULT ? (int)r->value : 0;
}

/* 0: go on to the body; else the code to return. */
int fake_hook(unsigned int i)
{
	int code = 0;

	if (flags[i] & RULED) {
		uint64_t nth = __atomic_add_fetch(&calls[i], 1, __ATOMIC_RELAXED);

		for (unsigned int k = 0; k < nr_rules && !code; k++)
			if (!fnmatch(rules[k].name, fake_fns[i].name, 0))
				code = apply(&rules[k], nth);
	}
	if (flags[i] & EARLY)
		return code;
	if (!ready || fake_forked)
		return CU_NOT_INITIALIZED;
	if (sticky)
		return sticky;
	if (is_sticky(code))
		fake_break(code);
	return code;
}

/* A driver's state does not survive fork: in the child nothing is initialized. */
static void in_child(void)
{
	pthread_mutex_init(&fake_lock, NULL);
	if (!ready)
		return;
	fake_forked = true;
	ready = false;
	set_hooks();
}

__attribute__((constructor)) static void start(void)
{
	fake_kernel_ns = fake_env_u64("XPT_FAKE_KERNEL_TIME", 5000);
	parse_rules(LATENCY, "XPT_FAKE_LATENCY");
	parse_rules(FAULT, "XPT_FAKE_FAULT");
	parse_rules(HANG, "XPT_FAKE_HANG");
	parse_rules(IOCTL, "XPT_FAKE_IOCTL");
	if (getenv("XPT_FAKE_DEVICE"))
		device = open(getenv("XPT_FAKE_DEVICE"), O_RDONLY | O_CLOEXEC);
	flags = calloc(fake_nr_fns, 1);
	calls = calloc(fake_nr_fns, sizeof(*calls));
	if (!flags || !calls)
		abort();
	counts_path = getenv("XPT_FAKE_COUNTS");
	for (uint64_t i = 0; i < fake_nr_fns; i++) {
		flags[i] = is_early(fake_fns[i].name) ? EARLY : 0;
		if (counts_path)
			flags[i] |= RULED;
		for (unsigned int k = 0; k < nr_rules; k++)
			if (!fnmatch(rules[k].name, fake_fns[i].name, 0))
				flags[i] |= RULED;
	}
	set_hooks();
	pthread_atfork(NULL, NULL, in_child);
}

/* One line of JSON, appended: what the program called, as the library saw it. */
static void emit_counts(void)
{
	FILE *f = counts_path && *counts_path ? fopen(counts_path, "ae") : NULL;
	const char *sep = "";

	if (!f)
		return;
	fprintf(f, "{\"pid\":%d,\"calls\":{", (int)getpid());
	for (uint64_t i = 0; i < fake_nr_fns; i++) {
		if (!calls[i])
			continue;
		fprintf(f, "%s\"%s\":%llu", sep, fake_fns[i].name, (unsigned long long)calls[i]);
		sep = ",";
	}
	fputs("}", f);
	fake_rm_counts(f);
	fputs("}\n", f);
	fclose(f);
}

/* After this every export answers CUDA_ERROR_DEINITIALIZED from its stub. */
__attribute__((destructor)) static void end(void)
{
	__atomic_store_n(&fake_deinit, DEINIT_MAGIC, __ATOMIC_SEQ_CST);
	if (fake_forked)
		return;
	emit_counts();
	fake_streams_stop();
	fake_vmm_free();
	fake_objects_free();
	fake_memory_free();
	fake_contexts_free();
	free(flags);
	free(calls);
	flags = NULL;
}
