/* SPDX-License-Identifier: MIT */
/*
 * Blocking work off the event loop. Whatever may hang with a disk (opening and closing a device,
 * writing a checkpoint) is a job: it runs on a thread of its own, so that one stuck disk holds up
 * nothing else, and its end is reported on the loop through a descriptor.
 */
#ifndef BASE_JOB_H
#define BASE_JOB_H

#include <stddef.h>

struct jobs;

/* `work` runs on a thread; then `done` runs in jobs_dispatch(). Both get `userdata`. */
typedef void (*job_fn)(void *userdata);

/* -errno. */
int jobs_new(struct jobs **ret);
/*
 * Calls `done` of what has ended. Does not wait for work under way: its thread is left behind and
 * its `done` is never called; the userdata of such a job must not be freed by anyone.
 */
void jobs_free(struct jobs *jobs);

/* An eventfd that is readable when jobs_dispatch() has something to do. Owned by `jobs`. */
int jobs_fd(const struct jobs *jobs);
/* Calls `done` of every job that has ended. */
void jobs_dispatch(struct jobs *jobs);

/* -EAGAIN when no thread can be had. `done` may be NULL. */
int jobs_run(struct jobs *jobs, job_fn work, job_fn done, void *userdata);
/* Jobs begun and not yet dispatched. */
size_t jobs_pending(const struct jobs *jobs);

#endif
