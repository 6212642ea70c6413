/* SPDX-License-Identifier: MIT */
#include "warm/checkpoint.h"

#include "base/crc32c.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#define BODY                                                                                       \
    "id vol-0123456789abcdef0\n"                                                                   \
    "lasting yes\n"                                                                                \
    "boot 01234567-89ab-cdef-0123-456789abcdef\n"                                                  \
    "device 259:3\n"                                                                               \
    "diskseq 12\n"                                                                                 \
    "size 1048576\n"                                                                               \
    "started 1700000000\n"                                                                         \
    "updated 1700000300\n"

/* `text` with a right last line. */
static char *sealed(const char *text)
{
    char *all;

    assert_true(asprintf(&all, "%send %08x\n", text, crc32c(text, strlen(text))) > 0);
    return all;
}

static int parse(const char *text, struct checkpoint **ret)
{
    const char *why = NULL;
    int r = checkpoint_parse(text, strlen(text), ret, &why);

    if (r < 0)
        assert_non_null(why);
    return r;
}

static int parse_sealed(const char *text)
{
    char *all = sealed(text);
    struct checkpoint *checkpoint = NULL;
    int r = parse(all, &checkpoint);

    checkpoint_free(checkpoint);
    free(all);
    return r;
}

static void test_a_file_by_hand_is_read(void **state)
{
    char *text =
        sealed("ebswarm checkpoint 1\n" BODY "paused 01234567-89ab-cdef-0123-456789abcdef\n"
               "before 40 524288 15728640 31000 60000 90000 95000 7\n"
               "after 40 524288 1048576000 500 600 900 1000 8\n"
               "warm 0 4096\n"
               "warm 8192 1048576\n"
               "unreadable 4096 4608\n");
    struct checkpoint *checkpoint;

    (void)state;
    assert_int_equal(parse(text, &checkpoint), 0);
    assert_string_equal(checkpoint->identity.id, "vol-0123456789abcdef0");
    assert_true(checkpoint->identity.lasting);
    assert_string_equal(checkpoint->identity.boot_id, "01234567-89ab-cdef-0123-456789abcdef");
    assert_int_equal(major(checkpoint->identity.devnum), 259);
    assert_int_equal(minor(checkpoint->identity.devnum), 3);
    assert_int_equal(checkpoint->identity.diskseq, 12);
    assert_int_equal(checkpoint->size_bytes, 1048576);
    assert_int_equal(checkpoint->started_unix_sec, 1700000000);
    assert_int_equal(checkpoint->updated_unix_sec, 1700000300);
    assert_true(checkpoint->paused);
    assert_int_equal(checkpoint->before.samples, 40);
    assert_int_equal(checkpoint->before.p50_usec, 31000);
    assert_int_equal(checkpoint->after.p50_usec, 500);
    assert_int_equal(rangeset_total_bytes(checkpoint->warm), 4096 + 1040384);
    assert_int_equal(rangeset_total_bytes(checkpoint->unreadable), 512);
    checkpoint_free(checkpoint);
    free(text);
}

static struct checkpoint *example(void)
{
    struct checkpoint *checkpoint = checkpoint_new();

    strcpy(checkpoint->identity.id, "loop3");
    strcpy(checkpoint->identity.boot_id, "01234567-89ab-cdef-0123-456789abcdef");
    checkpoint->identity.devnum = makedev(7, 3);
    checkpoint->identity.diskseq = 99;
    checkpoint->size_bytes = UINT64_C(64) << 40;
    checkpoint->started_unix_sec = 5;
    checkpoint->updated_unix_sec = 6;
    for (uint64_t i = 0; i < 1000; i++)
        rangeset_add(checkpoint->warm, i << 21, (i << 21) + (1 << 20));
    rangeset_add(checkpoint->unreadable, UINT64_C(3) << 40, (UINT64_C(3) << 40) + 512);
    return checkpoint;
}

