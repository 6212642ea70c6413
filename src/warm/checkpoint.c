/* SPDX-License-Identifier: MIT */
#include "warm/checkpoint.h"

#include "base/cleanup.h"
#include "base/crc32c.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define MAGIC "ebswarm checkpoint "

DEFINE_CLEANUP(struct checkpoint *, checkpoint_free, checkpoint_free_p)

struct checkpoint *checkpoint_new(void)
{
    _cleanup_(checkpoint_free_p) struct checkpoint *checkpoint = calloc(1, sizeof(*checkpoint));

    if (!checkpoint)
        return NULL;
    checkpoint->warm = rangeset_new();
    checkpoint->unreadable = rangeset_new();
    if (!checkpoint->warm || !checkpoint->unreadable)
        return NULL;
    return steal_pointer(&checkpoint);
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    rangeset_free(checkpoint->warm);
    rangeset_free(checkpoint->unreadable);
    free(checkpoint);
}

static void write_sample(FILE *file, const char *key, const struct check_report *sample)
{
    if (sample->samples == 0)
        return;
    fprintf(file,
            "%s %u %" PRIu64 " %.0f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            key, sample->samples, sample->sample_bytes, sample->bytes_per_sec, sample->p50_usec,
            sample->p90_usec, sample->p99_usec, sample->max_usec, sample->seed);
}

static void write_ranges(FILE *file, const char *key, const struct rangeset *set)
{
    const struct range *range;

    for (size_t i = 0; (range = rangeset_get(set, i)); i++)
        fprintf(file, "%s %" PRIu64 " %" PRIu64 "\n", key, range->start, range->end);
}

static void write_body(FILE *file, const struct checkpoint *checkpoint)
{
    const struct device_identity *identity = &checkpoint->identity;

    fprintf(file, MAGIC "%u\n", CHECKPOINT_FORMAT);
    fprintf(file, "id %s\n", identity->id);
    fprintf(file, "lasting %s\n", identity->lasting ? "yes" : "no");
    fprintf(file, "boot %s\n", identity->boot_id);
    fprintf(file, "device %u:%u\n", major(identity->devnum), minor(identity->devnum));
    fprintf(file, "diskseq %" PRIu64 "\n", identity->diskseq);
    fprintf(file, "size %" PRIu64 "\n", checkpoint->size_bytes);
    fprintf(file, "started %" PRIu64 "\n", checkpoint->started_unix_sec);
    fprintf(file, "updated %" PRIu64 "\n", checkpoint->updated_unix_sec);
    if (checkpoint->paused)
        fprintf(file, "paused %s\n", checkpoint->paused_boot_id);
    write_sample(file, "before", &checkpoint->before);
    write_sample(file, "after", &checkpoint->after);
    write_ranges(file, "warm", checkpoint->warm);
    write_ranges(file, "unreadable", checkpoint->unreadable);
}

int checkpoint_format(const struct checkpoint *checkpoint, char **ret_text, size_t *ret_length)
{
    _cleanup_free_ char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    if (!file)
        return -ENOMEM;
    write_body(file, checkpoint);
    if (fflush(file) != 0) {
        fclose(file);
        return -ENOMEM;
    }
    fprintf(file, "end %08" PRIx32 "\n", crc32c(text, length));
    if (fclose(file) != 0)
        return -ENOMEM;
    *ret_text = steal_pointer(&text);
    *ret_length = length;
    return 0;
}

/* Reads a text line by line; a line is given without its newline, and only if it has one. */
struct reader {
    const char *at, *end;
    char line[256];
};

static bool peek_line(struct reader *reader)
{
    const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    size_t length;

    if (!newline)
        return false;
    length = (size_t)(newline - reader->at);
    if (length >= sizeof(reader->line) || memchr(reader->at, '\0', length))
        return false;
    memcpy(reader->line, reader->at, length);
    reader->line[length] = '\0';
    return true;
}

static void skip_line(struct reader *reader)
{
    reader->at += strlen(reader->line) + 1;
}

/* If the next line is "KEY VALUE", takes it and returns its value, valid until the next call. */
static const char *take(struct reader *reader, const char *key)
{
    size_t length = strlen(key);

    if (!peek_line(reader) || strncmp(reader->line, key, length) != 0 ||
        reader->line[length] != ' ')
        return NULL;
    skip_line(reader);
    return reader->line + length + 1;
}

/* `n` decimal numbers with one space between them, and nothing else. */
static bool parse_numbers(const char *text, uint64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        errno = 0;
        numbers[i] = strtoull(text, &end, 10);
        if (errno != 0 || *end != (i + 1 < n ? ' ' : '\0'))
            return false;
        text = end + (*end ? 1 : 0);
    }
    return true;
}

static bool take_number(struct reader *reader, const char *key, uint64_t *ret)
{
    const char *value = take(reader, key);

    return value && parse_numbers(value, ret, 1);
}

static bool take_string(struct reader *reader, const char *key, char *ret, size_t ret_size)
{
    const char *value = take(reader, key);

    if (!value || strlen(value) >= ret_size)
        return false;
    strcpy(ret, value);
    return true;
}

