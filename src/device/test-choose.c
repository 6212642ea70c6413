/* SPDX-License-Identifier: MIT */
/* The decision table of docs/devices.md, a row a check. */
#include "device/choose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LINK "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0"

static const struct device_facts ebs = {
    .name = "nvme1n1",
    .model = "Amazon Elastic Block Store",
    .serial = "vol0123456789abcdef0",
    .size_bytes = 1 << 30,
};
static const struct device_facts instance_store = {
    .name = "nvme2n1",
    .model = "Amazon EC2 NVMe Instance Storage",
    .serial = "AWS0123456789ABCDEF0",
    .size_bytes = 1 << 30,
};
static const struct device_facts loop = { .name = "loop3", .size_bytes = 1 << 20 };
static const struct device_facts partition = {
    .name = "nvme1n1p1",
    .disk = "nvme1n1",
    .size_bytes = 1 << 20,
};

static enum device_decision choose(const struct device_facts *facts, const struct conf *conf,
                                   const char *reason)
{
    const char *const links[] = { LINK, NULL };
    char node[80] = "/dev/";
    struct device_entry *entry;
    struct device_choice choice;

    strcat(node, facts->name);
    assert_int_equal(device_entry_new(facts, node, facts == &ebs ? links : NULL, &entry), 0);
    device_choose(entry, conf, &choice);
    device_entry_free(entry);
    assert_string_equal(choice.reason, reason);
    return choice.decision;
}

static enum device_decision choose_section(const struct device_facts *facts, const char *name,
                                           bool skip, bool force, const char *reason)
{
    char copy[100];
    struct conf_volume volume = { .name = copy, .skip = skip, .force = force };
    const struct conf conf = { .volumes = &volume, .n_volumes = 1 };

    strcpy(copy, name);
    return choose(facts, &conf, reason);
}

static enum device_decision choose_globs(const struct device_facts *facts, const char *include,
                                         const char *exclude, const char *reason)
{
    char in[100] = "", ex[100] = "";
    char *includes[] = { in, NULL }, *excludes[] = { ex, NULL };
    const struct conf conf = {
        .include = include ? includes : NULL,
        .exclude = exclude ? excludes : NULL,
    };

    strcpy(in, include ? include : "");
    strcpy(ex, exclude ? exclude : "");
    return choose(facts, &conf, reason);
}

static void test_unconfigured(void **state)
{
    const struct conf none = { 0 };
    struct device_facts empty = ebs;

    (void)state;
    empty.size_bytes = 0;
    assert_int_equal(choose(&ebs, &none, "EBS volume"), DEVICE_WARM);
    assert_int_equal(choose(&instance_store, &none, "instance store, never warmed"), DEVICE_SKIP);
    assert_int_equal(choose(&loop, &none, "loop device (name it in a [Volume] section to warm it)"),
                     DEVICE_IGNORED);
    assert_int_equal(choose(&partition, &none, "partition of nvme1n1"), DEVICE_IGNORED);
    assert_int_equal(choose(&empty, &none, "nothing in it: its size is 0"), DEVICE_IGNORED);
}

static void test_section_by_every_name(void **state)
{
    static const char *const names[] = {
        "vol-0123456789abcdef0", "vol0123456789abcdef0", "/dev/nvme1n1", "nvme1n1", LINK,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char reason[200] = "Skip=yes in [Volume ";

        strcat(strcat(reason, names[i]), "]");
        assert_int_equal(choose_section(&ebs, names[i], true, false, reason), DEVICE_SKIP);
    }
    assert_int_equal(choose_section(&ebs, "vol-0123456789abcdef1", true, false, "EBS volume"),
                     DEVICE_WARM);
}

static void test_section(void **state)
{
    (void)state;
    assert_int_equal(choose_section(&loop, "loop3", false, false, "named in [Volume loop3]"),
                     DEVICE_WARM);
    assert_int_equal(
        choose_section(&instance_store, "nvme2n1", false, false,
                       "instance store, never warmed (Force=yes in [Volume nvme2n1] would)"),
        DEVICE_SKIP);
    assert_int_equal(
        choose_section(&instance_store, "nvme2n1", false, true, "Force=yes in [Volume nvme2n1]"),
        DEVICE_WARM);
    assert_int_equal(choose_section(&partition, "nvme1n1p1", false, true, "partition of nvme1n1"),
                     DEVICE_IGNORED);
}

static void test_globs(void **state)
{
    (void)state;
    assert_int_equal(choose_globs(&ebs, "vol-01*", NULL, "EBS volume"), DEVICE_WARM);
    assert_int_equal(choose_globs(&ebs, "/dev/disk/by-id/*Elastic*", NULL, "EBS volume"),
                     DEVICE_WARM);
    assert_int_equal(choose_globs(&ebs, "vol-02*", NULL, "not in [Discover] Include="),
                     DEVICE_SKIP);
    assert_int_equal(choose_globs(&ebs, NULL, "/dev/nvme1*", "[Discover] Exclude=/dev/nvme1*"),
                     DEVICE_SKIP);
    assert_int_equal(choose_globs(&ebs, "*", "vol*", "[Discover] Exclude=vol*"), DEVICE_SKIP);
    /* Include= narrows down; it makes no volume of what is none. */
    assert_int_equal(choose_globs(&instance_store, "*", NULL, "instance store, never warmed"),
                     DEVICE_SKIP);
    assert_int_equal(
        choose_globs(&loop, "*", NULL, "loop device (name it in a [Volume] section to warm it)"),
        DEVICE_IGNORED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unconfigured),
        cmocka_unit_test(test_section_by_every_name),
        cmocka_unit_test(test_section),
        cmocka_unit_test(test_globs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
