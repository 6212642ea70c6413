/* SPDX-License-Identifier: MIT */
#include "heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define FIRST_ROOM 256

static bool earlier(const struct due *a, const struct due *b)
{
    return a->due_usec != b->due_usec ? a->due_usec < b->due_usec : a->order < b->order;
}

static void swap(struct due *a, struct due *b)
{
    struct due kept = *a;

    *a = *b;
    *b = kept;
}

int heap_push(struct heap *heap, uint64_t due_usec, int kind, void *what)
{
    size_t i = heap->length;

    if (heap->length == heap->room) {
        size_t room = heap->room ? heap->room * 2 : FIRST_ROOM;
        struct due *items = reallocarray(heap->items, room, sizeof(*items));

        if (!items)
            return -ENOMEM;
        heap->items = items;
        heap->room = room;
    }
    heap->items[i] = (struct due){ due_usec, heap->next_order++, kind, what };
    heap->length++;
    for (; i > 0 && earlier(&heap->items[i], &heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&heap->items[i], &heap->items[(i - 1) / 2]);
    return 0;
}

const struct due *heap_peek(const struct heap *heap)
{
    return heap->length > 0 ? &heap->items[0] : NULL;
}

struct due heap_pop(struct heap *heap)
{
    struct due top = heap->items[0];
    size_t i = 0;

    heap->items[0] = heap->items[--heap->length];
    for (;;) {
        size_t least = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++) {
            if (child < heap->length && earlier(&heap->items[child], &heap->items[least]))
                least = child;
        }
        if (least == i)
            return top;
        swap(&heap->items[i], &heap->items[least]);
        i = least;
    }
}

void heap_clear(struct heap *heap)
{
    free(heap->items);
    *heap = (struct heap){ 0 };
}
