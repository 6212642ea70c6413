/* SPDX-License-Identifier: MIT */
/*
 * The io_uring back end: one ring for all volumes, registered files, one registered sink.
 *
 * With DEFER_TASKRUN the ring's own descriptor never wakes an epoll that the same thread waits in;
 * a registered eventfd does. Its wake-up means "task work is waiting", not "a completion is there".
 */
#include "base/cleanup.h"
#include "engine/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#define SUBMISSION_ENTRIES 256U
#define REAP_BATCH         64U

struct backend {
    struct io_uring ring;
    int event_fd;
    bool defer_taskrun;
    bool sink_registered;
    void *sink;
};

static int read_sysctl_disabled(void)
{
    _cleanup_close_ int fd = open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC);
    char digit = '0';

    if (fd < 0 || read(fd, &digit, 1) != 1)
        return 0;
    return digit - '0';
}

static const char *refusal_reason(int error)
{
    switch (error) {
    case -ENOSYS:
        return "the kernel has no io_uring (ENOSYS)";
    case -EPERM:
    case -EACCES:
        switch (read_sysctl_disabled()) {
        case 1:
            return "sysctl kernel.io_uring_disabled=1 forbids it to this user (EPERM)";
        case 2:
            return "sysctl kernel.io_uring_disabled=2 forbids it (EPERM)";
        default:
            return "a seccomp filter or security module forbids it, as containers' do (EPERM)";
        }
    case -EINVAL:
        return "the kernel's io_uring is too old (EINVAL)";
    case -ENOMEM:
        return "no memory may be locked for the ring (ENOMEM; see RLIMIT_MEMLOCK)";
    default:
        return "io_uring_setup failed";
    }
}

/* SINGLE_ISSUER came with Linux 6.0, DEFER_TASKRUN with 6.1: without them it works, only dearer. */
static int setup_ring(struct backend *backend)
{
    static const unsigned flags_to_try[] = {
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
        IORING_SETUP_SINGLE_ISSUER,
        0,
    };
    int r = -EINVAL;

    for (size_t i = 0; i < sizeof(flags_to_try) / sizeof(flags_to_try[0]); i++) {
        struct io_uring_params params = {
            .flags = flags_to_try[i] | IORING_SETUP_CQSIZE,
            .cq_entries = ENGINE_TOTAL_MAX,
        };
        r = io_uring_queue_init_params(SUBMISSION_ENTRIES, &backend->ring, &params);
        if (r >= 0)
            backend->defer_taskrun = flags_to_try[i] & IORING_SETUP_DEFER_TASKRUN;
        if (r != -EINVAL)
            break;
    }
    return r;
}

static int register_files(struct backend *backend)
{
    int none[ENGINE_FILES_MAX];

    memset(none, 0xff, sizeof(none)); /* -1: an empty slot */
    return io_uring_register_files(&backend->ring, none, ENGINE_FILES_MAX);
}

static int setup_resources(struct backend *backend)
{
    struct iovec sink = { .iov_base = backend->sink, .iov_len = ENGINE_BLOCK_MAX_BYTES };
    int r;

    backend->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (backend->event_fd < 0)
        return -errno;
    r = io_uring_register_eventfd(&backend->ring, backend->event_fd);
    if (r < 0)
        return r;
    r = register_files(backend);
    if (r < 0)
        return r;
    /* Charged to RLIMIT_MEMLOCK: where that is too small, the same sink works unregistered. */
    backend->sink_registered = io_uring_register_buffers(&backend->ring, &sink, 1) >= 0;
    return 0;
}

static void uring_close(struct backend *backend)
{
    io_uring_queue_exit(&backend->ring);
    if (backend->event_fd >= 0)
        close(backend->event_fd);
    free(backend);
}

static int uring_open(void *sink, struct backend **ret, const char **ret_reason)
{
    struct backend *backend = calloc(1, sizeof(*backend));
    int r;

    if (!backend)
        return -ENOMEM;
    backend->event_fd = -1;
    backend->sink = sink;
    r = setup_ring(backend);
    if (r < 0) {
        free(backend);
        *ret_reason = refusal_reason(r);
        return r;
    }
    r = setup_resources(backend);
    if (r < 0) {
        uring_close(backend);
        *ret_reason = refusal_reason(r);
        return r;
    }
    *ret = backend;
    return 0;
}

static int uring_event_fd(const struct backend *backend)
{
    return backend->event_fd;
}

static struct engine_request *take_completions(struct backend *backend)
{
    struct io_uring_cqe *cqes[REAP_BATCH];
    struct engine_request *list = NULL;
    unsigned n = io_uring_peek_batch_cqe(&backend->ring, cqes, REAP_BATCH);

    for (unsigned i = n; i-- > 0;) {
        struct engine_request *request = io_uring_cqe_get_data(cqes[i]);
        request->result = cqes[i]->res;
        request->next = list;
        list = request;
    }
    io_uring_cq_advance(&backend->ring, n);
    return list;
}

/*
 * Runs all the task work there is. io_uring_get_events() may run only 20 items of it; where all of
 * these are reads that the kernel must send again (one that would have blocked, on a device whose
 * queue was full), no completion comes of it and nothing signals for the rest: every read hung
 * (Linux 6.18, a loop device, 64 reads of 1 MiB). The flag says whether some is left.
 */
static void run_task_work(struct backend *backend)
{
    if (!backend->defer_taskrun)
        return;
    do
        io_uring_get_events(&backend->ring);
    while (IO_URING_READ_ONCE(*backend->ring.sq.kflags) & IORING_SQ_TASKRUN);
}

static struct engine_request *uring_reap(struct backend *backend)
{
    struct engine_request *list = take_completions(backend);
    uint64_t wakeups;

    if (list)
        return list;
    /* Emptied before the last look, so that what comes after the look wakes us again. */
    if (read(backend->event_fd, &wakeups, sizeof(wakeups)) < 0)
        return NULL;
    run_task_work(backend);
    return take_completions(backend);
}

static int uring_add_file(struct backend *backend, unsigned slot, int fd)
{
    int r = io_uring_register_files_update(&backend->ring, slot, &fd, 1);
    return r < 0 ? r : 0;
}

static void uring_remove_file(struct backend *backend, unsigned slot)
{
    int none = -1;
    io_uring_register_files_update(&backend->ring, slot, &none, 1);
}

static int uring_queue(struct backend *backend, struct engine_request *request)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&backend->ring);

    if (!sqe) {
        io_uring_submit(&backend->ring);
        sqe = io_uring_get_sqe(&backend->ring);
    }
    if (!sqe)
        return -EBUSY;
    if (backend->sink_registered && !request->own_buffer)
        io_uring_prep_read_fixed(sqe, (int)request->slot, request->buffer, request->length,
                                 request->offset, 0);
    else
        io_uring_prep_read(sqe, (int)request->slot, request->buffer, request->length,
                           request->offset);
    io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
    io_uring_sqe_set_data(sqe, request);
    return 0;
}

static void uring_submit(struct backend *backend)
{
    io_uring_submit(&backend->ring);
}

const struct backend_ops backend_io_uring = {
    .name = "io_uring",
    .open = uring_open,
    .close = uring_close,
    .event_fd = uring_event_fd,
    .reap = uring_reap,
    .add_file = uring_add_file,
    .remove_file = uring_remove_file,
    .queue = uring_queue,
    .submit = uring_submit,
};
