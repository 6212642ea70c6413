/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "base/size.h"
#include "bucket.h"
#include "heap.h"
#include "random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A power of two; enough that 512 reads of 1 MiB over granules of 64 KiB find theirs at once. */
#define FETCH_BUCKETS 16384

/* One I/O of the caps, as EBS counts on SSD volumes. */
#define IO_BYTES (256 * KIB)

enum purpose { PURPOSE_RADIUS = 1, PURPOSE_ANGLE, PURPOSE_DATA, PURPOSE_TAIL = 5 };

enum due_kind { DUE_FETCH, DUE_READ };

struct read {
    struct read *next; /* among those who hang or are ready */
    uint64_t start, end;
    uint64_t ready_usec;
    uint64_t extra_usec;
    void *cookie;
    int error;
    size_t missing; /* fetches still waited for */
    size_t waiters;
    struct waiter {
        struct waiter *next; /* among those of one fetch */
        struct read *read;
    } waiter[];
};

struct fetch {
    struct fetch *next;      /* in the queue for a slot */
    struct fetch *next_hash; /* of the same bucket */
    struct waiter *waiters;  /* in the order in which they came */
    struct waiter **waiters_last;
    uint64_t touch; /* which unit of touch_bytes */
    uint64_t queued_usec;
};

struct read_queue {
    struct read *first;
    struct read **last;
};

struct model {
    const struct settings *settings;
    struct faults *faults;
    uint8_t *granules;
    uint64_t now_usec; /* of the last thing that happened */
    struct heap heap;
    struct read_queue hanging;
    uint64_t hanging_until_usec; /* when to judge them next */
    struct read_queue ready;
    struct fetch *queue;
    struct fetch **queue_last;
    struct fetch *fetches[FETCH_BUCKETS];
    struct bucket iops, throughput, fetch_rate;
    struct model_counts counts;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Durations may be infinite. */
static uint64_t later(uint64_t usec, uint64_t by_usec)
{
    return by_usec < USEC_INFINITY - usec ? usec + by_usec : USEC_INFINITY;
}

static void read_queue_clear(struct read_queue *queue)
{
    queue->first = NULL;
    queue->last = &queue->first;
}

static void read_queue_put(struct read_queue *queue, struct read *read)
{
    read->next = NULL;
    *queue->last = read;
    queue->last = &read->next;
}

static struct read *read_queue_take(struct read_queue *queue)
{
    struct read *read = queue->first;

    if (read && !(queue->first = read->next))
        queue->last = &queue->first;
    return read;
}

struct model *model_new(const struct settings *settings, struct faults *faults, uint8_t *granules)
{
    struct model *model = calloc(1, sizeof(*model));

