/* SPDX-License-Identifier: MIT */
/* What a gate's files say; quoting is that of systemd.service(5). */
#include "ctl/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_unit_names(void **state)
{
    static const struct {
        const char *name, *unit;
    } good[] = {
        { "postgresql", "postgresql.service" },
        { "postgresql@14-main", "postgresql@14-main.service" },
        { "a.b", "a.b.service" },
        { "srv-data.mount", "srv-data.mount" },
        { "my\\x2dapp.target", "my\\x2dapp.target" },
    };
    static const char *const bad[] = { "",
                                       ".service",
                                       "a b",
                                       "a/b",
                                       "../x",
                                       "x@",
                                       "x@.service",
                                       "ebswarmd",
                                       "ebswarm-wait.service",
                                       "ebs-warm.target" };
    char unit[GATE_UNIT_MAX];
    char long_name[300];

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(gate_unit_name(good[i].name, unit), 0);
        assert_string_equal(unit, good[i].unit);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (gate_unit_name(bad[i], unit) == 0)
            fail_msg("\"%s\" was taken", bad[i]);
    }
    memset(long_name, 'x', sizeof(long_name) - 1);
    long_name[sizeof(long_name) - 1] = '\0';
    assert_true(gate_unit_name(long_name, unit) < 0);
    long_name[245] = '\0';
    assert_int_equal(gate_unit_name(long_name, unit), 0);
    char waiting_unit[GATE_UNIT_MAX];
    assert_true(gate_waiting_unit(unit, waiting_unit) < 0);
}

static void test_unit_drop_in(void **state)
{
    char *text = gate_unit_drop_in("a.service", "ebswarm-gate@a.service.service");

    (void)state;
    assert_non_null(text);
    assert_non_null(strstr(text, "\n[Unit]\nRequires=ebswarm-gate@a.service.service\n"
                                 "After=ebswarm-gate@a.service.service\n"));
    free(text);
}

static void test_waiting_drop_in(void **state)
{
    const char *const what[] = { "/srv/50% \"off\" $HOME\\x", "vol-0123456789abcdef0",
                                 "/dev/nvme1n1", NULL };
    struct ctl_options options = { .percent = 90, .any = true, .timeout_text = "1h 30min" };
    char *text = gate_waiting_drop_in("a.service", &options, what, "/usr/bin/ebswarmctl");

    (void)state;
    assert_non_null(text);
    assert_non_null(strstr(text, "\nExecStart=\nExecStart=/usr/bin/ebswarmctl wait --percent=90 "
                                 "--timeout=\"1h 30min\" --any -- "
                                 "\"/srv/50%% \\\"off\\\" $$HOME\\\\x\" \"vol-0123456789abcdef0\" "
                                 "\"/dev/nvme1n1\"\n"));
    assert_non_null(strstr(text, "\nRequiresMountsFor= \"/srv/50%% "));
    assert_null(strstr(text, "RequiresMountsFor= \"/dev"));
    assert_non_null(strstr(text, "\nSuccessExitStatus=3\n"));
    free(text);

    options.fail_on_timeout = options.allow_incomplete = true;
    text = gate_waiting_drop_in("a.service", &options, what, "/usr/bin/ebswarmctl");
    assert_null(strstr(text, "SuccessExitStatus"));
    assert_non_null(strstr(text, "--allow-incomplete --"));
    free(text);
}

/* All volumes, and a time-out that nobody had to ask for. */
static void test_defaults(void **state)
{
    const char *const what[] = { NULL };
    const struct ctl_options options = { .percent = 100 };
    char *text = gate_waiting_drop_in("a.service", &options, what, "/usr/bin/ebswarmctl");

    (void)state;
    assert_non_null(strstr(text, "\nExecStart=/usr/bin/ebswarmctl wait --percent=100 "
                                 "--timeout=\"12h\" --\n"));
    free(text);
}

static void test_read_again(void **state)
{
    const char *const what[] = { "/srv/50% \"off\"", "vol-0123456789abcdef0", NULL };
    const struct ctl_options options = { .percent = 42, .any = true };
    char path[] = "/tmp/test-gate-XXXXXX";
    char *text = gate_waiting_drop_in("a.service", &options, what, "/usr/bin/ebswarmctl");
    struct gate_wait wait;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    assert_int_equal(gate_wait_read(path, &wait), 0);
    assert_int_equal(wait.percent, 42);
    assert_true(wait.any);
    assert_int_equal(wait.n_what, 2);
    assert_string_equal(wait.what[0], what[0]);
    assert_string_equal(wait.what[1], what[1]);
    assert_null(wait.what[2]);
    gate_wait_done(&wait);
    unlink(path);
    assert_true(gate_wait_read(path, &wait) < 0);
    gate_wait_done(&wait);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unit_names),      cmocka_unit_test(test_unit_drop_in),
        cmocka_unit_test(test_waiting_drop_in), cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_read_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
