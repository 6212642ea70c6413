/* SPDX-License-Identifier: MIT */
#include "plan/progress.h"

#include "base/cleanup.h"
#include "plan/plan.h"

#include <errno.h>
#include <string.h>

/* One more try as it was, since a read may fail for a reason that passes; then it is halved. */
#define TRIES_WHOLE  2U
#define TRIES_SECTOR 3U

struct progress {
    uint64_t size_bytes, sector_bytes;
    struct rangeset *warm, *unreadable;
    struct plan *plan;
    uint64_t in_flight_bytes;
    struct piece *again; /* what failed: a stack, so that halving stays within log2 pieces */
    size_t n_again, again_allocated;
};

DEFINE_CLEANUP(struct progress *, progress_free, progress_free_p)
DEFINE_CLEANUP(struct rangeset *, rangeset_free, rangeset_free_p)
DEFINE_CLEANUP(struct plan *, plan_free, plan_free_p)

static int plan_range(struct plan *plan, uint64_t start, uint64_t end)
{
    _cleanup_(rangeset_free_p) struct rangeset *range = rangeset_new();
    int r;

    if (!range)
        return -ENOMEM;
    r = rangeset_add(range, start, end);
    return r < 0 ? r : plan_add_class(plan, range);
}

struct progress *progress_new(uint64_t size_bytes, uint64_t sector_bytes)
{
    _cleanup_(progress_free_p) struct progress *progress = calloc(1, sizeof(*progress));

    if (!progress)
        return NULL;
    progress->size_bytes = size_bytes;
    progress->sector_bytes = sector_bytes;
    progress->warm = rangeset_new();
    progress->unreadable = rangeset_new();
    progress->plan = plan_new();
    if (!progress->warm || !progress->unreadable || !progress->plan ||
        plan_range(progress->plan, 0, size_bytes) < 0)
        return NULL;
    return steal_pointer(&progress);
}

void progress_free(struct progress *progress)
{
    if (!progress)
        return;
    rangeset_free(progress->warm);
    rangeset_free(progress->unreadable);
    plan_free(progress->plan);
    free(progress->again);
    free(progress);
}

/* Whole sectors only: on a disk with larger ones than before, what is read must stay aligned. */
static struct range whole_sectors(const struct progress *progress, const struct range *range)
{
    uint64_t sector = progress->sector_bytes;

    return (struct range){
        .start = (range->start + sector - 1) / sector * sector,
        .end = range->end >= progress->size_bytes ? progress->size_bytes
                                                  : range->end / sector * sector,
    };
}

static int restore_range(struct progress *progress, uint64_t start, uint64_t end)
{
    int r = rangeset_add(progress->warm, start, end);

    if (r >= 0)
        r = rangeset_subtract(progress->unreadable, start, end);
    return r < 0 ? r : plan_remove(progress->plan, start, end);
}

