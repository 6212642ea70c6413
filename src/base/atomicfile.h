/* SPDX-License-Identifier: MIT */
#ifndef BASE_ATOMICFILE_H
#define BASE_ATOMICFILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Replaces `name` in the folder `directory_fd` by `length` bytes of `data`: a temporary file beside
 * it (".NAME.XXXXXX", O_EXCL, `mode`), fsync, rename, fsync of the folder. After a crash the old or
 * the new content stands there whole. On failure the temporary file is removed and the old content
 * stands; negative errno. Blocks for as long as the disk does: never call it on the event loop.
 */
int atomic_write_file(int directory_fd, const char *name, const void *data, size_t length,
                      mode_t mode);

/*
 * Reads a whole regular file of at most `max_bytes`; *ret_data is NUL-terminated (the NUL is not
 * counted) and the caller's. -EFBIG when longer, -EBADF when it is no regular file.
 */
int read_small_file(int directory_fd, const char *name, size_t max_bytes, char **ret_data,
                    size_t *ret_length);

#endif
