/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int saved_stderr, reader;

/* stderr becomes a pipe that is read (or not) by the test. */
static int setup(void **state)
{
    int ends[2];

    (void)state;
    unsetenv("JOURNAL_STREAM");
    saved_stderr = dup(STDERR_FILENO);
    if (pipe(ends) < 0)
        return -1;
    reader = ends[0];
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    close(reader);
    return 0;
}

static char *read_until_closed(void)
{
    static char text[1 << 20];
    size_t length = 0;
    ssize_t n;

    dup2(saved_stderr, STDERR_FILENO); /* closes the pipe's writing end */
    while ((n = read(reader, text + length, sizeof(text) - 1 - length)) > 0)
        length += (size_t)n;
    text[length] = '\0';
    return text;
}

static void test_lines_come_out_in_order_with_their_level(void **state)
{
    const struct log_subject subject = { .volume = "vol-1", .device = "/dev/x" };

    (void)state;
    assert_int_equal(log_open(LOG_INFO), 0);
    log_info("one %d", 1);
    log_debug("not shown");
    log_message(LOG_WARNING, &subject, "two");
    log_error("three");
    log_close();
    assert_string_equal(read_until_closed(),
                        "test-log: one 1\ntest-log: warning: two\ntest-log: error: three\n");
}

static void test_before_opening_lines_go_straight_out(void **state)
{
    (void)state;
    log_warning("early");
    assert_string_equal(read_until_closed(), "test-log: warning: early\n");
}

/* Lines of the test, and those said to be lost, in `text`. */
static unsigned count_lines(const char *text, unsigned *ret_dropped)
{
    unsigned lines = 0, n;

    *ret_dropped = 0;
    for (const char *line = text; line && strchr(line, '\n'); line = strchr(line, '\n') + 1) {
        if (sscanf(line, "test-log: warning: %u log lines were dropped", &n) == 1)
            *ret_dropped += n;
        else
            lines++;
    }
    return lines;
}

/* A pipe of 4 KiB that nobody reads: the caller goes on, and what did not fit is counted. */
static void test_a_full_pipe_stops_nobody_and_loss_is_said(void **state)
{
    static char text[1 << 20];
    unsigned lines = 0, dropped = 0;
    size_t length = 0;

    (void)state;
    assert_true(fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096) > 0);
    assert_int_equal(log_open(LOG_INFO), 0);
    for (unsigned i = 0; i < 2000; i++)
        log_info("%0100u", i); /* hangs for ever here if the caller is made to wait */
    alarm(60);
    while (lines + dropped < 2000) {
        ssize_t n = read(reader, text + length, sizeof(text) - 1 - length);
        assert_true(n > 0);
        length += (size_t)n;
        text[length] = '\0';
        lines = count_lines(text, &dropped);
    }
    alarm(0);
    assert_int_equal(lines + dropped, 2000);
    assert_true(dropped > 0);
    log_close();
}

/* log_close() with a pipe that nobody reads comes back, bounded (alarm() would kill the test). */
static void test_closing_does_not_wait_for_ever(void **state)
{
    (void)state;
    assert_true(fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096) > 0);
    assert_int_equal(log_open(LOG_INFO), 0);
    for (unsigned i = 0; i < 200; i++)
        log_info("%0100u", i);
    alarm(30);
    log_close();
    alarm(0);
    /* Let the writer finish. */
    read_until_closed();
    log_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_before_opening_lines_go_straight_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lines_come_out_in_order_with_their_level, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_full_pipe_stops_nobody_and_loss_is_said, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_closing_does_not_wait_for_ever, setup, teardown),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
