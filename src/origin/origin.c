/* SPDX-License-Identifier: MIT */
#include "origin/origin.h"

#include "base/cleanup.h"
#include "base/size.h"
#include "conf/file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const states[] = {
    [ORIGIN_STATE_UNSAID] = "",
    [ORIGIN_STATE_INITIALIZING] = "initializing",
    [ORIGIN_STATE_COMPLETED] = "completed",
};
static const char *const types[] = {
    [ORIGIN_TYPE_UNSAID] = "",
    [ORIGIN_TYPE_DEFAULT] = "default",
    [ORIGIN_TYPE_PROVISIONED_RATE] = "provisioned-rate",
    [ORIGIN_TYPE_VOLUME_COPY] = "volume-copy",
};

enum kind { WORD, BYTES, NUMBER, BOOLEAN, PERCENT, STATE, TYPE };

static const struct key {
    const char *name;
    enum kind kind;
    size_t offset;
} keys[] = {
#define KEY(name, kind, member)                                                                    \
    {                                                                                              \
        name, kind, offsetof(struct origin, member)                                                \
    }
    KEY("Source", WORD, source),
    KEY("Volume", WORD, volume),
    KEY("Device", WORD, device),
    KEY("Snapshot", WORD, snapshot),
    KEY("SnapshotBytes", BYTES, snapshot_bytes),
    KEY("SizeBytes", BYTES, size_bytes),
    KEY("Type", WORD, type),
    KEY("Iops", NUMBER, iops),
    KEY("Throughput", BYTES, throughput_bytes),
    KEY("FastRestored", BOOLEAN, fast_restored),
    KEY("InitializationRate", BYTES, initialization_rate_bytes),
    KEY("InitializationState", STATE, initialization_state),
    KEY("InitializationType", TYPE, initialization_type),
    KEY("InitializationProgress", PERCENT, initialization_progress),
    KEY("SourceVolume", WORD, source_volume),
    KEY("Checked", WORD, checked),
    KEY("BootId", WORD, boot_id),
#undef KEY
};
#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

static const char *const accepts[] = {
    [WORD] = "up to 63 letters, digits and . : / _ + -",
    [BYTES] = "a size such as 125M",
    [NUMBER] = "a number",
    [BOOLEAN] = "yes or no",
    [PERCENT] = "0 to 100",
    [STATE] = "initializing or completed",
    [TYPE] = "default, provisioned-rate or volume-copy",
};

void origin_init(struct origin *origin)
{
    *origin = (struct origin){
        .fast_restored = ORIGIN_UNSAID,
        .initialization_progress = ORIGIN_UNSAID,
    };
}

bool origin_has_snapshot(const struct origin *origin)
{
    return origin->snapshot[0] != '\0' && strcmp(origin->snapshot, ORIGIN_NONE) != 0;
}

static int take_word(const char *value, char *ret)
{
    size_t length = strlen(value);

    if (length == 0 || length >= ORIGIN_WORD_MAX)
        return -EINVAL;
    for (const char *p = value; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(".:/_+-", *p))
            return -EINVAL;
    memcpy(ret, value, length + 1);
    return 0;
}

