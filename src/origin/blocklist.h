/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a snapshot that hold data, as a text file beside the origin file (VOLUME.blocks):
 *
 *   EBSWARM-BLOCKS 1 SNAPSHOT BLOCK-BYTES VOLUME-BYTES
 *   START LENGTH          bytes, ascending, merged
 *   END RANGES BYTES      the totals; a file without it was cut off and is refused
 */
#ifndef ORIGIN_BLOCKLIST_H
#define ORIGIN_BLOCKLIST_H

#include "base/rangeset.h"
#include "origin/origin.h"

/* What a reader need not go beyond. */
#define BLOCKLIST_FILE_MAX (UINT64_C(64) * 1024 * 1024)

struct blocklist {
    char snapshot[ORIGIN_WORD_MAX];
    uint64_t block_bytes;
    uint64_t volume_bytes;
    struct rangeset *ranges;
};

/* Frees `ranges`. */
void blocklist_done(struct blocklist *list);

/*
 * -EINVAL with `why` for another format, another snapshot than `snapshot`, ranges out of order,
 * beyond the volume or not of whole blocks, totals that differ, a missing end. The caller calls
 * blocklist_done().
 */
int blocklist_parse(const char *text, size_t length, const char *snapshot, struct blocklist *ret,
                    char why[ORIGIN_WHY_MAX]);

/* The caller frees; NULL when out of memory. */
char *blocklist_format(const struct blocklist *list);

#endif
