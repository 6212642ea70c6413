/* SPDX-License-Identifier: MIT */
#include "base/rangeset.h"

#include "base/cleanup.h"

#include <errno.h>
#include <string.h>

struct rangeset {
    struct range *items;
    size_t n, allocated;
    uint64_t total_bytes;
};

struct rangeset *rangeset_new(void)
{
    return calloc(1, sizeof(struct rangeset));
}

void rangeset_free(struct rangeset *set)
{
    if (!set)
        return;
    free(set->items);
    free(set);
}

/* Index of the first range that ends after `offset`; n when there is none. */
static size_t first_ending_after(const struct rangeset *set, uint64_t offset)
{
    size_t low = 0, high = set->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->items[middle].end > offset)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int reserve(struct rangeset *set, size_t n)
{
    size_t allocated = set->allocated ? set->allocated : 8;
    struct range *items;

    while (allocated < n)
        allocated *= 2;
    if (allocated == set->allocated)
        return 0;
    items = realloc(set->items, allocated * sizeof(*items));
    if (!items)
        return -ENOMEM;
    set->items = items;
    set->allocated = allocated;
    return 0;
}

/* Puts `with` (n_with ranges) in the place of items [first, last). Room must have been reserved. */
static void replace(struct rangeset *set, size_t first, size_t last, const struct range *with,
                    size_t n_with)
{
    for (size_t i = first; i < last; i++)
        set->total_bytes -= set->items[i].end - set->items[i].start;
    for (size_t i = 0; i < n_with; i++)
        set->total_bytes += with[i].end - with[i].start;
    if (last < set->n)
        memmove(set->items + first + n_with, set->items + last,
                (set->n - last) * sizeof(*set->items));
    if (n_with > 0)
        memcpy(set->items + first, with, n_with * sizeof(*with));
    set->n = set->n - (last - first) + n_with;
}

int rangeset_add(struct rangeset *set, uint64_t start, uint64_t end)
{
    struct range merged = { .start = start, .end = end };
    size_t first, last;
    int r;

    if (start > end)
        return -EINVAL;
    if (start == end)
        return 0;
    r = reserve(set, set->n + 1);
    if (r < 0)
        return r;
    /* A range that ends just where this one starts is merged with it. */
    first = start > 0 ? first_ending_after(set, start - 1) : 0;
    for (last = first; last < set->n && set->items[last].start <= end; last++) {
        if (set->items[last].start < merged.start)
            merged.start = set->items[last].start;
        if (set->items[last].end > merged.end)
            merged.end = set->items[last].end;
    }
    replace(set, first, last, &merged, 1);
    return 0;
}

int rangeset_subtract(struct rangeset *set, uint64_t start, uint64_t end)
{
    struct range left[2];
    size_t first, last, n_left = 0;
    int r;

    if (start > end)
        return -EINVAL;
    if (start == end)
        return 0;
    first = first_ending_after(set, start);
    for (last = first; last < set->n && set->items[last].start < end; last++) {
        const struct range *item = &set->items[last];
        if (item->start < start)
            left[n_left++] = (struct range){ .start = item->start, .end = start };
        if (item->end > end)
            left[n_left++] = (struct range){ .start = end, .end = item->end };
    }
    r = reserve(set, set->n + 1);
    if (r < 0)
        return r;
    replace(set, first, last, left, n_left);
    return 0;
}

int rangeset_add_set(struct rangeset *set, const struct rangeset *other)
{
    for (size_t i = 0; i < other->n; i++) {
        int r = rangeset_add(set, other->items[i].start, other->items[i].end);
        if (r < 0)
            return r;
    }
    return 0;
}

int rangeset_subtract_set(struct rangeset *set, const struct rangeset *other)
{
    for (size_t i = 0; i < other->n; i++) {
        int r = rangeset_subtract(set, other->items[i].start, other->items[i].end);
        if (r < 0)
            return r;
    }
    return 0;
}

struct rangeset *rangeset_copy(const struct rangeset *set)
{
    struct rangeset *copy = rangeset_new();

    if (!copy)
        return NULL;
    if (reserve(copy, set->n) < 0) {
        rangeset_free(copy);
        return NULL;
    }
    if (set->n > 0)
        memcpy(copy->items, set->items, set->n * sizeof(*set->items));
    copy->n = set->n;
    copy->total_bytes = set->total_bytes;
    return copy;
}

void rangeset_clear(struct rangeset *set)
{
    set->n = 0;
    set->total_bytes = 0;
}

const struct range *rangeset_get(const struct rangeset *set, size_t n)
{
    return n < set->n ? &set->items[n] : NULL;
}

size_t rangeset_length(const struct rangeset *set)
{
    return set->n;
}

uint64_t rangeset_total_bytes(const struct rangeset *set)
{
    return set->total_bytes;
}

uint64_t rangeset_overlap_bytes(const struct rangeset *set, uint64_t start, uint64_t end)
{
    uint64_t bytes = 0;

    for (size_t i = first_ending_after(set, start); i < set->n && set->items[i].start < end; i++) {
        uint64_t from = set->items[i].start > start ? set->items[i].start : start;
        uint64_t to = set->items[i].end < end ? set->items[i].end : end;
        if (from < to)
            bytes += to - from;
    }
    return bytes;
}

bool rangeset_contains(const struct rangeset *set, uint64_t start, uint64_t end)
{
    size_t i;

    if (start >= end)
        return start == end;
    i = first_ending_after(set, start);
    return i < set->n && set->items[i].start <= start && set->items[i].end >= end;
}

bool rangeset_next(const struct rangeset *set, uint64_t from, struct range *ret)
{
    size_t i = first_ending_after(set, from);

    if (i == set->n)
        return false;
    *ret = set->items[i];
    if (ret->start < from)
        ret->start = from;
    return true;
}

bool rangeset_next_gap(const struct rangeset *set, uint64_t from, uint64_t limit, struct range *ret)
{
    size_t i = first_ending_after(set, from);

    if (i < set->n && set->items[i].start <= from)
        from = set->items[i++].end;
    if (from >= limit)
        return false;
    ret->start = from;
    ret->end = i < set->n && set->items[i].start < limit ? set->items[i].start : limit;
    return true;
}
