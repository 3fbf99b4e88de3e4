// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calibration: what one traced call costs on this machine. A child of ours
 * calls two functions of this binary, one that starts with an emulated
 * instruction and one that starts with a single-stepped one, with and without
 * the very programs that trace the user's process; function id 0 marks its
 * records, which nobody else sees. Measured twice: calls that are sent as events,
 * and calls that are only counted.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "wire/config.h"
#include "call.skel.h"

#define ROUNDS 3

typedef int (*target_fn)(uint64_t *out, uint64_t size);

#if defined(__x86_64__)
int xpt_calibrate_emulated(uint64_t *out, uint64_t size);
int xpt_calibrate_stepped(uint64_t *out, uint64_t size);

__asm__(".text\n"
	".globl xpt_calibrate_emulated, xpt_calibrate_stepped\n"
	".type xpt_calibrate_emulated, @function\n"
	".type xpt_calibrate_stepped, @function\n"
	".p2align 4\n"
	"xpt_calibrate_emulated:\n"
	"	push %rbp\n	pop %rbp\n	xor %eax, %eax\n	ret\n"
	".p2align 4\n"
	"xpt_calibrate_stepped:\n"
	"	sub $8, %rsp\n	add $8, %rsp\n	xor %eax, %eax\n	ret\n");

static const struct { target_fn fn; int calls; } targets[2] = {
	{ xpt_calibrate_emulated, 150 }, { xpt_calibrate_stepped, 30 },
};
#else
#error "write the two calibration functions for this architecture"
#endif

/* Best of some rounds, ns per call: a minimum is what repeats on a busy machine. */
static uint64_t time_calls(int i)
{
	uint64_t best = UINT64_MAX, out = 0;
	int r, k;

	for (r = 0; r < ROUNDS; r++) {
		uint64_t t0 = xpt_now_ns(), ns;

		for (k = 0; k < targets[i].calls; k++)
			targets[i].fn(&out, 64);
		ns = (xpt_now_ns() - t0) / (uint64_t)targets[i].calls;
		best = ns < best ? ns : best;
	}
	return best;
}

/* The child: told to go, it measures and leaves the result in shared memory; twice. */
static void child(const int go[2], const int done[2], uint64_t (*result)[2])
{
	int how, i;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(go[1]);
	close(done[0]);
	for (how = 0; how < 2; how++) {
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		for (i = 0; i < 2; i++)
			result[i][how] = time_calls(i);
		if (write(done[1], "", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* A function like cuMemAlloc: a size and an out-parameter. */
static void set_spec(struct xpt_engine *e, int how)
{
	struct xpt_wire_fn spec = {
		.flags = (how == XPT_COST_SENT ? XPT_FN_KEEP : XPT_FN_COUNT_ONLY) | (e->cfg.stacks ? XPT_FN_STACK : 0),
		.ret = XPT_RET_STATUS, .nr_caps = 2, .size_cap = 1, .dir_cap = 0xff, .out_mask = 1,
		.cap = { { XPT_CAP_OUT, 0, 8, XPT_ROLE_ADDR, 0 },
			 { XPT_CAP_VAL, 1, 8, XPT_ROLE_SIZE, 0 } },
	};
	uint32_t zero = 0;

	bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_fns), &zero, &spec, BPF_ANY);
}

static int attach_targets(struct xpt_engine *e)
{
	uint64_t offsets[2], cookies[2] = { 0, 0 };
	struct xpt_elib *lib;
	int i;

	if (e->nr_libs >= XPT_MAX_LIBS)
		return -1;
	for (i = 0; i < 2; i++)
		if (!xpt_kernel__own_offset((const void *)(uintptr_t)targets[i].fn, &offsets[i]))
			return -1;
	lib = &e->libs[e->nr_libs++];	/* detached with the others */
	return xpt_libs__link(e, lib, "/proc/self/exe", offsets, cookies, 2) == 2 ? 0 : -1;
}

/* Lets the child measure both ways; true if it did. */
static bool measure(struct xpt_engine *e, int go, int done)
{
	char c;
	int how;

	for (how = 0; how < 2; how++) {
		set_spec(e, how);
		if (write(go, "", 1) != 1 || read(done, &c, 1) != 1)
			return false;
	}
	if (e->cfg.events)
		e->calibration_left_out = ROUNDS * (uint64_t)(targets[0].calls + targets[1].calls);
	return true;
}

static void run_child(struct xpt_engine *e, const int go[2], const int done[2],
		      uint64_t (*result)[2], const uint64_t base[2])
{
	bool had_target = e->had_target, ok;
	int pid = fork(), i, how;

	if (!pid)
		child(go, done, result);
	if (pid < 0)
		return;
	e->calibrator = pid;
	close(done[1]);
	ok = !xpt_engine__add_child(e, pid) && measure(e, go[1], done[0]);
	e->had_target = had_target;
	if (!ok)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; ok && i < 2; i++)
		for (how = 0; how < 2; how++)
			e->hit_ns[i][how] = result[i][how] > base[i] ? result[i][how] - base[i] : 0;
}

/*
 * Call it when the user's probes are gone and the ring is drained: what the
 * child sends (below 40 KB) then fits into the smallest ring, and nothing of it
 * is taken for the user's loss. A budget must know the cost before: there it
 * comes first. Does nothing if it has been done.
 */
void xpt_calibrate(struct xpt_engine *e)
{
	uint64_t (*result)[2] = mmap(NULL, 2 * sizeof(*result), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0), base[2];
	int go[2] = { -1, -1 }, done[2] = { -1, -1 }, i;

	if (result == MAP_FAILED)
		return;
	for (i = 0; i < 2; i++)
		base[i] = time_calls(i);
	if (!e->hit_ns[0][0] && !pipe(go) && !pipe(done) &&
	    !attach_targets(e))
		run_child(e, go, done, result, base);
	for (i = 0; i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		if (done[i] >= 0 && (!i || e->calibrator <= 0))
			close(done[i]);
	}
	munmap(result, 2 * sizeof(*result));
}

/* What a traced call costs at an instruction that is emulated, and at one that is single-stepped. */
int xpt_engine__call_ns(struct xpt_engine *e, uint64_t ret_ns[2])
{
	xpt_calibrate(e);
	if (!e->hit_ns[0][XPT_COST_SENT])
		return -EAGAIN;
	ret_ns[0] = e->hit_ns[0][XPT_COST_SENT];
	ret_ns[1] = e->hit_ns[1][XPT_COST_SENT];
	return 0;
}
