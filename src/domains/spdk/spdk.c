// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SPDK's probes of <sys/sdt.h>: how queue pairs, controllers, poll groups, subsystems
 * and the target come, change and go. Probes of single messages or requests are left
 * out here; --probe names them. docs/spdk.md explains the choices.
 */
#include "model/domain/domain.h"
#include "model/domain/states.h"
#include "domains/spdk/states.h"

#define TSC XPT_VAL(0, 8, TICKS, "tsc")
#define POINT(s, c, k, ...) XPT_FN_RET(s, c, k, NONE, TSC, __VA_ARGS__)
#define EVENT(s, ...) XPT_FN_RET(s, OTHER, NONE, NONE, TSC, __VA_ARGS__)
#define TEXT(a, r, n) { { XPT_CAP_STR, a, 8, XPT_ROLE_##r, 0 }, n }
#define NAMED(a) TEXT(a, NAME, "name")
#define SUBNQN(a) TEXT(a, SUBSYSTEM, "subnqn")
#define HOSTNQN(a) TEXT(a, HOST, "hostnqn")
#define VALUE(a, n) XPT_INT(a, VALUE, n)
#define HANDLE(a, n) XPT_VAL(a, 8, HANDLE, n)
#define QP(a) XPT_VAL(a, 8, QPAIR, "qpair")
#define CTRLR(a) XPT_VAL(a, 8, CONTROLLER, "ctrlr")
#define QID(a) XPT_VAL(a, 2, QID, "qid")
#define THREAD(a) XPT_VAL(a, 8, GROUP, "thread")
#define STATE(a, n) XPT_INT(a, STATE, n)
#define ASKED(a) XPT_INT(a, ASKED, "requested")
#define STATUS(a) XPT_INT(a, STATUS, "status")
#define IS(v) { { XPT_CAP_CONST, 1, 4, XPT_ROLE_STATE, v }, "state" }

static const struct xpt_fn_row rows[] = {
#include "domains/spdk/rows.h"
};

const struct xpt_domain xpt_domain_spdk = {
	.name = "spdk",
	.help = "SPDK (probes in the program): queue pairs, controllers, subsystems, the target",
	.layer = XPT_LAYER_POINT,
	.on_by_default = false,
	.rows = rows,
	.nr_rows = sizeof(rows) / sizeof(rows[0]),
	.provider = "spdk",
	.states = states,
	.nr_states = sizeof(states) / sizeof(states[0]),
	.release_mark = "SPDK v",
};
