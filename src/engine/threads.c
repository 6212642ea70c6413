/* SPDX-License-Identifier: MIT */
/*
 * The back end for where io_uring is refused: a thread a read in flight, grown as depth asks for
 * them, each in a blocking preadv2. State is shared by reference count, since a thread that hangs
 * in a read outlives the engine.
 */
#include "base/cleanup.h"
#include "base/thread.h"
#include "engine/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#define STACK_BYTES (64U * 1024U)
#define THREADS_MAX 1024U

/* A duplicate of the descriptor, so that its number can't be reused under a read. */
struct threads_file {
    int fd;
    unsigned references; /* the slot's and each read's; under the back end's lock */
};

struct backend {
    pthread_mutex_t lock;
    pthread_cond_t work;
    int event_fd;
    bool stopping;
    unsigned references; /* the engine's and each thread's */
    unsigned threads, idle, queued_length;
    struct threads_file *files[ENGINE_FILES_MAX];
    struct engine_request *queued, **queued_tail;
    struct engine_request *finished, **finished_tail;
};

static void free_requests(struct engine_request *list)
{
    while (list) {
        struct engine_request *next = list->next;
        free(list->own_buffer);
        free(list);
        list = next;
    }
}

static void backend_unlock_and_unref(struct backend *backend)
{
    bool last = --backend->references == 0;

    pthread_mutex_unlock(&backend->lock);
    if (!last)
        return;
    free_requests(backend->finished);
    close(backend->event_fd);
    pthread_cond_destroy(&backend->work);
    pthread_mutex_destroy(&backend->lock);
    free(backend);
}

static int read_once(const struct engine_request *request)
{
    struct iovec vector = { .iov_base = request->buffer, .iov_len = request->length };
    ssize_t n;

    do
        n = preadv2(request->threads_file->fd, &vector, 1, (off_t)request->offset, 0);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : (int)n;
}

/* Under the lock: close() of a descriptor that is open for reading only has nothing to flush. */
static void file_unref(struct threads_file *file)
{
    if (--file->references > 0)
        return;
    close(file->fd);
    free(file);
}

static void append(struct engine_request ***tail, struct engine_request *request)
{
    request->next = NULL;
    **tail = request;
    *tail = &request->next;
}

static void finish(struct backend *backend, struct engine_request *request)
{
    file_unref(request->threads_file);
    append(&backend->finished_tail, request);
    eventfd_write(backend->event_fd, 1);
}

static struct engine_request *next_queued(struct backend *backend)
{
    struct engine_request *request;

    while (!backend->queued && !backend->stopping) {
        backend->idle++;
        pthread_cond_wait(&backend->work, &backend->lock);
        backend->idle--;
    }
    if (backend->stopping)
        return NULL;
    request = backend->queued;
    backend->queued = request->next;
    backend->queued_length--;
    if (!backend->queued)
        backend->queued_tail = &backend->queued;
    return request;
}

static void *reader_main(void *userdata)
{
    struct backend *backend = userdata;
    struct engine_request *request;

    pthread_mutex_lock(&backend->lock);
    while ((request = next_queued(backend))) {
        pthread_mutex_unlock(&backend->lock);
        request->result = read_once(request);
        pthread_mutex_lock(&backend->lock);
        finish(backend, request);
    }
    backend->threads--;
    backend_unlock_and_unref(backend);
    return NULL;
}

static int start_reader(struct backend *backend)
{
    int r = thread_start(reader_main, backend, STACK_BYTES);

    if (r < 0)
        return r;
    backend->threads++;
    backend->references++;
    return 0;
}

static int threads_open(void *sink, struct backend **ret, const char **ret_reason)
{
    struct backend *backend = calloc(1, sizeof(*backend));

    (void)sink;
    *ret_reason = "";
    if (!backend)
        return -ENOMEM;
    backend->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (backend->event_fd < 0) {
        free(backend);
        *ret_reason = "no descriptor left for an eventfd";
        return -errno;
    }
    pthread_mutex_init(&backend->lock, NULL);
    pthread_cond_init(&backend->work, NULL);
    backend->references = 1;
    backend->queued_tail = &backend->queued;
    backend->finished_tail = &backend->finished;
    *ret = backend;
    return 0;
}

