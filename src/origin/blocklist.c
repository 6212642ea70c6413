/* SPDX-License-Identifier: MIT */
#include "origin/blocklist.h"

#include "base/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct reader {
    struct blocklist *list;
    const char *snapshot;
    char *why;
    unsigned line;
    uint64_t last_end;
    bool ended;
};

static int refuse(const struct reader *reader, const char *what)
{
    snprintf(reader->why, ORIGIN_WHY_MAX, "line %u: %s", reader->line, what);
    return -EINVAL;
}

/* True when `format` matched the whole line: its last conversion is %n. */
static bool is_whole(const char *text, int matched_chars)
{
    return matched_chars > 0 && text[matched_chars] == '\0';
}

static int take_head(struct reader *reader, const char *text)
{
    struct blocklist *list = reader->list;
    unsigned format = 0;
    int end = 0;

    if (sscanf(text, "EBSWARM-BLOCKS %u %63s %" SCNu64 " %" SCNu64 "%n", &format, list->snapshot,
               &list->block_bytes, &list->volume_bytes, &end) != 4 ||
        !is_whole(text, end) || format != 1)
        return refuse(reader, "not a list of blocks of format 1");
    if (strcmp(list->snapshot, reader->snapshot) != 0)
        return refuse(reader, "the list of another snapshot");
    if (list->block_bytes == 0 || list->volume_bytes == 0)
        return refuse(reader, "a size of 0");
    if (list->volume_bytes % list->block_bytes != 0)
        return refuse(reader, "the volume is no whole number of blocks");
    return 0;
}

static int take_end(struct reader *reader, const char *text)
{
    uint64_t n_ranges, total_bytes;
    int end = 0;

    if (sscanf(text, "END %" SCNu64 " %" SCNu64 "%n", &n_ranges, &total_bytes, &end) != 2 ||
        !is_whole(text, end))
        return refuse(reader, "expected END RANGES BYTES");
    if (n_ranges != rangeset_length(reader->list->ranges) ||
        total_bytes != rangeset_total_bytes(reader->list->ranges))
        return refuse(reader, "the totals are not those of the lines before");
    reader->ended = true;
    return 0;
}

static int take_range(struct reader *reader, const char *text)
{
    const struct blocklist *list = reader->list;
    uint64_t start, length;
    int end = 0;

    if (sscanf(text, "%" SCNu64 " %" SCNu64 "%n", &start, &length, &end) != 2 ||
        !is_whole(text, end) || strchr(text, '-'))
        return refuse(reader, "expected START LENGTH");
    if (start > list->volume_bytes || length > list->volume_bytes - start || length == 0)
        return refuse(reader, "a range beyond the volume's end, or empty");
    if (start % list->block_bytes != 0 || length % list->block_bytes != 0)
        return refuse(reader, "a range that is no whole number of blocks");
    if (start < reader->last_end || (start == reader->last_end && start > 0))
        return refuse(reader, "ranges that are not ascending and merged");
    reader->last_end = start + length;
    return rangeset_add(list->ranges, start, start + length);
}

static int take_line(struct reader *reader, const char *start, size_t length)
{
    char text[128];

    if (reader->ended)
        return refuse(reader, "something after the end");
    if (length >= sizeof(text) || memchr(start, '\0', length))
        return refuse(reader, "not a line of this format");
    memcpy(text, start, length);
    text[length] = '\0';
    if (reader->line == 1)
        return take_head(reader, text);
    return strncmp(text, "END ", 4) == 0 ? take_end(reader, text) : take_range(reader, text);
}

static int read_lines(struct reader *reader, const char *text, size_t length)
{
    const char *stop = text + length;

    while (text < stop) {
        const char *newline = memchr(text, '\n', (size_t)(stop - text));
        int r;

        reader->line++;
        if (!newline)
            return refuse(reader, "cut off");
        r = take_line(reader, text, (size_t)(newline - text));
        if (r < 0)
            return r;
        text = newline + 1;
    }
    return reader->ended ? 0 : refuse(reader, "cut off before its END line");
}

int blocklist_parse(const char *text, size_t length, const char *snapshot, struct blocklist *ret,
                    char why[ORIGIN_WHY_MAX])
{
    struct blocklist list = { .ranges = rangeset_new() };
    struct reader reader = { .list = &list, .snapshot = snapshot, .why = why };
    int r;

    snprintf(why, ORIGIN_WHY_MAX, "out of memory");
    if (!list.ranges)
        return -ENOMEM;
    r = read_lines(&reader, text, length);
    if (r < 0) {
        blocklist_done(&list);
        return r;
    }
    *ret = list;
    return 0;
}

void blocklist_done(struct blocklist *list)
{
    if (list->ranges)
        rangeset_free(list->ranges);
    list->ranges = NULL;
}

char *blocklist_format(const struct blocklist *list)
{
    char *text = NULL;
    size_t length, n_ranges = rangeset_length(list->ranges);
    FILE *out = open_memstream(&text, &length);
    bool failed;

    if (!out)
        return NULL;
    fprintf(out, "EBSWARM-BLOCKS 1 %s %" PRIu64 " %" PRIu64 "\n", list->snapshot, list->block_bytes,
            list->volume_bytes);
    for (size_t i = 0; i < n_ranges; i++) {
        const struct range *range = rangeset_get(list->ranges, i);

        fprintf(out, "%" PRIu64 " %" PRIu64 "\n", range->start, range->end - range->start);
    }
    fprintf(out, "END %zu %" PRIu64 "\n", n_ranges, rangeset_total_bytes(list->ranges));
    failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
