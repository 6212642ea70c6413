/* SPDX-License-Identifier: MIT */
#include "plan/plan.h"

#include "base/cleanup.h"

#include <errno.h>

struct plan {
    struct rangeset **classes;
    size_t n_classes;
};

DEFINE_CLEANUP(struct rangeset *, rangeset_free, rangeset_free_p)

struct plan *plan_new(void)
{
    return calloc(1, sizeof(struct plan));
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->n_classes; i++)
        rangeset_free(plan->classes[i]);
    free(plan->classes);
    free(plan);
}

int plan_add_class(struct plan *plan, const struct rangeset *ranges)
{
    _cleanup_(rangeset_free_p) struct rangeset *fresh = rangeset_copy(ranges);
    struct rangeset **classes;
    int r;

    if (!fresh)
        return -ENOMEM;
    for (size_t i = 0; i < plan->n_classes; i++) {
        r = rangeset_subtract_set(fresh, plan->classes[i]);
        if (r < 0)
            return r;
    }
    classes = realloc(plan->classes, (plan->n_classes + 1) * sizeof(struct rangeset *));
    if (!classes)
        return -ENOMEM;
    plan->classes = classes;
    plan->classes[plan->n_classes++] = steal_pointer(&fresh);
    return 0;
}

int plan_remove(struct plan *plan, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < plan->n_classes; i++) {
        int r = rangeset_subtract(plan->classes[i], start, end);
        if (r < 0)
            return r;
    }
    return 0;
}

static struct rangeset *first_class_with_work(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_classes; i++) {
        if (rangeset_length(plan->classes[i]) > 0)
            return plan->classes[i];
    }
    return NULL;
}

int plan_next(struct plan *plan, uint64_t block_bytes, struct range *ret)
{
    struct rangeset *set = first_class_with_work(plan);
    struct range piece;
    uint64_t room_bytes;
    int r;

    if (!set)
        return -ENODATA;
    piece = *rangeset_get(set, 0);
    room_bytes = block_bytes - (piece.start & (block_bytes - 1));
    if (piece.end - piece.start > room_bytes)
        piece.end = piece.start + room_bytes;
    r = rangeset_subtract(set, piece.start, piece.end);
    if (r < 0)
        return r;
    *ret = piece;
    return 0;
}

bool plan_holds(const struct plan *plan, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < plan->n_classes; i++) {
        if (rangeset_contains(plan->classes[i], start, end))
            return true;
    }
    return false;
}

uint64_t plan_left_bytes(const struct plan *plan)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < plan->n_classes; i++)
        bytes += rangeset_total_bytes(plan->classes[i]);
    return bytes;
}
