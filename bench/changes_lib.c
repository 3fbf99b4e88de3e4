// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions that bench/changes.sh traces: what the file says is plain C, so returns are
 * seen by return probes. Each begins with another kind of instruction.
 */
int chg_call(void (*fn)(void));
void chg_nop5(void);
void chg_step(void);

static volatile int sink;

int chg_call(void (*fn)(void))	/* push %rbp */
{
	fn();
	return ++sink;
}

__attribute__((naked)) void chg_nop5(void)
{
	__asm__(".byte 0x0f, 0x1f, 0x44, 0, 0; ret");
}

__attribute__((naked)) void chg_step(void)
{
	__asm__("xor %eax,%eax; ret");
}
