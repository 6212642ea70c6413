/* SPDX-License-Identifier: MIT */
/* A cold volume that is being served: what it is like, what it has been asked, what it answers. */
#ifndef COLDVOL_VOLUME_H
#define COLDVOL_VOLUME_H

#include "faults.h"
#include "model.h"
#include "place.h"
#include "record.h"
#include "settings.h"

struct volume {
    const struct place *place;
    struct settings settings;
    struct faults *faults;
    struct model *model;
    struct record *record;
    int backing_fd; /* -1: zeros */
};

/* Monotonic, for the model. */
uint64_t volume_now_usec(void);

/*
 * Takes up the record that is in the folder or makes one, and writes the settings beside it.
 * `error` says what went wrong.
 */
int volume_open(const struct place *place, const struct settings *settings, struct volume *ret,
                char error[SETTINGS_ERROR_MAX]);
void volume_close(struct volume *volume);

/* Takes one "key=value" that may change while the volume is up. */
int volume_set(struct volume *volume, const char *word, char error[SETTINGS_ERROR_MAX]);
int volume_resize(struct volume *volume, uint64_t size_bytes);

/* Fills `buffer` with the content; what is beyond the backing file's end is zeros. */
int volume_read_content(const struct volume *volume, void *buffer, size_t length, uint64_t offset);
/* Counts the write and does with it as the settings say. */
int volume_write(struct volume *volume, const void *data, size_t length, uint64_t offset);
/* Counts something that would change the volume as a write: 0 when writes are accepted. */
int volume_count_change(struct volume *volume);

/* The settings that a folder keeps, over `settings`; 0 also when it keeps none. */
int volume_load_settings(const struct place *place, struct settings *settings,
                         char error[SETTINGS_ERROR_MAX]);

#endif
