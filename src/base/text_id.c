// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See text_id.h. No library of Debian's base system offers SipHash. */
#include "base/text_id.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/time.h"

#define ROUNDS_A_WORD 2
#define ROUNDS_AT_END 4

static inline uint64_t rotate_left(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void mix_state(uint64_t v[4], int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate_left(v[1], 13) ^ v[0];
		v[3] = rotate_left(v[3], 16) ^ v[2];
		v[0] = rotate_left(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate_left(v[1], 17) ^ v[2];
		v[3] = rotate_left(v[3], 21) ^ v[0];
		v[2] = rotate_left(v[2], 32);
	}
}

static inline void add_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix_state(v, ROUNDS_A_WORD);
	v[0] ^= word;
}

/* Words are read as this machine has them: xputrace runs on little-endian ones alone. */
uint64_t xpt_siphash(const uint64_t key[2], const void *bytes, size_t n)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
			  key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573 };
	const unsigned char *p = bytes;
	size_t left = n;
	uint64_t word;

	for (; left >= sizeof(word); left -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		add_word(v, word);
	}
	word = 0;
	memcpy(&word, p, left);
	add_word(v, word | (uint64_t)n << 56);
	v[2] ^= 0xff;
	mix_state(v, ROUNDS_AT_END);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t xpt_text_id(const void *bytes, size_t n)
{
	static uint64_t key[2];
	static bool has_key;

	/* Fails before Linux 3.17, or if a filter forbids the system call. */
	if (!has_key && getrandom(key, sizeof(key), 0) != sizeof(key)) {
		key[0] = xpt_clock_ns(CLOCK_REALTIME);
		key[1] = (uintptr_t)&has_key;
	}
	has_key = true;
	return xpt_siphash(key, bytes, n);
}
