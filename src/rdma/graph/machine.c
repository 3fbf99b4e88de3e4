// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See machine.h. Neither changes while a program runs, unless somebody renames the machine. */
#include "rdma/graph/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

const struct xpt_rdma_machine *xpt_rdma_machine(void)
{
	static struct xpt_rdma_machine m;
	static bool asked;
	struct utsname u;
	FILE *f;

	if (asked)
		return &m;
	asked = true;
	if (!uname(&u))
		snprintf(m.host, sizeof(m.host), "%s", u.nodename);
	f = fopen(BOOT_ID, "re");
	if (f && fgets(m.boot_id, sizeof(m.boot_id), f))
		m.boot_id[strcspn(m.boot_id, "\n")] = '\0';
	if (f)
		fclose(f);
	return &m;
}

void xpt_rdma_machine__print(const struct xpt_rdma_machine *m, struct xpt_strbuf *sb)
{
	xpt_strbuf__add(sb, ",\"host\":");
	xpt_strbuf__add_json(sb, m->host);
	xpt_strbuf__add(sb, ",\"boot_id\":");
	xpt_strbuf__add_json(sb, m->boot_id);
}