    if (!model)
        return NULL;
    model->settings = settings;
    model->faults = faults;
    model->granules = granules;
    model->hanging_until_usec = USEC_INFINITY;
    read_queue_clear(&model->hanging);
    read_queue_clear(&model->ready);
    model->queue_last = &model->queue;
    return model;
}

/* Drops one of the read's places where it waits; the last one frees it. */
static void read_forget(struct read *read)
{
    if (read->missing <= 1)
        free(read);
    else
        read->missing--;
}

static void fetch_free(struct fetch *fetch)
{
    struct waiter *next;

    for (struct waiter *waiter = fetch->waiters; waiter; waiter = next) {
        next = waiter->next;
        read_forget(waiter->read);
    }
    free(fetch);
}

void model_free(struct model *model)
{
    struct read *read;

    if (!model)
        return;
    while ((read = read_queue_take(&model->hanging)) || (read = read_queue_take(&model->ready)))
        free(read);
    for (size_t i = 0; i < model->heap.length; i++) {
        if (model->heap.items[i].kind == DUE_READ)
            free(model->heap.items[i].what);
    }
    for (size_t i = 0; i < FETCH_BUCKETS; i++) {
        struct fetch *next;

        for (struct fetch *fetch = model->fetches[i]; fetch; fetch = next) {
            next = fetch->next_hash;
            fetch_free(fetch);
        }
    }
    heap_clear(&model->heap);
    free(model);
}

void model_get_counts(const struct model *model, struct model_counts *ret)
{
    *ret = model->counts;
}

void model_place_data(const struct settings *settings, uint8_t *granules, uint64_t first,
                      uint64_t end)
{
    if (settings->data_share >= 1)
        return;
    for (uint64_t i = first; i < end; i++) {
        if (random_unit(settings->seed, PURPOSE_DATA, i) >= settings->data_share)
            granules[i] = GRANULE_EMPTY;
    }
}

uint64_t model_first_touch_usec(const struct settings *settings, uint64_t touch)
{
    uint64_t seed = settings->seed;
    double radius, normal;

    if (random_unit(seed, PURPOSE_TAIL, touch) < settings->tail_probability)
        return settings->tail_latency_usec;
    /* Box and Muller's transform of two uniform numbers into a normal one. */
    radius = sqrt(-2 * log(random_unit(seed, PURPOSE_RADIUS, touch)));
    normal = radius * cos(2 * M_PI * random_unit(seed, PURPOSE_ANGLE, touch));
    return (uint64_t)((double)settings->first_touch_median_usec *
                      exp(settings->first_touch_sigma * normal));
}

static double cost_usec(double amount, double per_second)
{
    return per_second > 0 ? amount * (double)USEC_PER_SEC / per_second : 0;
}

static double io_cost_usec(const struct model *model, const struct read *read)
{
    uint64_t ios = (read->end - read->start + IO_BYTES - 1) / IO_BYTES;

    return cost_usec((double)ios, (double)model->settings->iops);
}

static double bytes_cost_usec(const struct model *model, const struct read *read)
{
    return cost_usec((double)(read->end - read->start),
                     model->settings->throughput_mib * (double)MIB);
}

static double fetch_cost_usec(const struct model *model)
{
    return cost_usec((double)settings_touch_bytes(model->settings),
                     model->settings->fetch_rate_mib * (double)MIB);
}

static struct fetch **fetch_bucket(struct model *model, uint64_t touch)
{
    return &model->fetches[random_at(0, 0, touch) % FETCH_BUCKETS];
}

/* The fetch of this unit, queued if there is none yet. */
static struct fetch *fetch_get(struct model *model, uint64_t touch, uint64_t now_usec)
{
    struct fetch **bucket = fetch_bucket(model, touch);
    struct fetch *fetch;

