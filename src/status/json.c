/* SPDX-License-Identifier: MIT */
#include "status/json.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum field_kind {
    FIELD_TEXT,
    FIELD_TEXT_OR_NULL, /* "" is null */
    FIELD_U64,
    FIELD_U64_OR_NULL,      /* UINT64_MAX is null */
    FIELD_POSITIVE_OR_NULL, /* 0 is null */
    FIELD_U64_AS_TEXT,      /* all 64 bits matter and JSON's integers have 63 */
    FIELD_UNSIGNED,
    FIELD_RATE,         /* double, whole bytes in JSON */
    FIELD_INT_OR_NULL,  /* -1 is null */
    FIELD_BOOL_OR_NULL, /* int, -1 is null */
};

/* One member of a JSON object and its place in a C struct. One table serves both directions. */
struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
};

#define FLEET(key, kind, member)                                                                   \
    {                                                                                              \
        key, kind, offsetof(struct fleet_report, member)                                           \
    }
#define VOLUME(key, kind, member)                                                                  \
    {                                                                                              \
        key, kind, offsetof(struct volume_report, member)                                          \
    }
#define ORIGIN(key, kind, member)                                                                  \
    {                                                                                              \
        key, kind, offsetof(struct origin_report, member)                                          \
    }
#define CHECK(key, kind, member)                                                                   \
    {                                                                                              \
        key, kind, offsetof(struct check_report, member)                                           \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, FIELD_TEXT, 0                                                                        \
    }

static const struct field fleet_fields[] = {
    FLEET("version", FIELD_TEXT, version),
    FLEET("state", FIELD_TEXT, state),
    FLEET("engine", FIELD_TEXT, engine),
    FLEET("engine_reason", FIELD_TEXT, engine_reason),
    END,
};

static const struct field volume_fields[] = {
    VOLUME("id", FIELD_TEXT, id),
    VOLUME("device", FIELD_TEXT, device),
    VOLUME("reason", FIELD_TEXT, reason),
    VOLUME("size_bytes", FIELD_U64, size_bytes),
    VOLUME("planned_bytes", FIELD_U64, planned_bytes),
    VOLUME("warm_bytes", FIELD_U64, warm_bytes),
    VOLUME("unreadable_bytes", FIELD_U64, unreadable_bytes),
    VOLUME("rate_bytes_per_sec", FIELD_RATE, rate_bytes_per_sec),
    VOLUME("eta_sec", FIELD_U64_OR_NULL, eta_sec),
    VOLUME("queue_depth", FIELD_UNSIGNED, queue_depth),
    VOLUME("in_flight", FIELD_UNSIGNED, in_flight),
    VOLUME("block_bytes", FIELD_U64, block_bytes),
    VOLUME("stalled_sec", FIELD_U64, stalled_sec),
    END,
};

static const struct field checkpoint_fields[] = {
    VOLUME("path", FIELD_TEXT_OR_NULL, checkpoint_path),
    VOLUME("error", FIELD_TEXT_OR_NULL, checkpoint_error),
    END,
};

static const struct field origin_fields[] = {
    ORIGIN("source", FIELD_TEXT, source),
    ORIGIN("snapshot", FIELD_TEXT_OR_NULL, snapshot),
    ORIGIN("fast_restored", FIELD_BOOL_OR_NULL, fast_restored),
    ORIGIN("initialization_rate", FIELD_POSITIVE_OR_NULL, initialization_rate_bytes_per_sec),
    ORIGIN("aws_progress", FIELD_INT_OR_NULL, aws_progress_percent),
    END,
};

static const struct field check_fields[] = {
    CHECK("samples", FIELD_UNSIGNED, samples),
    CHECK("sample_bytes", FIELD_U64, sample_bytes),
    CHECK("bytes_per_sec", FIELD_RATE, bytes_per_sec),
    CHECK("p50_usec", FIELD_U64, p50_usec),
    CHECK("p90_usec", FIELD_U64, p90_usec),
    CHECK("p99_usec", FIELD_U64, p99_usec),
    CHECK("max_usec", FIELD_U64, max_usec),
    CHECK("seed", FIELD_U64_AS_TEXT, seed),
    END,
};