int progress_restore(struct progress *progress, const struct rangeset *warm)
{
    const struct range *range;

    for (size_t i = 0; (range = rangeset_get(warm, i)); i++) {
        struct range whole = whole_sectors(progress, range);
        int r = whole.start < whole.end ? restore_range(progress, whole.start, whole.end) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

int progress_resize(struct progress *progress, uint64_t size_bytes)
{
    uint64_t old_bytes = progress->size_bytes;
    int r;

    if (size_bytes > old_bytes) {
        r = plan_range(progress->plan, old_bytes, size_bytes);
        if (r < 0)
            return r;
    } else {
        r = rangeset_subtract(progress->warm, size_bytes, old_bytes);
        if (r < 0)
            return r;
        r = rangeset_subtract(progress->unreadable, size_bytes, old_bytes);
        if (r < 0)
            return r;
        r = plan_remove(progress->plan, size_bytes, old_bytes);
        if (r < 0)
            return r;
    }
    progress->size_bytes = size_bytes;
    return 0;
}

static void begin(struct progress *progress, const struct piece *piece, struct piece *ret)
{
    progress->in_flight_bytes += piece->end - piece->start;
    *ret = *piece;
}

static int push_again(struct progress *progress, const struct piece *piece)
{
    if (progress->n_again == progress->again_allocated) {
        size_t allocated = progress->again_allocated ? progress->again_allocated * 2 : 16;
        struct piece *again = realloc(progress->again, allocated * sizeof(*again));
        if (!again)
            return -ENOMEM;
        progress->again = again;
        progress->again_allocated = allocated;
    }
    progress->again[progress->n_again++] = *piece;
    return 0;
}

/* Skips what became warm or was cut off since it failed. */
static bool pop_again(struct progress *progress, struct piece *ret)
{
    while (progress->n_again > 0) {
        struct piece piece = progress->again[--progress->n_again];
        if (piece.end > progress->size_bytes)
            piece.end = progress->size_bytes;
        if (piece.start < piece.end && !rangeset_contains(progress->warm, piece.start, piece.end)) {
            *ret = piece;
            return true;
        }
    }
    return false;
}

/* A piece that could not be noted for want of memory is in no list: it is found as neither. */
static int plan_what_was_lost(struct progress *progress)
{
    _cleanup_(rangeset_free_p) struct rangeset *lost = rangeset_new();
    int r;

    if (!lost)
        return -ENOMEM;
    r = rangeset_add(lost, 0, progress->size_bytes);
    if (r >= 0)
        r = rangeset_subtract_set(lost, progress->warm);
    if (r >= 0)
        r = rangeset_subtract_set(lost, progress->unreadable);
    return r < 0 ? r : plan_add_class(progress->plan, lost);
}

static int next_piece(struct progress *progress, uint64_t block_bytes, struct piece *ret)
{
    struct range range;
    int r = plan_next(progress->plan, block_bytes, &range);

    if (r >= 0)
        *ret = (struct piece){ .start = range.start, .end = range.end };
    else if (r == -ENODATA && pop_again(progress, ret))
        r = 0;
    return r;
}

int progress_next(struct progress *progress, uint64_t block_bytes, struct piece *ret)
{
    struct piece piece;
    int r = next_piece(progress, block_bytes, &piece);

    if (r == -ENODATA && progress->in_flight_bytes == 0 && !progress_is_over(progress)) {
        r = plan_what_was_lost(progress);
        if (r >= 0)
            r = next_piece(progress, block_bytes, &piece);
    }
    if (r < 0)
        return r;
    begin(progress, &piece, ret);
    return 0;
}

int progress_take(struct progress *progress, uint64_t start, uint64_t end, struct piece *ret)
{
    const struct piece piece = { .start = start, .end = end };
    int r;

    if (!plan_holds(progress->plan, start, end))
        return -ENODATA;
    r = plan_remove(progress->plan, start, end);
    if (r < 0)
        return r;
    begin(progress, &piece, ret);
    return 0;
}

static void finish(struct progress *progress, const struct piece *piece)
{
    progress->in_flight_bytes -= piece->end - piece->start;
}

/* Back into the plan: for bytes that have not been found bad. */
static int plan_again(struct progress *progress, uint64_t start, uint64_t end)
{
    struct piece piece = { .start = start, .end = end };

    return start < end ? push_again(progress, &piece) : 0;
}

int progress_succeeded(struct progress *progress, const struct piece *piece, uint64_t bytes)
{
    uint64_t end = piece->end < progress->size_bytes ? piece->end : progress->size_bytes;
    uint64_t read_end = piece->start + bytes;
    int r;

    finish(progress, piece);
    if (read_end > end)
        read_end = end;
    if (piece->start >= read_end)
        return 0;
    r = rangeset_add(progress->warm, piece->start, read_end);
    if (r < 0)
        return r;
    r = rangeset_subtract(progress->unreadable, piece->start, read_end);
    if (r < 0)
        return r;
    return plan_again(progress, read_end, end);
}

static int push_halves(struct progress *progress, const struct piece *piece)
{
    uint64_t sectors =
        (piece->end - piece->start + progress->sector_bytes - 1) / progress->sector_bytes;
    uint64_t middle = piece->start + sectors / 2 * progress->sector_bytes;
    struct piece second = { .start = middle, .end = piece->end, .again = true };
    struct piece first = { .start = piece->start, .end = middle, .again = true };
    int r = push_again(progress, &second);

    return r < 0 ? r : push_again(progress, &first);
}

int progress_failed(struct progress *progress, const struct piece *piece)
{
    struct piece again = *piece;
    bool is_sector = piece->end - piece->start <= progress->sector_bytes;

    finish(progress, piece);
    if (piece->end > progress->size_bytes)
        return plan_again(progress, piece->start, progress->size_bytes);
    again.tries++;
    if (again.tries < (is_sector ? TRIES_SECTOR : TRIES_WHOLE))
        return push_again(progress, &again);
    if (!is_sector)
        return push_halves(progress, piece);
    if (rangeset_contains(progress->warm, piece->start, piece->end))
        return 0;
    return rangeset_add(progress->unreadable, piece->start, piece->end);
}

int progress_returned(struct progress *progress, const struct piece *piece)
{
    finish(progress, piece);
    return push_again(progress, piece);
}

uint64_t progress_size_bytes(const struct progress *progress)
{
    return progress->size_bytes;
}

uint64_t progress_warm_bytes(const struct progress *progress)
{
    return rangeset_total_bytes(progress->warm);
}

uint64_t progress_unreadable_bytes(const struct progress *progress)
{
    return rangeset_total_bytes(progress->unreadable);
}

uint64_t progress_in_flight_bytes(const struct progress *progress)
{
    return progress->in_flight_bytes;
}

bool progress_is_over(const struct progress *progress)
{
    return progress->in_flight_bytes == 0 &&
           progress_warm_bytes(progress) + progress_unreadable_bytes(progress) >=
               progress->size_bytes;
}

const struct rangeset *progress_warm(const struct progress *progress)
{
    return progress->warm;
}

const struct rangeset *progress_unreadable(const struct progress *progress)
{
    return progress->unreadable;
}
