/* SPDX-License-Identifier: MIT */
/* Against a bitmap; what is refused is in tests/ec2/. */
#include "ec2/snapshot_blocks.h"

#include "base/size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BLOCK    524288
#define N_BLOCKS 2048 /* of 1 GiB */

static void take_page(struct snapshot_blocks *blocks, const bool *bitmap, size_t from, size_t to,
                      const char *token)
{
    char *json = NULL;
    const char *why, *comma = "";
    size_t length;
    FILE *out = open_memstream(&json, &length);

    assert_non_null(out);
    fputs("{\"Blocks\":[", out);
    for (size_t i = from; i < to; i++) {
        if (!bitmap[i])
            continue;
        fprintf(out, "%s{\"BlockIndex\":%zu,\"BlockToken\":\"AAAB\"}", comma, i);
        comma = ",";
    }
    fprintf(out, "],\"BlockSize\":%d,\"VolumeSize\":1,\"ExpiryTime\":1.576287332E9,", BLOCK);
    fprintf(out, token ? "\"NextToken\":\"%s\"}" : "\"NextToken\":null}", token ? token : "");
    assert_int_equal(fclose(out), 0);
    if (blocks_take(blocks, json, length, &why) < 0)
        fail_msg("%s: %s", why, json);
    free(json);
}

static void pages_add_up(void **state)
{
    struct snapshot_blocks blocks;
    bool bitmap[N_BLOCKS];
    uint64_t total = 0;

    (void)state;
    srand(1);
    for (int i = 0; i < N_BLOCKS; i++) {
        bitmap[i] = rand() % 3 != 0;
        total += bitmap[i] ? BLOCK : 0;
    }
    assert_int_equal(blocks_init(&blocks, "snap-1"), 0);
    take_page(&blocks, bitmap, 0, 1, "a");
    take_page(&blocks, bitmap, 1, 1, "b");
    assert_true(blocks.page_was_empty);
    take_page(&blocks, bitmap, 1, 1000, "c");
    assert_false(blocks.page_was_empty);
    take_page(&blocks, bitmap, 1000, N_BLOCKS, NULL);
    assert_string_equal(blocks.next_token, "");
    for (uint64_t i = 0; i < N_BLOCKS; i++)
        assert_int_equal(rangeset_contains(blocks.list.ranges, i * BLOCK, (i + 1) * BLOCK),
                         bitmap[i]);
    assert_int_equal(rangeset_total_bytes(blocks.list.ranges), total);
    blocks_done(&blocks);
}

static void targets(void **state)
{
    static const bool bitmap[8] = { [5] = true };
    struct snapshot_blocks blocks;
    char *target;

    (void)state;
    assert_int_equal(blocks_init(&blocks, "snap-0a"), 0);
    target = blocks_target(&blocks, false);
    assert_string_equal(target, "/snapshots/snap-0a/blocks?maxResults=10000");
    free(target);
    take_page(&blocks, bitmap, 0, 8, "a+/=Z9");
    target = blocks_target(&blocks, false);
    assert_string_equal(target, "/snapshots/snap-0a/blocks?maxResults=10000&startingBlockIndex=6");
    free(target);
    target = blocks_target(&blocks, true);
    assert_string_equal(target,
                        "/snapshots/snap-0a/blocks?maxResults=10000&pageToken=a%2B%2F%3DZ9");
    free(target);
    blocks_done(&blocks);
}

static void an_error_s_message_begins_with_its_reason(void **state)
{
    static const char json[] = "{\"Message\":\"gone\",\"Reason\":\"INVALID_PAGE_TOKEN\"}";
    struct aws_error error;

    (void)state;
    blocks_error_take(&error, json, strlen(json));
    assert_string_equal(error.code, "INVALID_PAGE_TOKEN");
    assert_string_equal(error.message, "INVALID_PAGE_TOKEN: gone");
    blocks_error_take(&error, "<", 1);
    assert_string_equal(error.code, "");
    assert_string_equal(error.message, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_add_up),
        cmocka_unit_test(targets),
        cmocka_unit_test(an_error_s_message_begins_with_its_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
