/* SPDX-License-Identifier: MIT */
/* Every block device, the decision about it and why: by looking, so that no daemon is needed. */
#include "base/cleanup.h"
#include "base/size.h"
#include "conf/conf.h"
#include "ctl/verbs.h"
#include "device/list.h"
#include "device/told.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void on_finding(int level, const char *text, void *userdata)
{
    (void)level, (void)userdata;
    fprintf(stderr, "ebswarmctl: %s\n", text);
}

static const char *member(const json_t *device, const char *key)
{
    const char *text = json_string_value(json_object_get(device, key));

    return text ? text : "";
}

static int width_of(const json_t *list, const char *key, const char *head)
{
    size_t width = strlen(head);

    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t length = strlen(member(json_array_get(list, i), key));
        if (length > width)
            width = length;
    }
    return (int)width;
}

static void print_table(const json_t *list)
{
    int device_width = width_of(list, "device", "DEVICE");
    int id_width = width_of(list, "id", "VOLUME");

    printf("%-*s  %-*s  %9s  %-8s  WHY\n", device_width, "DEVICE", id_width, "VOLUME", "SIZE",
           "DECISION");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *device = json_array_get(list, i);
        json_int_t size_bytes = json_integer_value(json_object_get(device, "size_bytes"));
        char size[FORMAT_MAX];
        printf("%-*s  %-*s  %9s  %-8s  %s\n", device_width, member(device, "device"), id_width,
               member(device, "id"), format_bytes(size, (uint64_t)size_bytes),
               member(device, "decision"), member(device, "reason"));
    }
    if (json_array_size(list) == 0)
        puts("no block devices at all: is this a container, or is /sys not mounted?");
}

/* What the daemon would decide now. NULL with a negative errno in *ret_error. */
static json_t *make_list(const struct conf *conf, int *ret_error)
{
    _cleanup_free_ char *path = origin_folder_path();
    struct device_entries entries = { 0 };
    struct origin_folder folder = { 0 };
    char boot_id[37];
    const struct device_list_told told = { .folder = &folder, .boot_id = boot_id };
    json_t *list = NULL;
    int r = path ? device_boot_id(boot_id) : -ENOMEM;

    if (r >= 0)
        r = device_enumerate(&entries);
    if (r >= 0) {
        origin_folder_read(path, &folder);
        device_entries_take_ids(&entries, &folder, boot_id);
        list = device_list(&entries, conf, &told);
    }
    device_entries_free(&entries);
    origin_folder_done(&folder);
    *ret_error = r < 0 ? r : -ENOMEM;
    return list;
}

static int list_devices(const struct ctl_options *options, const struct conf *conf)
{
    int error;
    json_t *list = make_list(conf, &error);

    if (!list) {
        fprintf(stderr, "ebswarmctl: cannot look for block devices: %s\n", strerror(-error));
        return CTL_EXIT_FAILURE;
    }
    if (options->json) {
        json_dumpf(list, stdout, JSON_INDENT(2));
        puts("");
    } else {
        print_table(list);
    }
    json_decref(list);
    return 0;
}

int verb_list(const struct ctl_options *options)
{
    const struct conf_paths paths = { .directories = conf_directories() };
    struct conf *conf;
    int status;

    if (conf_load(&paths, on_finding, NULL, &conf) < 0)
        return CTL_EXIT_FAILURE;
    status = list_devices(options, conf);
    conf_free(conf);
    return status;
}
