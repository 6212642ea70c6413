/* SPDX-License-Identifier: MIT */
#include "engine/engine.h"

#include "base/cleanup.h"
#include "engine/backend.h"
#include "engine/sink.h"

#include <errno.h>
#include <string.h>

#define BUFFER_ALIGNMENT 4096U /* the largest logical block of an EBS volume */

struct engine_file {
    struct engine *engine;
    unsigned slot;
    bool own_buffers;
};

struct engine {
    const struct backend_ops *ops;
    struct backend *backend;
    const char *fallback_reason;
    void *sink;
    bool slot_used[ENGINE_FILES_MAX];
    unsigned in_flight;
    struct engine_request *free_requests;
};

static int open_backend(struct engine *engine, enum engine_kind kind, const char **ret_reason)
{
    int r;

    engine->fallback_reason = "";
    if (kind != ENGINE_THREADS) {
        engine->ops = &backend_io_uring;
        r = engine->ops->open(engine->sink, &engine->backend, ret_reason);
        if (r >= 0 || kind == ENGINE_IO_URING)
            return r;
        engine->fallback_reason = *ret_reason;
    }
    engine->ops = &backend_threads;
    return engine->ops->open(engine->sink, &engine->backend, ret_reason);
}

DEFINE_CLEANUP(struct engine *, engine_free, engine_free_p)

int engine_new(enum engine_kind kind, struct engine **ret, const char **ret_reason)
{
    _cleanup_(engine_free_p) struct engine *engine = NULL;
    const char *reason = "";
    int r;

    engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->sink = sink_new();
    if (!engine->sink)
        return -ENOMEM;
    r = open_backend(engine, kind, &reason);
    if (ret_reason)
        *ret_reason = reason;
    if (r < 0)
        return r;
    *ret = steal_pointer(&engine);
    return 0;
}

static void free_request_list(struct engine_request *list)
{
    while (list) {
        struct engine_request *next = list->next;
        free(list);
        list = next;
    }
}

/*
 * With reads in flight the sink must outlive us: the kernel or a thread may still write into it,
 * and into requests. Such memory is left to the end of the process.
 */
void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    if (engine->backend)
        engine->ops->close(engine->backend);
    if (engine->sink && engine->in_flight == 0)
        sink_free(engine->sink);
    free_request_list(engine->free_requests);
    free(engine);
}

const char *engine_name(const struct engine *engine)
{
    return engine->ops->name;
}

const char *engine_fallback_reason(const struct engine *engine)
{
    return engine->fallback_reason;
}

int engine_fd(const struct engine *engine)
{
    return engine->ops->event_fd(engine->backend);
}

static void request_give_back(struct engine *engine, struct engine_request *request)
{
    free(request->own_buffer);
    request->own_buffer = NULL;
    request->next = engine->free_requests;
    engine->free_requests = request;
}

static void request_finish(struct engine *engine, struct engine_request *request)
{
    engine_done_fn done = request->done;
    void *userdata = request->userdata;
    int result = request->result;

    request_give_back(engine, request);
    engine->in_flight--;
    done(result, userdata);
}

void engine_dispatch(struct engine *engine)
{
    struct engine_request *list;

    while ((list = engine->ops->reap(engine->backend))) {
        while (list) {
            struct engine_request *request = list;
            list = list->next;
            request_finish(engine, request);
        }
    }
}

int engine_file_new(struct engine *engine, int fd, bool own_buffers, struct engine_file **ret)
{
    _cleanup_free_ struct engine_file *file = NULL;
    unsigned slot = 0;
    int r;

    while (slot < ENGINE_FILES_MAX && engine->slot_used[slot])
        slot++;
    if (slot == ENGINE_FILES_MAX)
        return -ENFILE;
    file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    r = engine->ops->add_file(engine->backend, slot, fd);
    if (r < 0)
        return r;
    engine->slot_used[slot] = true;
    *file = (struct engine_file){
        .engine = engine,
        .slot = slot,
        .own_buffers = own_buffers,
    };
    *ret = steal_pointer(&file);
    return 0;
}

void engine_file_free(struct engine_file *file)
{
    if (!file)
        return;
    file->engine->ops->remove_file(file->engine->backend, file->slot);
    file->engine->slot_used[file->slot] = false;
    free(file);
}

static struct engine_request *request_new(struct engine *engine)
{
    struct engine_request *request = engine->free_requests;

    if (!request)
        return calloc(1, sizeof(*request));
    engine->free_requests = request->next;
    *request = (struct engine_request){ 0 };
    return request;
}

static int request_set_buffer(struct engine_request *request, const struct engine_file *file)
{
    if (!file->own_buffers) {
        request->buffer = file->engine->sink;
        return 0;
    }
    request->own_buffer = aligned_alloc(BUFFER_ALIGNMENT, (request->length + BUFFER_ALIGNMENT - 1) &
                                                              ~(BUFFER_ALIGNMENT - 1));
    request->buffer = request->own_buffer;
    return request->buffer ? 0 : -ENOMEM;
}

int engine_read(struct engine_file *file, uint64_t offset, uint32_t length, engine_done_fn done,
                void *userdata)
{
    struct engine *engine = file->engine;
    struct engine_request *request;
    int r;

    if (length == 0 || length > ENGINE_BLOCK_MAX_BYTES)
        return -EINVAL;
    if (engine->in_flight >= ENGINE_TOTAL_MAX)
        return -EBUSY;
    request = request_new(engine);
    if (!request)
        return -ENOMEM;
    request->slot = file->slot;
    request->offset = offset;
    request->length = length;
    request->done = done;
    request->userdata = userdata;
    r = request_set_buffer(request, file);
    if (r >= 0)
        r = engine->ops->queue(engine->backend, request);
    if (r < 0) {
        request_give_back(engine, request);
        return r;
    }
    engine->in_flight++;
    return 0;
}

void engine_submit(struct engine *engine)
{
    engine->ops->submit(engine->backend);
}