    for (fetch = *bucket; fetch; fetch = fetch->next_hash) {
        if (fetch->touch == touch)
            return fetch;
    }
    fetch = calloc(1, sizeof(*fetch));
    if (!fetch)
        return NULL;
    fetch->waiters_last = &fetch->waiters;
    fetch->touch = touch;
    fetch->queued_usec = now_usec;
    fetch->next_hash = *bucket;
    *bucket = fetch;
    *model->queue_last = fetch;
    model->queue_last = &fetch->next;
    return fetch;
}

/* True when bytes of the unit that lie within the read are cold. */
static bool touch_needed(const struct model *model, const struct read *read, uint64_t touch)
{
    const uint64_t granule_bytes = model->settings->granule_bytes;
    const uint64_t touch_bytes = settings_touch_bytes(model->settings);
    uint64_t start = touch * touch_bytes;
    uint64_t end = start + touch_bytes;

    start = most(start, read->start);
    end = least(end, read->end);
    for (uint64_t i = start / granule_bytes; i * granule_bytes < end; i++) {
        if (model->granules[i] == GRANULE_COLD)
            return true;
    }
    return false;
}

static void read_ready(struct model *model, struct read *read, uint64_t now_usec)
{
    read->ready_usec = now_usec;
    read_queue_put(&model->ready, read);
}

/* Sets out: waits for every fetch that it needs, or is ready. */
static int read_start(struct model *model, struct read *read, uint64_t now_usec)
{
    const uint64_t touch_bytes = settings_touch_bytes(model->settings);
    size_t n = 0;

    for (uint64_t touch = read->start / touch_bytes; touch * touch_bytes < read->end; touch++) {
        struct waiter *waiter = &read->waiter[n];
        struct fetch *fetch;

        if (!touch_needed(model, read, touch))
            continue;
        fetch = fetch_get(model, touch, now_usec);
        if (!fetch)
            return -ENOMEM;
        waiter->read = read;
        *fetch->waiters_last = waiter;
        fetch->waiters_last = &waiter->next;
        read->missing = ++n;
    }
    if (n == 0)
        read_ready(model, read, now_usec);
    return 0;
}

/* What the faults make of it now. */
static int read_judge(struct model *model, struct read *read, uint64_t now_usec)
{
    struct verdict verdict = faults_judge(model->faults, now_usec, read->start, read->end);

    switch (verdict.kind) {
    case VERDICT_HANG:
        read_queue_put(&model->hanging, read);
        model->counts.reads_hanging++;
        if (verdict.until_usec < model->hanging_until_usec)
            model->hanging_until_usec = verdict.until_usec;
        return 0;
    case VERDICT_FAIL:
        read->error = -EIO;
        return heap_push(&model->heap, later(now_usec, model->settings->warm_latency_usec),
                         DUE_READ, read);
    case VERDICT_PASS:
        break;
    }
    read->extra_usec = verdict.delay_usec;
    return read_start(model, read, now_usec);
}

static int judge_hanging(struct model *model, uint64_t now_usec)
{
    struct read_queue old = { .last = &old.first };
    struct read *read;

    while ((read = read_queue_take(&model->hanging)))
        read_queue_put(&old, read);
    model->hanging_until_usec = USEC_INFINITY;
    model->counts.reads_hanging = 0;
    while ((read = read_queue_take(&old))) {
        int r = read_judge(model, read, now_usec);

        if (r < 0)
            return r;
    }
    return 0;
}

int model_faults_changed(struct model *model, uint64_t now_usec)
{
    model->now_usec = most(model->now_usec, now_usec);
    return judge_hanging(model, model->now_usec);
}

int model_read(struct model *model, uint64_t now_usec, uint64_t offset, uint64_t length_bytes,
               void *cookie)
{
    const uint64_t touch_bytes = settings_touch_bytes(model->settings);
    size_t touches = (offset + length_bytes - 1) / touch_bytes - offset / touch_bytes + 1;
    struct read *read = calloc(1, sizeof(*read) + touches * sizeof(read->waiter[0]));

    if (!read)
        return -ENOMEM;
    read->start = offset;
    read->end = offset + length_bytes;
    read->cookie = cookie;
    if (++model->counts.reads_in_flight > model->counts.reads_in_flight_max)
        model->counts.reads_in_flight_max = model->counts.reads_in_flight;
    return read_judge(model, read, now_usec);
}

/* When that which came at `came_usec` may leave by its buckets, and not in the past. */
static uint64_t leaves_usec(const struct model *model, uint64_t came_usec, double paid_usec)
{
    uint64_t whole_usec = paid_usec > 0 ? (uint64_t)ceil(paid_usec) : 0;

    return most(whole_usec, most(came_usec, model->now_usec));
}

/* When the first in the queue may start to be fetched. */
static uint64_t next_fetch_usec(const struct model *model)
{
    const struct fetch *fetch = model->queue;
    double leave_usec;

    if (!fetch || model->counts.fetches_under_way >= model->settings->fetch_slots)
        return USEC_INFINITY;
    leave_usec = bucket_leave_usec(&model->fetch_rate, fetch->queued_usec, fetch_cost_usec(model),
                                   (double)model->settings->burst_usec);
    return leaves_usec(model, fetch->queued_usec, leave_usec);
}

/* When the first that is ready has passed the caps. */
static uint64_t next_ready_usec(const struct model *model)
{
    const double depth_usec = (double)model->settings->burst_usec;
    const struct read *read = model->ready.first;
    double io_usec, bytes_usec;

    if (!read)
        return USEC_INFINITY;
    io_usec =
        bucket_leave_usec(&model->iops, read->ready_usec, io_cost_usec(model, read), depth_usec);
    bytes_usec = bucket_leave_usec(&model->throughput, read->ready_usec,
                                   bytes_cost_usec(model, read), depth_usec);
    return leaves_usec(model, read->ready_usec, fmax(io_usec, bytes_usec));
}

static int start_fetch(struct model *model)
{
    struct fetch *fetch = model->queue;

    model->queue = fetch->next;
    if (!model->queue)
        model->queue_last = &model->queue;
    bucket_take(&model->fetch_rate, fetch->queued_usec, model->now_usec, fetch_cost_usec(model),
                (double)model->settings->burst_usec);
    model->counts.fetches_under_way++;
    return heap_push(&model->heap,
                     later(model->now_usec, model_first_touch_usec(model->settings, fetch->touch)),
                     DUE_FETCH, fetch);
}

static int pass_ready(struct model *model)
{
    const double depth_usec = (double)model->settings->burst_usec;
    struct read *read = read_queue_take(&model->ready);

    bucket_take(&model->iops, read->ready_usec, model->now_usec, io_cost_usec(model, read),
                depth_usec);
    bucket_take(&model->throughput, read->ready_usec, model->now_usec, bytes_cost_usec(model, read),
                depth_usec);
    return heap_push(
        &model->heap,
        later(later(model->now_usec, model->settings->warm_latency_usec), read->extra_usec),
        DUE_READ, read);
}

static void warm_touch(struct model *model, uint64_t touch)
{
    const uint64_t granule_bytes = model->settings->granule_bytes;
    const uint64_t touch_bytes = settings_touch_bytes(model->settings);
    uint64_t end = least((touch + 1) * touch_bytes, model->settings->size_bytes);

    for (uint64_t i = touch * touch_bytes / granule_bytes; i * granule_bytes < end; i++) {
        if (model->granules[i] == GRANULE_COLD)
            model->granules[i] = GRANULE_WARM;
    }
}

static void end_fetch(struct model *model, struct fetch *fetch)
{
    struct fetch **place = fetch_bucket(model, fetch->touch);
    struct waiter *waiter = fetch->waiters;

    while (*place != fetch)
        place = &(*place)->next_hash;
    *place = fetch->next_hash;
    warm_touch(model, fetch->touch);
    model->counts.fetches_under_way--;
    model->counts.fetches++;
    while (waiter) {
        struct waiter *next = waiter->next;

        if (--waiter->read->missing == 0)
            read_ready(model, waiter->read, model->now_usec);
        waiter = next;
    }
    free(fetch);
}

static void end_read(struct model *model, struct read *read, struct completion *ret)
{
    *ret = (struct completion){ .cookie = read->cookie, .error = read->error };
    model->counts.reads_in_flight--;
    free(read);
}

static uint64_t next_due_usec(const struct model *model)
{
    const struct due *due = heap_peek(&model->heap);

    return due ? due->due_usec : USEC_INFINITY;
}

uint64_t model_next_usec(const struct model *model)
{
    return least(least(next_due_usec(model), model->hanging_until_usec),
                 least(next_fetch_usec(model), next_ready_usec(model)));
}

/* Does what comes next, which is now: 1 when that completed a read. */
static int step(struct model *model, struct completion *ret)
{
    struct due due;

    if (next_due_usec(model) > model->now_usec) {
        if (model->hanging_until_usec <= model->now_usec)
            return judge_hanging(model, model->now_usec);
        return next_fetch_usec(model) <= model->now_usec ? start_fetch(model) : pass_ready(model);
    }
    due = heap_pop(&model->heap);
    if (due.kind == DUE_FETCH) {
        end_fetch(model, due.what);
        return 0;
    }
    end_read(model, due.what, ret);
    return 1;
}

int model_complete(struct model *model, uint64_t now_usec, struct completion *ret)
{
    for (;;) {
        uint64_t next_usec = model_next_usec(model);
        int r;

        if (next_usec > now_usec)
            return 0;
        model->now_usec = most(model->now_usec, next_usec);
        r = step(model, ret);
        if (r != 0)
            return r;
    }
}
