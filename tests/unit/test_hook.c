/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hooks/hook.h: lines become programs that say the same, whatever way they are
 * written; mistakes are told at their column; rows read back and print.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "hooks/hook.h"
#include "model/output/hook_row.h"
#include "wire/ioctl.h"
#include "wire/wire.h"

static struct xpt_hook h;
static struct xpt_hook_error err;
static const struct xpt_hook_env env = { "/opt/my prog", 4711 };

static void good(const char *line)
{
	memset(&err, 0, sizeof(err));
	if (xpt_hook__parse(line, &env, &h, &err))
		fail_msg("%s\n%*s^ %s", line, (int)err.at, "", err.why);
}

/* marked: a line with '~' before what is wrong. */
static void bad(const char *marked, const char *why)
{
	const char *mark = strchr(marked, '~');
	char line[512];

	assert_non_null(mark);
	snprintf(line, sizeof(line), "%.*s%s", (int)(mark - marked), marked, mark + 1);
	memset(&err, 0, sizeof(err));
	if (xpt_hook__parse(line, &env, &h, &err) != -EINVAL)
		fail_msg("%s was taken", line);
	if (err.at != (size_t)(mark - marked) || !strstr(err.why, why))
		fail_msg("%s\n%*s^ %s", line, (int)err.at, "", err.why);
}

/* The filter as the kernel runs it: values of captures are val[]. */
static int runs(const uint64_t *val)
{
	unsigned at = h.prog.nr_tests ? 0 : XPT_HOOK_YES;

	while (at < XPT_HOOK_TESTS) {
		const struct xpt_wire_hook_test *t = &h.prog.test[at];
		uint64_t a = t->a.source == XPT_HOOK_PID ? 4711 : val[t->a.arg];
		uint64_t b = t->b.source ? val[t->b.arg] : t->imm[0];
		int holds = t->cmp == XPT_HOOK_EQ ? a == b : t->cmp == XPT_HOOK_NE ? a != b :
			    t->cmp == XPT_HOOK_LT ? a < b : t->cmp == XPT_HOOK_GT ? a > b :
			    t->cmp == XPT_HOOK_SLT ? (int64_t)a < (int64_t)b : (a & b) != 0;
		unsigned next = holds ? t->yes : t->no;

		assert_true(next > at);	/* so it ends */
		at = next;
	}
	return at == XPT_HOOK_YES;
}

static void test_probes(void **state)
{
	(void)state;
	good("  uprobe:__EXE__:f");
	assert_int_equal(h.probe.kind, XPT_PROBE_UPROBE);
	assert_string_equal(h.probe.path, "/opt/my prog");
	assert_int_equal(h.prog.action, XPT_HOOK_EVENT);
	good("kernel:nvidia*:rm_* count");
	assert_int_equal(h.probe.kind, XPT_PROBE_KERNEL);
	assert_string_equal(h.probe.provider, "nvidia*");
	assert_string_equal(h.probe.name, "rm_*");
	good("usdt:lib.so:p:n*");
	assert_string_equal(h.probe.name, "n*");
}

static void test_forms_mean_the_same(void **state)
{
	struct xpt_hook first;

	(void)state;
	good("uprobe:x:f count by usym(arg1), comm as who");
	first = h;
	good("uprobe:x:f @who[usym(arg1), comm] = count()");
	assert_memory_equal(&first.prog, &h.prog, sizeof(h.prog));
	assert_string_equal(h.name, "who");
	assert_int_equal(h.prog.by_process, 1);
	assert_int_equal(h.prog.key[1].at, 1);
	assert_string_equal(h.key[0].text, "usym(arg1)");
	good("uprobe:x:cu*Alloc count");
	assert_string_equal(h.name, "cuAlloc");
	good("call:x:f hist(duration)");
	assert_true(h.is_time);
	good("call:x:f lhist(arg0, -10, 10, 5)");
	assert_int_equal(h.prog.nr_buckets, 4);
	assert_int_equal(h.prog.low, -10);
}

