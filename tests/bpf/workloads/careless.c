/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work that fails, and how a program takes it. The first argument:
 *   launches  all 200 launches fail, with a wait after each; nobody looks
 *   one       1 of 10 launches fails; nobody looks
 *   copies    an allocation fails, and the copies to it; nobody looks
 *   asks      as launches, but it asks for the error's name
 *   retries   each launch that is too large is tried again in smaller blocks
 *   status    as launches, but it ends with status 1
 *   stops     one launch fails, after which only memory is freed
 *   says      as stops, but it asks for the error's name
 *   earlier   10 launches fail; it had asked about another error before
 */
#include <stdio.h>
#include <string.h>
#include "run.h"

#define TOO_MANY 4096	/* threads of a block */

static CUfunction nop;
static char host[4096];

static void launches(unsigned n, unsigned every)
{
	for (unsigned i = 0; i < n; i++) {
		run_launch(nop, 8, i % every == every - 1 ? TOO_MANY : 64, NULL, NULL);
		CU(cuCtxSynchronize);
	}
}

static void copies(void)
{
	CUdeviceptr p = 0;

	run_alloc(&p, 1ull << 60);
	for (int i = 0; i < 5; i++)
		run_h2d(p, host, sizeof(host));
	CU(cuCtxSynchronize);
}

static void retries(void)
{
	for (int i = 0; i < 10; i++)
		if (run_launch(nop, 1, TOO_MANY, NULL, NULL))
			run_launch(nop, TOO_MANY / 256, 256, NULL, NULL);
	CU(cuCtxSynchronize);
}

static void stops(void)
{
	CUdeviceptr p;

	if (run_alloc(&p, 4096) || run_launch(nop, 1, TOO_MANY, NULL, NULL))
		run_free(p);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "", *text;
	CUmodule module;
	bool says = !strcmp(how, "says");

	run.name = "careless";
	run.help = "work that fails; the first argument says how the program takes it";
	run_start(1, argv);
	nop = run_kernel(&module, "xpt_nop");
	if (!strcmp(how, "earlier") && !CU(cuGetErrorName, CU_OUT_OF_MEMORY, &text))
		launches(10, 1);
	if (!strcmp(how, "launches") || !strcmp(how, "asks") || !strcmp(how, "status"))
		launches(200, 1);
	else if (!strcmp(how, "one"))
		launches(10, 10);
	else if (!strcmp(how, "copies"))
		copies();
	else if (!strcmp(how, "retries"))
		retries();
	else if (!strcmp(how, "stops") || says)
		stops();
	if ((!strcmp(how, "asks") || says) && !CU(cuGetErrorName, CU_INVALID_VALUE, &text))
		fprintf(stderr, "careless: %s\n", text);
	return run_end(!strcmp(how, "status"));
}
