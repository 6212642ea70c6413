/* SPDX-License-Identifier: MIT */
#include "ec2/volumes.h"

#include "ec2/xml.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct volumes *volumes;
    struct origin current;
    char name[64], value[64]; /* of a status detail, a snapshot or an attachment */
    int error;
};

/* An element, the key it becomes, and the unit in which EC2 counts. */
struct field {
    const char *path, *key, *unit;
};

static const struct field volume_fields[] = {
    { "volumeSet/item/volumeId", "Volume", "" },
    { "volumeSet/item/snapshotId", "Snapshot", "" },
    { "volumeSet/item/size", "SizeBytes", "G" },
    { "volumeSet/item/volumeType", "Type", "" },
    { "volumeSet/item/iops", "Iops", "" },
    { "volumeSet/item/throughput", "Throughput", "M" },
    { "volumeSet/item/fastRestored", "FastRestored", "" },
    { "volumeSet/item/volumeInitializationRate", "InitializationRate", "M" },
    { "volumeSet/item/sourceVolumeId", "SourceVolume", "" },
    { NULL, NULL, NULL },
};

static const struct field status_fields[] = {
    { "volumeStatusSet/item/volumeId", "Volume", "" },
    { "volumeStatusSet/item/initializationStatusDetails/initializationType", "InitializationType",
      "" },
    { "volumeStatusSet/item/initializationStatusDetails/progress", "InitializationProgress", "" },
    { NULL, NULL, NULL },
};

/* A value of tomorrow, such as a new initializationType, is left out and not an error. */
static void take_field(struct origin *origin, const struct field *fields, const char *path,
                       const char *text)
{
    char value[80];

    for (; fields->path; fields++) {
        if (strcmp(path, fields->path) != 0 || *text == '\0')
            continue;
        snprintf(value, sizeof(value), "%.70s%s", text, fields->unit);
        (void)origin_set(origin, fields->key, value);
    }
}

static struct origin *find(const struct volumes *volumes, const char *id)
{
    for (size_t i = 0; i < volumes->n_items; i++)
        if (strcmp(volumes->items[i].volume, id) == 0)
            return &volumes->items[i];
    return NULL;
}

static void append(struct reader *reader)
{
    struct volumes *volumes = reader->volumes;
    struct origin *items;

    items = reallocarray(volumes->items, volumes->n_items + 1, sizeof(*items));
    if (!items) {
        reader->error = -ENOMEM;
        return;
    }
    volumes->items = items;
    items[volumes->n_items++] = reader->current;
}

/* Volume ids become file names. */
static bool is_volume_id(const char *id)
{
    return strncmp(id, "vol-", 4) == 0 && id[4] &&
           id[4 + strspn(id + 4, "0123456789abcdef")] == '\0';
}

static void on_attachment(struct reader *reader, const char *path, const char *text)
{
    if (strcmp(path, "/instanceId") == 0)
        snprintf(reader->name, sizeof(reader->name), "%s", text);
    else if (strcmp(path, "/device") == 0)
        snprintf(reader->value, sizeof(reader->value), "%s", text);
    else if (*path == '\0') {
        if (strcmp(reader->name, reader->volumes->instance_id) == 0)
            (void)origin_set(&reader->current, "Device", reader->value);
        reader->name[0] = reader->value[0] = '\0';
    }
}

static void on_volume(const char *path, const char *text, void *userdata)
{
    static const char attachment[] = "volumeSet/item/attachmentSet/item";
    struct reader *reader = userdata;

    if (strcmp(path, "nextToken") == 0)
        snprintf(reader->volumes->next_token, VOLUMES_TOKEN_MAX, "%s", text);
    take_field(&reader->current, volume_fields, path, text);
    /* Only the empty element means an empty volume: a missing one says nothing. */
    if (strcmp(path, "volumeSet/item/snapshotId") == 0 && *text == '\0')
        strcpy(reader->current.snapshot, ORIGIN_NONE);
    if (strncmp(path, attachment, strlen(attachment)) == 0)
        on_attachment(reader, path + strlen(attachment), text);
    if (strcmp(path, "volumeSet/item") != 0)
        return;
    if (!is_volume_id(reader->current.volume)) {
        reader->error = -EINVAL;
        return;
    }
    if (!find(reader->volumes, reader->current.volume))
        append(reader);
    origin_init(&reader->current);
}

