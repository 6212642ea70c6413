/* SPDX-License-Identifier: MIT */
/*
 * Reads that nobody keeps: one interface, two back ends (io_uring, threads). Data lands in one sink
 * shared by every read in flight, so memory does not grow with depth. All calls come from one
 * thread.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#define ENGINE_BLOCK_MAX_BYTES (UINT64_C(1) << 20) /* the sink's size: the longest read */
#define ENGINE_DEPTH_MAX       1024U               /* reads in flight for one file */

struct engine;
struct engine_file;

enum engine_kind { ENGINE_AUTO, ENGINE_IO_URING, ENGINE_THREADS };

/* `result`: bytes read, 0 at the end of the file, or negative errno. Called by engine_dispatch().
 */
typedef void (*engine_done_fn)(int result, void *userdata);

/*
 * AUTO takes io_uring and falls back to threads where the ring is refused; engine_fallback_reason()
 * then says why. IO_URING fails instead, and *ret_reason (static text, may be NULL) says why.
 */
int engine_new(enum engine_kind kind, struct engine **ret, const char **ret_reason);
/* Does not wait for reads in flight; their `done` is never called. */
void engine_free(struct engine *engine);

const char *engine_name(const struct engine *engine);
/* "" where AUTO got io_uring, or threads were asked for. */
const char *engine_fallback_reason(const struct engine *engine);

/* An eventfd, readable when engine_dispatch() has something to do. Owned by the engine. */
int engine_fd(const struct engine *engine);
void engine_dispatch(struct engine *engine);

/*
 * `fd` stays the caller's, who may close it after engine_file_free(): no read is ever sent to
 * another file that got its number. With `own_buffers` each read has a buffer of its own: for a
 * device or filesystem that verifies what lands in it (dm-integrity, md RAID, btrfs), where a
 * shared sink would look like corruption. -ENFILE when the table is full.
 */
int engine_file_new(struct engine *engine, int fd, bool own_buffers, struct engine_file **ret);
/* Reads in flight go on and are reported as ever. */
void engine_file_free(struct engine_file *file);

/*
 * Queues one read of `length` bytes (≤ ENGINE_BLOCK_MAX_BYTES) at `offset`, both aligned as
 * O_DIRECT wants; engine_submit() sends what is queued. -ENOMEM, -EINVAL; -EBUSY when the engine is
 * full: try again after a completion.
 */
int engine_read(struct engine_file *file, uint64_t offset, uint32_t length, engine_done_fn done,
                void *userdata);
void engine_submit(struct engine *engine);

#endif
