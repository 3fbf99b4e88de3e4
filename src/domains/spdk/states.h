/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of states by release: enum nvmf_tgt_state and enum spdk_nvmf_subsystem_state
 * as the tags of SPDK's repository have them, 21.07 to 26.05; those of queue pairs
 * and poll groups are ours, for the states that the rows set.
 */
#define BEFORE "INIT_NONE", "INIT_CREATE_TARGET", "INIT_CREATE_POLL_GROUPS", \
	"INIT_START_SUBSYSTEMS", "RUNNING"
#define BEHIND "STOPPED", "ERROR", NULL
#define FINI "FINI_DESTROY_SUBSYSTEMS", "FINI_DESTROY_POLL_GROUPS", "FINI_DESTROY_TARGET"

static const char *const target_2107[] = {
	BEFORE, "FINI_STOP_SUBSYSTEMS", "FINI_DESTROY_POLL_GROUPS", "FINI_FREE_RESOURCES", BEHIND,
};
static const char *const target_2201[] = { BEFORE, "FINI_STOP_SUBSYSTEMS", FINI, BEHIND };
static const char *const target_2405[] = {
	BEFORE, "FINI_STOP_LISTEN", "FINI_STOP_SUBSYSTEMS", FINI, BEHIND,
};
static const char *const target_2601[] = {
	BEFORE, "FINI_STOP_SUBSYSTEMS", "FINI_STOP_LISTEN", FINI, BEHIND,
};
static const char *const subsystem_names[] = {
	"INACTIVE", "ACTIVATING", "ACTIVE", "PAUSING", "PAUSED", "RESUMING", "DEACTIVATING",
	"NUM_STATES", NULL,
};
static const char *const qpair_names[] = { "added", "connected", "disconnecting", NULL };
static const char *const group_names[] = { "running", "draining", NULL };

static const struct xpt_release_states target_states[] = {
	{ 2107, target_2107 }, { 2201, target_2201 }, { 2405, target_2405 }, { 2601, target_2601 },
}, subsystem_states[] = {
	{ 2107, subsystem_names },
}, qpair_states[] = {
	{ 2107, qpair_names },
}, group_states[] = {
	{ 2107, group_names },
};

static const struct xpt_states states[] = {
	{ XPT_KIND_TARGET, "nvmf_tgt_state", "NVMF_TGT_", target_states, 4 },
	{ XPT_KIND_SUBSYSTEM, "spdk_nvmf_subsystem_state", "SPDK_NVMF_SUBSYSTEM_", subsystem_states, 1 },
	{ XPT_KIND_QPAIR, NULL, NULL, qpair_states, 1 },
	{ XPT_KIND_POLL_GROUP, NULL, NULL, group_states, 1 },
};

/* Indexes of qpair_names and group_names. */
enum { QPAIR_ADDED, QPAIR_CONNECTED, QPAIR_DISCONNECTING };
enum { GROUP_RUNNING, GROUP_DRAINING };
