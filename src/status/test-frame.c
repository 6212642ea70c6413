/* SPDX-License-Identifier: MIT */
#include "status/frame.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void feed(struct frame_buffer *buffer, const char *data, size_t bytes)
{
    while (bytes > 0) {
        char *room;
        size_t room_bytes, n;

        assert_int_equal(frame_buffer_reserve(buffer, &room, &room_bytes), 0);
        n = bytes < room_bytes ? bytes : room_bytes;
        memcpy(room, data, n);
        frame_buffer_commit(buffer, n);
        data += n;
        bytes -= n;
    }
}

static void test_pieces_of_any_size(void **state)
{
    static const char stream[] = "one\0two\0\0three";
    static const char *const expected[] = { "one", "two", "", "three" };

    (void)state;
    for (size_t piece = 1; piece <= sizeof(stream); piece++) {
        struct frame_buffer buffer;
        size_t n = 0;

        frame_buffer_init(&buffer, 64);
        for (size_t i = 0; i < sizeof(stream); i += piece) {
            const char *message;

            feed(&buffer, stream + i, i + piece > sizeof(stream) ? sizeof(stream) - i : piece);
            while ((message = frame_buffer_take(&buffer)))
                assert_string_equal(message, expected[n++]);
        }
        assert_int_equal(n, 4);
        frame_buffer_clear(&buffer);
    }
}

static void test_half_a_message_is_none(void **state)
{
    struct frame_buffer buffer;

    (void)state;
    frame_buffer_init(&buffer, 64);
    feed(&buffer, "half", 4);
    assert_false(frame_buffer_has_message(&buffer));
    assert_null(frame_buffer_take(&buffer));
    feed(&buffer, "", 1);
    assert_true(frame_buffer_has_message(&buffer));
    assert_string_equal(frame_buffer_take(&buffer), "half");
    frame_buffer_clear(&buffer);
}

static void test_the_bound_holds(void **state)
{
    struct frame_buffer buffer;
    char *room, block[3000];
    size_t room_bytes;

    (void)state;
    memset(block, 'x', sizeof(block));
    frame_buffer_init(&buffer, sizeof(block));
    feed(&buffer, block, sizeof(block));
    assert_int_equal(frame_buffer_reserve(&buffer, &room, &room_bytes), -ENOBUFS);
    assert_null(frame_buffer_take(&buffer));
    frame_buffer_clear(&buffer);
}

static void test_taken_messages_make_room(void **state)
{
    struct frame_buffer buffer;
    char block[100];

    (void)state;
    memset(block, 'x', sizeof(block));
    block[99] = '\0';
    frame_buffer_init(&buffer, 256);
    for (int i = 0; i < 1000; i++) {
        feed(&buffer, block, sizeof(block));
        assert_string_equal(frame_buffer_take(&buffer), block);
    }
    frame_buffer_clear(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_of_any_size),
        cmocka_unit_test(test_half_a_message_is_none),
        cmocka_unit_test(test_the_bound_holds),
        cmocka_unit_test(test_taken_messages_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
