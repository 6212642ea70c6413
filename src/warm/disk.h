/* SPDX-License-Identifier: MIT */
/*
 * A device (or file) that is open for reading: its descriptor, who it is, and the reads in flight.
 * Opening and closing are jobs, since either may hang; reads go through the engine. A disk that was
 * let go lives on, unseen, until its last read has come back.
 */
#ifndef WARM_DISK_H
#define WARM_DISK_H

#include "base/job.h"
#include "device/identity.h"
#include "engine/engine.h"
#include "plan/progress.h"

struct disk;
struct disk_opening;

/* Why a read was made; handed back with it. */
enum disk_purpose {
    DISK_WARM,
    DISK_SAMPLE_BEFORE, /* of planned bytes: it warms them too */
    DISK_SAMPLE_AFTER,  /* of bytes that are warm already */
};

struct disk_read {
    struct disk *disk;
    struct piece piece;
    enum disk_purpose purpose;
    uint64_t submitted_usec; /* CLOCK_MONOTONIC */
    struct disk_read *previous, *next;
};

/* `result`: bytes of the piece that were read (> 0), or negative errno. A read of nothing is
 * -ENODATA. */
typedef void (*disk_read_fn)(const struct disk_read *read, int result, void *userdata);

/* `disk` is NULL with a negative `error`, or the callee's to let go of. */
typedef void (*disk_opened_fn)(struct disk *disk, int error, void *userdata);

/* Opens `path` read-only and unbuffered, on a job. -errno when no job can be had. */
int disk_open(struct jobs *jobs, struct engine *engine, const char *path, disk_opened_fn opened,
              disk_read_fn read_done, void *userdata, struct disk_opening **ret);
/* `opened` will not be called; what is opened nevertheless is closed. */
void disk_opening_cancel(struct disk_opening *opening);

/* No callback comes after this. The descriptor is closed on a job. */
void disk_let_go(struct disk *disk);

/* As engine_read(). The piece must begin on a sector. */
int disk_read(struct disk *disk, const struct piece *piece, enum disk_purpose purpose);

const struct device_identity *disk_identity(const struct disk *disk);
const struct device_geometry *disk_geometry(const struct disk *disk);
unsigned disk_in_flight(const struct disk *disk);
/* Age of the oldest read in flight, in µs; 0 without any. *ret_offset is where it reads. */
uint64_t disk_oldest_usec(const struct disk *disk, uint64_t now_usec, uint64_t *ret_offset);

/*
 * Is it still what was opened? 0, -ENODEV when it is gone, -ESTALE when another medium is under it.
 * *ret_bytes is its size now. Asks the kernel only, never the disk.
 */
int disk_verify(const struct disk *disk, uint64_t *ret_bytes);

/* The same of a device node at `path` that nobody holds open. 0, -ENODEV, -ESTALE. */
int disk_verify_path(const char *path, const struct device_identity *identity, uint64_t *ret_bytes);

#endif
