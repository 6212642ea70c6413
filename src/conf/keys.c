/* SPDX-License-Identifier: MIT */
#include "conf/keys.h"

#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/size.h"

#include <errno.h>
#include <string.h>

#define BLOCK_MIN_BYTES (16 * KIB)
#define BLOCK_MAX_BYTES MIB
#define DEPTH_MAX       1024U

static int parse_word(const char *value, const char *const *words, unsigned *ret)
{
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *ret = i;
            return 0;
        }
    }
    return -EINVAL;
}

static int parse_engine(const char *value, void *field)
{
    static const char *const words[] = {
        [CONF_ENGINE_AUTO] = "auto",
        [CONF_ENGINE_IO_URING] = "io_uring",
        [CONF_ENGINE_THREADS] = "threads",
        NULL,
    };
    unsigned word;
    int r = parse_word(value, words, &word);

    if (r >= 0)
        *(enum conf_engine *)field = (enum conf_engine)word;
    return r;
}

static int parse_unknown(const char *value, void *field)
{
    static const char *const words[] = {
        [CONF_UNKNOWN_PROBE] = "probe",
        [CONF_UNKNOWN_WARM] = "warm",
        [CONF_UNKNOWN_SKIP] = "skip",
        NULL,
    };
    unsigned word;
    int r = parse_word(value, words, &word);

    if (r >= 0)
        *(enum conf_unknown *)field = (enum conf_unknown)word;
    return r;
}

static int parse_provisioned_rate(const char *value, void *field)
{
    static const char *const words[] = {
        [CONF_PROVISIONED_RATE_WARM] = "warm",
        [CONF_PROVISIONED_RATE_SKIP] = "skip",
        NULL,
    };
    unsigned word;
    int r = parse_word(value, words, &word);

    if (r >= 0)
        *(enum conf_provisioned_rate *)field = (enum conf_provisioned_rate)word;
    return r;
}

static int parse_block_size(const char *value, void *field)
{
    uint64_t bytes;
    int r;

    if (strcmp(value, "auto") == 0) {
        *(uint64_t *)field = 0;
        return 0;
    }
    r = parse_size(value, &bytes);
    if (r < 0)
        return r;
    if (bytes < BLOCK_MIN_BYTES || bytes > BLOCK_MAX_BYTES || (bytes & (bytes - 1)) != 0)
        return -ERANGE;
    *(uint64_t *)field = bytes;
    return 0;
}

static int parse_queue_depth(const char *value, void *field)
{
    unsigned depth;
    int r;

    if (strcmp(value, "auto") == 0) {
        *(unsigned *)field = 0;
        return 0;
    }
    r = parse_unsigned(value, &depth);
    if (r < 0)
        return r;
    if (depth < 1 || depth > DEPTH_MAX)
        return -ERANGE;
    *(unsigned *)field = depth;
    return 0;
}

static int parse_bool(const char *value, void *field)
{
    int flag, r = parse_boolean(value, &flag);

    if (r >= 0)
        *(bool *)field = flag;
    return r;
}

static int parse_size_within(const char *value, uint64_t least, uint64_t most, void *field)
{
    uint64_t bytes;
    int r = parse_size(value, &bytes);

    if (r < 0)
        return r;
    if (bytes < least || bytes > most)
        return -ERANGE;
    *(uint64_t *)field = bytes;
    return 0;
}

static int parse_duration_within(const char *value, uint64_t least, uint64_t most, void *field)
{
    uint64_t usec;
    int r = parse_duration(value, &usec);

    if (r < 0)
        return r;
    if (usec < least || usec > most)
        return -ERANGE;
    *(uint64_t *)field = usec;
    return 0;
}

static int parse_origin_timeout(const char *value, void *field)
{
    return parse_duration_within(value, 0, 3600 * USEC_PER_SEC, field);
}

static int parse_sample_bytes(const char *value, void *field)
{
    return parse_size_within(value, MIB, GIB, field);
}

static int parse_sample_time(const char *value, void *field)
{
    return parse_duration_within(value, USEC_PER_SEC, 60 * USEC_PER_SEC, field);
}

static int parse_checkpoint_interval(const char *value, void *field)
{
    return parse_duration_within(value, USEC_PER_SEC, 3600 * USEC_PER_SEC, field);
}

static int parse_checkpoint_bytes(const char *value, void *field)
{
    return parse_size_within(value, 16 * MIB, TIB, field);
}

static int parse_device(const char *value, void *field)
{
    char **device = field, *copy = NULL;

    if (value[0] && value[0] != '/')
        return -EINVAL;
    if (value[0]) {
        copy = strdup(value);
        if (!copy)
            return -ENOMEM;
    }
    free(*device);
    *device = copy;
    return 0;
}