static void test_what_is_written_is_read_the_same(void **state)
{
    struct checkpoint *checkpoint = example(), *again;
    char *text, *text_again;
    size_t length, length_again;

    (void)state;
    assert_int_equal(checkpoint_format(checkpoint, &text, &length), 0);
    assert_int_equal(strlen(text), length);
    assert_int_equal(parse(text, &again), 0);
    assert_int_equal(rangeset_length(again->warm), 1000);
    assert_int_equal(checkpoint_format(again, &text_again, &length_again), 0);
    assert_string_equal(text, text_again);
    checkpoint_free(checkpoint);
    checkpoint_free(again);
    free(text);
    free(text_again);
}

static void test_no_part_of_a_file_is_believed(void **state)
{
    char *text = sealed("ebswarm checkpoint 1\n" BODY "warm 0 4096\n");
    struct checkpoint *checkpoint = NULL;
    const char *why;

    (void)state;
    for (size_t length = 0; length < strlen(text); length++)
        assert_true(checkpoint_parse(text, length, &checkpoint, &why) < 0);
    assert_null(checkpoint);
    free(text);
}

static void test_no_changed_byte_is_overlooked(void **state)
{
    char *text = sealed("ebswarm checkpoint 1\n" BODY "warm 0 4096\n");
    struct checkpoint *checkpoint = NULL;
    const char *why;
    size_t length = strlen(text);

    (void)state;
    for (size_t i = 0; i < length; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            text[i] = (char)(text[i] ^ (1 << bit));
            assert_true(checkpoint_parse(text, length, &checkpoint, &why) < 0);
            text[i] = (char)(text[i] ^ (1 << bit));
        }
    }
    assert_int_equal(checkpoint_parse(text, length, &checkpoint, &why), 0);
    checkpoint_free(checkpoint);
    free(text);
}

static void test_another_format_is_told_from_damage(void **state)
{
    (void)state;
    assert_int_equal(parse_sealed("ebswarm checkpoint 2\n" BODY), -EPROTONOSUPPORT);
    assert_int_equal(parse_sealed("ebswarm checkpoint 0\n" BODY), -EPROTONOSUPPORT);
    assert_int_equal(parse_sealed("ebswarm checkpoint x\n" BODY), -EBADMSG);
    assert_int_equal(parse_sealed("something else\n"), -EBADMSG);
}

/* The checksum is right in all of these: whoever wrote them, they make no sense. */
static void test_nonsense_with_a_right_sum_is_refused(void **state)
{
    static const char *const tails[] = {
        "warm 4096 0\n",
        "warm 0 0\n",
        "warm 0 1048577\n",
        "warm 0 4096\nwarm 0 4096\n",
        "warm 0 4096\nwarm 4096 8192\n",
        "warm 8192 12288\nwarm 0 4096\n",
        "warm -1 4096\n",
        "warm 0 18446744073709551616\n",
        "warm 0\n",
        "warm 0 4096 1\n",
        "warm  0 4096\n",
        "unreadable 0 512\nwarm 512 1024\n",
        "before 0 1 1 1 1 1 1 1\n",
        "before 1 1\n",
        "paused 01234567-89ab-cdef-0123-456789abcdef-and-more\n",
        "more 1\n",
        "\n",
        "warm 0 4096\nend 00000000\n",
    };

    (void)state;
    assert_int_equal(parse_sealed("ebswarm checkpoint 1\n" BODY), 0);
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        char *text;
        assert_true(asprintf(&text, "ebswarm checkpoint 1\n" BODY "%s", tails[i]) > 0);
        assert_int_equal(parse_sealed(text), -EBADMSG);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_by_hand_is_read),
        cmocka_unit_test(test_what_is_written_is_read_the_same),
        cmocka_unit_test(test_no_part_of_a_file_is_believed),
        cmocka_unit_test(test_no_changed_byte_is_overlooked),
        cmocka_unit_test(test_another_format_is_told_from_damage),
        cmocka_unit_test(test_nonsense_with_a_right_sum_is_refused),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
