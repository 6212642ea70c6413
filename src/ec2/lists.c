/* SPDX-License-Identifier: MIT */
#include "ec2/lists.h"

#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "ec2/snapshot_blocks.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define ACTION "ListSnapshotBlocks"
/* Of page tokens that ran out, for one snapshot. */
#define RESTARTS_MAX 3

static bool is_snapshot_id(const char *id)
{
    return strncmp(id, "snap-", 5) == 0 && id[5] &&
           id[5 + strspn(id + 5, "0123456789abcdef")] == '\0';
}

static bool has_list(int directory_fd, const char *name, const char *snapshot)
{
    _cleanup_free_ char *text = NULL;
    struct blocklist list = { 0 };
    char why[ORIGIN_WHY_MAX];
    size_t length;

    if (directory_fd < 0 ||
        read_small_file(directory_fd, name, BLOCKLIST_FILE_MAX, &text, &length) < 0 ||
        blocklist_parse(text, length, snapshot, &list, why) < 0)
        return false;
    blocklist_done(&list);
    return true;
}

static int ask_page(struct aws *aws, struct snapshot_blocks *blocks, bool by_token)
{
    _cleanup_free_ char *target = blocks_target(blocks, by_token);
    _cleanup_free_ char *json = NULL;
    const struct aws_request request = { .action = ACTION,
                                         .target = target,
                                         .take_error = blocks_error_take };
    const char *why;
    size_t length;
    int r;

    if (!target)
        return aws_refuse(aws, -ENOMEM, ACTION, "out of memory");
    r = aws_call(aws, &request, &json, &length);
    if (r < 0)
        return r;
    r = blocks_take(blocks, json, length, &why);
    return r < 0 ? aws_refuse(aws, r, ACTION, why) : 0;
}

/*
 * The next page is asked for by its first block: digits, which every libcurl signs right. Only an
 * empty page leaves no block to go on from; there its token is used, whose signature libcurl 8.14
 * to 8.18 gets wrong where it holds a "+".
 */
static int ask_pages(struct aws *aws, struct snapshot_blocks *blocks, bool first_only)
{
    bool by_token = false;
    int restarts = 0;

    for (;;) {
        int r = ask_page(aws, blocks, by_token);
        bool ran_out =
            by_token && r == -EIO && strstr(aws_last_error(aws)->message, "INVALID_PAGE_TOKEN");

        if (ran_out && restarts++ < RESTARTS_MAX) {
            by_token = false;
            continue;
        }
        if (r < 0 || first_only || blocks->next_token[0] == '\0')
            return r;
        by_token = blocks->page_was_empty;
    }
}

static int write_list(const struct aws *aws, const struct blocklist *list, int directory_fd,
                      const char *name)
{
    _cleanup_free_ char *text = blocklist_format(list);
    int r = text ? atomic_write_file(directory_fd, name, text, strlen(text), 0644) : -ENOMEM;

    return r < 0 ? aws_refuse(aws, r, name, strerror(-r)) : 0;
}

static int list_one(struct aws *aws, const char *snapshot, int directory_fd, const char *name)
{
    struct snapshot_blocks blocks;
    int r = blocks_init(&blocks, snapshot);

    if (r < 0)
        return aws_refuse(aws, r, ACTION, "out of memory");
    r = ask_pages(aws, &blocks, directory_fd < 0);
    if (r >= 0 && directory_fd >= 0)
        r = write_list(aws, &blocks.list, directory_fd, name);
    blocks_done(&blocks);
    return r;
}

/* The same answer stands for three things, and the first is no mistake. */
static void note_failure(const struct aws *aws, const struct origin *origin,
                         void (*note)(const char *text))
{
    char text[EC2_WHY_MAX + 3 * ORIGIN_WORD_MAX];
    const char *why = aws_why(aws);

    if (strncmp(aws_last_error(aws)->code, "AccessDenied", strlen("AccessDenied")) == 0)
        why = "refused: a public snapshot, or another account's, or the role lacks "
              "ebs:" ACTION " (see ebswarm-ec2(8))";
    snprintf(text, sizeof(text), "the blocks of %s, for %s: %s", origin->snapshot, origin->volume,
             why);
    note(text);
}

void lists_ask(struct aws *aws, const struct volumes *volumes, int directory_fd,
               void (*note)(const char *text))
{
    for (size_t i = 0; i < volumes->n_items; i++) {
        const struct origin *origin = &volumes->items[i];
        char name[ORIGIN_WORD_MAX + sizeof(LISTS_SUFFIX)];

        snprintf(name, sizeof(name), "%s" LISTS_SUFFIX, origin->volume);
        if (!is_snapshot_id(origin->snapshot) || has_list(directory_fd, name, origin->snapshot))
            continue;
        if (list_one(aws, origin->snapshot, directory_fd, name) < 0)
            note_failure(aws, origin, note);
    }
}