static void test_captures(void **state)
{
	(void)state;
	good("call:x:f size=arg1, u32(*(arg0 + 16)) str(arg2) /arg1 > 4K/");
	assert_int_equal(h.nr_caps, 3);
	assert_int_equal(h.nr_shown, 3);
	assert_string_equal(h.cap[0].name, "size");
	assert_int_equal(h.cap[1].kind, XPT_HOOK_CAP_DEREF);
	assert_int_equal(h.cap[1].off, 16);
	assert_int_equal(h.cap[1].width, 4);
	assert_string_equal(h.cap[1].name, "u32(*(arg0 + 16))");
	assert_int_equal(h.cap[2].kind, XPT_HOOK_CAP_STRING);
	assert_int_equal(h.prog.test[0].imm[0], 4096);
	good("call:x:f arg.count u32(arg.pid) sum(arg.count) by names(arg1, off, on) as s");
	assert_int_equal(h.nr_caps, 3);
	assert_string_equal(h.cap[0].arg_name, "count");
	assert_string_equal(h.cap[0].name, "count");
	assert_string_equal(h.key[0].names, "off on");
	assert_string_equal(h.key[0].text, "names(arg1)");
	good("usdt:x:y:z count by enum(arg1, nvmf_tgt_state), enum(arg2, other) as s");
	assert_int_equal(h.key[0].kind, XPT_HOOK_KEY_ENUM);
	assert_string_equal(h.key[0].names, "nvmf_tgt_state");
	assert_string_equal(h.key[0].text, "enum(arg1, nvmf_tgt_state)");
	assert_true(xpt_hook__has_enum_key(&h));
	good("call:x:f pid comm bytesize");
	assert_false(xpt_hook__has_enum_key(&h));
	assert_int_equal(h.nr_caps, 1);
	assert_string_equal(h.cap[0].arg_name, "bytesize");
}

/* Members of structs, and what ioctls have, which lies where the kernel side puts it. */
static void test_ways(void **state)
{
	struct xpt_wire_hook_steps steps;

	(void)state;
	good("kernel:vmlinux:f file->f_path.dentry->d_iname u32(*(arg1->next - 8)) /arg0->x == 1/ count by str(p->name)");
	assert_int_equal(h.nr_caps, 4);
	assert_string_equal(h.cap[0].path, "f_path.dentry->d_iname");
	assert_string_equal(h.cap[0].name, "file->f_path.dentry->d_iname");
	assert_int_equal(h.cap[1].kind, XPT_HOOK_CAP_DEREF);
	assert_int_equal(h.cap[1].off, -8);
	assert_string_equal(h.cap[1].path, "next");
	assert_true(xpt_hook__wants_steps(&h));
	good("call:x:f *arg0");
	assert_false(xpt_hook__wants_steps(&h));
	good("tracepoint:sched:sched_* prev_pid str(prev_comm) /arg.comm != 0 and arg1 > 3/ count by cpu");
	assert_int_equal(h.probe.kind, XPT_PROBE_TRACEPOINT);
	assert_string_equal(h.cap[3].arg_name, "arg1");	/* its fields have names only */
	good("ioctl:/dev/nvidiactl:NV_ESC_RM_ALLOC:NV01_* u32(*(arg + 8)) /size > 4K and i32(status) != 0/ sum(u32(*(arg + 8)))");
	assert_string_equal(h.probe.path, "/dev/nvidiactl");
	assert_string_equal(h.probe.name, "NV_ESC_RM_ALLOC:NV01_*");
	assert_int_equal(h.prog.test[0].a.arg, XPT_IOCTL_VAL_SIZE);
	assert_int_equal(h.prog.test[1].a.arg, XPT_IOCTL_VAL_STATUS);
	assert_int_equal(h.prog.test[1].a.width, 0x84);
	assert_int_equal(h.prog.value.arg, XPT_IOCTL_VALS);
	xpt_hook__ioctl_steps(&h, &steps);
	assert_int_equal(steps.nr, 1);
	assert_int_equal(steps.step[0].cap, XPT_IOCTL_VALS);
	assert_int_equal(steps.step[0].from, XPT_IOCTL_VAL_ARG);
	assert_int_equal(steps.step[0].off, 8);
	assert_int_equal(steps.step[0].width, 4);
}

