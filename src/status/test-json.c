/* SPDX-License-Identifier: MIT */
#include "status/json.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct volume_report full_volume = {
    .id = "vol-0123456789abcdef0",
    .device = "/dev/nvme1n1",
    .state = VOLUME_WARMING,
    .reason = "",
    .size_bytes = 107374182400,
    .planned_bytes = 10000,
    .warm_bytes = 4321,
    .unreadable_bytes = 512,
    .rate_bytes_per_sec = 221249536.4,
    .eta_sec = 720,
    .queue_depth = 128,
    .in_flight = 100,
    .block_bytes = 1048576,
    .stalled_sec = 60,
    .checkpoint_path = "/var/lib/ebswarm/vol-0123456789abcdef0",
    .checkpoint_error = "No space left on device",
    .origin = { .source = "ec2",
                .snapshot = "snap-0fedcba9876543210",
                .fast_restored = 0,
                .initialization_rate_bytes_per_sec = 314572800,
                .aws_progress_percent = 12 },
    .check_before = { .samples = 8,
                      .sample_bytes = 1048576,
                      .bytes_per_sec = 13000000,
                      .p50_usec = 31000,
                      .p90_usec = 60000,
                      .p99_usec = 90000,
                      .max_usec = 95000,
                      .seed = UINT64_MAX },
};

static const struct fleet_report fleet = {
    .version = "0.1.0", .state = "warming", .engine = "threads", .engine_reason = "ENOSYS"
};

/* The members that scripts are promised, by the design's names. */
static const char full_text[] =
    "{\"version\":\"0.1.0\",\"state\":\"warming\",\"engine\":\"threads\","
    "\"engine_reason\":\"ENOSYS\",\"volumes\":[{"
    "\"id\":\"vol-0123456789abcdef0\",\"device\":\"/dev/nvme1n1\",\"state\":\"warming\","
    "\"reason\":\"\",\"size_bytes\":107374182400,\"planned_bytes\":10000,\"warm_bytes\":4321,"
    "\"unreadable_bytes\":512,\"percent\":43.21,\"rate_bytes_per_sec\":221249536,"
    "\"eta_sec\":720,\"queue_depth\":128,\"in_flight\":100,\"block_bytes\":1048576,"
    "\"stalled_sec\":60,"
    "\"checkpoint\":{\"path\":\"/var/lib/ebswarm/vol-0123456789abcdef0\","
    "\"error\":\"No space left on device\"},"
    "\"origin\":{\"source\":\"ec2\",\"snapshot\":\"snap-0fedcba9876543210\","
    "\"fast_restored\":false,\"initialization_rate\":314572800,\"aws_progress\":12},"
    "\"check\":{\"before\":{\"samples\":8,\"sample_bytes\":1048576,\"bytes_per_sec\":13000000,"
    "\"p50_usec\":31000,\"p90_usec\":60000,\"p99_usec\":90000,\"max_usec\":95000,"
    "\"seed\":\"18446744073709551615\"},\"after\":null}}]}";

static json_t *to_json(const struct volume_report *volume)
{
    const struct volume_report *const volumes[] = { volume };
    json_t *json = fleet_to_json(&fleet, volumes, 1);

    assert_non_null(json);
    return json;
}

static json_t *volume_of(json_t *json)
{
    return json_array_get(json_object_get(json, "volumes"), 0);
}

static void test_the_promised_shape(void **state)
{
    _cleanup_(json_decref_p) json_t *json = to_json(&full_volume);
    _cleanup_(json_decref_p) json_t *expected = json_loads(full_text, 0, NULL);
    _cleanup_free_ char *text = json_dumps(json, REPORT_JSON_FLAGS);

    (void)state;
    assert_non_null(expected);
    assert_true(json_equal(json, expected));
    assert_non_null(strstr(text, "\"percent\":43.21,"));
}

static void test_unknown_is_null(void **state)
{
    struct volume_report volume = full_volume;
    _cleanup_(json_decref_p) json_t *json = NULL;
    json_t *origin, *object;

    (void)state;
    volume.eta_sec = ETA_UNKNOWN;
    volume.origin = (struct origin_report){
        .source = "none", .snapshot = "", .fast_restored = -1, .aws_progress_percent = -1
    };
    json = to_json(&volume);
    object = volume_of(json);
    origin = json_object_get(object, "origin");
    assert_true(json_is_null(json_object_get(object, "eta_sec")));
    assert_true(json_is_null(json_object_get(origin, "snapshot")));
    assert_true(json_is_null(json_object_get(origin, "fast_restored")));
    assert_true(json_is_null(json_object_get(origin, "initialization_rate")));
    assert_true(json_is_null(json_object_get(origin, "aws_progress")));
}

