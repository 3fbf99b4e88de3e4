/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A CUDA runtime API program, linked with libcudart as a shared library:
 * allocates, copies and frees N times. Without a usable driver every call
 * fails, and the first ones ask the driver, so both layers are seen. Prints
 * what it did as JSON, like driver_api.
 *   runtime_api N OUT
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	int count = -1, ret_count, ret_malloc = 0, ret_copy = 0, ret_free = 0;
	char host[64] = "";
	void *p;
	FILE *f;

	if (!n) {
		fprintf(stderr, "usage: runtime_api N OUT\n");
		return 2;
	}
	ret_count = cudaGetDeviceCount(&count);
	for (unsigned long i = 0; i < n; i++) {
		p = NULL;
		ret_malloc = cudaMalloc(&p, 4096);
		ret_copy = cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
		ret_free = cudaFree(p);
	}
	f = fopen(argv[2], "we");
	if (!f) {
		fprintf(stderr, "runtime_api: cannot write %s\n", argv[2]);
		return 1;
	}
	fprintf(f, "{\"calls\":{\"cudaGetDeviceCount\":{\"calls\":1,\"result\":%d},"
		"\"cudaMalloc\":{\"calls\":%lu,\"result\":%d},"
		"\"cudaMemcpy\":{\"calls\":%lu,\"result\":%d},"
		"\"cudaFree\":{\"calls\":%lu,\"result\":%d}}}\n",
		ret_count, n, ret_malloc, n, ret_copy, n, ret_free);
	return fclose(f) ? 1 : 0;
}