static int a_way(void *ctx, const struct xpt_hook_cap *c, struct xpt_hook_way *ret_way, struct xpt_hook_error *ret_err)
{
	(void)ctx;
	if (strcmp(c->path, "a->b") != 0) {
		snprintf(ret_err->why, sizeof(ret_err->why), "no such member");
		return -ENOENT;
	}
	*ret_way = (struct xpt_hook_way){ .arg = 1, .nr = 2, .step = { { .off = 16, .width = 8 }, { .off = 4, .width = 0x82 } } };
	return 0;
}

/* Steps come in the order of values; of the kernel a pointer is followed by one. */
static void test_steps(void **state)
{
	struct xpt_captures known = { .spec = { .nr_caps = 1 }, .name = { "p" } }, caps;
	struct xpt_hook_place p = { .sym = "f", .nr_args = 6, .known = &known };
	struct xpt_wire_hook_steps steps;

	(void)state;
	known.spec.cap[0] = (struct xpt_wire_cap){ .op = XPT_CAP_VAL, .arg = 1, .width = 8 };
	good("kernel:x:f arg0 p->a->b *(arg2 + 24)");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), -ENOENT);
	assert_non_null(strstr(err.why, "no types"));
	p.way = a_way;
	p.kernel = true;
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(caps.spec.nr_caps, 3);
	assert_int_equal(caps.spec.cap[1].arg, 1);
	assert_int_equal(caps.spec.cap[2].op, XPT_CAP_VAL);
	assert_int_equal(steps.nr, 3);
	assert_int_equal(steps.step[0].cap, 1);
	assert_int_equal(steps.step[1].width, 0x82);
	assert_int_equal(steps.step[2].cap, 2);
	assert_int_equal(steps.step[2].off, 24);
	good("kernel:x:f p->c");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), -ENOENT);
	assert_int_equal(err.at, strlen("kernel:x:f "));
	good("uprobe:x:f str(arg0) str(arg1)");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(caps.spec.flags, XPT_FN_STRINGS);
	assert_int_equal(caps.spec.str_cap, 1);
}

/* Every form over every assignment of three bits, against C. */
static void test_filters(void **state)
{
	static const char *const lines[] = {
		"uprobe:x:f /arg0 and arg1 or arg2/", "uprobe:x:f if arg0 && (arg1 || arg2)",
		"uprobe:x:f /not (arg0 or arg1) and arg2/", "uprobe:x:f /!arg0 || !arg1 && !arg2/",
		"uprobe:x:f /not (not arg0 and not (arg1 and not arg2))/", "uprobe:x:f /arg0 == arg1 and arg2 != 0/",
	};

	(void)state;
	for (unsigned bits = 0; bits < 8; bits++) {
		uint64_t v[3] = { bits & 1, bits >> 1 & 1, bits >> 2 };
		int a = (int)v[0], b = (int)v[1], c = (int)v[2];
		int want[] = { (a && b) || c, a && (b || c), !(a || b) && c, !a || (!b && !c),
			       !(!a && !(b && !c)), a == b && c };

		for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
			uint64_t val[3];

			good(lines[i]);
			assert_int_equal(h.nr_caps, 3);
			for (int k = 0; k < 3; k++)
				val[k] = v[h.cap[k].arg];
			if (runs(val) != want[i])
				fail_msg("%s of %u: not %d", lines[i], bits, want[i]);
		}
	}
}

static void test_comparisons(void **state)
{
	uint64_t v[1] = { (uint64_t)-5 };

	(void)state;
	good("uprobe:x:f /arg0 < 0x10/");
	assert_false(runs(v));
	good("uprobe:x:f /arg0 < -1/");	/* a negative number makes it signed */
	assert_true(runs(v));
	good("uprobe:x:f /i32(arg0) < 3/");
	assert_true(runs(v));
	good("uprobe:x:f /arg0 & 0x2/");
	assert_true(runs(v));
	good("uprobe:x:f /pid == __PID__ and arg0 > 1ms/");
	assert_true(runs(v));
	good("usdt:x:p:n /str(arg0) == \"nqn\" and comm != \"a b\"/");
	assert_memory_equal(h.prog.test[0].imm, "nqn\0\0\0\0\0", 8);
	assert_memory_equal(h.prog.test[1].imm, "a b\0\0\0\0\0", 8);
}

