/* SPDX-License-Identifier: MIT */
#include "device/entry.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DEFINE_CLEANUP(struct device_entry *, device_entry_free, device_entry_free_p)

static char **copy_strings(const char *const *strings)
{
    size_t n = 0;
    char **copy;

    while (strings && strings[n])
        n++;
    copy = calloc(n + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = strdup(strings[i]);
        if (copy[i])
            continue;
        while (i > 0)
            free(copy[--i]);
        free(copy);
        return NULL;
    }
    return copy;
}

static int fill_entry(struct device_entry *entry, const struct device_facts *facts,
                      const char *node, const char *const *links)
{
    entry->facts = *facts;
    entry->class = device_classify(facts);
    device_facts_id(facts, entry->id);
    entry->node = strdup(node);
    entry->links = copy_strings(links);
    return entry->node && entry->links ? 0 : -ENOMEM;
}

int device_entry_new(const struct device_facts *facts, const char *node, const char *const *links,
                     struct device_entry **ret)
{
    _cleanup_(device_entry_free_p) struct device_entry *entry = calloc(1, sizeof(*entry));
    int r = entry ? fill_entry(entry, facts, node, links) : -ENOMEM;

    if (r < 0)
        return r;
    *ret = steal_pointer(&entry);
    return 0;
}

void device_entry_free(struct device_entry *entry)
{
    if (!entry)
        return;
    for (char **link = entry->links; link && *link; link++)
        free(*link);
    free(entry->links);
    free(entry->node);
    free(entry);
}

typedef bool (*matcher)(const char *name, const char *wanted);

static bool is_equal(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

static bool is_glob_match(const char *name, const char *glob)
{
    return fnmatch(glob, name, 0) == 0;
}

static bool any_name(const struct device_entry *entry, matcher matches, const char *wanted)
{
    char dashless[DEVICE_ID_MAX];

    if (matches(entry->id, wanted) || matches(entry->node, wanted) ||
        matches(entry->facts.name, wanted))
        return true;
    for (char **link = entry->links; *link; link++)
        if (matches(*link, wanted))
            return true;
    if (strncmp(entry->id, "vol-", 4) != 0)
        return false;
    snprintf(dashless, sizeof(dashless), "vol%s", entry->id + 4);
    return matches(dashless, wanted);
}

bool device_entry_has_name(const struct device_entry *entry, const char *name)
{
    return any_name(entry, is_equal, name);
}

bool device_entry_matches(const struct device_entry *entry, const char *glob)
{
    return any_name(entry, is_glob_match, glob);
}