static void test_odd_values(void **state)
{
    struct volume_report volume = full_volume;
    _cleanup_(json_decref_p) json_t *json = NULL;
    json_t *object;

    (void)state;
    volume.rate_bytes_per_sec = NAN;
    volume.size_bytes = UINT64_MAX;
    volume.device = "/dev/\xff\x80";
    json = to_json(&volume);
    object = volume_of(json);
    assert_int_equal(json_integer_value(json_object_get(object, "rate_bytes_per_sec")), 0);
    assert_true(json_integer_value(json_object_get(object, "size_bytes")) == INT64_MAX);
    assert_string_equal(json_string_value(json_object_get(object, "device")), "/dev/??");
}

static void test_back_again(void **state)
{
    _cleanup_(json_decref_p) json_t *json = to_json(&full_volume);
    _cleanup_(json_decref_p) json_t *again = NULL;
    _cleanup_(parsed_report_free_p) struct parsed_report *parsed = NULL;
    const struct fleet_report *report;
    const struct volume_report *volumes[1];
    char error[REPORT_ERROR_MAX];

    (void)state;
    assert_int_equal(report_from_json(json, &parsed, error), 0);
    report = parsed_report_get(parsed);
    assert_int_equal(report->n_volumes, 1);
    assert_int_equal(report->volumes[0].state, VOLUME_WARMING);
    assert_true(report->volumes[0].check_before.seed == UINT64_MAX);
    assert_int_equal(report->volumes[0].check_after.samples, 0);
    assert_int_equal(report->volumes[0].origin.fast_restored, 0);
    volumes[0] = &report->volumes[0];
    again = fleet_to_json(report, volumes, 1);
    assert_true(json_equal(json, again));
}

/* Replaces a member everywhere it can go wrong; the error names it. */
static void assert_refused(const char *key, const char *value, const char *where)
{
    _cleanup_(json_decref_p) json_t *json = to_json(&full_volume);
    struct parsed_report *parsed = NULL;
    char error[REPORT_ERROR_MAX] = "";
    json_t *object = json_object_get(volume_of(json), key) ? volume_of(json) : json;
    json_t *bad = json_loads(value, JSON_DECODE_ANY, NULL);

    assert_non_null(bad);
    assert_int_equal(json_object_set_new(object, key, bad), 0);
    assert_int_equal(report_from_json(json, &parsed, error), -EBADMSG);
    assert_null(parsed);
    assert_int_equal(strncmp(error, where, strlen(where)), 0);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    assert_refused("version", "7", "version: text");
    assert_refused("volumes", "{}", "volumes: an array");
    assert_refused("volumes", "[3]", "volumes[0].: an object");
    assert_refused("volumes", "[{\"state\":\"warm\"}]", "volumes[0].id: text");
    assert_refused("id", "null", "volumes[0].id: text");
    assert_refused("state", "\"melting\"", "volumes[0].state: the name");
    assert_refused("size_bytes", "-1", "volumes[0].size_bytes: a whole number");
    assert_refused("size_bytes", "1.5", "volumes[0].size_bytes: a whole number");
    assert_refused("queue_depth", "4294967296", "volumes[0].queue_depth: a whole number");
    assert_refused("origin", "[]", "volumes[0].origin: an object");
    assert_refused("origin", "{\"source\":\"x\",\"fast_restored\":1}",
                   "volumes[0].origin.fast_restored: true, false or null");
    assert_refused("check", "{\"before\":4}", "volumes[0].before: an object");
    assert_refused("checkpoint", "{\"path\":1}", "volumes[0].checkpoint.path: text");
}

static void test_no_object_at_all(void **state)
{
    struct parsed_report *parsed = NULL;
    _cleanup_(json_decref_p) json_t *array = json_array();
    char error[REPORT_ERROR_MAX];

    (void)state;
    assert_int_equal(report_from_json(array, &parsed, error), -EBADMSG);
    assert_int_equal(report_from_json(NULL, &parsed, error), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_promised_shape),  cmocka_unit_test(test_unknown_is_null),
        cmocka_unit_test(test_odd_values),          cmocka_unit_test(test_back_again),
        cmocka_unit_test(test_nonsense_is_refused), cmocka_unit_test(test_no_object_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
