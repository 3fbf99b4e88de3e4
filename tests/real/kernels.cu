/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernels of every kind of name, launched once each with <<<>>>. Built by nvcc
 * with the shared runtime. Without a GPU each launch fails, but it was made.
 */
#include <unistd.h>

namespace shapes {
template <class T, int N> __global__ void fill(T *p)
{
	p[threadIdx.x] = N;
}
}

namespace {
__global__ void hidden(int)
{
}
}

extern "C" __global__ void plain()
{
}

template <class F> __global__ void run(F f)
{
	(void)f;
}

struct op {
	int n[4];
};

int main()
{
	shapes::fill<float, 4><<<1, 2>>>(nullptr);
	hidden<<<1, 1>>>(3);
	plain<<<1, 1>>>();
	run<<<1, 1>>>(op());
	usleep(100000);	/* names are read a moment after the calls, and only of a process that lives */
	return 0;
}
