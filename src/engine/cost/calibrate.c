// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calibration. The child calls functions of this binary that have probes, one for each
 * kind of cost: they start with an emulated or a single-stepped instruction, and their
 * return is seen by a return probe or at their own `ret`; and twins of them that have
 * none. A round has a chunk of each:
 * untraced, sent as events, only counted, in a turning order. Time is the CPU time
 * of the thread: on a busy machine the time on the wall is that of others.
 *
 * The same trap costs several times as much on a busy machine as on an idle one.
 * So some rounds are made now and then while the trace lasts, and some at its end;
 * all of them together stand for the trace. Function id 0 marks the child's
 * records, its process id its tasks, and neither gets to an output.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process/pidfd.h"
#include "base/time.h"
#include "engine/attach/uprobes.h"
#include "engine/cost/calibrate.h"
#include "engine/libraries/libs.h"
#include "engine/waiting/reading.h"
#include "wire/config.h"
#include "wire/cookie.h"
#include "call.skel.h"

#define BEGIN_NS 300000000ull	/* a trace that is shorter is measured at its end only */
#define PAUSE_MS 500		/* the first one between rounds, doubled up to */
#define PAUSE_MAX_MS 16000
#define BATCH 4			/* rounds, now and then */
#define BATCH_ASKED 12		/* at the end, and before a budget */
#define WARM_UP 3		/* calls before each chunk */
#define SLOTS 512		/* rounds that are kept; later ones take the place of earlier ones */
#define POLL_MS 2
#define PAUSE_WAIT_US 100
#define PAUSE_WAITS 1000
#define PATIENCE_NS 2000000000ull	/* for rounds that are asked for */

typedef int (*target_fn)(uint64_t *out, uint64_t size);

#if defined(__x86_64__)
int xpt_calibrate_emulated(uint64_t *out, uint64_t size);
int xpt_calibrate_stepped(uint64_t *out, uint64_t size);
int xpt_calibrate_emulated_returns(uint64_t *out, uint64_t size);
int xpt_calibrate_stepped_returns(uint64_t *out, uint64_t size);
int xpt_calibrate_emulated_twin(uint64_t *out, uint64_t size);
int xpt_calibrate_stepped_twin(uint64_t *out, uint64_t size);
extern const char xpt_calibrate_emulated_returns_end[], xpt_calibrate_stepped_returns_end[];

#define FUNCTION(name, body) \
	".p2align 4\n.globl " name "\n.type " name ", @function\n" name ":\n" body \
	".globl " name "_end\n" name "_end:\n	ret\n"
#define EMULATED "	push %rbp\n	pop %rbp\n	xor %eax, %eax\n"
#define STEPPED "	sub $8, %rsp\n	add $8, %rsp\n	xor %eax, %eax\n"

__asm__(".text\n"
	FUNCTION("xpt_calibrate_emulated", EMULATED)
	FUNCTION("xpt_calibrate_stepped", STEPPED)
	FUNCTION("xpt_calibrate_emulated_returns", EMULATED)
	FUNCTION("xpt_calibrate_stepped_returns", STEPPED)
	FUNCTION("xpt_calibrate_emulated_twin", EMULATED)
	FUNCTION("xpt_calibrate_stepped_twin", STEPPED));

static const struct target {
	target_fn traced, untraced;
	const char *end;	/* its `ret`, where that has a probe; NULL: it has a return probe */
	uint32_t calls;		/* in a chunk */
} targets[XPT_COST__KINDS] = {
	[XPT_COST_EMULATED] = { xpt_calibrate_emulated, xpt_calibrate_emulated_twin, NULL, 40 },
	[XPT_COST_STEPPED] = { xpt_calibrate_stepped, xpt_calibrate_stepped_twin, NULL, 10 },
	[XPT_COST_RETURNS] = { xpt_calibrate_emulated_returns, xpt_calibrate_emulated_twin,
			       xpt_calibrate_emulated_returns_end, 10 },
	[XPT_COST_RETURNS | XPT_COST_STEPPED] = { xpt_calibrate_stepped_returns, xpt_calibrate_stepped_twin,
						  xpt_calibrate_stepped_returns_end, 10 },
};
#else
#error "write the calibration functions for this architecture"
#endif

enum { FD_GO, FD_DONE, FD_FNS };	/* the child's descriptors, all of them */

struct shared {
	uint32_t nr;			/* rounds that were made */
	uint32_t paused;		/* the programs do nothing, or will in a moment */
	uint32_t busy;			/* a round is being made */
	uint32_t idle;			/* no process is traced: no rounds */
	uint64_t calls[XPT_COST__MAX];	/* that the child made: sent, counted */
	struct xpt_cost_round round[SLOTS];
};

