/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The truth of an example: calls and errors by exported name, memory that is
 * open, bytes copied, launches. Thread-safe; function names are static text.
 * run.h declares the part that examples call.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>

void truth_library(const char *path);
void truth_call(const char *function);
void truth_result(const char *function, int result);
void truth_write(const char *workload);

#endif