static int take_name(const char *value, const char *const *names, size_t n, unsigned *ret)
{
    for (unsigned i = 1; i < n; i++) {
        if (strcmp(value, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    }
    return -EINVAL;
}

static int take_percent(const char *value, int *ret)
{
    unsigned percent;

    if (parse_percent(value, &percent) < 0)
        return -EINVAL;
    *ret = (int)percent;
    return 0;
}

static int take_value(const struct key *key, const char *value, struct origin *origin)
{
    void *member = (char *)origin + key->offset;
    unsigned n = 0;
    int r = -EINVAL;

    switch (key->kind) {
    case WORD:
        return take_word(value, member);
    case BYTES:
        return parse_size(value, member);
    case NUMBER:
        return parse_unsigned(value, member);
    case BOOLEAN:
        return parse_boolean(value, member);
    case PERCENT:
        return take_percent(value, member);
    case STATE:
        r = take_name(value, states, sizeof(states) / sizeof(states[0]), &n);
        if (r >= 0)
            origin->initialization_state = (enum origin_state)n;
        return r;
    case TYPE:
        r = take_name(value, types, sizeof(types) / sizeof(types[0]), &n);
        if (r >= 0)
            origin->initialization_type = (enum origin_type)n;
        return r;
    }
    return r;
}

int origin_set(struct origin *origin, const char *key, const char *value)
{
    for (size_t i = 0; i < N_KEYS; i++)
        if (strcmp(key, keys[i].name) == 0)
            return take_value(&keys[i], value, origin);
    return -ENOENT;
}

struct reader {
    struct origin *origin;
    char *why;
    bool has_format;
    bool refused; /* why says by what; the first counts */
};

static void refuse(struct reader *reader, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void refuse(struct reader *reader, unsigned line, const char *format, ...)
{
    char what[ORIGIN_WHY_MAX];
    va_list ap;

    if (reader->refused)
        return;
    reader->refused = true;
    va_start(ap, format);
    vsnprintf(what, sizeof(what), format, ap);
    va_end(ap);
    snprintf(reader->why, ORIGIN_WHY_MAX, "line %u: %.200s", line, what);
}

static void on_broken_line(const char *path, unsigned line, const char *what, void *userdata)
{
    (void)path;
    refuse(userdata, line, "%s", what);
}

static void on_assignment(const struct conf_assignment *assignment, void *userdata)
{
    struct reader *reader = userdata;
    const char *expected = NULL;
    const char *key = assignment->key, *value = assignment->value;

    if (strcmp(assignment->section, "Origin") != 0)
        return;
    if (strcmp(key, "Format") == 0) {
        reader->has_format = true;
        if (strcmp(value, "1") != 0)
            expected = "1";
    }
    for (size_t i = 0; i < N_KEYS; i++) {
        if (strcmp(key, keys[i].name) == 0 && take_value(&keys[i], value, reader->origin) < 0)
            expected = accepts[keys[i].kind];
    }
    if (expected)
        refuse(reader, assignment->line, "%s=%.60s: expected %s", key, value, expected);
}

static int read_text(const char *text, size_t length, struct reader *reader)
{
    const struct conf_file_handlers handlers = {
        .assignment = on_assignment,
        .broken_line = on_broken_line,
        .userdata = reader,
    };
    /* It is only read; an empty one cannot be had everywhere. */
    _cleanup_(fclose_p) FILE *file =
        length > 0 ? fmemopen((void *)(uintptr_t)text, length, "r") : NULL;

    if (length == 0)
        return 0;
    return file ? conf_file_read_from(file, "", &handlers) : -errno;
}

int origin_parse(const char *text, size_t length, struct origin *ret, char why[ORIGIN_WHY_MAX])
{
    struct origin origin;
    struct reader reader = { .origin = &origin, .why = why };
    int r;

    origin_init(&origin);
    why[0] = '\0';
    r = read_text(text, length, &reader);
    if (r < 0)
        return r;
    if (!reader.refused && (!reader.has_format || origin.volume[0] == '\0')) {
        reader.refused = true;
        snprintf(why, ORIGIN_WHY_MAX, "[Origin] has no %s",
                 reader.has_format ? "Volume= (the volume's id)" : "Format=1");
    }
    if (reader.refused)
        return -EINVAL;
    *ret = origin;
    return 0;
}

static void print_bytes(FILE *out, const char *key, uint64_t bytes)
{
    if (bytes == 0)
        return;
    if (bytes % MIB == 0)
        fprintf(out, "%s=%" PRIu64 "M\n", key, bytes / MIB);
    else
        fprintf(out, "%s=%" PRIu64 "\n", key, bytes);
}

static void print_text(FILE *out, const char *key, const char *value)
{
    if (*value)
        fprintf(out, "%s=%s\n", key, value);
}

static void print_key(FILE *out, const struct key *key, const struct origin *origin)
{
    const void *member = (const char *)origin + key->offset;

    switch (key->kind) {
    case WORD:
        print_text(out, key->name, member);
        break;
    case BYTES:
        print_bytes(out, key->name, *(const uint64_t *)member);
        break;
    case NUMBER:
        if (*(const unsigned *)member)
            fprintf(out, "%s=%u\n", key->name, *(const unsigned *)member);
        break;
    case BOOLEAN:
        if (*(const int *)member != ORIGIN_UNSAID)
            fprintf(out, "%s=%s\n", key->name, *(const int *)member ? "yes" : "no");
        break;
    case PERCENT:
        if (*(const int *)member != ORIGIN_UNSAID)
            fprintf(out, "%s=%d\n", key->name, *(const int *)member);
        break;
    case STATE:
        print_text(out, key->name, states[origin->initialization_state]);
        break;
    case TYPE:
        print_text(out, key->name, types[origin->initialization_type]);
        break;
    }
}

char *origin_format(const struct origin *origin)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    bool failed;

    if (!out)
        return NULL;
    fprintf(out, "[Origin]\nFormat=%u\n", ORIGIN_FORMAT);
    for (size_t i = 0; i < N_KEYS; i++)
        print_key(out, &keys[i], origin);
    failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