struct xpt_calibration {
	struct shared *shared;
	struct xpt_elib lib;		/* its probes */
	int pid, go, done;
	bool ended, failed;
	uint32_t nr_known;		/* rounds at the last look at their results */
	bool is_vague;			/* some of its calls may have been ignored */
	uint64_t came;			/* its calls that were read */
};

/* --- the child ------------------------------------------------------------------------- */

/* A function like cuMemAlloc: a size and an out-parameter. */
static void set_spec(const struct xpt_engine *e, int fns, int how)
{
	struct xpt_wire_fn spec = {
		.flags = (how == XPT_COST_SENT ? XPT_FN_KEEP : XPT_FN_COUNT_ONLY) | (e->cfg.stacks ? XPT_FN_STACK : 0),
		.ret = XPT_RET_STATUS, .nr_caps = 2, .size_cap = 1, .dir_cap = 0xff, .out_mask = 1,
		.cap = { { XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 },
			 { XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 } },
	};
	uint32_t zero = 0;

	bpf_map_update_elem(fns, &zero, &spec, BPF_ANY);
}

static uint32_t time_chunk(target_fn fn, uint32_t calls)
{
	uint64_t out = 0, t0;
	uint32_t i;

	for (i = 0; i < WARM_UP; i++)
		fn(&out, 64);
	t0 = xpt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < calls; i++)
		fn(&out, 64);
	return (uint32_t)(xpt_clock_ns(CLOCK_THREAD_CPUTIME_ID) - t0);
}

static void time_untraced(struct xpt_cost_round *r)
{
	int kind;

	for (kind = 0; kind < XPT_COST__KINDS; kind++)
		r->kind[kind].untraced = time_chunk(targets[kind].untraced, targets[kind].calls);
}

static void time_traced(const struct xpt_engine *e, struct shared *s, int how,
			struct xpt_cost_round *r)
{
	int kind;

	set_spec(e, FD_FNS, how);
	for (kind = 0; kind < XPT_COST__KINDS; kind++) {
		/*
		 * Before they are made: losses that are reported meanwhile, or after a kill, are then not taken for a
		 * program's.
		 */
		s->calls[how] += targets[kind].calls + WARM_UP;
		r->kind[kind].traced[how] = time_chunk(targets[kind].traced, targets[kind].calls);
	}
}

static void make_round(const struct xpt_engine *e, struct shared *s, uint32_t turn)
{
	struct xpt_cost_round r;
	uint32_t k;

	__atomic_store_n(&s->busy, 1, __ATOMIC_SEQ_CST);
	for (k = 0; k < 3 && !__atomic_load_n(&s->paused, __ATOMIC_SEQ_CST); k++) {
		uint32_t what = (turn + k) % 3;

		if (what == 2)
			time_untraced(&r);
		else
			time_traced(e, s, (int)what, &r);
	}
	if (k == 3) {
		s->round[s->nr % SLOTS] = r;
		__atomic_store_n(&s->nr, s->nr + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&s->busy, 0, __ATOMIC_SEQ_CST);
}

/* Rounds now and then, and when a byte comes; its end of file ends the child. */
static _Noreturn void be_child(const struct xpt_engine *e, struct shared *s)
{
	struct pollfd p = { .fd = FD_GO, .events = POLLIN };
	int pause = PAUSE_MS, i;
	uint32_t turn = 0;
	char c;

	prctl(PR_SET_NAME, "xputrace-cost");
	setpriority(PRIO_PROCESS, 0, 0);	/* as the traced processes, not as the reader */
	for (;;) {
		int asked = poll(&p, 1, pause);

		if (asked > 0 && read(FD_GO, &c, 1) != 1)
			_exit(0);
		if (!asked && turn && __atomic_load_n(&s->idle, __ATOMIC_RELAXED))
			continue;
		for (i = 0; i < (asked > 0 ? BATCH_ASKED : BATCH); i++)
			make_round(e, s, turn++);
		if (asked > 0 && write(FD_DONE, "", 1) != 1)
			_exit(0);
		pause = pause < PAUSE_MAX_MS ? 2 * pause : PAUSE_MAX_MS;
	}
}

/*
 * It keeps three descriptors and no others, for a probe stays as long as anybody has its
 * link, and takes no signal: those of the terminal are for the user's command, and
 * handlers of ours would pass them on once more.
 */
static _Noreturn void start_child(const struct xpt_engine *e, struct shared *s, int go, int done)
{
	int fds[3] = { go, done, bpf_map__fd(e->skel->maps.xpt_fns) }, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < 3; i++)		/* first out of the way of each other */
		fds[i] = dup(fds[i]);
	for (i = 0; i < 3; i++)
		if (fds[i] < 0 || dup2(fds[i], i) < 0)
			_exit(1);
	if (syscall(SYS_close_range, 3u, ~0u, 0u))
		closefrom(3);
	be_child(e, s);
}

