/* SPDX-License-Identifier: MIT */
#include "origin/folder.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* More volumes than an instance can have attached. */
#define FILES_MAX 512U

DEFINE_CLEANUP(DIR *, closedir, closedir_p)

char *origin_folder_path(void)
{
    /* systemd gives a list with colons where a unit has several; ours has one. */
    const char *base = getenv("RUNTIME_DIRECTORY");
    char *path;

    if (!base || !*base)
        base = "/run/ebswarm";
    if (asprintf(&path, "%.*s/origin", (int)strcspn(base, ":"), base) < 0)
        return NULL;
    return path;
}

bool origin_folder_is_file(const char *name)
{
    size_t length = strlen(name), suffix = strlen(ORIGIN_SUFFIX);

    return name[0] != '.' && length > suffix && strcmp(name + length - suffix, ORIGIN_SUFFIX) == 0;
}

static int load_one(int folder_fd, const char *name, struct origin_file *ret)
{
    uid_t uids[3] = { 0, geteuid(), 0 };
    const struct origin_owners owners = { .uids = uids, .n_uids = 3 };
    char why[ORIGIN_WHY_MAX] = "";
    struct stat st;
    int r;

    if (fstat(folder_fd, &st) == 0)
        uids[2] = st.st_uid;
    r = origin_load(folder_fd, name, &owners, &ret->origin, why);
    if (r < 0) {
        if (r != -ENOENT)
            log_warning("%s is not believed: %s", name, why[0] ? why : strerror(-r));
        return r;
    }
    if (fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        ret->written_unix_usec = st.st_mtim.tv_sec * 1000000LL + st.st_mtim.tv_nsec / 1000;
    return 0;
}

void origin_folder_read(const char *path, struct origin_folder *ret)
{
    _cleanup_(closedir_p) DIR *folder = opendir(path);
    const struct dirent *entry;

    *ret = (struct origin_folder){ 0 };
    if (!folder)
        return;
    while ((entry = readdir(folder)) && ret->n_files < FILES_MAX) {
        struct origin_file *files;
        if (!origin_folder_is_file(entry->d_name))
            continue;
        files = realloc(ret->files, (ret->n_files + 1) * sizeof(*files));
        if (!files)
            return;
        ret->files = files;
        files[ret->n_files] = (struct origin_file){ 0 };
        if (load_one(dirfd(folder), entry->d_name, &files[ret->n_files]) >= 0)
            ret->n_files++;
    }
}

void origin_folder_done(struct origin_folder *folder)
{
    free(folder->files);
    *folder = (struct origin_folder){ 0 };
}

const struct origin *origin_folder_find(const struct origin_folder *folder, const char *volume_id)
{
    for (size_t i = 0; i < folder->n_files; i++) {
        if (strcmp(folder->files[i].origin.volume, volume_id) == 0)
            return &folder->files[i].origin;
    }
    return NULL;
}

/* "/dev/sdf", "sdf", "xvdf" → "f"; a root disk's "/dev/sda1" → "a". NULL where it is none of these.
 */
static const char *disk_letters(const char *name, size_t *ret_length)
{
    size_t length;

    if (strncmp(name, "/dev/", 5) == 0)
        name += 5;
    if (strncmp(name, "xvd", 3) == 0)
        name += 3;
    else if (strncmp(name, "sd", 2) == 0)
        name += 2;
    else
        return NULL;
    length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    if (length == 0 || (name[length] != '\0' && strcmp(name + length, "1") != 0))
        return NULL;
    *ret_length = length;
    return name;
}

static bool names_the_same(const char *attached_as, const char *kernel_name)
{
    size_t attached_length, kernel_length;
    const char *attached, *kernel;

    /* Under paravirtualization a disk may be named as a partition, "xvda1": both ways it is one. */
    attached = disk_letters(attached_as, &attached_length);
    kernel = disk_letters(kernel_name, &kernel_length);
    return attached && kernel && attached_length == kernel_length &&
           strncmp(attached, kernel, kernel_length) == 0;
}

static bool speaks_of(const struct origin_file *file, const struct origin_device *device)
{
    const struct origin *origin = &file->origin;

    return names_the_same(origin->device, device->name) &&
           strcasecmp(origin->boot_id, device->boot_id) == 0 &&
           (origin->size_bytes == 0 || origin->size_bytes == device->size_bytes) &&
           device->appeared_unix_usec > 0 && file->written_unix_usec >= device->appeared_unix_usec;
}

const struct origin *origin_folder_find_device(const struct origin_folder *folder,
                                               const struct origin_device *device)
{
    const struct origin *found = NULL;

    for (size_t i = 0; i < folder->n_files; i++) {
        if (!speaks_of(&folder->files[i], device))
            continue;
        if (found)
            return NULL;
        found = &folder->files[i].origin;
    }
    return found;
}
