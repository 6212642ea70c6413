/* SPDX-License-Identifier: MIT */
/*
 * The record of a cold volume: a sparse file, mapped by the server, that tests read as the truth.
 *
 *   offset 0               struct record_header (little-endian on every machine this runs on)
 *   counts_offset          one u8 for every page: how often a reply brought the whole of it (255:
 *                          255 times or more)
 *   sectors_offset         one u8 for every page: which of its eight 512-byte sectors were brought
 *                          by reads of less than the page since the count last rose (bit 0: the
 *                          first); when all are, the count rises
 *   granules_offset        one u8 for every granule: enum granule_state (0 cold, 1 warm, 2 empty)
 *
 * A read counts only once its reply, with data, was handed to the kernel. The last page of a volume
 * may be short; it is whole when all its bytes are there.
 */
#ifndef COLDVOL_RECORD_H
#define COLDVOL_RECORD_H

#include "settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAGIC        "COLDVOL"
#define RECORD_VERSION      1
#define RECORD_PAGE_BYTES   4096
#define RECORD_SECTOR_BYTES 512

struct record_header {
    char magic[8];
    uint32_t version;
    uint32_t page_bytes;
    uint64_t size_bytes;     /* of the volume now */
    uint64_t capacity_bytes; /* the largest size it ever had */
    uint64_t granule_bytes;
    uint64_t counts_offset;
    uint64_t sectors_offset;
    uint64_t granules_offset;
    uint64_t writes; /* that reached the volume, whatever became of them */
    uint64_t reads;  /* that brought data */
    uint64_t failed_reads;
    uint64_t bytes_read;
    uint64_t reread_bytes; /* of pages that had been read before */
    uint64_t fetches;
};

struct record;

/* -EEXIST when there is one at `path`. The granules are those of a new volume. */
int record_create(const char *path, const struct settings *settings, struct record **ret);
/* -EBADMSG when the file is no record, -ENOENT. */
int record_open(const char *path, struct record **ret);
void record_free(struct record *record);

struct record_header *record_get_header(struct record *record);
uint8_t *record_get_granules(struct record *record);

/* A reply with the data of [offset, offset + length_bytes) was sent. */
void record_add_read(struct record *record, uint64_t offset, uint64_t length_bytes);

/* What a volume gains by growing was in no snapshot: its granules are empty. */
void record_resize(struct record *record, uint64_t size_bytes);
/* Zeros all that counts reads. */
int record_reset(struct record *record);
/* Warm granules that touch [start, end) are cold again. */
void record_chill(struct record *record, uint64_t start, uint64_t end);

#endif
