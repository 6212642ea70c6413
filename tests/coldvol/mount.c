/* SPDX-License-Identifier: MIT */
#define FUSE_USE_VERSION 34

#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define VOLUME_INODE    2
#define VOLUME_NAME     "volume"
#define IN_FLIGHT_MAX   4096
#define DISPATCH_ROUNDS 64

struct mount {
    struct volume *volume;
    struct fuse_session *session;
    struct fuse_buf request;
    uint64_t fetches; /* so many of the model's are in the record */
    char *content;    /* zeros for ever, unless there is a backing file */
};

struct pending {
    fuse_req_t request;
    uint64_t offset;
    size_t length;
};

static struct mount *mount_of(fuse_req_t request)
{
    return fuse_req_userdata(request);
}

static void on_init(void *userdata, struct fuse_conn_info *connection)
{
    (void)userdata;
    connection->max_background = IN_FLIGHT_MAX;
    connection->congestion_threshold = IN_FLIGHT_MAX;
    connection->max_read = MOUNT_READ_MAX;
    connection->max_readahead = 0;
    connection->want |= connection->capable & FUSE_CAP_ASYNC_DIO;
    connection->want &= ~(unsigned)FUSE_CAP_SPLICE_READ;
}

static int fill_stat(const struct volume *volume, fuse_ino_t inode, struct stat *st)
{
    *st = (struct stat){ .st_ino = inode, .st_nlink = 1, .st_blksize = RECORD_PAGE_BYTES };
    if (inode == FUSE_ROOT_ID) {
        st->st_mode = S_IFDIR | 0755;
        st->st_nlink = 2;
        return 0;
    }
    if (inode != VOLUME_INODE)
        return -ENOENT;
    st->st_mode = S_IFREG | 0644;
    st->st_size = (off_t)volume->settings.size_bytes;
    st->st_blocks = st->st_size / 512;
    return 0;
}

/* No time-outs on names and sizes: a changed size is seen by the next stat(). */
static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct fuse_entry_param entry = { .ino = VOLUME_INODE };

    if (parent != FUSE_ROOT_ID || strcmp(name, VOLUME_NAME) != 0) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    fill_stat(mount_of(request)->volume, VOLUME_INODE, &entry.attr);
    fuse_reply_entry(request, &entry);
}

static void on_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
    struct stat st;

    (void)file;
    if (fill_stat(mount_of(request)->volume, inode, &st) < 0)
        fuse_reply_err(request, ENOENT);
    else
        fuse_reply_attr(request, &st, 0);
}

static void on_readdir(fuse_req_t request, fuse_ino_t inode, size_t room, off_t offset,
                       struct fuse_file_info *file)
{
    struct stat st;
    char entry[128];
    size_t length;

    (void)file;
    if (inode != FUSE_ROOT_ID) {
        fuse_reply_err(request, ENOTDIR);
        return;
    }
    fill_stat(mount_of(request)->volume, VOLUME_INODE, &st);
    length = fuse_add_direntry(request, entry, sizeof(entry), VOLUME_NAME, &st, 1);
    if (offset > 0 || length > room)
        length = 0;
    fuse_reply_buf(request, entry, length);
}

/* Past the page cache, so that the record sees every read of whoever opens the file. */
static void on_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file)
{
    if (inode != VOLUME_INODE) {
        fuse_reply_err(request, EISDIR);
        return;
    }
    file->direct_io = 1;
    fuse_reply_open(request, file);
}

static void on_read(fuse_req_t request, fuse_ino_t inode, size_t length, off_t offset,
                    struct fuse_file_info *file)
{
    struct mount *mount = mount_of(request);
    uint64_t size_bytes = mount->volume->settings.size_bytes;
    struct pending *pending;

    (void)inode;
    (void)file;
    if ((uint64_t)offset >= size_bytes || length == 0) {
        fuse_reply_buf(request, NULL, 0);
        return;
    }
    if (length > size_bytes - (uint64_t)offset)
        length = (size_t)(size_bytes - (uint64_t)offset);
    pending = length <= MOUNT_READ_MAX ? malloc(sizeof(*pending)) : NULL;
    if (!pending) {
        fuse_reply_err(request, ENOMEM);
        return;
    }
    *pending = (struct pending){ request, (uint64_t)offset, length };
    if (model_read(mount->volume->model, volume_now_usec(), (uint64_t)offset, length, pending) <
        0) {
        free(pending);
        fuse_reply_err(request, ENOMEM);
    }
}

static void on_write(fuse_req_t request, fuse_ino_t inode, const char *data, size_t length,
                     off_t offset, struct fuse_file_info *file)
{
    int r = volume_write(mount_of(request)->volume, data, length, (uint64_t)offset);

    (void)inode;
    (void)file;
    if (r < 0)
        fuse_reply_err(request, -r);
    else
        fuse_reply_write(request, length);
}

