/* SPDX-License-Identifier: MIT */
/*
 * Sorted, disjoint, non-adjacent half-open byte ranges. One type for what is planned, warm,
 * unreadable, in use, listed. Pure: no descriptor, no clock.
 */
#ifndef BASE_RANGESET_H
#define BASE_RANGESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t start; /* first byte */
    uint64_t end;   /* first byte after; start < end in every set */
};

struct rangeset;

/* NULL when out of memory. The caller frees. */
struct rangeset *rangeset_new(void);
void rangeset_free(struct rangeset *set);

/*
 * Adding or taking away [start, end) keeps the set merged; an empty range changes nothing.
 * -EINVAL when start > end, -ENOMEM with the set unchanged.
 */
int rangeset_add(struct rangeset *set, uint64_t start, uint64_t end);
int rangeset_subtract(struct rangeset *set, uint64_t start, uint64_t end);

/* set := set + other, set := set - other. -ENOMEM may leave the work half done, never wrong bytes.
 */
int rangeset_add_set(struct rangeset *set, const struct rangeset *other);
int rangeset_subtract_set(struct rangeset *set, const struct rangeset *other);

/* A copy that the caller owns; NULL when out of memory. */
struct rangeset *rangeset_copy(const struct rangeset *set);
void rangeset_clear(struct rangeset *set);

/* The n-th range in ascending order, NULL past the last. Valid until the set changes. */
const struct range *rangeset_get(const struct rangeset *set, size_t n);
size_t rangeset_length(const struct rangeset *set);
uint64_t rangeset_total_bytes(const struct rangeset *set);

/* Bytes of [start, end) that are in the set. */
uint64_t rangeset_overlap_bytes(const struct rangeset *set, uint64_t start, uint64_t end);
bool rangeset_contains(const struct rangeset *set, uint64_t start, uint64_t end);

/* The first part of a range at or after `from`: *ret is clipped to start at `from`. False if none.
 */
bool rangeset_next(const struct rangeset *set, uint64_t from, struct range *ret);
/* The first gap within [from, limit). False if there is none. */
bool rangeset_next_gap(const struct rangeset *set, uint64_t from, uint64_t limit,
                       struct range *ret);

#endif