static void test_mistakes(void **state)
{
	(void)state;
	bad("~", "begins with its probe");
	bad("~kprobe:x:f", "a probe is");
	bad("usdt:__EXE__~:f", "PROVIDER");
	bad("~kernel:x", "kernel:MODULE:FUNCTION");
	bad("uprobe:x:f ~%", "means nothing");
	bad("uprobe:x:f cuont ~by comm as x", "follow an action");
	bad("uprobe:x:f ~duration > 1", "use call:");
	bad("uprobe:x:f ~arg6", "arg0 to arg5");
	bad("usdt:x:p:n ~size", "no names");
	bad("uprobe:x:f sum~", "of what");
	bad("uprobe:x:f sum(~)", "expected a value");
	bad("uprobe:x:f sum(~comm)", "no number");
	bad("uprobe:x:f count by ~", "expected a value");
	bad("uprobe:x:f count by comm ~pid", "should end");
	bad("uprobe:x:f count by comm, comm, comm, ~comm", "too many keys");
	bad("uprobe:x:f ~usym(arg0)", "is a key");
	bad("uprobe:x:f /arg0 ~= 1/", "==");
	bad("uprobe:x:f /arg0 == ~/", "expected a value");
	bad("uprobe:x:f /arg0 == 1~", "expected '/'");
	bad("uprobe:x:f /(arg0 == 1~/", "expected ')'");
	bad("uprobe:x:f /arg0 == ~99999999999999999999/", "64 bits");
	bad("uprobe:x:f /arg0 == 5~parsec/", "unit");
	bad("uprobe:x:f /comm < ~\"x\"/", "== and !=");
	bad("uprobe:x:f /comm == ~\"0123456789abcdef\"/", "15 bytes at most");
	bad("uprobe:x:f /comm == ~\"x", "no end");
	bad("uprobe:x:f /arg0 == ~\"x\"/", "str()");
	bad("uprobe:x:f /arg0/ ~arg1", "expected an action");
	bad("uprobe:x:f lhist(arg0, 0, 10, ~3)", "whole steps");
	bad("uprobe:x:f lhist(arg0~)", "LOW, HIGH, STEP");
	bad("uprobe:x:f @x[comm] ~count()", "expected '='");
	bad("uprobe:x:f @x = ~event", "leave '@' out");
	bad("uprobe:x:f str(arg0) str(arg1) str(arg2) str(arg3) str(~arg4)", "more than 4 strings");
	bad("~tracepoint:sched", "tracepoint:CATEGORY:NAME");
	bad("tracepoint:x:y ~duration", "use call:");
	bad("tracepoint:x:y a~->b", "functions only");
	bad("usdt:x:y:z arg0~->b", "functions only");
	bad("call:x:y p->a->b->c->d->e~->f", "at most 5");
	bad("call:x:y p->~", "member");
	bad("~ioctl:/dev/x", "ioctl:DEVICE:COMMAND");
	bad("ioctl:*:x ~arg0", "fd, device, cmd");
	bad("ioctl:*:mmap ~cmd", "length");
	bad("ioctl:*:x *~fd", "what arg points to");
	bad("ioctl:*:x str(~arg)", "not read");
	bad("ioctl:*:x count by ~stack", "__x64_sys_ioctl");
	bad("ioctl:*:x *arg *(arg + 1) *(arg + 2) *(arg + 3) *(arg + 4) *(~arg + 5)", "more than 5");
	bad("uprobe:x:f count by names(arg0~)", "what 0, 1 ... are called");
	bad("uprobe:x:f /~names(arg0, a) == 1/", "is a key");
	bad("uprobe:x:f /arg0 == ~18446744073709551615K/", "too large");
	bad("uprobe:x:f *(arg0 ~-99999999999)", "offset in bytes");
	bad("uprobe:x:f *(arg0 -8 ~+ 8)", "behind the address");
	bad("uprobe:x:f count by ~names(comm, a, b)", "no number");
	bad("uprobe:x:f count by ~u32(stack)", "no number");
	bad("uprobe:x:f count by ~usym(func)", "no number");
}

static void test_enum_mistakes(void **state)
{
	(void)state;
	bad("uprobe:x:f count by enum(arg0~)", "the program's enum");
	bad("uprobe:x:f count by enum(arg0, ~1)", "the name of an enum");
	bad("uprobe:x:f /~enum(arg0, a) == 1/", "is a key");
	bad("kernel:vmlinux:f count by ~enum(arg0, a)", "enums are a program's");
}

