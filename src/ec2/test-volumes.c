/* SPDX-License-Identifier: MIT */
/* Answers as EC2's API reference shows them; what is hostile is in tests/ec2/. */
#include "ec2/volumes.h"
#include "ec2/xml.h"

#include "base/size.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define VOLUMES(items)                                                                             \
    "<DescribeVolumesResponse><volumeSet>" items "</volumeSet></DescribeVolumesResponse>"
#define STATUSES(items) "<R><volumeStatusSet>" items "</volumeStatusSet></R>"

static void note_element(const char *path, const char *text, void *userdata)
{
    char *seen = userdata;

    strcat(strcat(strcat(strcat(seen, path), "="), text), ";");
}

static void elements_come_with_their_paths(void **state)
{
    static const char xml[] = "<?xml version=\"1.0\"?><r><a><b>1</b><b>2&amp;3</b></a><c/></r>";
    char seen[256] = "";
    const char *why;

    (void)state;
    assert_int_equal(xml_parse(xml, strlen(xml), note_element, seen, &why), 0);
    assert_string_equal(seen, "a/b=1;a/b=2&3;a=;c=;");
}

static void nesting_has_a_limit(void **state)
{
    char seen[4096] = "", xml[256] = "", end[256] = "";
    const char *why;

    (void)state;
    for (int depth = 1; depth <= 17; depth++) {
        char whole[600];

        strcat(xml, "<a>");
        strcat(end, "</a>");
        snprintf(whole, sizeof(whole), "%s%s", xml, end);
        seen[0] = '\0';
        assert_int_equal(xml_parse(whole, strlen(whole), note_element, seen, &why),
                         depth <= 16 ? 0 : -EINVAL);
    }
    assert_string_equal(why, "elements are nested too deeply");
}

static struct volumes take(const char *xml)
{
    struct volumes volumes = { .instance_id = "i-1" };
    const char *why;

    if (volumes_take(&volumes, xml, strlen(xml), &why) < 0)
        fail_msg("%s: %s", why, xml);
    return volumes;
}

/* The same names stand at both levels, in either order. */
static void an_attachment_is_not_the_volume(void **state)
{
    struct volumes volumes = take(
        VOLUMES("<item><attachmentSet><item><volumeId>vol-0b</volumeId><status>detaching</status>"
                "<instanceId>i-1</instanceId><device>/dev/sdf</device></item></attachmentSet>"
                "<volumeId>vol-0a</volumeId><status>in-use</status></item>"));

    (void)state;
    assert_int_equal(volumes.n_items, 1);
    assert_string_equal(volumes.items[0].volume, "vol-0a");
    assert_string_equal(volumes.items[0].device, "/dev/sdf");
    volumes_done(&volumes);
}

static void nothing_is_kept_from_the_item_before(void **state)
{
    struct volumes volumes = take(VOLUMES(
        "<item><volumeId>vol-0a</volumeId><snapshotId>snap-1</snapshotId><iops>7</iops>"
        "<fastRestored>true</fastRestored></item><item><volumeId>vol-0b</volumeId></item>"));

    (void)state;
    assert_int_equal(volumes.n_items, 2);
    assert_int_equal(volumes.items[0].fast_restored, 1);
    assert_int_equal(volumes.items[1].fast_restored, ORIGIN_UNSAID);
    assert_int_equal(volumes.items[1].iops, 0);
    assert_string_equal(volumes.items[1].snapshot, "");
    volumes_done(&volumes);
}

static void ec2_counts_in_gib_and_mib(void **state)
{
    struct volumes volumes = take(VOLUMES("<item><volumeId>vol-0a</volumeId><size>65536</size>"
                                          "<throughput>2000</throughput></item>"));

    (void)state;
    assert_int_equal(volumes.items[0].size_bytes, UINT64_C(70368744177664));
    assert_int_equal(volumes.items[0].throughput_bytes, 2097152000);
    volumes_done(&volumes);
}

/* "completed" of another detail, or of the volume as a whole, must not become the volume's. */
static void only_the_detail_of_that_name_is_the_state(void **state)
{
    static const char xml[] = STATUSES(
        "<item><volumeId>vol-0a</volumeId><volumeStatus><status>completed</status><details>"
        "<item><name>io-performance</name><status>completed</status></item></details>"
        "</volumeStatus></item>");
    static const char later[] =
        STATUSES("<item><volumeStatus><details><item><status>completed</status>"
                 "<name>initialization-state</name></item><item><name>io-enabled</"
                 "name><status>passed</status>"
                 "</item></details></volumeStatus><volumeId>vol-0a</volumeId></item>");
    struct volumes volumes = take(VOLUMES("<item><volumeId>vol-0a</volumeId></item>"));
    const char *why;

    (void)state;
    assert_int_equal(volumes_take_status(&volumes, xml, strlen(xml), &why), 0);
    assert_int_equal(volumes.items[0].initialization_state, ORIGIN_STATE_UNSAID);
    assert_int_equal(volumes_take_status(&volumes, later, strlen(later), &why), 0);
    assert_int_equal(volumes.items[0].initialization_state, ORIGIN_STATE_COMPLETED);
    volumes_done(&volumes);
}

static void a_detail_has_its_own_name(void **state)
{
    static const char xml[] = STATUSES(
        "<item><volumeId>vol-0a</volumeId><volumeStatus><details>"
        "<item><name>initialization-state</name></item><item><status>completed</status></item>"
        "</details></volumeStatus></item>");
    struct volumes volumes = take(VOLUMES("<item><volumeId>vol-0a</volumeId></item>"));
    const char *why;

    (void)state;
    assert_int_equal(volumes_take_status(&volumes, xml, strlen(xml), &why), 0);
    assert_int_equal(volumes.items[0].initialization_state, ORIGIN_STATE_UNSAID);
    volumes_done(&volumes);
}

static void errors_are_taken_from_their_place(void **state)
{
    static const char xml[] =
        "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no"
        "</Message></Error></Errors><RequestID>1</RequestID></Response>";
    struct aws_error error;

    (void)state;
    ec2_error_take(&error, xml, strlen(xml));
    assert_string_equal(error.code, "UnauthorizedOperation");
    assert_string_equal(error.message, "no");
    ec2_error_take(&error, "<html>", 6);
    assert_string_equal(error.code, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_come_with_their_paths),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(an_attachment_is_not_the_volume),
        cmocka_unit_test(nothing_is_kept_from_the_item_before),
        cmocka_unit_test(ec2_counts_in_gib_and_mib),
        cmocka_unit_test(only_the_detail_of_that_name_is_the_state),
        cmocka_unit_test(a_detail_has_its_own_name),
        cmocka_unit_test(errors_are_taken_from_their_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
