/* SPDX-License-Identifier: MIT */
#include "status/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define VOLUME_PREFIX "vol"
#define DEV_PREFIX    "/dev/"

/* The hex digits of a volume id, NULL when it is none: "vol-0ab…", or "vol0ab…" as NVMe serials. */
static const char *volume_id_digits(const char *text)
{
    size_t n;

    if (strncmp(text, VOLUME_PREFIX, strlen(VOLUME_PREFIX)) != 0)
        return NULL;
    text += strlen(VOLUME_PREFIX);
    if (*text == '-')
        text++;
    n = strspn(text, "0123456789abcdef");
    /* AWS's ids have 17 digits, those from before 2018 have 8. */
    return n >= 8 && text[n] == '\0' ? text : NULL;
}

static const char *without_dev(const char *device)
{
    return strncmp(device, DEV_PREFIX, strlen(DEV_PREFIX)) == 0 ? device + strlen(DEV_PREFIX)
                                                                : device;
}

bool match_volume(const struct volume_report *volume, const char *what)
{
    const char *wanted = volume_id_digits(what);
    const char *id = volume_id_digits(volume->id);

    if (strcmp(volume->id, what) == 0 || (wanted && id && strcmp(wanted, id) == 0))
        return true;
    return *what && strcmp(without_dev(volume->device), without_dev(what)) == 0;
}

const struct volume_report *match_find(const struct fleet_report *report, const char *what)
{
    for (size_t i = 0; i < report->n_volumes; i++)
        if (match_volume(&report->volumes[i], what))
            return &report->volumes[i];
    return NULL;
}

bool match_is_possible(const char *what)
{
    if (*what == '\0')
        return false;
    if (*what == '/')
        return what[1] != '\0';
    if (strchr(what, '/'))
        return false;
    return strncmp(what, VOLUME_PREFIX "-", 4) != 0 || volume_id_digits(what);
}

static bool is_selected(const struct volume_report *volume, const char *const *what)
{
    if (!what || !*what)
        return true;
    for (; *what; what++)
        if (match_volume(volume, *what))
            return true;
    return false;
}

int match_select(const struct fleet_report *report, const char *const *what,
                 const struct volume_report ***ret, size_t *ret_n, const char **ret_unknown)
{
    _cleanup_free_ const struct volume_report **selected = NULL;
    size_t n = 0;

    for (const char *const *w = what; ret_unknown && w && *w; w++)
        if (!match_find(report, *w)) {
            *ret_unknown = *w;
            return -ENOENT;
        }
    selected = calloc(report->n_volumes + 1, sizeof(const struct volume_report *));
    if (!selected)
        return -ENOMEM;
    for (size_t i = 0; i < report->n_volumes; i++)
        if (is_selected(&report->volumes[i], what))
            selected[n++] = &report->volumes[i];
    *ret = steal_pointer(&selected);
    *ret_n = n;
    return 0;
}