/* ---- to JSON ---- */

json_t *text_to_json(const char *text)
{
    _cleanup_free_ char *copy = NULL;
    json_t *json = json_string(text ? text : "");

    if (json)
        return json;
    copy = strdup(text ? text : "");
    if (!copy)
        return NULL;
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    return json_string(copy);
}

static json_t *u64_to_json(uint64_t value)
{
    return json_integer(value > LLONG_MAX ? LLONG_MAX : (json_int_t)value);
}

static json_t *rate_to_json(double rate)
{
    /* Written so that a NaN gives 0 too. */
    if (!(rate > 0))
        return json_integer(0);
    return json_integer(rate >= 9e18 ? LLONG_MAX : (json_int_t)llround(rate));
}

static json_t *u64_to_text(uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    return json_string(text);
}

static json_t *number_to_json(enum field_kind kind, const void *member)
{
    uint64_t value = *(const uint64_t *)member;

    switch (kind) {
    case FIELD_U64_AS_TEXT:
        return u64_to_text(value);
    case FIELD_U64_OR_NULL:
        return value == UINT64_MAX ? json_null() : u64_to_json(value);
    case FIELD_POSITIVE_OR_NULL:
        return value == 0 ? json_null() : u64_to_json(value);
    default:
        return u64_to_json(value);
    }
}

static json_t *field_to_json(const struct field *field, const void *base)
{
    const void *member = (const char *)base + field->offset;
    const char *text;
    int small;

    switch (field->kind) {
    case FIELD_TEXT:
        return text_to_json(*(const char *const *)member);
    case FIELD_TEXT_OR_NULL:
        text = *(const char *const *)member;
        return text && *text ? text_to_json(text) : json_null();
    case FIELD_UNSIGNED:
        return json_integer(*(const unsigned *)member);
    case FIELD_RATE:
        return rate_to_json(*(const double *)member);
    case FIELD_INT_OR_NULL:
        small = *(const int *)member;
        return small < 0 ? json_null() : json_integer(small);
    case FIELD_BOOL_OR_NULL:
        small = *(const int *)member;
        return small < 0 ? json_null() : json_boolean(small);
    default:
        return number_to_json(field->kind, member);
    }
}

