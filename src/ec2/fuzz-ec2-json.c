/* SPDX-License-Identifier: MIT */
/* Whatever the EBS API answers, a list that is taken from it can be written and read again. */
#include "base/cleanup.h"
#include "ec2/snapshot_blocks.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct blocklist *list)
{
    _cleanup_free_ char *text = blocklist_format(list);
    struct blocklist again;
    char why[ORIGIN_WHY_MAX];

    if (!text || blocklist_parse(text, strlen(text), list->snapshot, &again, why) < 0 ||
        rangeset_total_bytes(again.ranges) != rangeset_total_bytes(list->ranges))
        abort();
    blocklist_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *json = (const char *)data, *why;
    struct snapshot_blocks blocks;
    struct aws_error error;

    blocks_error_take(&error, json, size);
    if (blocks_init(&blocks, "snap-0a") < 0)
        return 0;
    if (blocks_take(&blocks, json, size, &why) >= 0)
        check(&blocks.list);
    blocks_done(&blocks);
    return 0;
}