static void test_too_much(void **state)
{
	char line[2 * XPT_HOOK_LINE];
	size_t n;

	(void)state;
	n = (size_t)snprintf(line, sizeof(line), "uprobe:x:f /");
	for (int i = 0; i < 17; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%sarg0 == %d", i ? " or " : "", i);
	assert_int_equal(xpt_hook__parse(line, NULL, &h, &err), -EINVAL);
	assert_non_null(strstr(err.why, "16 comparisons"));
	n = (size_t)snprintf(line, sizeof(line), "uprobe:x:f /");
	memset(line + n, '(', 5000);
	line[n + 5000] = '\0';
	assert_int_equal(xpt_hook__parse(line, NULL, &h, &err), -EINVAL);
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(xpt_hook__parse(line, NULL, &h, &err), -EINVAL);
	assert_int_equal(xpt_hook__parse("uprobe:__EXE__:f", NULL, &h, &err), -EINVAL);
	assert_non_null(strstr(err.why, "-p PID or -- COMMAND"));
}

static void test_sharing(void **state)
{
	struct xpt_hook v[3];

	(void)state;
	good("uprobe:x:f count by comm as n");
	v[0] = h;
	good("uprobe:x:g count by comm as n");
	v[1] = h;
	good("uprobe:x:g count by pid as n");
	v[2] = h;
	assert_int_equal(xpt_hook__share(v, 0, &err), 0);
	assert_int_equal(xpt_hook__share(v, 1, &err), 0);
	assert_int_equal(v[1].prog.map, 0);
	assert_int_equal(xpt_hook__share(v, 2, &err), -EINVAL);
	assert_int_equal(err.at, strlen("uprobe:x:g count by pid as "));
}

static void test_places(void **state)
{
	static const uint8_t widths[] = { 8, 4 | 0x80 };
	struct xpt_captures known = { .spec = { .nr_caps = 1 }, .name = { "bytes" } }, caps;
	struct xpt_wire_hook_steps steps;
	struct xpt_hook_place p = { .sym = "f", .nr_args = 2, .width = widths };

	(void)state;
	known.spec.cap[0] = (struct xpt_wire_cap){ .op = XPT_CAP_OUT, .arg = 1, .width = 8 };
	good("call:x:f");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(caps.spec.nr_caps, 2);
	assert_string_equal(caps.name[1], "arg1");
	assert_int_equal(caps.spec.cap[1].width, 8 | 0x80);
	good("call:x:f sum(bytes)");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), -ENOENT);
	assert_int_equal(err.at, strlen("call:x:f sum("));
	p.known = &known;
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(caps.spec.out_mask, 1);
	good("call:x:f /arg2 == 1/ count");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), -ENOENT);
	p.nr_args = 13;
	p.width = NULL;
	good("call:x:f /arg8 == 1/ count");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(caps.spec.nr_stack, 3);
}

/* A string takes one word of a key; at another offset it is another string. */
static void test_text_keys(void **state)
{
	(void)state;
	good("uprobe:x:f count by str(arg0), str(arg1 + 32), comm, str(arg1 -8)");
	assert_int_equal(h.prog.nr_keys, 4);
	assert_int_equal(h.prog.key[1].at, 1);
	assert_int_equal(h.prog.key[3].at, 4);
	assert_int_equal(h.key[0].kind, XPT_HOOK_KEY_TEXT);
	assert_int_equal(h.key[2].kind, XPT_HOOK_KEY_COMM);
	assert_int_equal(h.nr_caps, 3);
	assert_int_equal(h.cap[1].off, 32);
	assert_int_equal(h.cap[2].off, -8);
	assert_string_equal(h.key[1].text, "str(arg1 + 32)");
	assert_true(xpt_hook__has_text_key(&h));
	good("uprobe:x:f count by comm");
	assert_false(xpt_hook__has_text_key(&h));
	bad("uprobe:x:f count by str(arg0 + ~x)", "offset");
	bad("uprobe:x:f count by str(arg0 + ~5000000000)", "offset");
	bad("uprobe:x:f count by str(arg0 ~8)", "')'");
}

