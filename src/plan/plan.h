/* SPDX-License-Identifier: MIT */
/*
 * What is still to be read, and in which order: classes of byte ranges, the first class first, each
 * ascending. Order only: a range that an earlier class holds is not read again by a later one.
 * Pure.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/rangeset.h"

struct plan;

/* NULL when out of memory. The caller frees. */
struct plan *plan_new(void);
void plan_free(struct plan *plan);

/* Adds a class behind those there are; what they hold is left out. -ENOMEM. */
int plan_add_class(struct plan *plan, const struct rangeset *ranges);
/* Takes ranges out of every class, because they are warm by now or not there any more. -ENOMEM. */
int plan_remove(struct plan *plan, uint64_t start, uint64_t end);

/*
 * Hands out the next piece, which the plan then no longer holds. A piece ends at a multiple of
 * `block_bytes` (a power of two), so that reads stay aligned whatever was read before. 0 when there
 * was one, -ENODATA when nothing is left, -ENOMEM.
 */
int plan_next(struct plan *plan, uint64_t block_bytes, struct range *ret);

/* True if every byte of [start, end) is still in the plan, in one class. */
bool plan_holds(const struct plan *plan, uint64_t start, uint64_t end);
uint64_t plan_left_bytes(const struct plan *plan);

#endif