/* Steals `object`, also when it fails. */
static json_t *add_fields(json_t *object, const struct field *fields, const void *base)
{
    for (; object && fields->key; fields++)
        if (json_object_set_new(object, fields->key, field_to_json(fields, base)) < 0) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *check_to_json(const struct check_report *check)
{
    return check->samples ? add_fields(json_object(), check_fields, check) : json_null();
}

static json_t *volume_to_json(const struct volume_report *volume)
{
    _cleanup_(json_decref_p) json_t *object = add_fields(json_object(), volume_fields, volume);
    json_t *check = NULL;

    if (!object ||
        json_object_set_new(object, "state", json_string(volume_state_to_string(volume->state))) <
            0 ||
        json_object_set_new(object, "percent", json_real(volume_report_percent(volume))) < 0 ||
        json_object_set_new(object, "checkpoint",
                            add_fields(json_object(), checkpoint_fields, volume)) < 0 ||
        json_object_set_new(object, "origin",
                            add_fields(json_object(), origin_fields, &volume->origin)) < 0 ||
        json_object_set_new(object, "check", check = json_object()) < 0 ||
        json_object_set_new(check, "before", check_to_json(&volume->check_before)) < 0 ||
        json_object_set_new(check, "after", check_to_json(&volume->check_after)) < 0)
        return NULL;
    return steal_pointer(&object);
}

json_t *volumes_to_json(const struct volume_report *const *volumes, size_t n_volumes)
{
    _cleanup_(json_decref_p) json_t *array = json_array();

    for (size_t i = 0; array && i < n_volumes; i++)
        if (json_array_append_new(array, volume_to_json(volumes[i])) < 0)
            return NULL;
    return steal_pointer(&array);
}

json_t *fleet_to_json(const struct fleet_report *report, const struct volume_report *const *volumes,
                      size_t n_volumes)
{
    _cleanup_(json_decref_p) json_t *object = add_fields(json_object(), fleet_fields, report);

    if (!object || json_object_set_new(object, "volumes", volumes_to_json(volumes, n_volumes)) < 0)
        return NULL;
    return steal_pointer(&object);
}

/* ---- from JSON ---- */

struct parsed_report {
    struct fleet_report report;
    json_t *json; /* holds the strings */
};

struct reading {
    char *error;
    char path[48]; /* of the object that is being read: "volumes[3]." */
};

static int wrong(const struct reading *reading, const char *key, const char *wanted)
{
    snprintf(reading->error, REPORT_ERROR_MAX, "%s%s: %s is wanted", reading->path, key, wanted);
    return -EBADMSG;
}

static int text_from_json(const struct reading *reading, const struct field *field, json_t *json,
                          const char **ret)
{
    if (field->kind == FIELD_TEXT_OR_NULL && (!json || json_is_null(json))) {
        *ret = "";
        return 0;
    }
    if (!json_is_string(json))
        return wrong(reading, field->key, "text");
    *ret = json_string_value(json);
    return 0;
}

static int digits_from_json(const struct reading *reading, const struct field *field, json_t *json,
                            uint64_t *ret)
{
    const char *text = json_string_value(json);
    char *end;

    if (!text || *text < '0' || *text > '9')
        return wrong(reading, field->key, "a number in quotes");
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return errno || *end ? wrong(reading, field->key, "a number in quotes") : 0;
}

static int u64_from_json(const struct reading *reading, const struct field *field, json_t *json,
                         uint64_t max, uint64_t *ret)
{
    json_int_t value = json_integer_value(json);

    if (!json_is_integer(json) || value < 0 || (uint64_t)value > max)
        return wrong(reading, field->key, "a whole number that is not negative");
    *ret = (uint64_t)value;
    return 0;
}

static int nullable_from_json(const struct reading *reading, const struct field *field,
                              json_t *json, uint64_t *ret)
{
    if (!json || json_is_null(json)) {
        *ret = field->kind == FIELD_U64_OR_NULL ? UINT64_MAX : 0;
        return 0;
    }
    return u64_from_json(reading, field, json, UINT64_MAX, ret);
}

static int int_from_json(const struct reading *reading, const struct field *field, json_t *json,
                         int *ret)
{
    uint64_t value;
    int r;

    if (!json || json_is_null(json)) {
        *ret = -1;
        return 0;
    }
    if (field->kind == FIELD_BOOL_OR_NULL) {
        if (!json_is_boolean(json))
            return wrong(reading, field->key, "true, false or null");
        *ret = json_is_true(json);
        return 0;
    }
    r = u64_from_json(reading, field, json, INT_MAX, &value);
    if (r == 0)
        *ret = (int)value;
    return r;
}

static int field_from_json(const struct reading *reading, const struct field *field, json_t *json,
                           void *base)
{
    void *member = (char *)base + field->offset;
    uint64_t value = 0;
    int r;

    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_TEXT_OR_NULL:
        return text_from_json(reading, field, json, member);
    case FIELD_U64_AS_TEXT:
        return digits_from_json(reading, field, json, member);
    case FIELD_U64:
        return u64_from_json(reading, field, json, UINT64_MAX, member);
    case FIELD_U64_OR_NULL:
    case FIELD_POSITIVE_OR_NULL:
        return nullable_from_json(reading, field, json, member);
    case FIELD_INT_OR_NULL:
    case FIELD_BOOL_OR_NULL:
        return int_from_json(reading, field, json, member);
    case FIELD_UNSIGNED:
        r = u64_from_json(reading, field, json, UINT_MAX, &value);
        *(unsigned *)member = (unsigned)value;
        return r;
    case FIELD_RATE:
        r = u64_from_json(reading, field, json, UINT64_MAX, &value);
        *(double *)member = (double)value;
        return r;
    }
    return -EINVAL;
}

