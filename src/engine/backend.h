/* SPDX-License-Identifier: MIT */
/* What a back end gives to engine.c; nobody else includes this. */
#ifndef ENGINE_BACKEND_H
#define ENGINE_BACKEND_H

#include "engine/engine.h"

#include <stddef.h>

#define ENGINE_FILES_MAX 256U
#define ENGINE_TOTAL_MAX 4096U /* reads in flight for all files */

/* One read in flight. Lives from engine_read() until its completion was dispatched. */
struct engine_request {
    unsigned slot; /* of the file in the back end's table */
    struct threads_file *threads_file;
    uint64_t offset;
    uint32_t length;
    int result;
    void *buffer;     /* where the data lands */
    void *own_buffer; /* to be freed with the request; NULL when it is the sink */
    engine_done_fn done;
    void *userdata;
    struct engine_request *next; /* of the queue it stands in, or of the free list */
};

struct backend;
struct threads_file; /* threads.c's: keeps the descriptor while a read needs it */

struct backend_ops {
    const char *name;
    /* *ret_reason: static text for a refusal. */
    int (*open)(void *sink, struct backend **ret, const char **ret_reason);
    void (*close)(struct backend *backend);
    int (*event_fd)(const struct backend *backend);
    /* Takes completions, at most a batch; NULL when there are none. Linked by `next`. */
    struct engine_request *(*reap)(struct backend *backend);
    /* The back end keeps its own reference to the open file: reads in flight outlive the slot. */
    int (*add_file)(struct backend *backend, unsigned slot, int fd);
    void (*remove_file)(struct backend *backend, unsigned slot);
    int (*queue)(struct backend *backend, struct engine_request *request);
    void (*submit)(struct backend *backend);
};

extern const struct backend_ops backend_io_uring;
extern const struct backend_ops backend_threads;

#endif