/* How discards and write-zeroes of the loop device arrive. */
static void on_fallocate(fuse_req_t request, fuse_ino_t inode, int mode, off_t offset, off_t length,
                         struct fuse_file_info *file)
{
    (void)inode;
    (void)mode;
    (void)offset;
    (void)length;
    (void)file;
    fuse_reply_err(request, -volume_count_change(mount_of(request)->volume));
}

static void on_setattr(fuse_req_t request, fuse_ino_t inode, struct stat *st, int which,
                       struct fuse_file_info *file)
{
    (void)inode;
    (void)st;
    (void)file;
    if (which & FUSE_SET_ATTR_SIZE)
        volume_count_change(mount_of(request)->volume);
    fuse_reply_err(request, EPERM);
}

static void on_fsync(fuse_req_t request, fuse_ino_t inode, int data_only,
                     struct fuse_file_info *file)
{
    (void)inode;
    (void)data_only;
    (void)file;
    fuse_reply_err(request, 0);
}

static const struct fuse_lowlevel_ops operations = {
    .init = on_init,
    .lookup = on_lookup,
    .getattr = on_getattr,
    .readdir = on_readdir,
    .open = on_open,
    .read = on_read,
    .write = on_write,
    .fallocate = on_fallocate,
    .setattr = on_setattr,
    .fsync = on_fsync,
};

static int open_session(struct mount *mount)
{
    char *words[] = { "coldvol", "-o", "fsname=coldvol,allow_other,max_read=1048576" };
    struct fuse_args args = FUSE_ARGS_INIT(sizeof(words) / sizeof(words[0]), words);
    int flags;

    mount->session = fuse_session_new(&args, &operations, sizeof(operations), mount);
    fuse_opt_free_args(&args);
    if (!mount->session)
        return -EIO;
    errno = EIO;
    if (fuse_session_mount(mount->session, mount->volume->place->mount) != 0)
        return errno > 0 ? -errno : -EIO;
    flags = fcntl(mount_fd(mount), F_GETFL);
    if (flags < 0 || fcntl(mount_fd(mount), F_SETFL, flags | O_NONBLOCK) < 0)
        return -errno;
    return 0;
}

static int make_content(struct mount *mount)
{
    void *content =
        mmap(NULL, MOUNT_READ_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (content == MAP_FAILED)
        return -errno;
    mount->content = content;
    return 0;
}

int mount_new(struct volume *volume, struct mount **ret)
{
    struct mount *mount = calloc(1, sizeof(*mount));
    int r;

    if (!mount)
        return -ENOMEM;
    mount->volume = volume;
    r = make_content(mount);
    if (r == 0)
        r = open_session(mount);
    if (r < 0) {
        mount_free(mount);
        return r;
    }
    *ret = mount;
    return 0;
}

void mount_free(struct mount *mount)
{
    if (!mount)
        return;
    if (mount->session)
        fuse_session_destroy(mount->session);
    if (mount->content)
        munmap(mount->content, MOUNT_READ_MAX);
    free(mount->request.mem);
    free(mount);
}

int mount_fd(const struct mount *mount)
{
    return fuse_session_fd(mount->session);
}

bool mount_alive(const struct mount *mount)
{
    return !fuse_session_exited(mount->session);
}

void mount_dispatch(struct mount *mount)
{
    for (int i = 0; i < DISPATCH_ROUNDS && mount_alive(mount); i++) {
        if (fuse_session_receive_buf(mount->session, &mount->request) <= 0)
            return;
        fuse_session_process_buf(mount->session, &mount->request);
    }
}

static void reply(struct mount *mount, struct pending *pending, int error)
{
    struct volume *volume = mount->volume;
    struct record_header *header = record_get_header(volume->record);

    if (error == 0 && volume->backing_fd >= 0)
        error = volume_read_content(volume, mount->content, pending->length, pending->offset);
    if (error < 0) {
        header->failed_reads++;
        fuse_reply_err(pending->request, -error);
    } else if (fuse_reply_buf(pending->request, mount->content, pending->length) == 0) {
        record_add_read(volume->record, pending->offset, pending->length);
    }
    free(pending);
}

int mount_reply(struct mount *mount, uint64_t now_usec)
{
    struct completion completion;
    struct model_counts counts;
    int r;

    while ((r = model_complete(mount->volume->model, now_usec, &completion)) > 0)
        reply(mount, completion.cookie, completion.error);
    model_get_counts(mount->volume->model, &counts);
    record_get_header(mount->volume->record)->fetches += counts.fetches - mount->fetches;
    mount->fetches = counts.fetches;
    return r;
}
