/* SPDX-License-Identifier: MIT */
#include "warm/disk.h"

#include "base/cleanup.h"
#include "warm/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

struct disk {
    struct jobs *jobs;
    int fd;
    struct engine_file *file;
    struct device_identity identity;
    struct device_geometry geometry;
    struct disk_read *oldest, *newest;
    unsigned in_flight;
    disk_read_fn read_done; /* NULL once let go */
    void *userdata;
};

struct disk_opening {
    struct jobs *jobs;
    struct engine *engine;
    char *path;
    int fd;
    int error;
    struct device_identity identity;
    struct device_geometry geometry;
    disk_opened_fn opened; /* NULL once cancelled */
    disk_read_fn read_done;
    void *userdata;
};

static void opening_free(struct disk_opening *opening)
{
    free(opening->path);
    free(opening);
}

DEFINE_CLEANUP(struct disk_opening *, opening_free, opening_free_p)

static int check_type(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    return S_ISBLK(st.st_mode) || S_ISREG(st.st_mode) ? 0 : -ENOTBLK;
}

/* O_NONBLOCK: so that a FIFO or a terminal, named by mistake, is refused and not waited for. */
static int open_for_reading(const char *path)
{
    _cleanup_close_ int probe = open(path, O_PATH | O_CLOEXEC);
    int fd, r;

    if (probe < 0)
        return -errno;
    r = check_type(probe);
    if (r < 0)
        return r;
    fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static int inspect(int fd, struct device_identity *identity, struct device_geometry *geometry)
{
    int r = check_type(fd);

    if (r >= 0)
        r = device_identify(fd, identity);
    return r < 0 ? r : device_geometry(fd, geometry);
}

static void opening_work(void *userdata)
{
    struct disk_opening *opening = userdata;

    opening->fd = open_for_reading(opening->path);
    opening->error = opening->fd < 0 ? opening->fd
                                     : inspect(opening->fd, &opening->identity, &opening->geometry);
}

static void close_work(void *userdata)
{
    int *fd = userdata;

    close(*fd);
    free(fd);
}

/* close() of the last holder of a device may wait for it. */
static void close_on_job(struct jobs *jobs, int fd)
{
    int *copy;

    if (fd < 0)
        return;
    copy = malloc(sizeof(*copy));
    if (copy)
        *copy = fd;
    if (!copy || jobs_run(jobs, close_work, NULL, copy) < 0) {
        free(copy);
        close(fd);
    }
}

/* dm, md and files on a checksumming filesystem look at what lands in the buffer. */
static bool needs_own_buffers(const struct disk_opening *opening)
{
    return opening->identity.kind == DEVICE_FILE || opening->identity.stacked;
}

static int disk_new(struct disk_opening *opening, struct disk **ret)
{
    _cleanup_free_ struct disk *disk = calloc(1, sizeof(*disk));
    int r;

    if (!disk)
        return -ENOMEM;
    r = engine_file_new(opening->engine, opening->fd, needs_own_buffers(opening), &disk->file);
    if (r < 0)
        return r;
    disk->jobs = opening->jobs;
    disk->fd = steal_fd(&opening->fd);
    disk->identity = opening->identity;
    disk->geometry = opening->geometry;
    disk->read_done = opening->read_done;
    disk->userdata = opening->userdata;
    *ret = steal_pointer(&disk);
    return 0;
}

static void opening_done(void *userdata)
{
    _cleanup_(opening_free_p) struct disk_opening *opening = userdata;
    struct disk *disk = NULL;
    int error = opening->error;

    if (opening->opened && error >= 0)
        error = disk_new(opening, &disk);
    close_on_job(opening->jobs, opening->fd);
    if (opening->opened)
        opening->opened(disk, error < 0 ? error : 0, opening->userdata);
}

int disk_open(struct jobs *jobs, struct engine *engine, const char *path, disk_opened_fn opened,
              disk_read_fn read_done, void *userdata, struct disk_opening **ret)
{
    _cleanup_(opening_free_p) struct disk_opening *opening = calloc(1, sizeof(*opening));
    int r;

    if (!opening)
        return -ENOMEM;
    *opening = (struct disk_opening){
        .jobs = jobs,
        .engine = engine,
        .path = strdup(path),
        .fd = -1,
        .opened = opened,
        .read_done = read_done,
        .userdata = userdata,
    };
    if (!opening->path)
        return -ENOMEM;
    r = jobs_run(jobs, opening_work, opening_done, opening);
    if (r < 0)
        return r;
    *ret = steal_pointer(&opening);
    return 0;
}

void disk_opening_cancel(struct disk_opening *opening)
{
    opening->opened = NULL;
}

static void disk_free(struct disk *disk)
{
    close_on_job(disk->jobs, disk->fd);
    free(disk);
}

void disk_let_go(struct disk *disk)
{
    if (!disk)
        return;
    disk->read_done = NULL;
    engine_file_free(disk->file);
    disk->file = NULL;
    /* The engine keeps its own hold of the file while reads are in flight: ours can go at once. */
    close_on_job(disk->jobs, steal_fd(&disk->fd));
    if (disk->in_flight == 0)
        disk_free(disk);
}

static void append(struct disk *disk, struct disk_read *read)
{
    read->previous = disk->newest;
    if (disk->newest)
        disk->newest->next = read;
    else
        disk->oldest = read;
    disk->newest = read;
    disk->in_flight++;
}

static void unlink_read(struct disk *disk, struct disk_read *read)
{
    if (read->previous)
        read->previous->next = read->next;
    else
        disk->oldest = read->next;
    if (read->next)
        read->next->previous = read->previous;
    else
        disk->newest = read->previous;
    disk->in_flight--;
}

static void engine_done(int result, void *userdata)
{
    _cleanup_free_ struct disk_read *read = userdata;
    struct disk *disk = read->disk;
    uint64_t piece_bytes = read->piece.end - read->piece.start;

    unlink_read(disk, read);
    if (!disk->read_done) {
        if (disk->in_flight == 0)
            disk_free(disk);
        return;
    }
    if (result == 0)
        result = -ENODATA;
    if (result > 0 && (uint64_t)result > piece_bytes)
        result = (int)piece_bytes; /* the rest of the file's last sector */
    disk->read_done(read, result, disk->userdata);
}

/* A file may end within a sector; O_DIRECT wants whole ones and the kernel stops at the end. */
static uint32_t sectors_of(const struct disk *disk, uint64_t bytes)
{
    uint64_t sector_bytes = disk->geometry.logical_block_bytes;

    return (uint32_t)((bytes + sector_bytes - 1) / sector_bytes * sector_bytes);
}

int disk_read(struct disk *disk, const struct piece *piece, enum disk_purpose purpose)
{
    _cleanup_free_ struct disk_read *read = calloc(1, sizeof(*read));
    int r;

    if (!read)
        return -ENOMEM;
    *read = (struct disk_read){
        .disk = disk,
        .piece = *piece,
        .purpose = purpose,
        .submitted_usec = clock_now_usec(),
    };
    r = engine_read(disk->file, piece->start, sectors_of(disk, piece->end - piece->start),
                    engine_done, read);
    if (r < 0)
        return r;
    append(disk, steal_pointer(&read));
    return 0;
}

const struct device_identity *disk_identity(const struct disk *disk)
{
    return &disk->identity;
}

const struct device_geometry *disk_geometry(const struct disk *disk)
{
    return &disk->geometry;
}

unsigned disk_in_flight(const struct disk *disk)
{
    return disk->in_flight;
}

uint64_t disk_oldest_usec(const struct disk *disk, uint64_t now_usec, uint64_t *ret_offset)
{
    if (!disk->oldest)
        return 0;
    *ret_offset = disk->oldest->piece.start;
    return now_usec - disk->oldest->submitted_usec;
}

int disk_verify(const struct disk *disk, uint64_t *ret_bytes)
{
    struct device_identity identity;
    struct device_geometry geometry;
    const char *why;

    if (device_identify(disk->fd, &identity) < 0 || device_geometry(disk->fd, &geometry) < 0)
        return -ENODEV;
    /* What the kernel does to a disk that was pulled out: its capacity becomes 0. */
    if (geometry.size_bytes == 0)
        return -ENODEV;
    *ret_bytes = geometry.size_bytes;
    return device_identity_same(&disk->identity, &identity, &why) ? 0 : -ESTALE;
}

int disk_verify_path(const char *path, const struct device_identity *identity, uint64_t *ret_bytes)
{
    _cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
    struct device_identity now;
    const char *why;

    if (fd < 0 || device_identify(fd, &now) < 0 || device_size(fd, ret_bytes) < 0 ||
        *ret_bytes == 0)
        return -ENODEV;
    return device_identity_same(identity, &now, &why) ? 0 : -ESTALE;
}
