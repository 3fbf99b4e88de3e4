/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of files that processes have mapped, read once a file when one is asked for, and bounded: of the
 * places, and of the descriptors that wait until then, an owner of processes may have three times as many as are
 * left free.
 */
#ifndef XPT_PROC_SYMBOLS_FUNCTION_FILES_H
#define XPT_PROC_SYMBOLS_FUNCTION_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct stat;
struct xpt_elf_pause;
struct xpt_file_functions;
struct xpt_function_files;
struct xpt_funcs;

/* Callbacks that charge kept memory and reading to the owner of a process. All may be NULL. */
struct xpt_symbolizer_cfg {
	uint64_t (*owner)(void *ctx, int pid);
	/*
	 * Called before the functions of a file are read that pid has mapped, and after it, if they were. Return 0
	 * or -errno; err: the result of the reading. -EDQUOT: the owner's share is used up, for somebody else's
	 * process the file may be read.
	 */
	int (*begin)(void *ctx, int pid, const struct stat *st);
	int (*end)(void *ctx, int err);
	const struct xpt_elf_pause *pause;	/* for such reading */
	void *ctx;
};

/* cfg lives as long. 0 or -ENOMEM. */
int xpt_function_files__new(const struct xpt_symbolizer_cfg *cfg, struct xpt_function_files **ret_f);
void xpt_function_files__free(struct xpt_function_files *f);	/* NULL is fine */
/*
 * Returns the file of fd, which is taken over, mapped by a process of that owner, until xpt_file_functions__put().
 * NULL: there is no room. Somebody else's descriptor is taken where the functions could not be read for the first
 * owner, for his share was used up.
 */
struct xpt_file_functions *xpt_function_files__get(struct xpt_function_files *f, int fd, uint64_t owner);
void xpt_file_functions__use(struct xpt_file_functions *file);	/* once more, until put */
void xpt_file_functions__put(struct xpt_file_functions *file);
/* Its functions, or NULL: it is no ELF file that we can read. path: as pid has it. */
struct xpt_funcs *xpt_function_files__read(struct xpt_function_files *f, struct xpt_file_functions *file, int pid,
					   const char *path);
/* Whether files may be opened for that owner before one of their addresses is looked up. */
bool xpt_function_files__may_hold(const struct xpt_function_files *f, uint64_t owner);

#endif
