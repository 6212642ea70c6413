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

/* A pipe of 4 KiB that nobody reads: the caller goes on, and what did not fit is counted. */
static void test_a_full_pipe_stops_nobody_and_loss_is_said(void **state)
{
    unsigned lines = 0, dropped = 0;
    char *text, *line, *rest;

    (void)state;
    assert_true(fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096) > 0);
    assert_int_equal(log_open(LOG_INFO), 0);
    for (unsigned i = 0; i < 2000; i++)
        log_info("%0100u", i); /* hangs for ever here if the caller is made to wait */
    alarm(60);
    text = malloc(1 << 20);
    size_t length = 0;
    /* Now somebody reads: what was queued comes out, and the loss is told. */
    while (!strstr(text, "lines were dropped")) {
        ssize_t n = read(reader, text + length, 4096);
        assert_true(n > 0);
        length += (size_t)n;
        text[length] = '\0';
    }
    log_close();
    rest = read_until_closed();
    alarm(0);
    text[length] = '\0';
    strcat(text, rest);
    for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned n;
        if (sscanf(line, "test-log: warning: %u log lines", &n) == 1)
            dropped += n;
        else
            lines++;
    }
    assert_true(dropped > 0);
    assert_int_equal(lines + dropped, 2000);
    free(text);
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
    /* Let the writer finish, so that the next test begins afresh. */
    free(strdup(read_until_closed()));
    log_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_before_opening_lines_go_straight_out, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_lines_come_out_in_order_with_their_level, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_full_pipe_stops_nobody_and_loss_is_said, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_closing_does_not_wait_for_ever, setup, teardown),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
