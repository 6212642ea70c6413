/* SPDX-License-Identifier: MIT */
/* Both back ends behind the one interface; pipes stand in for reads that hang. */
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FILE_BYTES (3U * 1024U * 1024U + 100U)

struct fixture {
    struct engine *engine;
    int fd; /* a file of FILE_BYTES */
};

struct result {
    int value;
    unsigned calls;
};

static int fill(struct fixture *fixture, enum engine_kind kind)
{
    char path[] = "/tmp/ebswarm-engine.XXXXXX";
    const char *reason = "";

    fixture->fd = mkstemp(path);
    if (fixture->fd < 0 || unlink(path) < 0 || ftruncate(fixture->fd, FILE_BYTES) < 0)
        return -1;
    if (engine_new(kind, &fixture->engine, &reason) < 0) {
        fprintf(stderr, "cannot be tested here: %s\n", reason);
        return -1;
    }
    return 0;
}

static int setup(void **state, enum engine_kind kind)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    *state = fixture;
    return fill(fixture, kind);
}

static int setup_io_uring(void **state)
{
    return setup(state, ENGINE_IO_URING);
}

static int setup_threads(void **state)
{
    return setup(state, ENGINE_THREADS);
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    engine_free(fixture->engine);
    close(fixture->fd);
    free(fixture);
    return 0;
}

static void on_done(int value, void *userdata)
{
    struct result *result = userdata;

    result->value = value;
    result->calls++;
}

static void wait_for(struct engine *engine, const struct result *results, unsigned n)
{
    struct pollfd wait = { .fd = engine_fd(engine), .events = POLLIN };
    unsigned done;

    engine_submit(engine);
    do {
        assert_int_equal(poll(&wait, 1, 60000), 1);
        engine_dispatch(engine);
        done = 0;
        for (unsigned i = 0; i < n; i++)
            done += results[i].calls;
    } while (done < n);
}

