/* SPDX-License-Identifier: MIT */
/* ListSnapshotBlocks' answers, turned into a list of blocks. Pure. */
#ifndef EC2_SNAPSHOT_BLOCKS_H
#define EC2_SNAPSHOT_BLOCKS_H

#include "ec2/aws.h"
#include "origin/blocklist.h"

/* The API's own limit is 256. */
#define BLOCKS_TOKEN_MAX 1025

struct snapshot_blocks {
    struct blocklist list;
    uint64_t next_index;               /* after the last block that was listed */
    char next_token[BLOCKS_TOKEN_MAX]; /* "" after the last page */
    bool page_was_empty;
};

/* -ENOMEM; the caller calls blocks_done(). */
int blocks_init(struct snapshot_blocks *blocks, const char *snapshot);
void blocks_done(struct snapshot_blocks *blocks);

/*
 * Adds a page. -EINVAL with *why: not what the API answers, blocks that do not ascend or lie beyond
 * the volume, sizes that differ from the last page's. -ENOMEM.
 */
int blocks_take(struct snapshot_blocks *blocks, const char *json, size_t length, const char **why);

/* The code is only the reason ("INVALID_PAGE_TOKEN"), which the message begins with too: the
 * error's type stands in a header. */
void blocks_error_take(struct aws_error *error, const char *json, size_t length);

/* Path and query of the next page; sorted and encoded, since libcurl signs them as they stand. */
char *blocks_target(const struct snapshot_blocks *blocks, bool by_token);

#endif
