/* SPDX-License-Identifier: MIT */
/*
 * The state directory: one checkpoint file a volume, "ID.checkpoint". Everything here may block for
 * as long as the disk under it does: it is called on job threads only.
 */
#ifndef WARM_STORE_H
#define WARM_STORE_H

#include "warm/checkpoint.h"

/* DIRECTORY/ID.checkpoint; the caller's. NULL when out of memory. */
char *store_path(const char *directory, const char *id);

/*
 * The believed checkpoint of the volume that `identity` and `size_bytes` describe. 0 with *ret NULL
 * when there is none. One that is damaged, of a newer format, another volume's or a larger volume's
 * is renamed to "ID.checkpoint.set-aside-N", *ret is NULL and *ret_why (the caller's) says what
 * happened, in words. Negative errno when the directory or the file can't be read.
 */
int store_load(const char *directory, const struct device_identity *identity, uint64_t size_bytes,
               struct checkpoint **ret, char **ret_why);

/* Makes the directory if it is missing (its parent must be there) and replaces the file. */
int store_save(const char *directory, const char *id, const char *text, size_t length);

#endif