static void test_results_are_those_of_the_reads(void **state)
{
    static const struct {
        uint64_t offset;
        uint32_t length;
        int value;
    } reads[] = {
        { 0, 4096, 4096 },
        { 4096, 1048576, 1048576 },
        { 3 * 1048576, 4096, 100 }, /* the end comes within it */
        { 4 * 1048576, 4096, 0 },   /* behind the end */
    };
    const struct fixture *fixture = *state;
    struct result results[4] = { 0 };
    struct engine_file *file;

    assert_int_equal(engine_file_new(fixture->engine, fixture->fd, false, &file), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(engine_read(file, reads[i].offset, reads[i].length, on_done, &results[i]),
                         0);
    wait_for(fixture->engine, results, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(results[i].value, reads[i].value);
    engine_file_free(file);
}

static void test_each_read_can_have_its_own_buffer(void **state)
{
    const struct fixture *fixture = *state;
    static struct result results[64];
    struct engine_file *file;

    memset(results, 0, sizeof(results));
    assert_int_equal(engine_file_new(fixture->engine, fixture->fd, true, &file), 0);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(engine_read(file, i * 4096ULL, 4096, on_done, &results[i]), 0);
    wait_for(fixture->engine, results, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(results[i].value, 4096);
    engine_file_free(file);
}

static void test_errors_come_back_as_errno(void **state)
{
    const struct fixture *fixture = *state;
    struct result result = { 0 };
    struct engine_file *file;
    int folder = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(engine_file_new(fixture->engine, folder, false, &file), 0);
    assert_int_equal(engine_read(file, 0, 4096, on_done, &result), 0);
    wait_for(fixture->engine, &result, 1);
    assert_int_equal(result.value, -EISDIR);
    assert_int_equal(engine_read(file, 0, 0, on_done, &result), -EINVAL);
    assert_int_equal(engine_read(file, 0, ENGINE_BLOCK_MAX_BYTES + 1, on_done, &result), -EINVAL);
    engine_file_free(file);
    close(folder);
}

static void test_the_full_depth_can_be_in_flight(void **state)
{
    const struct fixture *fixture = *state;
    static struct result results[ENGINE_DEPTH_MAX];
    struct engine_file *file;

    memset(results, 0, sizeof(results));
    assert_int_equal(engine_file_new(fixture->engine, fixture->fd, false, &file), 0);
    for (unsigned i = 0; i < ENGINE_DEPTH_MAX; i++)
        assert_int_equal(engine_read(file, i % 700 * 4096ULL, 4096, on_done, &results[i]), 0);
    wait_for(fixture->engine, results, ENGINE_DEPTH_MAX);
    for (unsigned i = 0; i < ENGINE_DEPTH_MAX; i++) {
        assert_int_equal(results[i].calls, 1);
        assert_int_equal(results[i].value, 4096);
    }
    engine_file_free(file);
}

/*
 * One that hangs (a pipe nobody writes to) holds up no other. With threads no pipe can hang:
 * preadv2() refuses it; there the system tests show it on a disk.
 */
static void test_one_that_hangs_holds_up_no_other(void **state)
{
    const struct fixture *fixture = *state;
    struct result hanging = { 0 }, others[16] = { 0 };
    struct engine_file *pipe_file, *file;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(engine_file_new(fixture->engine, ends[0], false, &pipe_file), 0);
    assert_int_equal(engine_file_new(fixture->engine, fixture->fd, false, &file), 0);
    assert_int_equal(engine_read(pipe_file, 0, 16, on_done, &hanging), 0);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(engine_read(file, i * 4096ULL, 4096, on_done, &others[i]), 0);
    wait_for(fixture->engine, others, 16);
    assert_int_equal(hanging.calls, 0);

    /* Let go of and closed, it is still reported; its number may be another's by now. */
    engine_file_free(pipe_file);
    close(ends[0]);
    assert_int_equal(write(ends[1], "x", 1), 1);
    wait_for(fixture->engine, &hanging, 1);
    assert_int_equal(hanging.value, 1);
    close(ends[1]);
    engine_file_free(file);
}

/* The number of a closed file goes to another one; a read that was sent before must not see it. */
static void test_no_read_reaches_a_file_that_got_the_number(void **state)
{
    const struct fixture *fixture = *state;
    static struct result results[256];
    struct engine_file *file;
    int fd = dup(fixture->fd), other;

    memset(results, 0, sizeof(results));
    assert_int_equal(engine_file_new(fixture->engine, fd, false, &file), 0);
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(engine_read(file, 0, 4096, on_done, &results[i]), 0);
    engine_submit(fixture->engine);
    engine_file_free(file);
    close(fd);
    other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (other != fd) {
        assert_int_equal(dup3(other, fd, O_CLOEXEC), fd);
        close(other);
    } /* reading it would give 0 */
    wait_for(fixture->engine, results, 256);
    for (unsigned i = 0; i < 256; i++)
        assert_true(results[i].value == 4096 || results[i].value == -ECANCELED);
    close(fd);
}

static void test_slots_are_used_again(void **state)
{
    const struct fixture *fixture = *state;

    for (unsigned i = 0; i < 600; i++) {
        struct engine_file *file;
        assert_int_equal(engine_file_new(fixture->engine, fixture->fd, false, &file), 0);
        engine_file_free(file);
    }
}

/* io_uring_setup() fails as a container's filter makes it, in this process from now on. */
static void forbid_io_uring(int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

    assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static int fallback_in_child(int error, const char *word)
{
    struct fixture fixture = { 0 };
    struct result result = { 0 };
    struct engine_file *file;
    const char *reason;
    struct engine *none;

    forbid_io_uring(error);
    if (engine_new(ENGINE_IO_URING, &none, &reason) != -error || !strstr(reason, word))
        return 1;
    if (fill(&fixture, ENGINE_AUTO) < 0 || strcmp(engine_name(fixture.engine), "threads") != 0 ||
        !strstr(engine_fallback_reason(fixture.engine), word))
        return 2;
    if (engine_file_new(fixture.engine, fixture.fd, false, &file) < 0 ||
        engine_read(file, 0, 4096, on_done, &result) < 0)
        return 3;
    wait_for(fixture.engine, &result, 1);
    return result.value == 4096 ? 0 : 4;
}

static void test_a_refused_ring_falls_back_and_says_why(void **state)
{
    static const struct {
        int error;
        const char *word;
    } cases[] = {
        { EPERM, "seccomp" }, { ENOSYS, "ENOSYS" }, { EINVAL, "EINVAL" }, { ENOMEM, "ENOMEM" }
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pid_t child = fork();
        int status;
        if (child == 0)
            _exit(fallback_in_child(cases[i].error, cases[i].word));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static void test_auto_takes_io_uring_where_it_may(void **state)
{
    struct engine *ring, *engine;

    (void)state;
    if (engine_new(ENGINE_IO_URING, &ring, NULL) < 0)
        skip();
    engine_free(ring);
    assert_int_equal(engine_new(ENGINE_AUTO, &engine, NULL), 0);
    assert_string_equal(engine_name(engine), "io_uring");
    assert_string_equal(engine_fallback_reason(engine), "");
    engine_free(engine);
}

#define BOTH(test)                                                                                 \
    { #test " (io_uring)", test, setup_io_uring, teardown, NULL },                                 \
    {                                                                                              \
#test " (threads)", test, setup_threads, teardown, NULL                                    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: it forks, which goes wrong beside the others' threads. */
        cmocka_unit_test(test_a_refused_ring_falls_back_and_says_why),
        BOTH(test_results_are_those_of_the_reads),
        BOTH(test_each_read_can_have_its_own_buffer),
        BOTH(test_errors_come_back_as_errno),
        BOTH(test_the_full_depth_can_be_in_flight),
        cmocka_unit_test_setup_teardown(test_one_that_hangs_holds_up_no_other, setup_io_uring,
                                        teardown),
        BOTH(test_no_read_reaches_a_file_that_got_the_number),
        BOTH(test_slots_are_used_again),
        cmocka_unit_test(test_auto_takes_io_uring_where_it_may),
    };
    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
