/* SPDX-License-Identifier: MIT */
#include "device/mountinfo.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

static bool is_octal(const char *digits)
{
    return digits[0] >= '0' && digits[0] <= '3' && digits[1] >= '0' && digits[1] <= '7' &&
           digits[2] >= '0' && digits[2] <= '7';
}

/* The kernel writes blanks, newlines and backslashes as \ooo. */
static char *unescape(const char *text)
{
    char *result = malloc(strlen(text) + 1), *out = result;

    if (!result)
        return NULL;
    while (*text) {
        if (*text == '\\' && is_octal(text + 1)) {
            *out++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
            text += 4;
        } else {
            *out++ = *text++;
        }
    }
    *out = '\0';
    return result;
}

static void free_mount(struct mount *mount)
{
    free(mount->point);
    free(mount->type);
    free(mount->source);
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG…] - TYPE SOURCE SUPER-OPTIONS" */
static int parse_line(char *line, struct mount *ret)
{
    char *save = NULL, *point, *type, *source, *end = strstr(line, " - ");
    unsigned int id, parent, major_number, minor_number;
    int offset = 0;

    if (!end ||
        sscanf(line, "%u %u %u:%u %n", &id, &parent, &major_number, &minor_number, &offset) != 4 ||
        offset == 0 || line + offset > end)
        return -EBADMSG;
    *end = '\0';
    if (!strtok_r(line + offset, " ", &save))
        return -EBADMSG;
    point = strtok_r(NULL, " ", &save);
    type = strtok_r(end + 3, " ", &save);
    source = type ? strtok_r(NULL, " ", &save) : NULL;
    if (!point || !type)
        return -EBADMSG;
    *ret = (struct mount){
        .id = id,
        .devnum = makedev(major_number, minor_number),
        .point = unescape(point),
        .type = unescape(type),
        .source = unescape(source ? source : ""),
    };
    if (ret->point && ret->type && ret->source)
        return 0;
    free_mount(ret);
    return -ENOMEM;
}

static int add_line(struct mounts *mounts, char *line)
{
    struct mount mount, *grown;
    int r = parse_line(line, &mount);

    if (r < 0)
        return r;
    grown = reallocarray(mounts->mounts, mounts->n_mounts + 1, sizeof(*grown));
    if (!grown) {
        free_mount(&mount);
        return -ENOMEM;
    }
    mounts->mounts = grown;
    mounts->mounts[mounts->n_mounts++] = mount;
    return 0;
}

int mounts_parse(const char *text, struct mounts *ret)
{
    _cleanup_free_ char *copy = strdup(text);
    char *save = NULL;

    *ret = (struct mounts){ 0 };
    if (!copy)
        return -ENOMEM;
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        int r = add_line(ret, line);

        if (r < 0)
            return r;
    }
    return 0;
}

void mounts_free(struct mounts *mounts)
{
    for (size_t i = 0; i < mounts->n_mounts; i++)
        free_mount(&mounts->mounts[i]);
    free(mounts->mounts);
    *mounts = (struct mounts){ 0 };
}

const struct mount *mounts_find_id(const struct mounts *mounts, unsigned int id)
{
    for (size_t i = 0; i < mounts->n_mounts; i++)
        if (mounts->mounts[i].id == id)
            return &mounts->mounts[i];
    return NULL;
}

static bool contains(const char *point, const char *path)
{
    size_t length = strlen(point);

    if (strcmp(point, "/") == 0)
        return path[0] == '/';
    return strncmp(point, path, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

const struct mount *mounts_find_path(const struct mounts *mounts, const char *path)
{
    const struct mount *best = NULL;

    /* What was mounted later on the same point lies on top. */
    for (size_t i = 0; i < mounts->n_mounts; i++) {
        const struct mount *mount = &mounts->mounts[i];

        if (contains(mount->point, path) && (!best || strlen(mount->point) >= strlen(best->point)))
            best = mount;
    }
    return best;
}
