/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of subordinate ids (proc/subids.h) for the BPF programs that ask for owners. */
#ifndef XPT_ENGINE_PROCESSES_SUBID_MAP_H
#define XPT_ENGINE_PROCESSES_SUBID_MAP_H

struct bpf_map;

/* Before the programs are loaded: reads the machine's table anew, and makes room for it. */
void xpt_subid_map__configure(struct bpf_map *map);
/* Once they are loaded. What does not fit is reported as a debug message. */
void xpt_subid_map__fill(const struct bpf_map *map);

#endif