static bool take_yes_no(struct reader *reader, const char *key, bool *ret)
{
    const char *value = take(reader, key);

    if (!value || (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0))
        return false;
    *ret = strcmp(value, "yes") == 0;
    return true;
}

static bool take_device(struct reader *reader, dev_t *ret)
{
    const char *value = take(reader, "device");
    unsigned major_number, minor_number;
    char rest;

    if (!value || sscanf(value, "%u:%u%c", &major_number, &minor_number, &rest) != 2)
        return false;
    *ret = makedev(major_number, minor_number);
    return true;
}

/* True also when there is none. */
static bool take_sample(struct reader *reader, const char *key, struct check_report *ret)
{
    const char *value = take(reader, key);
    uint64_t n[8];

    if (!value)
        return true;
    if (!parse_numbers(value, n, 8) || n[0] == 0 || n[0] > UINT32_MAX)
        return false;
    *ret = (struct check_report){
        .samples = (unsigned)n[0],
        .sample_bytes = n[1],
        .bytes_per_sec = (double)n[2],
        .p50_usec = n[3],
        .p90_usec = n[4],
        .p99_usec = n[5],
        .max_usec = n[6],
        .seed = n[7],
    };
    return true;
}

static bool take_ranges(struct reader *reader, const char *key, uint64_t size_bytes,
                        struct rangeset *ret)
{
    uint64_t numbers[2], last_end = 0;
    const char *value;

    while ((value = take(reader, key))) {
        bool first = rangeset_length(ret) == 0;
        if (!parse_numbers(value, numbers, 2) || numbers[0] >= numbers[1] ||
            numbers[1] > size_bytes || (!first && numbers[0] <= last_end))
            return false;
        if (rangeset_add(ret, numbers[0], numbers[1]) < 0)
            return false;
        last_end = numbers[1];
    }
    return true;
}

static bool take_identity(struct reader *reader, struct device_identity *ret)
{
    return take_string(reader, "id", ret->id, sizeof(ret->id)) &&
           take_yes_no(reader, "lasting", &ret->lasting) &&
           take_string(reader, "boot", ret->boot_id, sizeof(ret->boot_id)) &&
           take_device(reader, &ret->devnum) && take_number(reader, "diskseq", &ret->diskseq);
}

static bool take_pause(struct reader *reader, struct checkpoint *ret)
{
    if (!peek_line(reader))
        return false;
    if (strncmp(reader->line, "paused ", 7) != 0)
        return true;
    ret->paused = true;
    return take_string(reader, "paused", ret->paused_boot_id, sizeof(ret->paused_boot_id));
}

static bool take_body(struct reader *reader, struct checkpoint *ret)
{
    return take_identity(reader, &ret->identity) && take_number(reader, "size", &ret->size_bytes) &&
           take_number(reader, "started", &ret->started_unix_sec) &&
           take_number(reader, "updated", &ret->updated_unix_sec) && take_pause(reader, ret) &&
           take_sample(reader, "before", &ret->before) &&
           take_sample(reader, "after", &ret->after) &&
           take_ranges(reader, "warm", ret->size_bytes, ret->warm) &&
           take_ranges(reader, "unreadable", ret->size_bytes, ret->unreadable);
}

static int check_format(struct reader *reader, const char **ret_why)
{
    uint64_t format;

    if (!peek_line(reader) || strncmp(reader->line, MAGIC, strlen(MAGIC)) != 0 ||
        !parse_numbers(reader->line + strlen(MAGIC), &format, 1)) {
        *ret_why = "it is no ebswarm checkpoint";
        return -EBADMSG;
    }
    if (format != CHECKPOINT_FORMAT) {
        *ret_why = "its format is not one that this version reads";
        return -EPROTONOSUPPORT;
    }
    skip_line(reader);
    return 0;
}

/* The last line, "end CHECKSUM", must close the file; what stands before it is what was summed. */
static int check_end(const char *text, size_t length, const char **ret_why)
{
    const size_t end_length = strlen("end 01234567\n");
    char expected[sizeof("end 01234567\n")];

    if (length < end_length || memcmp(text + length - end_length, "end ", 4) != 0) {
        *ret_why = "it is truncated";
        return -EBADMSG;
    }
    snprintf(expected, sizeof(expected), "end %08" PRIx32 "\n", crc32c(text, length - end_length));
    if (memcmp(text + length - end_length, expected, end_length) != 0) {
        *ret_why = "its checksum does not match";
        return -EBADMSG;
    }
    return 0;
}

int checkpoint_parse(const char *text, size_t length, struct checkpoint **ret, const char **ret_why)
{
    _cleanup_(checkpoint_free_p) struct checkpoint *checkpoint = NULL;
    struct reader reader = { .at = text, .end = text + length };
    int r;

    r = check_format(&reader, ret_why);
    if (r >= 0)
        r = check_end(text, length, ret_why);
    if (r < 0)
        return r;
    checkpoint = checkpoint_new();
    if (!checkpoint) {
        *ret_why = "memory is short";
        return -ENOMEM;
    }
    if (!take_body(&reader, checkpoint) || !take(&reader, "end") || reader.at != reader.end) {
        *ret_why = "a line in it is not understood";
        return -EBADMSG;
    }
    *ret = steal_pointer(&checkpoint);
    return 0;
}
