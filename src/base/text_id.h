/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids for bytes that others choose, where an id stands for the bytes themselves: names of functions, of hosts, of
 * threads. xpt_hash() is not for that: who knows it finds two names with one hash.
 */
#ifndef XPT_BASE_TEXT_ID_H
#define XPT_BASE_TEXT_ID_H

#include <stddef.h>
#include <stdint.h>

/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012) of n bytes, with a key that this process has drawn at random: equal
 * bytes have equal ids, and nobody can make others have them. Another process has other ids, so they are not to be
 * stored, and no output may depend on their order. One thread uses this.
 */
uint64_t xpt_text_id(const void *bytes, size_t n);

/* The same with a given key, little endian; for tests. */
uint64_t xpt_siphash(const uint64_t key[2], const void *bytes, size_t n);

#endif