/* --- the engine's side -------------------------------------------------------------------- */

/*
 * Places the return sites before the entries, so that no call begins whose return would not be seen. All cookies have
 * function id 0.
 */
static int attach_targets(struct xpt_engine *e, struct xpt_elib *lib)
{
	uint64_t offsets[2 * XPT_COST__KINDS], cookies[2 * XPT_COST__KINDS] = { 0 };
	uint32_t n = 0;
	int kind;

	for (kind = 0; kind < XPT_COST__KINDS; kind++) {
		const struct target *t = &targets[kind];

		if (t->end && !xpt_kernel__own_offset(t->end, &offsets[n]))
			return -ENOENT;
		if (t->end)
			cookies[n++] = XPT_AT_RETURN;
		if (!xpt_kernel__own_offset((const void *)(uintptr_t)t->traced, &offsets[n]))
			return -ENOENT;
		cookies[n++] = t->end ? XPT_NO_RETURN_PROBE : 0;
	}
	lib->owner = XPT_OWNER_MACHINE;
	return xpt_uprobes__link(e, lib, "/proc/self/exe", offsets, cookies, n) == (int)n ? 0 : -EIO;
}

/* A process of ours that gets no signals; it is traced, and waits for nothing in vain. */
static int fork_child(struct xpt_engine *e, struct xpt_calibration *c, int go, int done)
{
	bool had_target = e->had_target;
	sigset_t all, had;
	int pid, err;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &had);
	pid = fork();
	if (!pid)
		start_child(e, c->shared, go, done);
	err = pid < 0 ? -errno : 0;
	sigprocmask(SIG_SETMASK, &had, NULL);
	if (err)
		return err;
	c->pid = pid;
	e->skel->bss->xpt_cost_tgid = (uint32_t)pid;
	err = xpt_engine__add_own(e, pid);
	e->had_target = had_target;
	return err;
}

static int begin_rounds(struct xpt_engine *e, struct xpt_calibration *c)
{
	int go[2] = { -1, -1 }, done[2] = { -1, -1 }, err;

	c->shared = mmap(NULL, sizeof(*c->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->shared == MAP_FAILED) {
		c->shared = NULL;
		return -ENOMEM;
	}
	err = attach_targets(e, &c->lib);
	if (!err && (pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC)))
		err = -errno;
	if (!err)
		err = fork_child(e, c, go[0], done[1]);
	if (go[0] >= 0)
		close(go[0]);
	if (done[1] >= 0)
		close(done[1]);
	c->go = go[1];
	c->done = done[0];
	return err;
}

/* Begins the calibration, once. Returns NULL if it is not possible. */
static struct xpt_calibration *begin_once(struct xpt_engine *e)
{
	struct xpt_calibration *c = e->calibration;
	int err;

	if (c)
		return c->failed ? NULL : c;
	c = e->calibration = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->go = c->done = -1;
	err = begin_rounds(e, c);
	if (!err)
		return c;
	xpt_debug("what a traced call costs cannot be measured: %s", strerror(-err));
	c->failed = true;
	return NULL;
}

/* Has the child make rounds, and reads the records of the programs meanwhile. */
static void ask_rounds(struct xpt_engine *e, struct xpt_calibration *c)
{
	struct pollfd p = { .fd = c->done, .events = POLLIN };
	uint64_t until = xpt_now_ns() + PATIENCE_NS;
	char byte;
	int n;

	if (write(c->go, "g", 1) != 1)
		return;
	do {
		n = poll(&p, 1, POLL_MS);
		xpt_reading__consume(e, xpt_now_ns());
	} while (n <= 0 && xpt_now_ns() < until);
	if (n > 0 && read(c->done, &byte, 1) != 1)
		xpt_debug("the calibration has ended early");
}

static void find_cost(struct xpt_engine *e, struct xpt_calibration *c)
{
	uint32_t nr = __atomic_load_n(&c->shared->nr, __ATOMIC_ACQUIRE), calls[XPT_COST__KINDS];
	const struct xpt_cost_value *sent, *counted;
	const char *why;
	int kind;

	c->nr_known = nr;
	for (kind = 0; kind < XPT_COST__KINDS; kind++)
		calls[kind] = targets[kind].calls;
	if (!xpt_call_cost__find(c->shared->round, nr < SLOTS ? nr : SLOTS, calls, &e->cost, &why))
		xpt_debug("what a traced call costs is not known: %s (%u rounds)", why, nr);
	for (kind = 0; !why && kind < XPT_COST__KINDS; kind++) {
		sent = &e->cost.v[kind][XPT_COST_SENT];
		counted = &e->cost.v[kind][XPT_COST_COUNTED];
		xpt_debug("a traced call of kind %d costs %llu ns (%llu to %llu in %u rounds), only counted %llu",
			  kind, (unsigned long long)sent->ns, (unsigned long long)sent->low,
			  (unsigned long long)sent->high, nr, (unsigned long long)counted->ns);
	}
}

