/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
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

/* Reads until `expected` lines have come or were said to be lost; returns how many were lost. */
static unsigned read_lines(unsigned expected)
{
    static char text[1 << 20];
    unsigned lines = 0, dropped = 0;
    size_t length = 0;

    alarm(60);
    while (lines + dropped < expected) {
        ssize_t n = read(reader, text + length, sizeof(text) - 1 - length);
        assert_true(n > 0);
        length += (size_t)n;
        text[length] = '\0';
        lines = count_lines(text, &dropped);
    }
    alarm(0);
    assert_int_equal(lines + dropped, expected);
    return dropped;
}

/* A pipe of 4 KiB that nobody reads: the caller goes on, and what did not fit is counted. */
static void test_a_full_pipe_stops_nobody_and_loss_is_said(void **state)
{
    (void)state;
    assert_true(fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096) > 0);
    assert_int_equal(log_open(LOG_INFO), 0);
    for (unsigned i = 0; i < 2000; i++)
        log_info("%0100u", i); /* hangs for ever here if the caller is made to wait */
    assert_true(read_lines(2000) > 0);
    log_close();
}

/* With a pipe that nobody reads it comes back after its second (alarm() would kill the test). */
static void test_closing_does_not_wait_for_ever(void **state)
{
    struct timespec before, after;

    (void)state;
    assert_true(fcntl(STDERR_FILENO, F_SETPIPE_SZ, 4096) > 0);
    assert_int_equal(log_open(LOG_INFO), 0);
    for (unsigned i = 0; i < 200; i++)
        log_info("%0100u", i);
    clock_gettime(CLOCK_MONOTONIC, &before);
    alarm(30);
    log_close();
    alarm(0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec >= 1); /* it did wait for the writer */
    assert_int_equal(read_lines(200), 0);           /* which lost nothing by it */
    log_close();
}

/* $JOURNAL_STREAM as systemd sets it; `inode_offset` other than 0 is somebody else's stream. */
static void name_stream(unsigned inode_offset)
{
    char text[64];
    struct stat st;

    assert_int_equal(fstat(STDERR_FILENO, &st), 0);
    snprintf(text, sizeof(text), "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)st.st_dev,
             (uintmax_t)st.st_ino + inode_offset);
    setenv("JOURNAL_STREAM", text, 1);
}

static void test_a_stream_that_is_not_ours_is_not_the_journal(void **state)
{
    (void)state;
    name_stream(1);
    assert_int_equal(log_open(LOG_INFO), 0);
    log_info("to stderr");
    log_close();
    assert_string_equal(read_until_closed(), "test-log: to stderr\n");
}

/* The journal's socket, in a /run of this process's own. -1 where that needs more privilege. */
static int listen_as_journal(void)
{
    const struct sockaddr_un address = { .sun_family = AF_UNIX,
                                         .sun_path = "/run/systemd/journal/socket" };
    int fd;

    if (unshare(CLONE_NEWNS) < 0 || mount("", "/", "", MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", "/run", "tmpfs", 0, NULL) < 0)
        return -1;
    assert_int_equal(mkdir("/run/systemd", 0755), 0);
    assert_int_equal(mkdir("/run/systemd/journal", 0755), 0);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* The fields of one entry, each on a line as the journal's native protocol has them. */
static void read_entry(int fd, char text[1000])
{
    ssize_t n = recv(fd, text + 1, 998, 0);

    assert_true(n > 0);
    text[0] = '\n';
    text[n + 1] = '\0';
}

static void test_the_journal_gets_the_fields(void **state)
{
    static const char *const expected[] = {
        "\nPRIORITY=4\n",     "\nVOLUME=vol-1\n",
        "\nDEVICE=/dev/x\n",  "\nMESSAGE_ID=0123456789abcdef0123456789abcdef\n",
        "\nMESSAGE=cold 5\n", "\nSYSLOG_IDENTIFIER=test-log\n",
    };
    const struct log_subject subject = { .volume = "vol-1",
                                         .device = "/dev/x",
                                         .message_id = "0123456789abcdef0123456789abcdef" };
    int journal = listen_as_journal();
    char text[1000];

    (void)state;
    if (journal < 0)
        skip(); /* wants root */
    name_stream(0);
    assert_int_equal(log_open(LOG_INFO), 0);
    log_message(LOG_WARNING, &subject, "cold %d", 5);
    log_info("bare");
    log_close();
    alarm(60);
    read_entry(journal, text);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_non_null(strstr(text, expected[i]));
    assert_null(strstr(text, "CODE_"));
    read_entry(journal, text);
    alarm(0);
    assert_non_null(strstr(text, "\nPRIORITY=6\n"));
    assert_non_null(strstr(text, "\nMESSAGE=bare\n"));
    assert_null(strstr(text, "VOLUME="));
    assert_null(strstr(text, "MESSAGE_ID="));
    assert_string_equal(read_until_closed(), "");
    close(journal);
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
        cmocka_unit_test_setup_teardown(test_a_stream_that_is_not_ours_is_not_the_journal, setup,
                                        teardown),
        /* The last, since /run is another one from there on. */
        cmocka_unit_test_setup_teardown(test_the_journal_gets_the_fields, setup, teardown),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
