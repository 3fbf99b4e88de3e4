// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Denies memory, as a kernel with fault injection would, which distributions
 * build without. "FUNCTION CALLER TASK NTH" written to the parameter `deny`: of the
 * calls of FUNCTION by a process of that name out of the kernel function CALLER
 * the NTH returns nothing. FUNCTION with a minus before it returns -ENOMEM instead.
 * "" ends it, `denied` counts.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>

static char function[64], caller[64], task[TASK_COMM_LEN];
static int nth, calls, denied, is_int;
static bool armed;
static DEFINE_MUTEX(lock);
module_param(denied, int, 0444);

static noinline void *no_memory(void)
{
	return NULL;
}

static noinline int no_memory_int(void)
{
	return -ENOMEM;
}

/* At the function's entry: the return address is the last thing on the stack. */
static int enter(struct kprobe *p, struct pt_regs *regs)
{
	char from[96];

	if (strcmp(current->comm, task))
		return 0;
	snprintf(from, sizeof(from), "%ps", *(void **)regs->sp);
	from[strcspn(from, ". ")] = '\0';
	if (strcmp(from, caller) || ++calls != nth)
		return 0;
	denied++;
	regs->ip = is_int ? (unsigned long)no_memory_int : (unsigned long)no_memory;
	return 1;
}
NOKPROBE_SYMBOL(enter);

/* One with this may change where the program goes on. */
static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probe;

static void disarm(void)
{
	if (armed)
		unregister_kprobe(&probe);
	armed = false;
}

static int arm(void)
{
	int err;

	memset(&probe, 0, sizeof(probe));
	probe.symbol_name = function;
	probe.pre_handler = enter;
	probe.post_handler = after;
	calls = denied = 0;
	err = register_kprobe(&probe);
	armed = !err;
	return err;
}

static int set_deny(const char *text, const struct kernel_param *kp)
{
	int err = 0;

	mutex_lock(&lock);
	disarm();
	if (*text && *text != '\n') {
		is_int = *text == '-';
		err = sscanf(text + is_int, "%63s %63s %15s %d", function, caller, task, &nth) == 4 ? arm() : -EINVAL;
	}
	mutex_unlock(&lock);
	return err;
}

static const struct kernel_param_ops deny_ops = { .set = set_deny };
module_param_cb(deny, &deny_ops, NULL, 0200);

static void __exit nomem_exit(void)
{
	disarm();
}

static int __init nomem_init(void)
{
	return 0;
}

module_init(nomem_init);
module_exit(nomem_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Denies parts of the kernel memory");
