// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds structs with a program's request, and their members, in the kernel's types: see rdma_asked.h. */
#include "engine/rdma/rdma_asked.h"

#include <bpf/btf.h>
#include <string.h>

#define REGS 6	/* XPT_RDMA_REGS */

static const char *const structs[XPT_RDMA_NR_ASKED] = {
	[XPT_RDMA_ASKED_AH] = "rdma_ah_attr", [XPT_RDMA_ASKED_USER] = "ib_uverbs_ex_modify_qp",
	[XPT_RDMA_ASKED_QP] = "ib_qp_attr",
};

static const char *const paths[XPT_RDMA_NR_FIELDS][XPT_RDMA_NR_ASKED] = {
#define X(id, name, bit, show, qp, ah, user) \
	{ [XPT_RDMA_ASKED_QP] = qp, [XPT_RDMA_ASKED_AH] = ah, [XPT_RDMA_ASKED_USER] = user },
	XPT_RDMA_FIELDS(X)
#undef X
};

const char *xpt_rdma_asked__struct(enum xpt_rdma_asked_kind kind)
{
	return kind < XPT_RDMA_NR_ASKED && structs[kind] ? structs[kind] : "";
}

const char *xpt_rdma_asked__path(enum xpt_rdma_asked_kind kind, enum xpt_rdma_field field)
{
	return kind < XPT_RDMA_NR_ASKED && paths[field][kind] ? paths[field][kind] : "";
}

void xpt_rdma_asked__find(const struct btf *b, struct xpt_rdma_layout *ret_v)
{
	int kind, i;

	memset(ret_v, 0, XPT_RDMA_NR_ASKED * sizeof(*ret_v));
	for (kind = XPT_RDMA_ASKED_AH; b && kind < XPT_RDMA_NR_ASKED; kind++) {
		const struct btf_type *t = xpt_kbtf__struct(b, structs[kind]);

		ret_v[kind].size = t ? t->size : 0;
		for (i = 0; t && i < XPT_RDMA_NR_FIELDS; i++)
			if (*paths[i][kind])
				xpt_kbtf__field(b, t, paths[i][kind], &ret_v[kind].field[i]);
	}
}

/* Returns the argument that is a mask, after the one that is the struct; REGS: none. */
static unsigned find_mask(const struct xpt_kproto *p, unsigned after)
{
	unsigned i;

	for (i = after + 1; i < p->nr_params && i < REGS; i++)
		if (strstr(p->param[i].name, "mask") && p->param[i].width && !p->param[i].pointer)
			return i;
	return REGS;
}

void xpt_rdma_asked__of_function(const struct btf *b, const struct xpt_kproto *p, const struct xpt_rdma_layout *layouts,
				 struct xpt_wire_rdma_asks *ret_a)
{
	unsigned i, kind, mask;
	const char *name;

	*ret_a = (struct xpt_wire_rdma_asks){ .kind = XPT_RDMA_ASKED_NOTHING };
	for (i = 0; b && !p->by_value && i < p->nr_params && i < REGS; i++) {
		name = xpt_kbtf__pointee(b, p->id, i);
		for (kind = XPT_RDMA_ASKED_AH; name && kind < XPT_RDMA_NR_ASKED; kind++) {
			mask = kind == XPT_RDMA_ASKED_QP ? find_mask(p, i) : 0;
			if (strcmp(name, structs[kind]) != 0 || !layouts[kind].size || mask == REGS)
				continue;
			ret_a->kind = (uint8_t)kind;
			ret_a->arg = (uint8_t)i;
			ret_a->mask = (uint8_t)mask;
			ret_a->len = (uint16_t)(layouts[kind].size < XPT_RDMA_ASKED_BYTES ? layouts[kind].size :
						XPT_RDMA_ASKED_BYTES);
			return;
		}
	}
}
