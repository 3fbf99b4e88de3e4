// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See module_paths.h. Paths with the same hash are a list. */
#include "proc/symbols/module_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/text_id.h"

#define SHARE_OF_FREE 3
#define MAX_PATHS (1u << 20)
#define MAX_OWNERS 65536	/* no more than processes */

struct path {
	struct path *next;
	uint64_t hash, owner;
	size_t size;		/* of all this */
	uint32_t users;
	char text[];
};

struct xpt_module_paths {
	struct xpt_hashmap *paths;	/* hash -> struct path * */
	struct xpt_hashmap *owners;	/* owner -> size_t bytes */
	size_t bytes, max_bytes;
};

int xpt_module_paths__new(size_t max_bytes, struct xpt_module_paths **ret_p)
{
	struct xpt_module_paths *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->max_bytes = max_bytes;
	if (xpt_hashmap__new(sizeof(uint64_t), sizeof(struct path *), MAX_PATHS, &p->paths) ||
	    xpt_hashmap__new(sizeof(uint64_t), sizeof(size_t), MAX_OWNERS, &p->owners)) {
		xpt_module_paths__free(p);
		return -ENOMEM;
	}
	*ret_p = p;
	return 0;
}

void xpt_module_paths__free(struct xpt_module_paths *p)
{
	struct path *path, *next;
	const void *key;
	size_t pos = 0;
	void *val;

	if (!p)
		return;
	while (p->paths && xpt_hashmap__next(p->paths, &pos, &key, &val))
		for (path = *(struct path **)val; path; path = next) {
			next = path->next;
			free(path);
		}
	xpt_hashmap__free(p->paths);
	xpt_hashmap__free(p->owners);
	free(p);
}

bool xpt_module_paths__charge(struct xpt_module_paths *p, uint64_t owner, size_t bytes)
{
	size_t *mine = xpt_hashmap__get(p->owners, &owner, NULL);

	if (!mine || *mine + bytes > SHARE_OF_FREE * (p->max_bytes - p->bytes))
		return false;
	*mine += bytes;
	p->bytes += bytes;
	return true;
}

void xpt_module_paths__refund(struct xpt_module_paths *p, uint64_t owner, size_t bytes)
{
	size_t *mine = xpt_hashmap__find(p->owners, &owner);

	if (!mine)
		return;
	*mine -= bytes;
	p->bytes -= bytes;
	if (!*mine)
		xpt_hashmap__del(p->owners, &owner);
}

const char *xpt_module_paths__get(struct xpt_module_paths *p, uint64_t owner, const char *text)
{
	size_t len = strlen(text), size = sizeof(struct path) + len + 1;
	uint64_t hash = xpt_text_id(text, len);
	struct path **first = xpt_hashmap__get(p->paths, &hash, NULL), *path;

	for (path = first ? *first : NULL; path; path = path->next)
		if (!strcmp(path->text, text)) {
			path->users++;
			return path->text;
		}
	path = first && xpt_module_paths__charge(p, owner, size) ? malloc(size) : NULL;
	if (!path) {
		if (first && !*first)
			xpt_hashmap__del(p->paths, &hash);
		return NULL;
	}
	*path = (struct path){ .next = *first, .hash = hash, .owner = owner, .size = size, .users = 1 };
	memcpy(path->text, text, len + 1);
	*first = path;
	return path->text;
}

void xpt_module_paths__put(struct xpt_module_paths *p, const char *text)
{
	struct path *path, **first, **at;

	if (!text)
		return;
	path = (struct path *)(void *)((char *)(uintptr_t)text - offsetof(struct path, text));
	if (--path->users)
		return;
	first = xpt_hashmap__find(p->paths, &path->hash);
	for (at = first; *at != path; at = &(*at)->next)
		;
	*at = path->next;
	if (!*first)
		xpt_hashmap__del(p->paths, &path->hash);
	xpt_module_paths__refund(p, path->owner, path->size);
	free(path);
}

size_t xpt_module_paths__bytes(const struct xpt_module_paths *p)
{
	return p->bytes;
}
