/* SPDX-License-Identifier: MIT */
/* Builds a sysfs tree from a description in tests/fixtures/sysfs/ (its README.md has the format).
 */
#ifndef DEVICE_TEST_FIXTURE_H
#define DEVICE_TEST_FIXTURE_H

#include "device/enumerate.h"

struct fixture {
    char root[64];
    struct device_entries entries; /* what is in its class/block */
};

/* Points sysfs_root there. Fails the test when it cannot. */
void fixture_load(const char *name, struct fixture *ret);
void fixture_free(struct fixture *fixture);

#endif
