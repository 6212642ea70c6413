/* SPDX-License-Identifier: MIT */
#include "base/job.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

struct task {
    int gate[2]; /* the work waits for a byte here */
    pthread_t worker;
    bool done;
    pthread_t finisher;
};

static void task_work(void *userdata)
{
    struct task *task = userdata;
    char byte;

    task->worker = pthread_self();
    assert_int_equal(read(task->gate[0], &byte, 1), 1);
}

static void task_done(void *userdata)
{
    struct task *task = userdata;

    task->done = true;
    task->finisher = pthread_self();
}

static void task_open(struct task *task)
{
    *task = (struct task){ 0 };
    assert_int_equal(pipe(task->gate), 0);
}

static void task_let(const struct task *task)
{
    assert_int_equal(write(task->gate[1], "x", 1), 1);
}

static void task_close(const struct task *task)
{
    close(task->gate[0]);
    close(task->gate[1]);
}

static void dispatch_next(struct jobs *jobs)
{
    struct pollfd wait = { .fd = jobs_fd(jobs), .events = POLLIN };

    assert_int_equal(poll(&wait, 1, 60000), 1);
    jobs_dispatch(jobs);
}

static void test_one_that_hangs_holds_up_nobody(void **state)
{
    struct task hangs, goes;
    struct jobs *jobs;

    (void)state;
    task_open(&hangs);
    task_open(&goes);
    assert_int_equal(jobs_new(&jobs), 0);
    assert_int_equal(jobs_run(jobs, task_work, task_done, &hangs), 0);
    assert_int_equal(jobs_run(jobs, task_work, task_done, &goes), 0);
    assert_int_equal(jobs_pending(jobs), 2);

    task_let(&goes);
    dispatch_next(jobs);
    assert_true(goes.done);
    assert_false(hangs.done);
    assert_int_equal(jobs_pending(jobs), 1);
    assert_true(pthread_equal(goes.finisher, pthread_self()));
    assert_false(pthread_equal(goes.worker, pthread_self()));

    task_let(&hangs);
    dispatch_next(jobs);
    assert_true(hangs.done);
    assert_int_equal(jobs_pending(jobs), 0);
    jobs_free(jobs);
    task_close(&hangs);
    task_close(&goes);
}

/* A thread that ends after its jobs were freed must touch nothing of them (the sanitizers judge).
 */
static void test_freed_while_one_hangs(void **state)
{
    static struct task task;
    struct jobs *jobs;
    int fd;

    (void)state;
    task_open(&task);
    assert_int_equal(jobs_new(&jobs), 0);
    assert_int_equal(jobs_run(jobs, task_work, task_done, &task), 0);
    fd = jobs_fd(jobs);
    jobs_free(jobs);
    assert_true(fcntl(fd, F_GETFD) >= 0); /* the thread still holds what they share */
    task_let(&task);
    alarm(60);
    while (fcntl(fd, F_GETFD) >= 0) /* it gives it back last of all */
        sched_yield();
    alarm(0);
    assert_false(task.done);
    /* Its pipe stays open: nothing says that the thread is behind its read for good. */
}

static void test_many_at_once_all_end(void **state)
{
    static struct task tasks[100];
    struct jobs *jobs;

    (void)state;
    assert_int_equal(jobs_new(&jobs), 0);
    for (unsigned i = 0; i < 100; i++) {
        task_open(&tasks[i]);
        assert_int_equal(jobs_run(jobs, task_work, task_done, &tasks[i]), 0);
    }
    for (unsigned i = 0; i < 100; i++)
        task_let(&tasks[i]);
    while (jobs_pending(jobs) > 0)
        dispatch_next(jobs);
    for (unsigned i = 0; i < 100; i++) {
        assert_true(tasks[i].done);
        task_close(&tasks[i]);
    }
    jobs_free(jobs);
}

static void signals_work(void *userdata)
{
    pthread_sigmask(SIG_SETMASK, NULL, userdata);
}

/* A signal that a job's thread took would never reach the loop's signalfd. */
static void test_work_is_spared_all_signals(void **state)
{
    sigset_t before, during, after;
    struct jobs *jobs;

    (void)state;
    sigemptyset(&during);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(jobs_new(&jobs), 0);
    assert_int_equal(jobs_run(jobs, signals_work, NULL, &during), 0);
    dispatch_next(jobs);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < 32; number++) { /* 32 and 33 are glibc's own */
        if (number != SIGKILL && number != SIGSTOP)
            assert_true(sigismember(&during, number));
        assert_int_equal(sigismember(&after, number), sigismember(&before, number));
    }
    jobs_free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_that_hangs_holds_up_nobody),
        cmocka_unit_test(test_freed_while_one_hangs),
        cmocka_unit_test(test_many_at_once_all_end),
        cmocka_unit_test(test_work_is_spared_all_signals),
    };
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
