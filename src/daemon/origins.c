/* SPDX-License-Identifier: MIT */
#include "daemon/origins.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

struct origins {
    char *path;
    struct origin_folder folder;
    sd_event_source *watch_source;
    void (*changed)(void *userdata);
    void *userdata;
};

DEFINE_CLEANUP(struct origins *, origins_free, origins_free_p)

static void read_again(struct origins *origins)
{
    origin_folder_done(&origins->folder);
    origin_folder_read(origins->path, &origins->folder);
}

static int on_inotify(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
    struct origins *origins = userdata;

    (void)source;
    if (event->len > 0 && !origin_folder_is_file(event->name))
        return 0;
    read_again(origins);
    origins->changed(origins->userdata);
    return 0;
}

static void watch(struct origins *origins, sd_event *event)
{
    int r = 0;

    if (mkdir(origins->path, 0755) < 0 && errno != EEXIST)
        r = -errno;
    if (r >= 0)
        r = sd_event_add_inotify(event, &origins->watch_source, origins->path,
                                 IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR, on_inotify,
                                 origins);
    if (r < 0)
        log_warning("cannot watch %s: %s; where volumes come from stays unknown", origins->path,
                    strerror(-r));
}

int origins_new(sd_event *event, void (*changed)(void *userdata), void *userdata,
                struct origins **ret)
{
    _cleanup_(origins_free_p) struct origins *origins = calloc(1, sizeof(*origins));

    if (!origins)
        return -ENOMEM;
    origins->path = origin_folder_path();
    if (!origins->path)
        return -ENOMEM;
    origins->changed = changed;
    origins->userdata = userdata;
    /* Watching first, so that nothing falls between. */
    if (changed)
        watch(origins, event);
    read_again(origins);
    *ret = steal_pointer(&origins);
    return 0;
}

void origins_free(struct origins *origins)
{
    if (!origins)
        return;
    sd_event_source_disable_unref(origins->watch_source);
    origin_folder_done(&origins->folder);
    free(origins->path);
    free(origins);
}

const struct origin_folder *origins_told(const struct origins *origins)
{
    return &origins->folder;
}
