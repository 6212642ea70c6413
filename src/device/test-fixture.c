/* SPDX-License-Identifier: MIT */
#include "device/test-fixture.h"

#include "device/sysfs.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

static void make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

static void write_attribute(const char *root, const char *attribute, const char *value)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", root, attribute);
    make_parents(path);
    file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file, "%s\n", value);
    assert_int_equal(fclose(file), 0);
}

static void make_link(const char *root, const char *name, const char *target)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    make_parents(path);
    assert_int_equal(symlink(target, path), 0);
}

static void add_entry(struct fixture *fixture, const char *name, const char *devnum)
{
    struct device_entries *entries = &fixture->entries;
    unsigned int major_number = 0, minor_number = 0;
    struct device_facts facts;
    char node[DEVICE_NAME_MAX + 8], link[128];
    const char *links[] = { link, NULL };

    sscanf(devnum, "%u:%u", &major_number, &minor_number);
    assert_int_equal(device_facts_read(name, makedev(major_number, minor_number), &facts), 0);
    snprintf(node, sizeof(node), "/dev/%s", name);
    snprintf(link, sizeof(link), "/dev/disk/by-id/test-%s", name);
    entries->entries =
        reallocarray(entries->entries, entries->n_entries + 1, sizeof(struct device_entry *));
    assert_non_null(entries->entries);
    assert_int_equal(device_entry_new(&facts, node, links, &entries->entries[entries->n_entries++]),
                     0);
}

static void make_device(const char *root, const char *devnum, const char *device)
{
    char name[PATH_MAX], target[PATH_MAX];

    snprintf(target, sizeof(target), "../../%s", device);
    snprintf(name, sizeof(name), "class/block%s", strrchr(device, '/'));
    make_link(root, name, target);
    if (strcmp(devnum, "-") == 0)
        return;
    snprintf(name, sizeof(name), "dev/block/%s", devnum);
    make_link(root, name, target);
    snprintf(name, sizeof(name), "%s/dev", device);
    write_attribute(root, name, devnum);
}

/* `devices_only` false builds the tree, true lists what it has. */
static void read_description(struct fixture *fixture, const char *name, bool devices_only)
{
    char path[PATH_MAX], line[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s.txt", FIXTURES, name);
    file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        char *first, *second;

        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        first = line + 2;
        second = strchr(first, ' ');
        assert_non_null(second);
        *second++ = '\0';
        if (line[0] == 'D' && devices_only)
            add_entry(fixture, strrchr(second, '/') + 1, first);
        else if (line[0] == 'D')
            make_device(fixture->root, first, second);
        else if (line[0] == 'A' && !devices_only)
            write_attribute(fixture->root, first, second);
        else if (line[0] == 'L' && !devices_only)
            make_link(fixture->root, first, second);
    }
    fclose(file);
}

static int by_name(const void *a, const void *b)
{
    const struct device_entry *const *left = a, *const *right = b;

    return strverscmp((*left)->facts.name, (*right)->facts.name);
}

void fixture_load(const char *name, struct fixture *ret)
{
    *ret = (struct fixture){ .root = "/tmp/ebswarm-sysfs-XXXXXX" };
    assert_non_null(mkdtemp(ret->root));
    sysfs_root = ret->root;
    read_description(ret, name, false);
    read_description(ret, name, true);
    qsort(ret->entries.entries, ret->entries.n_entries, sizeof(struct device_entry *), by_name);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void fixture_free(struct fixture *fixture)
{
    device_entries_free(&fixture->entries);
    nftw(fixture->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    sysfs_root = "/sys";
}