static int read_fields(const struct reading *reading, const struct field *fields, json_t *json,
                       void *base)
{
    int r = 0;

    for (; r == 0 && fields->key; fields++)
        r = field_from_json(reading, fields, json_object_get(json, fields->key), base);
    return r;
}

/* Reads the member `key`, an object, of `parent`. */
static int read_member(struct reading *reading, const char *key, const struct field *fields,
                       json_t *parent, void *base)
{
    struct reading inner = { .error = reading->error };
    json_t *json = json_object_get(parent, key);

    if (!json_is_object(json))
        return wrong(reading, key, "an object");
    snprintf(inner.path, sizeof(inner.path), "%.32s%s.", reading->path, key);
    return read_fields(&inner, fields, json, base);
}

static int read_check(struct reading *reading, const char *key, json_t *parent,
                      struct check_report *check)
{
    json_t *json = json_object_get(parent, key);

    if (!json || json_is_null(json))
        return 0;
    return read_member(reading, key, check_fields, parent, check);
}

static int read_volume(struct reading *reading, json_t *json, struct volume_report *volume)
{
    const char *state = json_string_value(json_object_get(json, "state"));
    json_t *check = json_object_get(json, "check");
    int r;

    if (!json_is_object(json))
        return wrong(reading, "", "an object");
    if (!state || volume_state_from_string(state, &volume->state) < 0)
        return wrong(reading, "state", "the name of a volume's state");
    r = read_fields(reading, volume_fields, json, volume);
    if (r == 0)
        r = read_member(reading, "checkpoint", checkpoint_fields, json, volume);
    if (r == 0)
        r = read_member(reading, "origin", origin_fields, json, &volume->origin);
    if (r == 0)
        r = read_check(reading, "before", check, &volume->check_before);
    if (r == 0)
        r = read_check(reading, "after", check, &volume->check_after);
    return r;
}

static int read_volumes(struct reading *reading, json_t *array, struct fleet_report *report)
{
    size_t n = json_array_size(array);
    int r = 0;

    if (!json_is_array(array))
        return wrong(reading, "volumes", "an array");
    report->volumes = calloc(n ? n : 1, sizeof(*report->volumes));
    if (!report->volumes)
        return -ENOMEM;
    report->n_volumes = n;
    for (size_t i = 0; r == 0 && i < n; i++) {
        snprintf(reading->path, sizeof(reading->path), "volumes[%zu].", i);
        r = read_volume(reading, json_array_get(array, i), &report->volumes[i]);
    }
    return r;
}

int report_from_json(json_t *json, struct parsed_report **ret, char error[REPORT_ERROR_MAX])
{
    _cleanup_(parsed_report_free_p) struct parsed_report *parsed = calloc(1, sizeof(*parsed));
    struct reading reading = { .error = error };
    int r;

    if (!parsed)
        return -ENOMEM;
    if (!json_is_object(json))
        return wrong(&reading, "answer", "an object");
    parsed->json = json_incref(json);
    r = read_fields(&reading, fleet_fields, json, &parsed->report);
    if (r == 0)
        r = read_volumes(&reading, json_object_get(json, "volumes"), &parsed->report);
    if (r < 0)
        return r;
    *ret = steal_pointer(&parsed);
    return 0;
}

void parsed_report_free(struct parsed_report *parsed)
{
    free(parsed->report.volumes);
    json_decref(parsed->json);
    free(parsed);
}

const struct fleet_report *parsed_report_get(const struct parsed_report *parsed)
{
    return &parsed->report;
}
