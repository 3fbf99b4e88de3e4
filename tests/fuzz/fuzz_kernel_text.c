/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes what is read of texts that the kernel hands on and others chose: records of its
 * log, reports of drivers in them, paths of control groups. What comes out lies inside the
 * input or its own bounds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "model/kernel/xid_table.h"
#include "proc/cgroup.h"
#include "proc/klog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

/* A log that has room for few lines: the input is records, an empty line between two. */
static void read_log(const char *text, size_t size)
{
	const char *v[XPT_KLOG_LINES], *end;
	struct xpt_klog *l;
	uint64_t now = 1;
	unsigned n;

	MUST(!xpt_klog__new("/dev/null", &l));
	for (; size; now += 1000000) {
		end = memmem(text, size, "\n\n", 2);
		n = (unsigned)(end ? (size_t)(end - text) + 2 : size);
		xpt_klog__take(l, text, n, now);
		text += n;
		size -= n;
	}
	n = xpt_klog__between(l, 0, UINT64_MAX, false, v, XPT_KLOG_LINES);
	MUST(n <= XPT_KLOG_LINES);
	for (unsigned i = 0; i < n; i++)
		MUST(strlen(v[i]) < XPT_KLOG_LEN && !strchr(v[i], '\n'));
	MUST(xpt_klog__between(l, now / 2, now, true, v, 3) <= 3);
	xpt_klog__free(l);
}

static void read_xid(const char *line, size_t size)
{
	struct xpt_xid_line x;

	if (!xpt_xid__parse(line, size, &x))
		return;
	MUST(memchr(x.device, 0, sizeof(x.device)) && memchr(x.text, 0, sizeof(x.text)));
	for (const char *c = x.text; *c; c++)
		MUST(*c >= ' ' && *c <= '~');
}

static void read_cgroup(const char *path)
{
	char id[XPT_CONTAINER_LEN], small[13];

	if (xpt_cgroup__container(path, id, sizeof(id)))
		MUST(id[0] && strlen(id) < sizeof(id));
	if (xpt_cgroup__container(path, small, sizeof(small)))
		MUST(strlen(small) < sizeof(small));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	read_log((const char *)data, size);
	read_xid((const char *)data, size);
	read_cgroup(text);
	free(text);
	return 0;
}
