/* SPDX-License-Identifier: MIT */
/*
 * What of one volume is warm, what cannot be read, what is under way and what comes next. The only
 * place where a byte becomes warm is progress_succeeded(). Pure.
 */
#ifndef PLAN_PROGRESS_H
#define PLAN_PROGRESS_H

#include "base/rangeset.h"

#include <stdbool.h>
#include <stdint.h>

struct progress;

/* One read to be done. */
struct piece {
    uint64_t start, end;
    unsigned tries; /* how often exactly this piece has failed so far */
    bool again;     /* it lies in a larger piece that has failed */
};

/*
 * `size_bytes` of the volume, all of which is planned; `sector_bytes` is its logical block, the
 * least that can be read. The caller frees. NULL when out of memory.
 */
struct progress *progress_new(uint64_t size_bytes, uint64_t sector_bytes);
void progress_free(struct progress *progress);

/* Ranges that a believed checkpoint says were read. Not planned any more. -ENOMEM. */
int progress_restore(struct progress *progress, const struct rangeset *warm);
/* Grown: the new end is planned. Shrunk: what lies beyond is forgotten. -ENOMEM. */
int progress_resize(struct progress *progress, uint64_t size_bytes);

/*
 * The next piece to read, at most `block_bytes`. First what was never tried, then what failed,
 * halved until one sector is left. 0, -ENODATA (nothing to hand out now), -ENOMEM.
 */
int progress_next(struct progress *progress, uint64_t block_bytes, struct piece *ret);
/* Takes exactly [start, end) out of the plan to be read now (a sample). -ENODATA if not all of it
 * is still planned; -ENOMEM. */
int progress_take(struct progress *progress, uint64_t start, uint64_t end, struct piece *ret);

/*
 * A piece came back. `bytes` (not 0) of it, from its start, were read; what a short read left is
 * tried again. When memory is short the bytes stay unread, never wrongly warm: -ENOMEM.
 */
int progress_succeeded(struct progress *progress, const struct piece *piece, uint64_t bytes);
int progress_failed(struct progress *progress, const struct piece *piece);
/* The piece was never sent, or its fate tells nothing of the disk: it is planned again, as it was.
 */
int progress_returned(struct progress *progress, const struct piece *piece);

uint64_t progress_size_bytes(const struct progress *progress);
uint64_t progress_warm_bytes(const struct progress *progress);
uint64_t progress_unreadable_bytes(const struct progress *progress);
uint64_t progress_in_flight_bytes(const struct progress *progress);
/* Everything was tried to its end: all is warm or unreadable, nothing is under way. */
bool progress_is_over(const struct progress *progress);

/* Owned by `progress`, valid until its next change. */
const struct rangeset *progress_warm(const struct progress *progress);
const struct rangeset *progress_unreadable(const struct progress *progress);

#endif
