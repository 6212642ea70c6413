/* SPDX-License-Identifier: MIT */
#include "ec2/snapshot_blocks.h"

#include "base/cleanup.h"
#include "base/size.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* 512 KiB as documented; others are taken, within reason. */
#define BLOCK_MIN_BYTES (4 * KIB)
#define BLOCK_MAX_BYTES (64 * MIB)
/* The largest volume (io2) has 64 TiB. */
#define VOLUME_MAX_GIB INT64_C(1048576)

/* So fragmented a list saves little and costs much memory. */
#define RANGES_MAX 1000000U

DEFINE_CLEANUP(json_t *, json_decref, json_p)

int blocks_init(struct snapshot_blocks *blocks, const char *snapshot)
{
    *blocks = (struct snapshot_blocks){ .list.ranges = rangeset_new() };
    snprintf(blocks->list.snapshot, sizeof(blocks->list.snapshot), "%s", snapshot);
    return blocks->list.ranges ? 0 : -ENOMEM;
}

void blocks_done(struct snapshot_blocks *blocks)
{
    blocklist_done(&blocks->list);
}

static int refuse(const char **why, const char *what)
{
    *why = what;
    return -EINVAL;
}

static int take_sizes(struct blocklist *list, const json_t *page, const char **why)
{
    json_int_t block = json_integer_value(json_object_get(page, "BlockSize"));
    json_int_t volume = json_integer_value(json_object_get(page, "VolumeSize"));

    if (block < (json_int_t)BLOCK_MIN_BYTES || block > (json_int_t)BLOCK_MAX_BYTES ||
        (block & (block - 1)) != 0)
        return refuse(why, "BlockSize is missing or no size of a block");
    if (volume < 1 || volume > VOLUME_MAX_GIB)
        return refuse(why, "VolumeSize is missing or no size of a volume");
    if (list->block_bytes != 0 &&
        (list->block_bytes != (uint64_t)block || list->volume_bytes != (uint64_t)volume * GIB))
        return refuse(why, "its sizes are not those of the page before");
    list->block_bytes = (uint64_t)block;
    list->volume_bytes = (uint64_t)volume * GIB;
    return 0;
}

static int take_token(struct snapshot_blocks *blocks, const json_t *page, const char **why)
{
    const json_t *token = json_object_get(page, "NextToken");

    blocks->next_token[0] = '\0';
    if (!token || json_is_null(token))
        return 0;
    if (!json_is_string(token) || json_string_length(token) >= sizeof(blocks->next_token))
        return refuse(why, "NextToken is no token");
    strcpy(blocks->next_token, json_string_value(token));
    return 0;
}

static int take_block(struct snapshot_blocks *blocks, const json_t *block, const char **why)
{
    const json_t *value = json_object_get(block, "BlockIndex");
    json_int_t index = json_integer_value(value);
    uint64_t block_bytes = blocks->list.block_bytes, start;
    int r;

    if (!json_is_integer(value) || index < 0)
        return refuse(why, "a block without BlockIndex");
    if ((uint64_t)index < blocks->next_index)
        return refuse(why, "its blocks do not ascend");
    if ((uint64_t)index >= blocks->list.volume_bytes / block_bytes)
        return refuse(why, "a block beyond the volume's end");
    start = (uint64_t)index * block_bytes;
    r = rangeset_add(blocks->list.ranges, start, start + block_bytes);
    if (r < 0) {
        *why = "out of memory";
        return r;
    }
    if (rangeset_length(blocks->list.ranges) > RANGES_MAX)
        return refuse(why, "its blocks are in over 1,000,000 pieces");
    blocks->next_index = (uint64_t)index + 1;
    return 0;
}

int blocks_take(struct snapshot_blocks *blocks, const char *json, size_t length, const char **why)
{
    _cleanup_(json_p) json_t *page = json_loadb(json, length, 0, NULL);
    const json_t *list = json_object_get(page, "Blocks"), *block;
    size_t i;
    int r;

    if (!json_is_array(list))
        return refuse(why, "no JSON with Blocks");
    r = take_sizes(&blocks->list, page, why);
    if (r >= 0)
        r = take_token(blocks, page, why);
    json_array_foreach(list, i, block)
    {
        if (r >= 0)
            r = take_block(blocks, block, why);
    }
    blocks->page_was_empty = json_array_size(list) == 0;
    return r;
}

void blocks_error_take(struct aws_error *error, const char *json, size_t length)
{
    _cleanup_(json_p) json_t *body = json_loadb(json, length, 0, NULL);
    const char *reason = json_string_value(json_object_get(body, "Reason"));
    const char *message = json_string_value(json_object_get(body, "Message"));

    if (!message)
        message = json_string_value(json_object_get(body, "message"));
    *error = (struct aws_error){ 0 };
    snprintf(error->code, sizeof(error->code), "%s", reason ? reason : "");
    snprintf(error->message, sizeof(error->message), "%s%s%s", reason ? reason : "",
             reason && message ? ": " : "", message ? message : "");
}

static void print_encoded(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (isalnum((unsigned char)*text))
            fputc(*text, out);
        else
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

char *blocks_target(const struct snapshot_blocks *blocks, bool by_token)
{
    char *target = NULL;
    size_t length;
    FILE *out = open_memstream(&target, &length);

    if (!out)
        return NULL;
    fprintf(out, "/snapshots/%s/blocks?maxResults=10000", blocks->list.snapshot);
    if (by_token) {
        fputs("&pageToken=", out);
        print_encoded(out, blocks->next_token);
    } else if (blocks->next_index > 0) {
        fprintf(out, "&startingBlockIndex=%" PRIu64, blocks->next_index);
    }
    return fclose(out) == 0 ? target : NULL;
}
