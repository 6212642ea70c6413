/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { TYPE_SIZE, TYPE_DURATION, TYPE_NUMBER, TYPE_REAL, TYPE_SHARE, TYPE_WRITES, TYPE_PATH };

struct key {
    const char *name;
    enum type type;
    bool fixed;
    size_t offset;
    const char *help;
};

#define KEY(name, type, fixed, member, help)                                                       \
    {                                                                                              \
        name, type, fixed, offsetof(struct settings, member), help                                 \
    }

static const struct key keys[] = {
    KEY("size", TYPE_SIZE, true, size_bytes, "of the volume; later changed by `resize`"),
    KEY("granule", TYPE_SIZE, true, granule_bytes, "unit of what is cold or warm"),
    KEY("touch_bytes", TYPE_SIZE, true, touch_bytes,
        "what one first touch loads, a multiple of granule; 0: one granule"),
    KEY("block_size", TYPE_SIZE, true, block_bytes, "logical sector of the loop: 512 or 4096"),
    KEY("first_touch_median", TYPE_DURATION, false, first_touch_median_usec,
        "median latency of a fetch"),
    KEY("first_touch_sigma", TYPE_REAL, false, first_touch_sigma,
        "spread of the lognormal latency; 0: always the median"),
    KEY("tail_probability", TYPE_SHARE, false, tail_probability,
        "share of fetches that take tail_latency instead"),
    KEY("tail_latency", TYPE_DURATION, false, tail_latency_usec, "see tail_probability"),
    KEY("fetch_slots", TYPE_NUMBER, false, fetch_slots, "fetches under way at once"),
    KEY("fetch_rate", TYPE_REAL, false, fetch_rate_mib, "cap on all fetches, MiB/s; 0: none"),
    KEY("warm_latency", TYPE_DURATION, false, warm_latency_usec, "of every read, as in 500us"),
    KEY("iops", TYPE_NUMBER, false, iops, "cap; 256 KiB or less counts as one; 0: none"),
    KEY("throughput", TYPE_REAL, false, throughput_mib, "cap on all reads, MiB/s; 0: none"),
    KEY("burst", TYPE_DURATION, false, burst_usec, "how much of a cap may be saved up"),
    KEY("data_share", TYPE_SHARE, true, data_share,
        "share of granules that hold data; the others are warm from the start"),
    KEY("seed", TYPE_NUMBER, true, seed, "decides latencies and which granules hold data"),
    KEY("writes", TYPE_WRITES, false, accept_writes,
        "fail or accept; counted either way; accepted ones go to backing if there is one"),
    KEY("backing", TYPE_PATH, true, backing, "file whose content is served; else zeros"),
};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

void settings_defaults(struct settings *settings)
{
    *settings = (struct settings){
        .size_bytes = GIB,
        .granule_bytes = 512 * KIB,
        .block_bytes = 512,
        .first_touch_median_usec = 35 * USEC_PER_MSEC,
        .first_touch_sigma = 0.6,
        .fetch_slots = 64,
        .warm_latency_usec = 500,
        .burst_usec = 5 * USEC_PER_MSEC,
        .data_share = 1,
        .seed = 1,
    };
}

static const struct key *find_key(const char *name, size_t length)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (strlen(keys[i].name) == length && strncmp(keys[i].name, name, length) == 0)
            return &keys[i];
    }
    return NULL;
}

static int parse_number(const char *text, uint64_t *ret)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return -EINVAL;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return *end ? -EINVAL : -errno;
}

static int parse_real(const char *text, double limit, double *ret)
{
    char *end;
    double value;

    if ((text[0] < '0' || text[0] > '9') && text[0] != '.')
        return -EINVAL;
    value = strtod(text, &end);
    if (end == text || *end)
        return -EINVAL;
    if (!(value >= 0 && value <= limit))
        return -ERANGE;
    *ret = value;
    return 0;
}

static int parse_writes(const char *text, bool *ret)
{
    if (strcmp(text, "accept") != 0 && strcmp(text, "fail") != 0)
        return -EINVAL;
    *ret = strcmp(text, "accept") == 0;
    return 0;
}

static int parse_path(const char *text, char path[PATH_MAX])
{
    if (strlen(text) >= PATH_MAX)
        return -ERANGE;
    /* Settings are kept a line each. */
    if (strchr(text, '\n') || (text[0] && text[0] != '/'))
        return -EINVAL;
    memcpy(path, text, strlen(text) + 1);
    return 0;
}

