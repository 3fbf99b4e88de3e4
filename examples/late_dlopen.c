/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program that loads the driver late: it waits --delay ms before dlopen, so
 * that a tracer that looked at its mappings at the start found no libcuda. Run
 * it with --library PATH to load a copy of the library under another name.
 */
#include <stdio.h>
#include <unistd.h>
#include "run.h"

int main(int argc, char **argv)
{
	CUdeviceptr p;
	CUresult err;

	run.name = "late_dlopen";
	run.help = "loads the driver library after --delay ms";
	run.iterations = 50;
	run.delay_ms = 500;
	run.bytes = 1 << 20;
	run_args(argc, argv);
	fprintf(stderr, "late_dlopen: pid %d, loading in %llu ms\n", (int)getpid(),
		(unsigned long long)run.delay_ms);
	run_wait();
	run_load();
	err = CU(cuInit, 0);
	if (err)
		return run_end(1);
	run_context();
	for (uint64_t i = 0; !err && i < run.iterations && run_in_time(); i++) {
		err = run_alloc(&p, run.bytes);
		if (!err)
			err = run_free(p);
	}
	return run_end(err ? 1 : 0);
}
