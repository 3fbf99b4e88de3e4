/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finding a sink by its name or by the extension of the file that it is to
 * write. The longest extension wins: x.tar.gz before x.gz.
 */
#include "model/output/sink.h"
#include <string.h>

const struct xpt_sink *xpt_sink__find(const char *name)
{
	size_t i;

	for (i = 0; i < xpt_nr_sinks; i++)
		if (!strcmp(xpt_sinks[i]->name, name))
			return xpt_sinks[i];
	return NULL;
}

const struct xpt_sink *xpt_sink__by_ext(const char *path)
{
	const struct xpt_sink *best = NULL;
	size_t len = strlen(path), best_ext = 0, i, ext;

	for (i = 0; i < xpt_nr_sinks; i++) {
		if (!xpt_sinks[i]->ext)
			continue;
		ext = strlen(xpt_sinks[i]->ext);
		if (ext <= best_ext || len < ext + 1 || path[len - ext - 1] != '.' ||
		    strcmp(path + len - ext, xpt_sinks[i]->ext))
			continue;
		best = xpt_sinks[i];
		best_ext = ext;
	}
	return best;
}

bool xpt_sink_cfg__wants(const struct xpt_sink_cfg *cfg, const struct xpt_schema *schema)
{
	const struct xpt_schema *const *s = cfg->sections;

	if (!s)
		return cfg->all || !schema->detail;
	while (*s && strcmp((*s)->name, schema->name))
		s++;
	return *s;
}
