/* SPDX-License-Identifier: MIT */
#include "engine/sink.h"

#include "engine/engine.h"

#include <stddef.h>
#include <sys/mman.h>

/*
 * A read into scattered pages is split where the device takes no more segments: 1 MiB is 256 pages,
 * a loop device takes 128, and twice the requests fill its queue, so that the kernel hands reads to
 * worker threads. One huge page (2 MiB on x86-64, and on arm64 with pages of 4K) is one segment.
 */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

void *sink_new(void)
{
    char *map =
        mmap(NULL, 2 * HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before;

    if (map == MAP_FAILED)
        return NULL;
    before = (HUGE_PAGE_BYTES - (size_t)map % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (before > 0)
        munmap(map, before);
    map += before;
    munmap(map + HUGE_PAGE_BYTES, HUGE_PAGE_BYTES - before);
    /* Where there are no huge pages, small ones do. */
    madvise(map, HUGE_PAGE_BYTES, MADV_HUGEPAGE);
    *(volatile char *)map = 0;
    return map;
}

void sink_free(void *sink)
{
    munmap(sink, HUGE_PAGE_BYTES);
}
