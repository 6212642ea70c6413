/* SPDX-License-Identifier: MIT */
#include "daemon/origins.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "daemon/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#define SUFFIX ".origin"
/* More volumes than an instance can have attached. */
#define ORIGINS_MAX 512U

struct origins {
    char *folder;
    struct origin *list;
    size_t n;
    sd_event_source *watch_source;
    void (*changed)(void *userdata);
    void *userdata;
};

DEFINE_CLEANUP(struct origins *, origins_free, origins_free_p)
DEFINE_CLEANUP(DIR *, closedir, closedir_p)

static bool is_origin_file(const char *name)
{
    size_t length = strlen(name);

    return name[0] != '.' && length > strlen(SUFFIX) &&
           strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/* Root's, our own, and whoever owns the folder: a user that was given it to write there. */
static int load_one(int folder_fd, const char *name, struct origin *ret)
{
    uid_t uids[3] = { 0, geteuid(), 0 };
    const struct origin_owners owners = { .uids = uids, .n_uids = 3 };
    char why[ORIGIN_WHY_MAX] = "";
    struct stat st;
    int r;

    if (fstat(folder_fd, &st) == 0)
        uids[2] = st.st_uid;
    r = origin_load(folder_fd, name, &owners, ret, why);
    if (r < 0 && r != -ENOENT)
        log_warning("%s is not believed: %s", name, why[0] ? why : strerror(-r));
    return r;
}

static void read_folder(struct origins *origins)
{
    _cleanup_(closedir_p) DIR *folder = opendir(origins->folder);
    const struct dirent *entry;
    struct origin *list;

    origins->n = 0;
    if (!folder)
        return;
    while ((entry = readdir(folder)) && origins->n < ORIGINS_MAX) {
        if (!is_origin_file(entry->d_name))
            continue;
        list = realloc(origins->list, (origins->n + 1) * sizeof(*list));
        if (!list)
            return;
        origins->list = list;
        if (load_one(dirfd(folder), entry->d_name, &list[origins->n]) >= 0)
            origins->n++;
    }
}

static int on_inotify(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
    struct origins *origins = userdata;

    (void)source;
    if (event->len > 0 && !is_origin_file(event->name))
        return 0;
    read_folder(origins);
    origins->changed(origins->userdata);
    return 0;
}

static void watch(struct origins *origins, sd_event *event)
{
    int r = 0;

    if (mkdir(origins->folder, 0755) < 0 && errno != EEXIST)
        r = -errno;
    if (r >= 0)
        r = sd_event_add_inotify(event, &origins->watch_source, origins->folder,
                                 IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR, on_inotify,
                                 origins);
    if (r < 0)
        log_warning("cannot watch %s: %s; where volumes come from stays unknown", origins->folder,
                    strerror(-r));
}

int origins_new(sd_event *event, void (*changed)(void *userdata), void *userdata,
                struct origins **ret)
{
    _cleanup_(origins_free_p) struct origins *origins = calloc(1, sizeof(*origins));

    if (!origins)
        return -ENOMEM;
    origins->folder = paths_origins();
    if (!origins->folder)
        return -ENOMEM;
    origins->changed = changed;
    origins->userdata = userdata;
    /* Watching first, so that nothing falls between. */
    if (changed)
        watch(origins, event);
    read_folder(origins);
    *ret = steal_pointer(&origins);
    return 0;
}

void origins_free(struct origins *origins)
{
    if (!origins)
        return;
    sd_event_source_disable_unref(origins->watch_source);
    free(origins->list);
    free(origins->folder);
    free(origins);
}

const struct origin *origins_find(const struct origins *origins, const char *volume_id)
{
    for (size_t i = 0; i < origins->n; i++) {
        if (strcmp(origins->list[i].volume, volume_id) == 0)
            return &origins->list[i];
    }
    return NULL;
}