/* Where a string begins is found by steps, wherever the pointer comes from. */
static void test_text_offsets(void **state)
{
	struct xpt_captures known = { .spec = { .nr_caps = 1 }, .name = { "p" } }, caps;
	struct xpt_hook_place p = { .sym = "f", .nr_args = 6, .known = &known, .way = a_way };
	struct xpt_wire_hook_steps steps;

	(void)state;
	known.spec.cap[0] = (struct xpt_wire_cap){ .op = XPT_CAP_VAL, .arg = 1, .width = 8 };
	good("usdt:x:p:f str(arg0) str(arg4 + 32)");
	assert_true(xpt_hook__wants_steps(&h));
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(caps.spec.cap[1].op, XPT_CAP_STR);
	assert_int_equal(steps.nr, 1);
	assert_int_equal(steps.step[0].cap, 1);
	assert_int_equal(steps.step[0].off, 32);
	assert_int_equal(steps.step[0].width, 0);
	good("uprobe:x:f str(p->a->b + 3)");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(steps.nr, 3);
	assert_int_equal(steps.step[2].off, 3);
	assert_int_equal(steps.step[2].width, 0);
	good("uprobe:x:f str(arg0)");
	assert_false(xpt_hook__wants_steps(&h));
}

/* Short strings are in the test, others beside it, up to 255 bytes. */
static void test_text_filters(void **state)
{
	char line[400], text[300];

	(void)state;
	memset(text, 'n', sizeof(text));
	snprintf(line, sizeof(line), "uprobe:x:f /str(arg0) == \"%.14s\"/", text);
	good(line);
	assert_int_equal(h.nr_strings, 0);
	assert_int_equal(h.prog.test[0].b.source, XPT_HOOK_NONE);
	snprintf(line, sizeof(line), "uprobe:x:f /not str(arg0) != \"%.15s\" or str(arg1) == \"%.255s\"/", text, text);
	good(line);
	assert_int_equal(h.nr_strings, 2);
	assert_int_equal(h.prog.test[1].b.source, XPT_HOOK_STRING);
	assert_int_equal(h.prog.test[1].imm[0], 1);
	assert_memory_equal(&h.string[0], "nnnnnnnnnnnnnnn\0", 16);
	assert_memory_equal(&h.string[1], text, 255);
	assert_false(xpt_hook_text_is_cut(&h.string[1]));
	snprintf(line, sizeof(line), "uprobe:x:f /str(arg0) == ~\"%.256s\"/", text);
	bad(line, "255 bytes");
}

/* A call has room for four texts; what is more stays an address, and those behind keep their numbers. */
static void test_many_texts(void **state)
{
	struct xpt_captures known = { .spec = { .nr_caps = 1 }, .name = { "path" } }, caps;
	struct xpt_hook_place p = { .sym = "f", .nr_args = 6, .known = &known };
	struct xpt_wire_hook_steps steps;

	(void)state;
	known.spec.cap[0] = (struct xpt_wire_cap){ .op = XPT_CAP_STR, .arg = 1, .width = 8 };
	good("call:x:f str(arg0) str(arg3) str(arg4) str(arg5) path arg2 /arg2 == 3/");
	assert_int_equal(xpt_hook__captures(&h, &p, &caps, &steps, &err), 0);
	assert_int_equal(caps.spec.nr_caps, 6);
	assert_int_equal(caps.spec.str_cap, 1);
	assert_int_equal(caps.spec.flags, XPT_FN_STRINGS);
	assert_int_equal(caps.spec.cap[4].op, XPT_CAP_VAL);
	assert_int_equal(caps.spec.cap[h.prog.test[0].a.arg].arg, 2);
}

/* A record of 3 buckets from `first` on, one key. */
static size_t make_row(uint64_t *rec, unsigned action, unsigned first)
{
	struct xpt_rec_hook *r = memset(rec, 0, 256);
	static const char strings[] = "name\0comm\0a b";

	r->action = (uint8_t)action;
	r->nr_keys = 1;
	r->first = (uint8_t)first;
	r->nr_buckets = 3;
	r->steps = 2;
	r->step = 5;
	r->count = 7;
	r->sum = 70;
	r->max = 30;
	rec[sizeof(*r) / 8] = 1;
	rec[sizeof(*r) / 8 + 1] = 4;
	rec[sizeof(*r) / 8 + 2] = 2;
	memcpy(&rec[sizeof(*r) / 8 + 3], strings, sizeof(strings));
	return sizeof(*r) + 24 + sizeof(strings);
}

