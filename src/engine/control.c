/* SPDX-License-Identifier: MIT */
#include "engine/control.h"

/* A doubled depth that brings less than this only makes others wait: the knee was passed. */
#define WORTHWHILE_GROWTH 1.10
/* Below this share of what was held, caps or latency have changed: search anew. */
#define COLLAPSE        0.5
#define WINDOW_MIN_USEC (UINT64_C(60) * 1000)
#define HOLD_USEC       (UINT64_C(10) * 1000 * 1000)

static void begin_window(struct control *control, uint64_t now_usec)
{
    control->window_start_usec = now_usec;
    control->window_bytes = 0;
    control->window_reads = 0;
}

static void set_depth(struct control *control, unsigned depth, unsigned in_flight,
                      uint64_t now_usec)
{
    if (depth > control->depth_max)
        depth = control->depth_max;
    control->depth = depth > 0 ? depth : 1;
    control->settling = in_flight;
    begin_window(control, now_usec);
}

static void hold(struct control *control, uint64_t now_usec)
{
    control->phase = CONTROL_HOLDING;
    control->hold_until_usec = now_usec + HOLD_USEC;
}

void control_init(struct control *control, const struct control_limits *limits, uint64_t now_usec)
{
    *control = (struct control){
        .phase = CONTROL_GROWING,
        .fixed_depth = limits->queue_depth > 0,
        .depth_max = limits->depth_max,
        .block_bytes = limits->block_bytes > 0 ? limits->block_bytes : CONTROL_BLOCK_AUTO_BYTES,
    };
    set_depth(control, control->fixed_depth ? limits->queue_depth : CONTROL_DEPTH_START, 0,
              now_usec);
}

/*
 * A window says something once every read of it was sent at its depth and as many have ended as are
 * in flight: then the slow ones are in it too.
 */
static bool window_is_full(const struct control *control, uint64_t now_usec)
{
    return now_usec - control->window_start_usec >= WINDOW_MIN_USEC &&
           control->window_reads >= control->depth;
}

static void grow(struct control *control, double rate, unsigned in_flight, uint64_t now_usec)
{
    bool at_limit = control->depth >= control->depth_max;

    if (rate >= control->held_rate * WORTHWHILE_GROWTH) {
        control->held_rate = rate;
        if (at_limit)
            hold(control, now_usec);
        else
            set_depth(control, control->depth * 2, in_flight, now_usec);
        return;
    }
    hold(control, now_usec);
    set_depth(control, control->depth / 2, in_flight, now_usec);
}

static void watch(struct control *control, double rate, unsigned in_flight, uint64_t now_usec)
{
    if (rate < control->held_rate * COLLAPSE || now_usec >= control->hold_until_usec) {
        control->phase = CONTROL_GROWING;
        control->held_rate = rate;
        set_depth(control, control->depth * 2, in_flight, now_usec);
        return;
    }
    begin_window(control, now_usec);
}

static void decide(struct control *control, unsigned in_flight, uint64_t now_usec)
{
    uint64_t elapsed_usec = now_usec - control->window_start_usec;
    double rate = (double)control->window_bytes * 1e6 / (double)elapsed_usec;

    if (control->phase == CONTROL_GROWING)
        grow(control, rate, in_flight, now_usec);
    else
        watch(control, rate, in_flight, now_usec);
}

void control_completed(struct control *control, uint64_t now_usec, uint64_t bytes,
                       unsigned in_flight)
{
    if (control->fixed_depth)
        return;
    if (control->settling > 0) {
        if (--control->settling == 0)
            begin_window(control, now_usec);
        return;
    }
    control->window_bytes += bytes;
    control->window_reads++;
    if (window_is_full(control, now_usec))
        decide(control, in_flight, now_usec);
}

void control_interrupted(struct control *control, uint64_t now_usec)
{
    control->settling = 0;
    begin_window(control, now_usec);
}

unsigned control_depth(const struct control *control)
{
    return control->depth;
}

uint64_t control_block_bytes(const struct control *control)
{
    return control->block_bytes;
}
