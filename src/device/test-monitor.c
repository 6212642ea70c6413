/* SPDX-License-Identifier: MIT */
/* A real event: root may ask the kernel to tell about a device again. */
#include "device/enumerate.h"
#include "device/monitor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Far longer than an event takes; only a failure waits for it. */
#define WAIT_USEC (10 * 1000000U)

struct heard {
    char wanted[DEVICE_NAME_MAX];
    bool is_here;
};

static void on_event(enum device_event event, const char *name, struct device_entry *entry,
                     void *userdata)
{
    struct heard *heard = userdata;

    if (event == DEVICE_EVENT_HERE && strcmp(name, heard->wanted) == 0 &&
        strcmp(entry->facts.name, name) == 0)
        heard->is_here = true;
    device_entry_free(entry);
}

static bool trigger(const char *name)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "/sys/class/block/%s/uevent", name);
    file = fopen(path, "we");
    if (!file)
        return false;
    fputs("change", file);
    return fclose(file) == 0;
}

static void test_event(void **state)
{
    struct device_entries entries;
    struct heard heard = { 0 };
    struct device_monitor *monitor;
    sd_event *event;

    (void)state;
    assert_int_equal(sd_event_new(&event), 0);
    assert_int_equal(device_monitor_new(event, on_event, &heard, &monitor), 0);
    assert_int_equal(device_enumerate(&entries), 0);
    if (entries.n_entries > 0)
        strcpy(heard.wanted, entries.entries[0]->facts.name);
    device_entries_free(&entries);
    if (heard.wanted[0] && trigger(heard.wanted)) {
        while (!heard.is_here && sd_event_run(event, WAIT_USEC) > 0)
            ;
        assert_true(heard.is_here);
    } else {
        print_message("no block device that we may trigger: not tested\n");
    }
    device_monitor_free(monitor);
    sd_event_unref(event);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_event) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