static void cancel_all(struct backend *backend)
{
    for (struct engine_request *request = backend->queued; request; request = request->next)
        file_unref(request->threads_file);
    free_requests(backend->queued);
    free_requests(backend->finished);
    backend->queued = backend->finished = NULL;
    backend->queued_tail = &backend->queued;
    backend->finished_tail = &backend->finished;
    for (unsigned slot = 0; slot < ENGINE_FILES_MAX; slot++) {
        if (backend->files[slot])
            file_unref(backend->files[slot]);
    }
}

/* Reads under way keep their thread, their request and their buffer until the process ends. */
static void threads_close(struct backend *backend)
{
    pthread_mutex_lock(&backend->lock);
    backend->stopping = true;
    cancel_all(backend);
    pthread_cond_broadcast(&backend->work);
    backend_unlock_and_unref(backend);
}

static int threads_event_fd(const struct backend *backend)
{
    return backend->event_fd;
}

static struct engine_request *threads_reap(struct backend *backend)
{
    struct engine_request *list;
    uint64_t wakeups;

    if (read(backend->event_fd, &wakeups, sizeof(wakeups)) < 0 && errno != EAGAIN)
        return NULL;
    pthread_mutex_lock(&backend->lock);
    list = backend->finished;
    backend->finished = NULL;
    backend->finished_tail = &backend->finished;
    pthread_mutex_unlock(&backend->lock);
    return list;
}

static int threads_add_file(struct backend *backend, unsigned slot, int fd)
{
    struct threads_file *file = calloc(1, sizeof(*file));

    if (!file)
        return -ENOMEM;
    file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (file->fd < 0) {
        free(file);
        return -errno;
    }
    file->references = 1;
    backend->files[slot] = file;
    return 0;
}

/* Reads of this file that no thread has begun are not begun any more. */
static void cancel_queued(struct backend *backend, const struct threads_file *file)
{
    struct engine_request *queued = backend->queued;

    backend->queued = NULL;
    backend->queued_tail = &backend->queued;
    while (queued) {
        struct engine_request *request = queued;
        queued = queued->next;
        if (request->threads_file != file) {
            append(&backend->queued_tail, request);
            continue;
        }
        backend->queued_length--;
        request->result = -ECANCELED;
        finish(backend, request);
    }
}

static void threads_remove_file(struct backend *backend, unsigned slot)
{
    pthread_mutex_lock(&backend->lock);
    cancel_queued(backend, backend->files[slot]);
    file_unref(backend->files[slot]);
    backend->files[slot] = NULL;
    pthread_mutex_unlock(&backend->lock);
}

static int threads_queue(struct backend *backend, struct engine_request *request)
{
    int r = 0;

    pthread_mutex_lock(&backend->lock);
    if (backend->queued_length >= backend->idle && backend->threads < THREADS_MAX)
        r = start_reader(backend);
    /* Without a new thread the read waits for one of those there are; with none it would for ever.
     */
    if (backend->threads > 0) {
        request->threads_file = backend->files[request->slot];
        request->threads_file->references++;
        append(&backend->queued_tail, request);
        backend->queued_length++;
        pthread_cond_signal(&backend->work);
        r = 0;
    }
    pthread_mutex_unlock(&backend->lock);
    return r;
}

static void threads_submit(struct backend *backend)
{
    (void)backend;
}

const struct backend_ops backend_threads = {
    .name = "threads",
    .open = threads_open,
    .close = threads_close,
    .event_fd = threads_event_fd,
    .reap = threads_reap,
    .add_file = threads_add_file,
    .remove_file = threads_remove_file,
    .queue = threads_queue,
    .submit = threads_submit,
};
