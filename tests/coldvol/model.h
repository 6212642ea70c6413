/* SPDX-License-Identifier: MIT */
/*
 * What a volume that is restored from a snapshot does with reads, as a simulation: pure, no
 * descriptor, no clock. The owner tells it reads and the time; it tells which are complete.
 *
 * A granule that was never touched is fetched on its first read, which takes a lognormal latency;
 * all reads that need it wait for that one fetch. At most `fetch_slots` fetches are under way, the
 * rest queue. A read whose granules are all there passes the IOPS and throughput caps in order of
 * readiness and is complete after the warm latency.
 */
#ifndef COLDVOL_MODEL_H
#define COLDVOL_MODEL_H

#include "faults.h"
#include "settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum granule_state {
    GRANULE_COLD,  /* not fetched since the volume was made or chilled */
    GRANULE_WARM,  /* fetched */
    GRANULE_EMPTY, /* held no data: as fast as a warm one from the start */
};

struct model;

struct completion {
    void *cookie;
    int error; /* 0 or negative errno */
};

struct model_counts {
    uint64_t fetches;         /* ended ones */
    uint64_t reads_in_flight; /* told and not yet complete */
    uint64_t reads_in_flight_max;
    uint64_t reads_hanging;
    uint64_t fetches_under_way;
};

/*
 * `granules` holds one enum granule_state a granule and, like `settings` and `faults`, stays the
 * caller's. Settings may change meanwhile: what waits goes by the new ones. NULL when out of
 * memory.
 */
struct model *model_new(const struct settings *settings, struct faults *faults, uint8_t *granules);
/* Forgets the reads under way without completing them. */
void model_free(struct model *model);

/* The faults have changed: those who hang are judged anew. */
int model_faults_changed(struct model *model, uint64_t now_usec);

/* A read of `length_bytes` > 0 bytes within the volume begins. */
int model_read(struct model *model, uint64_t now_usec, uint64_t offset, uint64_t length_bytes,
               void *cookie);

/* When model_complete() has something to do next; USEC_INFINITY while nothing is due ever. */
uint64_t model_next_usec(const struct model *model);

/*
 * Lets time go on to `now_usec` at most, up to the next read that is complete: 1 with it in *ret, 0
 * when there is none yet. -ENOMEM.
 */
int model_complete(struct model *model, uint64_t now_usec, struct completion *ret);

void model_get_counts(const struct model *model, struct model_counts *ret);

/* Makes of the untouched granules of a new volume those empty that hold no data. */
void model_place_data(const struct settings *settings, uint8_t *granules, uint64_t first,
                      uint64_t end);

/* What the first touch of this unit of touch_bytes costs. */
uint64_t model_first_touch_usec(const struct settings *settings, uint64_t touch);

#endif
