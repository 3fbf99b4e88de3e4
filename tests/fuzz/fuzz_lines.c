/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the reader of JSON lines: whatever they hold, it ends, and hands out whole records
 * that the pipeline takes, with all analyzers and sinks behind it. What was rejected there
 * would be a mistake of the reader: its records do not lie about their sizes.
 */
#include <stdio.h>
#include <stdlib.h>
#include "model/output/analyzer.h"
#include "pipeline/recording/lines.h"
#include "pipeline/pipeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static struct xpt_pipeline *new_pipeline(void)
{
	static FILE *nowhere;
	struct xpt_sink_cfg cfg = { .path = "sink", .columns = 80 };
	struct xpt_pipeline *p;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	cfg.file = nowhere;
	MUST(nowhere && xpt_pipeline__new(&p) == 0);
	for (size_t i = 0; i < xpt_nr_analyzers; i++)
		MUST(xpt_pipeline__add_analyzer(p, xpt_analyzers[i]) == 0);
	for (size_t i = 0; i < xpt_nr_sinks; i++)
		MUST(xpt_pipeline__add_sink(p, xpt_sinks[i], "sink", &cfg) == 0);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xpt_json_text text = { (const char *)data, size };
	const struct xpt_rec *last = NULL;
	struct xpt_pipeline *p;
	struct xpt_lines *l;
	const void *rec;
	size_t n;
	int more;

	if (xpt_lines__new(xpt_json_text__read, &text, &l))
		return 0;
	p = new_pipeline();
	while ((more = xpt_lines__next(l, &rec, &n)) > 0) {
		last = rec;
		MUST((uintptr_t)rec % 8 == 0 && n == last->size && n >= sizeof(*last) && n % 8 == 0);
		xpt_pipeline__feed(p, rec, n);
	}
	MUST(last && xpt_lines__next(l, &rec, &n) == more);	/* says the same again */
	MUST(xpt_pipeline__finish(p) == 0);
	xpt_pipeline__free(p);
	xpt_lines__close(l);
	return 0;
}
