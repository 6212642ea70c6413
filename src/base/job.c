/* SPDX-License-Identifier: MIT */
#include "base/job.h"

#include "base/cleanup.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>

#define STACK_BYTES ((size_t)128 * 1024)

struct job {
    struct jobs *jobs;
    job_fn work, done;
    void *userdata;
    struct job *next; /* of those that have ended */
};

/* Shared with every thread under way: one that hangs may end long after jobs_free(). */
struct jobs {
    pthread_mutex_t lock;
    int event_fd;
    bool freed;
    unsigned references; /* the owner's and each thread's */
    size_t pending;      /* only touched by the owner's thread */
    struct job *ended;
};

static void unlock_and_unref(struct jobs *jobs)
{
    bool last = --jobs->references == 0;

    pthread_mutex_unlock(&jobs->lock);
    if (!last)
        return;
    close(jobs->event_fd);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

static void *job_main(void *userdata)
{
    struct job *job = userdata;
    struct jobs *jobs = job->jobs;

    job->work(job->userdata);
    pthread_mutex_lock(&jobs->lock);
    if (jobs->freed) {
        free(job);
    } else {
        job->next = jobs->ended;
        jobs->ended = job;
        eventfd_write(jobs->event_fd, 1);
    }
    unlock_and_unref(jobs);
    return NULL;
}

int jobs_new(struct jobs **ret)
{
    struct jobs *jobs = calloc(1, sizeof(*jobs));

    if (!jobs)
        return -ENOMEM;
    jobs->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (jobs->event_fd < 0) {
        free(jobs);
        return -errno;
    }
    pthread_mutex_init(&jobs->lock, NULL);
    jobs->references = 1;
    *ret = jobs;
    return 0;
}

int jobs_fd(const struct jobs *jobs)
{
    return jobs->event_fd;
}

static struct job *take_ended(struct jobs *jobs)
{
    struct job *list;
    uint64_t wakeups;

    if (read(jobs->event_fd, &wakeups, sizeof(wakeups)) < 0 && errno != EAGAIN)
        return NULL;
    pthread_mutex_lock(&jobs->lock);
    list = jobs->ended;
    jobs->ended = NULL;
    pthread_mutex_unlock(&jobs->lock);
    return list;
}

void jobs_dispatch(struct jobs *jobs)
{
    struct job *list = take_ended(jobs);

    while (list) {
        struct job *job = list;
        list = job->next;
        jobs->pending--;
        if (job->done)
            job->done(job->userdata);
        free(job);
    }
}

int jobs_run(struct jobs *jobs, job_fn work, job_fn done, void *userdata)
{
    struct job *job = malloc(sizeof(*job));
    int r;

    if (!job)
        return -ENOMEM;
    *job = (struct job){ .jobs = jobs, .work = work, .done = done, .userdata = userdata };
    pthread_mutex_lock(&jobs->lock);
    jobs->references++;
    pthread_mutex_unlock(&jobs->lock);
    r = thread_start(job_main, job, STACK_BYTES);
    if (r < 0) {
        pthread_mutex_lock(&jobs->lock);
        unlock_and_unref(jobs);
        free(job);
        return r;
    }
    jobs->pending++;
    return 0;
}

size_t jobs_pending(const struct jobs *jobs)
{
    return jobs->pending;
}

void jobs_free(struct jobs *jobs)
{
    if (!jobs)
        return;
    jobs_dispatch(jobs);
    pthread_mutex_lock(&jobs->lock);
    jobs->freed = true;
    while (jobs->ended) {
        struct job *job = jobs->ended;
        jobs->ended = job->next;
        free(job);
    }
    unlock_and_unref(jobs);
}