static int parse_value(const struct key *key, const char *text, struct settings *settings)
{
    void *member = (char *)settings + key->offset;

    switch (key->type) {
    case TYPE_SIZE:
        return parse_size(text, member);
    case TYPE_DURATION:
        return parse_duration(text, member);
    case TYPE_NUMBER:
        return parse_number(text, member);
    case TYPE_REAL:
        return parse_real(text, 1e9, member);
    case TYPE_SHARE:
        return parse_real(text, 1, member);
    case TYPE_WRITES:
        return parse_writes(text, member);
    case TYPE_PATH:
        return parse_path(text, member);
    }
    return -EINVAL;
}

static const char *type_name(enum type type)
{
    static const char *const names[] = {
        [TYPE_SIZE] = "a size such as 512K or 2G",
        [TYPE_DURATION] = "a duration such as 500us, 35ms or 2s",
        [TYPE_NUMBER] = "a whole number",
        [TYPE_REAL] = "a number from 0 to 1000000000",
        [TYPE_SHARE] = "a share from 0 to 1",
        [TYPE_WRITES] = "\"fail\" or \"accept\"",
        [TYPE_PATH] = "an absolute path",
    };

    return names[type];
}

int settings_assign(struct settings *settings, const char *word, char error[SETTINGS_ERROR_MAX])
{
    const char *equals = strchr(word, '=');
    const struct key *key = equals ? find_key(word, (size_t)(equals - word)) : NULL;
    int r;

    if (!key) {
        snprintf(error, SETTINGS_ERROR_MAX,
                 "\"%.200s\" is no key=value of a cold volume; see --help", word);
        return -EINVAL;
    }
    r = parse_value(key, equals + 1, settings);
    if (r < 0)
        snprintf(error, SETTINGS_ERROR_MAX, "%s: \"%.200s\" is not %s", key->name, equals + 1,
                 type_name(key->type));
    return r;
}

bool settings_key_is_fixed(const char *word)
{
    const struct key *key = find_key(word, strcspn(word, "="));

    return key && key->fixed;
}

static bool power_of_two(uint64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

int settings_check(const struct settings *settings, char error[SETTINGS_ERROR_MAX])
{
    const char *problem = NULL;

    if (!power_of_two(settings->granule_bytes) || settings->granule_bytes < SETTINGS_GRANULE_MIN)
        problem = "granule must be a power of two of at least 4K";
    else if (settings->touch_bytes % settings->granule_bytes != 0)
        problem = "touch_bytes must be a multiple of granule";
    else if (settings->block_bytes != 512 && settings->block_bytes != 4096)
        problem = "block_size must be 512 or 4096";
    else if (settings->fetch_slots == 0)
        problem = "fetch_slots must be at least 1";
    else if (settings->size_bytes > SETTINGS_SIZE_MAX)
        problem = "size must be at most 64T";
    if (!problem)
        return 0;
    snprintf(error, SETTINGS_ERROR_MAX, "%s", problem);
    return -EINVAL;
}

static void print_value(const struct key *key, const struct settings *settings, FILE *out)
{
    const void *member = (const char *)settings + key->offset;

    switch (key->type) {
    case TYPE_SIZE:
    case TYPE_NUMBER:
        fprintf(out, "%llu\n", (unsigned long long)*(const uint64_t *)member);
        break;
    case TYPE_DURATION:
        if (*(const uint64_t *)member == USEC_INFINITY)
            fprintf(out, "infinity\n");
        else
            fprintf(out, "%lluus\n", (unsigned long long)*(const uint64_t *)member);
        break;
    case TYPE_REAL:
    case TYPE_SHARE:
        fprintf(out, "%.15g\n", *(const double *)member);
        break;
    case TYPE_WRITES:
        fprintf(out, "%s\n", *(const bool *)member ? "accept" : "fail");
        break;
    case TYPE_PATH:
        fprintf(out, "%s\n", (const char *)member);
        break;
    }
}

int settings_format(const struct settings *settings, const char *key, char *text, size_t length)
{
    FILE *out = fmemopen(text, length, "w");
    bool found = false;

    if (!out)
        return -errno;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (key && strcmp(key, keys[i].name) != 0)
            continue;
        if (!key)
            fprintf(out, "%s=", keys[i].name);
        print_value(&keys[i], settings, out);
        found = true;
    }
    if (fclose(out) != 0)
        return -errno;
    return found ? 0 : -ENOENT;
}

uint64_t settings_touch_bytes(const struct settings *settings)
{
    return settings->touch_bytes ? settings->touch_bytes : settings->granule_bytes;
}

void settings_print_help(void)
{
    struct settings defaults;
    char value[SETTINGS_TEXT_MAX];

    settings_defaults(&defaults);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (settings_format(&defaults, keys[i].name, value, sizeof(value)) < 0)
            continue;
        value[strcspn(value, "\n")] = '\0';
        printf("  %s=%s%s\n      %s\n", keys[i].name, value,
               keys[i].fixed ? "  (fixed once up)" : "", keys[i].help);
    }
}
