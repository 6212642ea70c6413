/* SPDX-License-Identifier: MIT */
/* One test a row of the decision table in docs/origin.md. */
#include "base/size.h"
#include "origin/decide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BOOT "01234567-89ab-cdef-0123-456789abcdef"

static struct origin restored(void)
{
    struct origin origin;

    origin_init(&origin);
    strcpy(origin.source, "ec2");
    strcpy(origin.volume, "vol-1");
    strcpy(origin.snapshot, "snap-1");
    strcpy(origin.type, "gp3");
    strcpy(origin.boot_id, BOOT);
    origin.iops = 3000;
    origin.throughput_bytes = 125 * MIB;
    return origin;
}

static void expect(const struct origin_question *question, enum origin_verdict verdict,
                   const char *reason)
{
    struct origin_decision decision = origin_decide(question);

    assert_int_equal(decision.verdict, verdict);
    if (!strstr(decision.reason, reason))
        fail_msg("\"%s\" does not say \"%s\"", decision.reason, reason);
}

static void expect_origin(const struct origin *origin, enum origin_verdict verdict,
                          const char *reason)
{
    expect(&(struct origin_question){ .origin = origin, .boot_id = BOOT }, verdict, reason);
}

static void snapshot(void **state)
{
    struct origin origin = restored();
    struct origin_question question = { .origin = &origin, .boot_id = BOOT, .timed_out = true };

    (void)state;
    expect(&question, ORIGIN_WARM, "restored from snap-1");
    assert_string_equal(origin_decide(&question).source, "ec2");
}

static void empty_volume(void **state)
{
    struct origin origin = restored();

    (void)state;
    strcpy(origin.snapshot, "none");
    expect_origin(&origin, ORIGIN_SKIP, "empty volume");
}

static void fast_restored(void **state)
{
    struct origin origin = restored();

    (void)state;
    origin.fast_restored = 1;
    origin.iops = 64000;
    origin.throughput_bytes = 1000 * MIB;
    expect_origin(&origin, ORIGIN_SKIP, "fast restored");
    origin.iops = 64001;
    expect_origin(&origin, ORIGIN_WARM, "above 64000 IOPS");
    origin.iops = 64000;
    origin.throughput_bytes = 1000 * MIB + 1;
    expect_origin(&origin, ORIGIN_WARM, "above 64000 IOPS");
    origin.initialization_state = ORIGIN_STATE_COMPLETED;
    expect_origin(&origin, ORIGIN_WARM, "above 64000 IOPS");
    origin = restored();
    origin.fast_restored = 0;
    expect_origin(&origin, ORIGIN_WARM, "restored from");
}

static void fast_restored_io2_without_throughput(void **state)
{
    struct origin origin = restored();

    (void)state;
    origin.fast_restored = 1;
    origin.throughput_bytes = 0;
    strcpy(origin.type, "io2");
    origin.iops = 4000;
    expect_origin(&origin, ORIGIN_SKIP, "fast restored");
    origin.iops = 4001;
    expect_origin(&origin, ORIGIN_WARM, "1000 MiB/s");
}

static void completed(void **state)
{
    struct origin origin = restored();

    (void)state;
    origin.initialization_state = ORIGIN_STATE_COMPLETED;
    expect_origin(&origin, ORIGIN_SKIP, "completed");
    origin.boot_id[0] = 'f';
    expect_origin(&origin, ORIGIN_WARM, "another boot");
    origin.boot_id[0] = '\0';
    expect_origin(&origin, ORIGIN_WARM, "another boot");
    origin = restored();
    origin.initialization_state = ORIGIN_STATE_INITIALIZING;
    origin.initialization_progress = 100;
    expect_origin(&origin, ORIGIN_WARM, "restored from");
}

static void volume_copy(void **state)
{
    struct origin origin = restored();

    (void)state;
    strcpy(origin.source_volume, "vol-2");
    expect_origin(&origin, ORIGIN_SKIP, "copy of vol-2");
    origin = restored();
    origin.initialization_type = ORIGIN_TYPE_VOLUME_COPY;
    expect_origin(&origin, ORIGIN_SKIP, "copy of another volume");
}

static void provisioned_rate(void **state)
{
    struct origin origin = restored();
    struct origin_question question = { .origin = &origin, .boot_id = BOOT };

    (void)state;
    origin.initialization_rate_bytes = 300 * MIB;
    expect(&question, ORIGIN_WARM, "warmed anyway");
    question.provisioned_rate = CONF_PROVISIONED_RATE_SKIP;
    expect(&question, ORIGIN_SKIP, "ProvisionedRate=skip");
    origin = restored();
    expect(&question, ORIGIN_WARM, "restored from");
    origin.initialization_type = ORIGIN_TYPE_PROVISIONED_RATE;
    expect(&question, ORIGIN_SKIP, "ProvisionedRate=skip");
}

static void no_answer(void **state)
{
    struct origin_question question = { .boot_id = BOOT, .unknown = CONF_UNKNOWN_SKIP };

    (void)state;
    expect(&question, ORIGIN_WAIT, "waiting");
    question.timed_out = true;
    expect(&question, ORIGIN_SKIP, "Unknown=skip");
    question.unknown = CONF_UNKNOWN_WARM;
    expect(&question, ORIGIN_WARM, "Unknown=warm");
    question.unknown = CONF_UNKNOWN_PROBE;
    expect(&question, ORIGIN_PROBE, "Unknown=probe");
}

static void answer_without_snapshot(void **state)
{
    struct origin origin = restored();

    (void)state;
    origin.snapshot[0] = '\0';
    expect_origin(&origin, ORIGIN_PROBE, "names no snapshot");
}

static void force(void **state)
{
    struct origin origin = restored();
    struct origin_question question = { .origin = &origin, .boot_id = BOOT, .force = true };

    (void)state;
    strcpy(origin.snapshot, "none");
    expect(&question, ORIGIN_WARM, "Force=yes");
    question.origin = NULL;
    expect(&question, ORIGIN_WARM, "Force=yes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshot),
        cmocka_unit_test(empty_volume),
        cmocka_unit_test(fast_restored),
        cmocka_unit_test(fast_restored_io2_without_throughput),
        cmocka_unit_test(completed),
        cmocka_unit_test(volume_copy),
        cmocka_unit_test(provisioned_rate),
        cmocka_unit_test(no_answer),
        cmocka_unit_test(answer_without_snapshot),
        cmocka_unit_test(force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
