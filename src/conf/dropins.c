/* SPDX-License-Identifier: MIT */
#include "conf/dropins.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

struct list {
    char **paths;
    size_t n;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool has_name(const struct list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(base_name(list->paths[i]), name) == 0)
            return true;
    }
    return false;
}

static int append(struct list *list, const char *directory, const char *folder, const char *name)
{
    char **paths = realloc(list->paths, (list->n + 2) * sizeof(char *));

    if (!paths)
        return -ENOMEM;
    list->paths = paths;
    if (asprintf(&paths[list->n], "%s/%s/%s", directory, folder, name) < 0)
        return -ENOMEM;
    paths[++list->n] = NULL;
    return 0;
}

static bool is_dropin(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > 5 && strcmp(name + length - 5, ".conf") == 0;
}

static int add_entries(struct list *list, DIR *open_folder, const char *directory,
                       const char *folder)
{
    const struct dirent *entry;

    while ((errno = 0, entry = readdir(open_folder))) {
        if (is_dropin(entry->d_name) && !has_name(list, entry->d_name)) {
            int r = append(list, directory, folder, entry->d_name);
            if (r < 0)
                return r;
        }
    }
    return -errno;
}

/* -ENOMEM; other errors are told to `broken`. */
static int add_folder(struct list *list, const char *directory, const char *folder,
                      dropins_broken_fn broken, void *userdata)
{
    _cleanup_free_ char *path = NULL;
    DIR *open_folder;
    int r;

    if (asprintf(&path, "%s/%s", directory, folder) < 0)
        return -ENOMEM;
    open_folder = opendir(path);
    r = open_folder ? add_entries(list, open_folder, directory, folder) : -errno;
    if (open_folder)
        closedir(open_folder);
    if (r == -ENOMEM)
        return r;
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        broken(path, r, userdata);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(base_name(*(char *const *)a), base_name(*(char *const *)b));
}

/* /dev/null, by a link or an empty file: there to hide a lower one. One that can't be looked at
 * stays, so that reading it says why. */
static bool is_mask(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size == 0 && (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode));
}

static void drop_masks(struct list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (is_mask(list->paths[i]))
            free(list->paths[i]);
        else
            list->paths[kept++] = list->paths[i];
    }
    list->n = kept;
    list->paths[kept] = NULL;
}

int dropins_list(const char *const *directories, const char *folder, dropins_broken_fn broken,
                 void *userdata, char ***ret)
{
    struct list list = { .paths = calloc(1, sizeof(char *)) };
    int r = list.paths ? 0 : -ENOMEM;

    for (size_t i = 0; r >= 0 && directories && directories[i]; i++)
        r = add_folder(&list, directories[i], folder, broken, userdata);
    if (r < 0) {
        for (size_t i = 0; i < list.n; i++)
            free(list.paths[i]);
        free(list.paths);
        return r;
    }
    if (list.n > 1)
        qsort(list.paths, list.n, sizeof(char *), compare_names);
    drop_masks(&list);
    *ret = list.paths;
    return 0;
}
