/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program whose driver stubs were changed by a tool in it: the slot through
 * which cuMemFree_v2 jumps gets a function of this program, which goes on to the
 * implementation. `slots CHANGE CALLS [FILE]`: CHANGE 0 leaves the slot
 * alone. After the change it makes FILE.CHANGE and waits for FILE, at most two
 * minutes. Then it allocates and frees, and prints how many calls of the slot's
 * function there were.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*implementation)(uint64_t ptr);
static unsigned long replaced;

static int instead(uint64_t ptr)
{
	replaced++;
	return ptr == 0 ? 1 : 0;	/* a tool that keeps the memory for itself */
}

/* The address that the first `jmp *disp(%rip)` of a stub reads. */
static void **slot_of(const uint8_t *stub)
{
	int32_t disp;
	int i;

	for (i = 0; i < 64; i++) {
		if (stub[i] != 0xff || stub[i + 1] != 0x25)
			continue;
		memcpy(&disp, stub + i + 2, sizeof(disp));
		return (void **)(uintptr_t)(stub + i + 6 + disp);
	}
	return NULL;
}

static void *need(void *lib, const char *name)
{
	void *p = lib ? dlsym(lib, name) : NULL;

	if (p)
		return p;
	fprintf(stderr, "slots: no %s\n", name);
	exit(3);
}

static void wait_for_file(const char *file, const char *change)
{
	char ready[4096];
	int fd, i;

	snprintf(ready, sizeof(ready), "%s.%s", file, change);
	fd = open(ready, O_WRONLY | O_CREAT, 0644);
	if (fd >= 0)
		close(fd);
	for (i = 0; access(file, F_OK) && i < 12000; i++)
		usleep(10000);
}

int main(int argc, char **argv)
{
	int (*init)(unsigned int), (*alloc)(uint64_t *, size_t), (*release)(uint64_t);
	int (*context)(void **, unsigned int, int);
	unsigned long calls, i;
	void *lib, *p, **slot;
	uint64_t ptr;

	if (argc < 3)
		return 2;
	calls = strtoul(argv[2], NULL, 10);
	lib = dlopen("libcuda.so.1", RTLD_NOW);
	p = need(lib, "cuInit");
	memcpy(&init, &p, sizeof(p));
	p = need(lib, "cuCtxCreate_v2");
	memcpy(&context, &p, sizeof(p));
	p = need(lib, "cuMemAlloc_v2");
	memcpy(&alloc, &p, sizeof(p));
	p = need(lib, "cuMemFree_v2");
	memcpy(&release, &p, sizeof(p));
	slot = slot_of(p);
	if (!slot)
		return 3;
	memcpy(&implementation, slot, sizeof(*slot));
	if (argv[1][0] == '1') {
		int (*fn)(uint64_t) = instead;

		memcpy(slot, &fn, sizeof(*slot));
	}
	if (argc > 3)
		wait_for_file(argv[3], argv[1]);
	if (init(0) || context(&p, 0, 0))
		return 3;
	for (i = 0; i < calls; i++)
		if (alloc(&ptr, 4096) || release(ptr))
			return 4;
	printf("replaced %lu\n", replaced);
	return 0;
}