static void test_rows(void **state)
{
	uint64_t rec[32];
	size_t size = make_row(rec, XPT_HOOK_LOG2, 11);
	struct xpt_hook_row row;
	struct xpt_strbuf sb;
	int64_t v = 0;

	(void)state;
	assert_true(xpt_hook_row__read(rec, size, &row));
	for (size_t cut = 0; cut < size; cut++)
		assert_false(xpt_hook_row__read(rec, cut, &row));
	assert_true(xpt_hook_row__read(rec, size, &row));
	assert_true(xpt_hook_row__low(&row, 0, &v) && v == 512);
	assert_true(xpt_hook_row__high(&row, 2, &v) && v == 4096);
	xpt_strbuf__init(&sb, 4096);
	xpt_hook_row__add_text(&row, 80, &sb);
	assert_true(!strncmp(xpt_strbuf__str(&sb), "@name[a b]: 7 values, average 10, largest 30\n[512, 1K) ", 50));
	assert_non_null(strstr(xpt_strbuf__str(&sb), "\n[1K, 2K)                     4 |@@@@"));
	for (const char *s = xpt_strbuf__str(&sb), *end; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		assert_true(end - s <= 80);
	}
	make_row(rec, XPT_HOOK_LINEAR, 1);
	assert_true(xpt_hook_row__read(rec, size, &row));
	assert_true(xpt_hook_row__low(&row, 0, &v) && v == 0);
	assert_true(xpt_hook_row__high(&row, 1, &v) && v == 10);
	assert_false(xpt_hook_row__high(&row, 2, &v));
	make_row(rec, XPT_HOOK_LOG2, XPT_HOOK_BUCKETS - 2);
	assert_false(xpt_hook_row__read(rec, size, &row));
	/* A recording may say anything: no power of two lies beyond the 64th bit. */
	make_row(rec, XPT_HOOK_LOG2, 64);
	assert_false(xpt_hook_row__read(rec, size, &row));
	make_row(rec, XPT_HOOK_LOG2, 63);
	assert_true(xpt_hook_row__read(rec, size, &row));
	assert_true(xpt_hook_row__low(&row, 1, &v) && v == 1ll << 62);
	assert_false(xpt_hook_row__high(&row, 1, &v));
	assert_false(xpt_hook_row__high(&row, 2, &v));
	xpt_strbuf__free(&sb);
}

/* Numbers that no trace has, but a file may. */
static void test_odd_rows(void **state)
{
	static const unsigned actions[] = { XPT_HOOK_AVG, XPT_HOOK_LOG2, XPT_HOOK_LINEAR };
	uint64_t rec[32];
	struct xpt_rec_hook *r = (void *)rec;
	struct xpt_hook_row row;
	struct xpt_strbuf sb;
	size_t size;

	(void)state;
	xpt_strbuf__init(&sb, 4096);
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		size = make_row(rec, actions[i], 0);
		r->count = UINT64_MAX;
		r->sum = r->low = INT64_MIN;
		assert_true(xpt_hook_row__read(rec, size, &row));
		xpt_hook_row__add_text(&row, 80, &sb);
	}
	r->low = INT64_MAX;
	r->step = UINT64_MAX;
	if (xpt_hook_row__read(rec, size, &row))
		xpt_hook_row__add_text(&row, 80, &sb);
	assert_int_equal(xpt_strbuf__err(&sb), 0);
	xpt_strbuf__free(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probes), cmocka_unit_test(test_forms_mean_the_same),
		cmocka_unit_test(test_captures),
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_steps), cmocka_unit_test(test_filters),
		cmocka_unit_test(test_comparisons), cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_enum_mistakes), cmocka_unit_test(test_too_much), cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_places), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_many_texts), cmocka_unit_test(test_odd_rows),
		cmocka_unit_test(test_text_keys), cmocka_unit_test(test_text_offsets),
		cmocka_unit_test(test_text_filters),
	};

	return cmocka_run_group_tests_name("hook", tests, NULL, NULL);
}