static size_t list_length(char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

static int list_append(char ***list, const char *word, size_t length)
{
    size_t n = list_length(*list);
    char **longer = realloc(*list, (n + 2) * sizeof(char *));

    if (!longer)
        return -ENOMEM;
    *list = longer;
    longer[n + 1] = NULL;
    longer[n] = strndup(word, length);
    return longer[n] ? 0 : -ENOMEM;
}

/* As in systemd's files: words add to the list, an empty value empties it. */
static int parse_globs(const char *value, void *field)
{
    char ***list = field;

    if (value[0] == '\0') {
        for (size_t i = 0; *list && (*list)[i]; i++)
            free((*list)[i]);
        free(*list);
        *list = NULL;
    }
    while (*value) {
        size_t length = strcspn(value, " \t");
        int r = list_append(list, value, length);
        if (r < 0)
            return r;
        value += length;
        value += strspn(value, " \t");
    }
    return 0;
}

#define FIELD(type, field) offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define GROWN(type, field) offsetof(struct type, field), 0

#define ACCEPTS_BLOCK "16K to 1M, a power of two, or auto"
#define ACCEPTS_DEPTH "1 to 1024, or auto"
#define ACCEPTS_BOOL  "yes or no"

static const struct key keys[] = {
    { { "Warm", "Engine", "auto, io_uring or threads" }, parse_engine, FIELD(conf, engine) },
    { { "Warm", "BlockSize", ACCEPTS_BLOCK }, parse_block_size, FIELD(conf, reads.block_bytes) },
    { { "Warm", "QueueDepth", ACCEPTS_DEPTH }, parse_queue_depth, FIELD(conf, reads.queue_depth) },
    { { "Warm", "ProvisionedRate", "warm or skip" },
      parse_provisioned_rate,
      FIELD(conf, provisioned_rate) },
    { { "Discover", "Include", "globs over volume id, device or by-id link, blanks between them" },
      parse_globs,
      GROWN(conf, include) },
    { { "Discover", "Exclude", "globs over volume id, device or by-id link, blanks between them" },
      parse_globs,
      GROWN(conf, exclude) },
    { { "Discover", "OriginTimeout", "a duration up to 1h" },
      parse_origin_timeout,
      FIELD(conf, origin_timeout_usec) },
    { { "Discover", "Unknown", "probe, warm or skip" }, parse_unknown, FIELD(conf, unknown) },
    { { "Discover", "BlockLists", ACCEPTS_BOOL }, parse_bool, FIELD(conf, block_lists) },
    { { "Check", "Before", ACCEPTS_BOOL }, parse_bool, FIELD(conf, check_before) },
    { { "Check", "After", ACCEPTS_BOOL }, parse_bool, FIELD(conf, check_after) },
    { { "Check", "SampleBytes", "1M to 1G" }, parse_sample_bytes, FIELD(conf, check_sample_bytes) },
    { { "Check", "SampleTime", "1s to 1min" }, parse_sample_time, FIELD(conf, check_sample_usec) },
    { { "Checkpoint", "Interval", "1s to 1h" },
      parse_checkpoint_interval,
      FIELD(conf, checkpoint_interval_usec) },
    { { "Checkpoint", "Bytes", "16M to 1T" },
      parse_checkpoint_bytes,
      FIELD(conf, checkpoint_bytes) },
    { { VOLUME_SECTION, "Device", "an absolute path" }, parse_device, GROWN(conf_volume, device) },
    { { VOLUME_SECTION, "Skip", ACCEPTS_BOOL }, parse_bool, FIELD(conf_volume, skip) },
    { { VOLUME_SECTION, "Force", ACCEPTS_BOOL }, parse_bool, FIELD(conf_volume, force) },
    { { VOLUME_SECTION, "BlockSize", ACCEPTS_BLOCK },
      parse_block_size,
      FIELD(conf_volume, reads.block_bytes) },
    { { VOLUME_SECTION, "QueueDepth", ACCEPTS_DEPTH },
      parse_queue_depth,
      FIELD(conf_volume, reads.queue_depth) },
};

const struct key *key_get(size_t n)
{
    return n < sizeof(keys) / sizeof(keys[0]) ? &keys[n] : NULL;
}

const struct conf_key *conf_key_get(size_t n)
{
    const struct key *key = key_get(n);

    return key ? &key->about : NULL;
}

const struct key *key_find(const char *section, const char *name)
{
    const struct key *key;

    for (size_t i = 0; (key = key_get(i)); i++) {
        if (strcmp(key->about.section, section) == 0 && strcmp(key->about.key, name) == 0)
            return key;
    }
    return NULL;
}

bool section_exists(const char *section)
{
    const struct key *key;

    for (size_t i = 0; (key = key_get(i)); i++) {
        if (strcmp(key->about.section, section) == 0)
            return true;
    }
    return false;
}

const char *key_nearest(const char *section, const char *name)
{
    const char *nearest = NULL;
    const struct key *key;
    unsigned least = UINT32_MAX;

    for (size_t i = 0; (key = key_get(i)); i++) {
        unsigned distance = word_distance(name, key->about.key);
        if (strcmp(key->about.section, section) == 0 && word_is_near(name, key->about.key) &&
            distance < least) {
            least = distance;
            nearest = key->about.key;
        }
    }
    return nearest;
}

const char *section_nearest(const char *section)
{
    const struct key *key;

    for (size_t i = 0; (key = key_get(i)); i++) {
        if (word_is_near(section, key->about.section))
            return key->about.section;
    }
    return NULL;
}

const char *key_home(const char *name)
{
    const struct key *key;

    for (size_t i = 0; (key = key_get(i)); i++) {
        if (strcmp(key->about.key, name) == 0)
            return key->about.section;
    }
    return NULL;
}
