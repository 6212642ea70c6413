/* SPDX-License-Identifier: MIT */
/*
 * How many reads in flight, and how large: found while running. Starts modest, doubles the depth
 * while throughput grows with it, goes back to the smaller depth when it has stopped growing, and
 * looks again now and then, since caps and latencies change. Pure: time is an argument, nothing is
 * read.
 */
#ifndef ENGINE_CONTROL_H
#define ENGINE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#define CONTROL_BLOCK_MIN_BYTES  (UINT64_C(16) << 10)
#define CONTROL_BLOCK_AUTO_BYTES (UINT64_C(1) << 20)
#define CONTROL_DEPTH_START      32U

struct control_limits {
    unsigned queue_depth; /* fixed by the user; 0 = find it */
    uint64_t block_bytes; /* fixed by the user; 0 = choose it */
    unsigned depth_max;   /* of the engine */
};

enum control_phase { CONTROL_GROWING, CONTROL_HOLDING };

struct control {
    enum control_phase phase;
    bool fixed_depth;
    unsigned depth, depth_max;
    uint64_t block_bytes;
    double held_rate; /* bytes a second at the depth that a doubled one must beat */
    uint64_t window_start_usec, window_bytes;
    unsigned window_reads;
    unsigned
        settling; /* reads that were in flight before the depth changed: they tell of the past */
    uint64_t hold_until_usec;
};

void control_init(struct control *control, const struct control_limits *limits, uint64_t now_usec);
/* A read has ended well. May change the depth. `in_flight` is without that read. */
void control_completed(struct control *control, uint64_t now_usec, uint64_t bytes,
                       unsigned in_flight);
/* Reading was interrupted (pause, outage, stall): what was measured tells nothing. */
void control_interrupted(struct control *control, uint64_t now_usec);

unsigned control_depth(const struct control *control);
uint64_t control_block_bytes(const struct control *control);

#endif
