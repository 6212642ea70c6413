/* SPDX-License-Identifier: MIT */
#include "place.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LENGTH_MAX 64
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

static void closedir_p(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

static const char *root(void)
{
    const char *directory = getenv("COLDVOL_DIR");

    return directory && directory[0] ? directory : "/run/coldvol";
}

static int join(char path[PATH_MAX], const char *folder, const char *name)
{
    int n = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

int place_init(struct place *place, const char *name)
{
    size_t length = strlen(name);
    char volumes[PATH_MAX];

    if (length == 0 || length > NAME_LENGTH_MAX || name[0] == '.' ||
        strspn(name, NAME_CHARACTERS) != length || root()[0] != '/')
        return -EINVAL;
    /* The kernel's own words about mounts and loop devices have paths without symbolic links. */
    if (!realpath(root(), volumes) && snprintf(volumes, PATH_MAX, "%s", root()) >= PATH_MAX)
        return -ENAMETOOLONG;
    place->name = name;
    if (join(place->folder, volumes, name) < 0 ||
        join(place->device, place->folder, "device") < 0 ||
        join(place->mount, place->folder, "mnt") < 0 ||
        join(place->volume, place->mount, "volume") < 0 ||
        join(place->control, place->folder, "control") < 0 ||
        join(place->record, place->folder, "record") < 0 ||
        join(place->settings, place->folder, "settings") < 0 ||
        join(place->pid, place->folder, "pid") < 0 || join(place->log, place->folder, "log") < 0)
        return -ENAMETOOLONG;
    return 0;
}

int place_for_each(int (*fn)(const char *name, void *userdata), void *userdata)
{
    _cleanup_(closedir_p) DIR *dir = opendir(root());
    const struct dirent *entry;
    int r = 0;

    if (!dir)
        return errno == ENOENT ? 0 : -errno;
    while (r >= 0 && (entry = readdir(dir))) {
        if (entry->d_name[0] != '.')
            r = fn(entry->d_name, userdata);
    }
    return r;
}

int place_make(const struct place *place)
{
    if (mkdir(root(), 0755) < 0 && errno != EEXIST)
        return -errno;
    if (mkdir(place->folder, 0755) < 0 && errno != EEXIST)
        return -errno;
    return 0;
}

void place_remove(const struct place *place, int keep_state)
{
    unlink(place->device);
    unlink(place->control);
    rmdir(place->mount);
    if (!keep_state) {
        unlink(place->record);
        unlink(place->settings);
        unlink(place->log);
    }
    /* Last of the files: while it is there, the volume counts as up. */
    unlink(place->pid);
    if (!keep_state)
        rmdir(place->folder);
}

int place_get_address(const struct place *place, struct sockaddr_un *ret_address, int *ret_folder)
{
    int folder = open(place->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0)
        return -errno;
    *ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(ret_address->sun_path, sizeof(ret_address->sun_path), "/proc/self/fd/%d/control",
             folder);
    *ret_folder = folder;
    return 0;
}