static void copy_status(struct reader *reader)
{
    struct origin *origin = find(reader->volumes, reader->current.volume);

    if (origin) {
        origin->initialization_state = reader->current.initialization_state;
        origin->initialization_type = reader->current.initialization_type;
        origin->initialization_progress = reader->current.initialization_progress;
    }
    origin_init(&reader->current);
}

static void on_status(const char *path, const char *text, void *userdata)
{
    static const char detail[] = "volumeStatusSet/item/volumeStatus/details/item";
    struct reader *reader = userdata;

    take_field(&reader->current, status_fields, path, text);
    if (strcmp(path, "volumeStatusSet/item") == 0)
        copy_status(reader);
    if (strncmp(path, detail, strlen(detail)) != 0)
        return;
    path += strlen(detail);
    if (strcmp(path, "/name") == 0)
        snprintf(reader->name, sizeof(reader->name), "%s", text);
    else if (strcmp(path, "/status") == 0)
        snprintf(reader->value, sizeof(reader->value), "%s", text);
    else if (*path == '\0') {
        if (strcmp(reader->name, "initialization-state") == 0)
            (void)origin_set(&reader->current, "InitializationState", reader->value);
        reader->name[0] = reader->value[0] = '\0';
    }
}

static void on_snapshot(const char *path, const char *text, void *userdata)
{
    struct reader *reader = userdata;

    if (strcmp(path, "nextToken") == 0)
        snprintf(reader->volumes->next_token, VOLUMES_TOKEN_MAX, "%s", text);
    if (strcmp(path, "snapshotSet/item/snapshotId") == 0)
        snprintf(reader->name, sizeof(reader->name), "%s", text);
    if (strcmp(path, "snapshotSet/item/fullSnapshotSizeInBytes") == 0)
        snprintf(reader->value, sizeof(reader->value), "%s", text);
    if (strcmp(path, "snapshotSet/item") != 0)
        return;
    for (size_t i = 0; i < reader->volumes->n_items; i++)
        if (strcmp(reader->volumes->items[i].snapshot, reader->name) == 0 && reader->value[0])
            (void)origin_set(&reader->volumes->items[i], "SnapshotBytes", reader->value);
    reader->name[0] = reader->value[0] = '\0';
}

static int take(struct volumes *volumes, const char *xml, size_t length, xml_element_fn element,
                const char **why)
{
    struct reader reader = { .volumes = volumes };
    int r;

    origin_init(&reader.current);
    volumes->next_token[0] = '\0';
    r = xml_parse(xml, length, element, &reader, why);
    if (r >= 0 && reader.error < 0) {
        *why = reader.error == -ENOMEM ? "out of memory" : "a volume without a volume id";
        r = reader.error;
    }
    return r;
}

int volumes_take(struct volumes *volumes, const char *xml, size_t length, const char **why)
{
    return take(volumes, xml, length, on_volume, why);
}

int volumes_take_status(struct volumes *volumes, const char *xml, size_t length, const char **why)
{
    return take(volumes, xml, length, on_status, why);
}

int volumes_take_snapshots(struct volumes *volumes, const char *xml, size_t length,
                           const char **why)
{
    return take(volumes, xml, length, on_snapshot, why);
}

void volumes_done(struct volumes *volumes)
{
    free(volumes->items);
    volumes->items = NULL;
    volumes->n_items = 0;
}

static void on_error(const char *path, const char *text, void *userdata)
{
    struct aws_error *error = userdata;

    if (strcmp(path, "Errors/Error/Code") == 0)
        snprintf(error->code, sizeof(error->code), "%s", text);
    if (strcmp(path, "Errors/Error/Message") == 0)
        snprintf(error->message, sizeof(error->message), "%s", text);
}

void ec2_error_take(struct aws_error *error, const char *xml, size_t length)
{
    const char *why;

    *error = (struct aws_error){ 0 };
    (void)xml_parse(xml, length, on_error, error, &why);
}