void xpt_calibration__step(struct xpt_engine *e, bool is_idle)
{
	/* Probes that are perf events take long to close, each: they come at the end. */
	if (!e->calibration && e->stats.nr_probes && e->attach != XPT_ATTACH_PERF &&
	    xpt_now_ns() - e->start_ns > BEGIN_NS)
		begin_once(e);
	if (e->calibration && e->calibration->shared)
		__atomic_store_n(&e->calibration->shared->idle, is_idle, __ATOMIC_RELAXED);
}

void xpt_calibration__now(struct xpt_engine *e)
{
	struct xpt_calibration *c = begin_once(e);

	if (!c || c->ended)
		return;
	if (!__atomic_load_n(&c->shared->nr, __ATOMIC_ACQUIRE))
		ask_rounds(e, c);
	if (__atomic_load_n(&c->shared->nr, __ATOMIC_ACQUIRE) != c->nr_known)
		find_cost(e, c);
}

static void end_child(struct xpt_calibration *c)
{
	if (c->go >= 0)
		close(c->go);
	if (c->done >= 0)
		close(c->done);
	c->go = c->done = -1;
	if (c->pid > 0 && !c->ended) {
		xpt_pidfd__end_child(c->pid);
		waitpid(c->pid, NULL, 0);
	}
	c->ended = true;
}

void xpt_calibration__end(struct xpt_engine *e)
{
	struct xpt_calibration *c = begin_once(e);

	if (!c || c->ended)
		return;
	ask_rounds(e, c);
	end_child(c);
	find_cost(e, c);
}

void xpt_calibration__free(struct xpt_engine *e)
{
	struct xpt_calibration *c = e->calibration;

	if (!c)
		return;
	end_child(c);
	xpt_libs__adopt(e, &c->lib);	/* they may go in the background */
	if (c->shared)
		munmap(c->shared, sizeof(*c->shared));
	free(c);
	e->calibration = NULL;
}

void xpt_calibration__pause(struct xpt_engine *e)
{
	struct xpt_calibration *c = e->calibration;
	int i;

	if (!c || !c->shared)
		return;
	__atomic_store_n(&c->shared->paused, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < PAUSE_WAITS && __atomic_load_n(&c->shared->busy, __ATOMIC_SEQ_CST); i++)
		usleep(PAUSE_WAIT_US);
	c->is_vague |= i == PAUSE_WAITS;
}

void xpt_calibration__go_on(struct xpt_engine *e)
{
	if (e->calibration && e->calibration->shared)
		__atomic_store_n(&e->calibration->shared->paused, 0, __ATOMIC_SEQ_CST);
}

bool xpt_calibration__is_of(const struct xpt_engine *e, uint32_t tgid)
{
	return e->calibration && e->calibration->pid > 0 && tgid == (uint32_t)e->calibration->pid;
}

void xpt_calibration__on_call(struct xpt_engine *e)
{
	if (e->calibration)
		e->calibration->came++;
}

uint64_t xpt_calibration__loss(const struct xpt_engine *e, uint32_t loss)
{
	const struct xpt_calibration *c = e->calibration;

	if (!c || !c->shared || !e->cfg.events)
		return 0;
	if (loss == XPT_LOSS_BUDGET)
		return c->shared->calls[XPT_COST_COUNTED];
	if (loss == XPT_LOSS_RING_FULL && !c->is_vague && c->shared->calls[XPT_COST_SENT] > c->came)
		return c->shared->calls[XPT_COST_SENT] - c->came;
	return 0;
}

int xpt_engine__call_cost(struct xpt_engine *e, struct xpt_cost_value *ret_emulated,
			  struct xpt_cost_value *ret_stepped)
{
	xpt_calibration__end(e);
	if (!e->cost.v[XPT_COST_EMULATED][XPT_COST_SENT].ns)
		return -EAGAIN;
	*ret_emulated = e->cost.v[XPT_COST_EMULATED][XPT_COST_SENT];
	*ret_stepped = e->cost.v[XPT_COST_STEPPED][XPT_COST_SENT];
	return 0;
}
