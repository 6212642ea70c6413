/* SPDX-License-Identifier: MIT */
/* Things that are due, the earliest first; those due at the same time in the order they came. */
#ifndef COLDVOL_HEAP_H
#define COLDVOL_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct due {
    uint64_t due_usec;
    uint64_t order;
    int kind;
    void *what;
};

/* All zeros is an empty heap. */
struct heap {
    struct due *items;
    size_t length;
    size_t room;
    uint64_t next_order;
};

int heap_push(struct heap *heap, uint64_t due_usec, int kind, void *what);
/* NULL when empty; valid until the heap changes. */
const struct due *heap_peek(const struct heap *heap);
/* The heap must not be empty. */
struct due heap_pop(struct heap *heap);
void heap_clear(struct heap *heap);

#endif
