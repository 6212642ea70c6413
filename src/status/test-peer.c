/* SPDX-License-Identifier: MIT */
#include "status/peer.h"

#include <errno.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

/* No user or group of a real system. */
#define USER          54321u
#define PRIMARY_GROUP 54322u
#define OTHER_GROUP   54323u

/* An abstract address that the kernel makes up. */
static int listen_anywhere(struct sockaddr_un *ret, socklen_t *ret_length)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
    assert_int_equal(bind(fd, (struct sockaddr *)ret, sizeof(sa_family_t)), 0);
    assert_int_equal(listen(fd, 1), 0);
    *ret_length = sizeof(*ret);
    assert_int_equal(getsockname(fd, (struct sockaddr *)ret, ret_length), 0);
    return fd;
}

static void connect_as_other(const struct sockaddr_un *address, socklen_t length,
                             const gid_t *groups, size_t n_groups)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (setgroups(n_groups, groups) < 0 || setgid(PRIMARY_GROUP) < 0 || setuid(USER) < 0 ||
        connect(fd, (const struct sockaddr *)address, length) < 0)
        _exit(1);
    _exit(0);
}

/* The server's end of a connection from another user. */
static int accept_from_other(const gid_t *groups, size_t n_groups)
{
    struct sockaddr_un address;
    socklen_t length;
    _cleanup_close_ int listener = listen_anywhere(&address, &length);
    pid_t pid = fork();
    int status, fd;

    assert_true(pid >= 0);
    if (pid == 0)
        connect_as_other(&address, length, groups, n_groups);
    fd = accept(listener, NULL, NULL);
    assert_true(fd >= 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    return fd;
}

static void test_own_end(void **state)
{
    int pair[2];
    uid_t uid;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(peer_get_uid(pair[0], &uid), 0);
    assert_int_equal(uid, geteuid());
    assert_int_equal(peer_in_group(pair[0], getegid()), 1);
    close(pair[0]);
    close(pair[1]);
}

static void test_groups(void **state)
{
    gid_t many[100];

    (void)state;
    if (geteuid() != 0)
        skip();
    for (size_t n = 0; n <= 100; n += 50) {
        _cleanup_close_ int fd = -1;
        uid_t uid;

        for (size_t i = 0; i < n; i++)
            many[i] = OTHER_GROUP + (gid_t)i;
        fd = accept_from_other(many, n);
        assert_int_equal(peer_get_uid(fd, &uid), 0);
        assert_int_equal(uid, USER);
        assert_int_equal(peer_in_group(fd, PRIMARY_GROUP), 1);
        assert_int_equal(peer_in_group(fd, OTHER_GROUP), n > 0);
        if (n > 0)
            assert_int_equal(peer_in_group(fd, OTHER_GROUP + (gid_t)n - 1), 1);
        assert_int_equal(peer_in_group(fd, OTHER_GROUP + (gid_t)n), 0);
        assert_int_equal(peer_in_group(fd, 0), 0);
    }
}

static void test_no_socket(void **state)
{
    uid_t uid;

    (void)state;
    assert_int_equal(peer_get_uid(-1, &uid), -EBADF);
    assert_int_equal(peer_in_group(-1, 0), -EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_end),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_no_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
