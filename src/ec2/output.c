/* SPDX-License-Identifier: MIT */
#include "ec2/output.h"

#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "ec2/lists.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#define ORIGIN_SUFFIX ".origin"

DEFINE_CLEANUP(DIR *, closedir, closedir_p)

static int complain(const char *name, int error)
{
    fprintf(stderr, "ebswarm-ec2: %s: %s\n", name, strerror(-error));
    return error;
}

int output_open(const char *path)
{
    _cleanup_free_ char *own = NULL;
    const char *runtime = getenv("RUNTIME_DIRECTORY");
    int fd;

    if (!runtime || !*runtime)
        runtime = "/run/ebswarm";
    if (!path && asprintf(&own, "%.*s/origin", (int)strcspn(runtime, ":"), runtime) < 0)
        return complain("output", -ENOMEM);
    if (!path)
        path = own;
    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return complain(path, -errno);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? complain(path, -errno) : fd;
}

static int write_one(int directory_fd, const struct origin *origin)
{
    char name[ORIGIN_WORD_MAX + sizeof(ORIGIN_SUFFIX)];
    _cleanup_free_ char *text = origin_format(origin);
    int r;

    snprintf(name, sizeof(name), "%s" ORIGIN_SUFFIX, origin->volume);
    if (!text)
        return complain(name, -ENOMEM);
    r = atomic_write_file(directory_fd, name, text, strlen(text), 0644);
    return r < 0 ? complain(name, r) : 0;
}

int output_write(int directory_fd, const struct volumes *volumes)
{
    int ret = 0;

    for (size_t i = 0; i < volumes->n_items; i++) {
        int r = write_one(directory_fd, &volumes->items[i]);

        if (r < 0)
            ret = r;
    }
    return ret;
}

static bool is_attached(const struct volumes *volumes, const char *name, size_t length)
{
    for (size_t i = 0; i < volumes->n_items; i++) {
        const char *volume = volumes->items[i].volume;

        if (strlen(volume) == length && strncmp(name, volume, length) == 0)
            return true;
    }
    return false;
}

/* Only files by our own naming: a site's own script may write beside us. */
static bool is_stale(const struct volumes *volumes, const char *name)
{
    const char *dot = strrchr(name, '.');

    return strncmp(name, "vol-", 4) == 0 && dot &&
           (strcmp(dot, ORIGIN_SUFFIX) == 0 || strcmp(dot, LISTS_SUFFIX) == 0) &&
           !is_attached(volumes, name, (size_t)(dot - name));
}

int output_remove_stale(int directory_fd, const struct volumes *volumes)
{
    int copy = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _cleanup_(closedir_p) DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;

    if (!dir)
        return complain("the output folder", -errno);
    while ((entry = readdir(dir)))
        if (is_stale(volumes, entry->d_name) && unlinkat(directory_fd, entry->d_name, 0) < 0)
            return complain(entry->d_name, -errno);
    return 0;
}
