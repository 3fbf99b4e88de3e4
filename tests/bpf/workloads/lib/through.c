// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A library of plain C that runs functions of the program, as parsers and
 * databases do. Nothing in it says that exceptions pass: those of the program do.
 */
#include <string.h>
#include <unistd.h>

typedef int callback(int);

static volatile int sink;

int each(int i, callback *fn)		/* calls back */
{
	sink = fn(i);
	return sink + 1;
}

int once(int i, callback *fn)		/* ends in the function of the program */
{
	sink = i;
	return fn(i);
}

static __attribute__((noinline)) int inner(int i, callback *fn)
{
	sink = fn(i);
	return sink;
}

int deep(int i, callback *fn)		/* a function of the library that calls back */
{
	return inner(i, fn) + 1;
}

static callback *kept;

void keep(callback *fn)
{
	kept = fn;
}

int later(int i)			/* through what was kept */
{
	return kept(i) + 1;
}

int waits(int i)			/* where a thread can be cancelled */
{
	while (!sink || i)
		pause();
	return i;
}

int copies(char *to, const char *from)	/* nothing but functions that run no others */
{
	size_t n = strlen(from);

	memcpy(to, from, n + 1);
	return (int)n;
}
