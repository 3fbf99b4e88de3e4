/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the vocabulary for output; "?" for a number that is not known. */
#ifndef XPT_MODEL_VOCAB_H
#define XPT_MODEL_VOCAB_H

#include <stddef.h>
#include "wire/vocab.h"

const char *xpt_layer_name(unsigned layer);
const char *xpt_class_name(unsigned cls);
const char *xpt_role_name(unsigned role);
/* XPT_ROLE_NONE: no role has this name, of len bytes. */
enum xpt_role xpt_role_by_name(const char *s, size_t len);
const char *xpt_dir_name(unsigned dir);	/* HtoD, DtoH, ... */
const char *xpt_kind_name(unsigned kind);	/* device, pool, ... */
const char *xpt_mode_name(unsigned mode);	/* events, ... */
const char *xpt_loss_name(unsigned loss);	/* ring_full, ... */
const char *xpt_loss_text(unsigned loss);	/* the explanation */
/* The fate of the counted events: "lost so far", or no loss at all but asked for, or cut. */
const char *xpt_loss_outcome(unsigned loss);

#endif
