/* SPDX-License-Identifier: MIT */
#include "volume.h"

#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "base/size.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t volume_now_usec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / 1000;
}

static int save_settings(const struct volume *volume)
{
    _cleanup_close_ int folder = open(volume->place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char text[SETTINGS_TEXT_MAX];
    int r;

    if (folder < 0)
        return -errno;
    r = settings_format(&volume->settings, NULL, text, sizeof(text));
    if (r < 0)
        return r;
    return atomic_write_file(folder, "settings", text, strlen(text), 0644);
}

int volume_load_settings(const struct place *place, struct settings *settings,
                         char error[SETTINGS_ERROR_MAX])
{
    _cleanup_free_ char *text = NULL;
    char *rest;
    size_t length;
    int r = read_small_file(AT_FDCWD, place->settings, SETTINGS_TEXT_MAX, &text, &length);

    if (r == -ENOENT)
        return 0;
    if (r < 0) {
        snprintf(error, SETTINGS_ERROR_MAX, "%.300s: %s", place->settings, strerror(-r));
        return r;
    }
    rest = text;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        if (!line[0])
            continue;
        r = settings_assign(settings, line, error);
        if (r < 0)
            return r;
    }
    return 0;
}

static int open_backing(struct volume *volume)
{
    const char *path = volume->settings.backing;

    if (!path[0])
        return 0;
    /* Only a volume that takes writes may ever touch somebody's image. */
    volume->backing_fd =
        open(path, O_CLOEXEC | (volume->settings.accept_writes ? O_RDWR : O_RDONLY));
    return volume->backing_fd < 0 ? -errno : 0;
}

static int open_record(struct volume *volume, char error[SETTINGS_ERROR_MAX])
{
    struct record_header *header;
    int r = record_open(volume->place->record, &volume->record);

    if (r == -ENOENT)
        r = record_create(volume->place->record, &volume->settings, &volume->record);
    if (r < 0) {
        snprintf(error, SETTINGS_ERROR_MAX, "record: %s",
                 r == -EBADMSG ? "not one of this version" : strerror(-r));
        return r;
    }
    header = record_get_header(volume->record);
    if (header->granule_bytes != volume->settings.granule_bytes) {
        snprintf(error, SETTINGS_ERROR_MAX,
                 "the kept record has granule=%llu: use that, or first `coldvol down` without "
                 "--keep-state",
                 (unsigned long long)header->granule_bytes);
        return -EINVAL;
    }
    record_resize(volume->record, volume->settings.size_bytes);
    return 0;
}

static int open_parts(struct volume *volume, char error[SETTINGS_ERROR_MAX])
{
    int r = open_backing(volume);

    if (r < 0) {
        snprintf(error, SETTINGS_ERROR_MAX, "backing %.300s: %s", volume->settings.backing,
                 strerror(-r));
        return r;
    }
    r = open_record(volume, error);
    if (r < 0)
        return r;
    volume->faults = faults_new(volume->settings.granule_bytes, volume->settings.seed);
    if (!volume->faults)
        return -ENOMEM;
    volume->model =
        model_new(&volume->settings, volume->faults, record_get_granules(volume->record));
    return volume->model ? save_settings(volume) : -ENOMEM;
}

int volume_open(const struct place *place, const struct settings *settings, struct volume *ret,
                char error[SETTINGS_ERROR_MAX])
{
    int r;

    *ret = (struct volume){ .place = place, .settings = *settings, .backing_fd = -1 };
    error[0] = '\0';
    r = open_parts(ret, error);
    if (r < 0) {
        if (!error[0])
            snprintf(error, SETTINGS_ERROR_MAX, "%.300s: %s", place->folder, strerror(-r));
        volume_close(ret);
    }
    return r;
}

void volume_close(struct volume *volume)
{
    model_free(volume->model);
    faults_free(volume->faults);
    record_free(volume->record);
    if (volume->backing_fd >= 0)
        close(volume->backing_fd);
    *volume = (struct volume){ .backing_fd = -1 };
}

int volume_set(struct volume *volume, const char *word, char error[SETTINGS_ERROR_MAX])
{
    struct settings changed = volume->settings;
    int r;

    if (settings_key_is_fixed(word)) {
        snprintf(error, SETTINGS_ERROR_MAX, "\"%.200s\" cannot change while the volume is up%s",
                 word, strncmp(word, "size=", 5) == 0 ? "; see `coldvol resize`" : "");
        return -EBUSY;
    }
    r = settings_assign(&changed, word, error);
    if (r < 0)
        return r;
    r = settings_check(&changed, error);
    if (r < 0)
        return r;
    if (changed.accept_writes && !volume->settings.accept_writes && changed.backing[0]) {
        snprintf(error, SETTINGS_ERROR_MAX,
                 "the backing file was opened read-only: say writes=accept to `up`");
        return -EBUSY;
    }
    volume->settings = changed;
    return save_settings(volume);
}

int volume_resize(struct volume *volume, uint64_t size_bytes)
{
    if (size_bytes > SETTINGS_SIZE_MAX)
        return -EFBIG;
    record_resize(volume->record, size_bytes);
    volume->settings.size_bytes = size_bytes;
    return save_settings(volume);
}

int volume_read_content(const struct volume *volume, void *buffer, size_t length, uint64_t offset)
{
    char *bytes = buffer;

    while (length > 0) {
        ssize_t n = pread(volume->backing_fd, bytes, length, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        bytes += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    memset(bytes, 0, length);
    return 0;
}

int volume_count_change(struct volume *volume)
{
    record_get_header(volume->record)->writes++;
    return volume->settings.accept_writes ? 0 : -EIO;
}

int volume_write(struct volume *volume, const void *data, size_t length, uint64_t offset)
{
    const char *bytes = data;
    int r = volume_count_change(volume);

    if (r < 0 || volume->backing_fd < 0)
        return r;
    while (length > 0) {
        ssize_t n = pwrite(volume->backing_fd, bytes, length, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        bytes += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}
