/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "base/cleanup.h"
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The file is as long as the largest volume needs (48 GiB, sparse): so nothing in it ever moves
 * when a volume grows, and those who have it mapped never look at the wrong place.
 */
#define PAGES_MAX       (SETTINGS_SIZE_MAX / RECORD_PAGE_BYTES)
#define COUNTS_OFFSET   UINT64_C(4096)
#define SECTORS_OFFSET  (COUNTS_OFFSET + PAGES_MAX)
#define GRANULES_OFFSET (SECTORS_OFFSET + PAGES_MAX)
#define FILE_BYTES      (GRANULES_OFFSET + SETTINGS_SIZE_MAX / SETTINGS_GRANULE_MIN)

struct record {
    int fd;
    uint8_t *map;
};

struct record_header *record_get_header(struct record *record)
{
    return (struct record_header *)record->map;
}

uint8_t *record_get_granules(struct record *record)
{
    return record->map + record_get_header(record)->granules_offset;
}

void record_free(struct record *record)
{
    if (!record)
        return;
    munmap(record->map, FILE_BYTES);
    close(record->fd);
    free(record);
}

static uint64_t granules_of(const struct record_header *header, uint64_t bytes)
{
    return (bytes + header->granule_bytes - 1) / header->granule_bytes;
}

/* Takes over the descriptor on success. */
static int map_file(int *fd, struct record **ret)
{
    struct record *record = calloc(1, sizeof(*record));

    if (!record)
        return -ENOMEM;
    record->map =
        mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *fd, 0);
    if (record->map == MAP_FAILED) {
        free(record);
        return -errno;
    }
    record->fd = steal_fd(fd);
    *ret = record;
    return 0;
}

int record_create(const char *path, const struct settings *settings, struct record **ret)
{
    _cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    struct record_header header = {
        .magic = RECORD_MAGIC,
        .version = RECORD_VERSION,
        .page_bytes = RECORD_PAGE_BYTES,
        .size_bytes = settings->size_bytes,
        .capacity_bytes = settings->size_bytes,
        .counts_offset = COUNTS_OFFSET,
        .sectors_offset = SECTORS_OFFSET,
        .granules_offset = GRANULES_OFFSET,
        .granule_bytes = settings->granule_bytes,
    };
    int r;

    if (fd < 0 || ftruncate(fd, (off_t)FILE_BYTES) < 0)
        return -errno;
    r = map_file(&fd, ret);
    if (r < 0)
        return r;
    *record_get_header(*ret) = header;
    model_place_data(settings, record_get_granules(*ret), 0,
                     granules_of(&header, settings->size_bytes));
    return 0;
}

static int check_header(int fd)
{
    struct record_header header;
    struct stat st;
    ssize_t n = pread(fd, &header, sizeof(header), 0);

    if (n < 0 || fstat(fd, &st) < 0)
        return -errno;
    if ((size_t)n < sizeof(header) || memcmp(header.magic, RECORD_MAGIC, sizeof(header.magic)) != 0)
        return -EBADMSG;
    if (header.version != RECORD_VERSION || st.st_size != (off_t)FILE_BYTES)
        return -EBADMSG;
    return 0;
}

int record_open(const char *path, struct record **ret)
{
    _cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
    int r;

    if (fd < 0)
        return -errno;
    r = check_header(fd);
    return r < 0 ? r : map_file(&fd, ret);
}

static void count_page(struct record *record, uint64_t page, uint64_t page_bytes)
{
    struct record_header *header = record_get_header(record);
    uint8_t *count = record->map + header->counts_offset + page;

    if (*count > 0)
        header->reread_bytes += page_bytes;
    if (*count < UINT8_MAX)
        (*count)++;
}

/* The sectors of a page that bytes [start, end) of it hold whole. */
static uint8_t sectors_within(uint64_t start, uint64_t end)
{
    unsigned first = (unsigned)((start + RECORD_SECTOR_BYTES - 1) / RECORD_SECTOR_BYTES);
    unsigned last = (unsigned)(end / RECORD_SECTOR_BYTES);
    uint8_t mask = 0;

    for (unsigned sector = first; sector < last; sector++)
        mask |= (uint8_t)(1u << sector);
    return mask;
}

static void count_part(struct record *record, uint64_t page, uint64_t page_bytes, uint8_t brought)
{
    uint8_t *sectors = record->map + record_get_header(record)->sectors_offset + page;
    unsigned existing = (unsigned)((page_bytes + RECORD_SECTOR_BYTES - 1) / RECORD_SECTOR_BYTES);
    uint8_t whole = (uint8_t)((1u << existing) - 1);

    *sectors |= brought;
    if (*sectors != whole)
        return;
    *sectors = 0;
    count_page(record, page, page_bytes);
}

void record_add_read(struct record *record, uint64_t offset, uint64_t length_bytes)
{
    struct record_header *header = record_get_header(record);
    uint64_t end = offset + length_bytes;

    header->reads++;
    header->bytes_read += length_bytes;
    for (uint64_t page = offset / RECORD_PAGE_BYTES; page * RECORD_PAGE_BYTES < end; page++) {
        uint64_t page_start = page * RECORD_PAGE_BYTES;
        uint64_t page_end = page_start + RECORD_PAGE_BYTES;

        /* A volume that shrank meanwhile still brought what was asked for before. */
        if (page_start < header->size_bytes && page_end > header->size_bytes)
            page_end = header->size_bytes;
        if (offset <= page_start && end >= page_end)
            count_page(record, page, page_end - page_start);
        else
            count_part(record, page, page_end - page_start,
                       sectors_within(offset > page_start ? offset - page_start : 0,
                                      (end < page_end ? end : page_end) - page_start));
    }
}

void record_resize(struct record *record, uint64_t size_bytes)
{
    struct record_header *header = record_get_header(record);

    if (size_bytes > header->capacity_bytes) {
        uint64_t first = granules_of(header, header->capacity_bytes);

        memset(record_get_granules(record) + first, GRANULE_EMPTY,
               granules_of(header, size_bytes) - first);
        header->capacity_bytes = size_bytes;
    }
    header->size_bytes = size_bytes;
}

int record_reset(struct record *record)
{
    struct record_header *header = record_get_header(record);

    if (fallocate(record->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)header->counts_offset,
                  (off_t)(header->granules_offset - header->counts_offset)) < 0)
        return -errno;
    header->reads = header->failed_reads = header->bytes_read = header->reread_bytes = 0;
    return 0;
}

void record_chill(struct record *record, uint64_t start, uint64_t end)
{
    const struct record_header *header = record_get_header(record);
    uint8_t *granules = record_get_granules(record);

    if (end > header->capacity_bytes)
        end = header->capacity_bytes;
    for (uint64_t i = start / header->granule_bytes; i * header->granule_bytes < end; i++) {
        if (granules[i] == GRANULE_WARM)
            granules[i] = GRANULE_COLD;
    }
}
