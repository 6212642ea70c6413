/* SPDX-License-Identifier: MIT */
#include "report.h"

#include "base/cleanup.h"
#include "model.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)256 * 1024)

struct report {
    int fd;
    struct record_header header;
    uint8_t chunk[CHUNK_BYTES];
};

/* `count` bytes of an array, all of the same value, from its `first` on. Negative ends the scan. */
typedef int (*run_fn)(uint8_t value, uint64_t first, uint64_t count, void *userdata);

int report_open(const char *path, struct report **ret)
{
    struct report *report = calloc(1, sizeof(*report));
    ssize_t n;

    if (!report)
        return -ENOMEM;
    report->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (report->fd < 0) {
        free(report);
        return -errno;
    }
    n = pread(report->fd, &report->header, sizeof(report->header), 0);
    if (n != (ssize_t)sizeof(report->header) ||
        memcmp(report->header.magic, RECORD_MAGIC, sizeof(report->header.magic)) != 0 ||
        report->header.version != RECORD_VERSION) {
        report_free(report);
        return -EBADMSG;
    }
    *ret = report;
    return 0;
}

void report_free(struct report *report)
{
    if (!report)
        return;
    close(report->fd);
    free(report);
}

static int emit_runs(const uint8_t *bytes, size_t length, uint64_t first, run_fn fn, void *userdata)
{
    for (size_t start = 0, end; start < length; start = end) {
        int r;

        for (end = start + 1; end < length && bytes[end] == bytes[start];)
            end++;
        r = fn(bytes[start], first + start, end - start, userdata);
        if (r < 0)
            return r;
    }
    return 0;
}

/* Where the next bytes that are stored begin; holes are zeros and may be terabytes of pages. */
static uint64_t skip_hole(int fd, uint64_t from, uint64_t limit)
{
    off_t data = lseek(fd, (off_t)from, SEEK_DATA);

    if (data < 0)
        return errno == ENXIO ? limit : from;
    return (uint64_t)data < limit ? (uint64_t)data : limit;
}

static int scan(struct report *report, uint64_t offset, uint64_t length, run_fn fn, void *userdata)
{
    uint64_t end = offset + length;

    for (uint64_t at = offset; at < end;) {
        uint64_t data = skip_hole(report->fd, at, end);
        size_t room = end - data < CHUNK_BYTES ? (size_t)(end - data) : CHUNK_BYTES;
        ssize_t n;
        int r = data > at ? fn(0, at - offset, data - at, userdata) : 0;

        if (r < 0 || data == end)
            return r;
        n = pread(report->fd, report->chunk, room, (off_t)data);
        if (n <= 0)
            return n < 0 ? -errno : -EBADMSG;
        r = emit_runs(report->chunk, (size_t)n, data - offset, fn, userdata);
        if (r < 0)
            return r;
        at = data + (uint64_t)n;
    }
    return 0;
}

static uint64_t pages_of(const struct report *report)
{
    return (report->header.size_bytes + RECORD_PAGE_BYTES - 1) / RECORD_PAGE_BYTES;
}

struct tally {
    uint64_t none, once, more;
};

static int tally_run(uint8_t value, uint64_t first, uint64_t count, void *userdata)
{
    struct tally *tally = userdata;

    (void)first;
    if (value == 0)
        tally->none += count;
    else if (value == 1)
        tally->once += count;
    else
        tally->more += count;
    return 0;
}

int report_print(struct report *report, FILE *out)
{
    const struct record_header *header = &report->header;
    uint64_t granules = (header->size_bytes + header->granule_bytes - 1) / header->granule_bytes;
    struct tally pages = { 0 }, states = { 0 };
    int r = scan(report, header->counts_offset, pages_of(report), tally_run, &pages);

    if (r < 0)
        return r;
    /* Cold, warm and empty are 0, 1 and more. */
    r = scan(report, header->granules_offset, granules, tally_run, &states);
    if (r < 0)
        return r;
#define LINE(key, value) fprintf(out, key "=%llu\n", (unsigned long long)(value))
    LINE("size", header->size_bytes);
    LINE("writes", header->writes);
    LINE("reads", header->reads);
    LINE("failed_reads", header->failed_reads);
    LINE("bytes_read", header->bytes_read);
    LINE("reread_bytes", header->reread_bytes);
    LINE("fetches", header->fetches);
    LINE("pages", pages_of(report));
    LINE("pages_unread", pages.none);
    LINE("pages_read_once", pages.once);
    LINE("pages_read_more", pages.more);
    LINE("granules", granules);
    LINE("granules_cold", states.none);
    LINE("granules_warm", states.once);
    LINE("granules_empty", states.more);
#undef LINE
    return 0;
}

struct printer {
    FILE *out;
    bool read; /* which pages are wanted */
    uint64_t size_bytes;
    uint64_t first, end; /* pages not yet printed */
};

static void flush_pages(struct printer *printer)
{
    uint64_t start = printer->first * RECORD_PAGE_BYTES;
    uint64_t end = printer->end * RECORD_PAGE_BYTES;

    if (end > printer->size_bytes)
        end = printer->size_bytes;
    if (end > start)
        fprintf(printer->out, "%llu %llu\n", (unsigned long long)start,
                (unsigned long long)(end - start));
}

static int print_run(uint8_t value, uint64_t first, uint64_t count, void *userdata)
{
    struct printer *printer = userdata;

    if ((value > 0) != printer->read)
        return 0;
    if (first != printer->end) {
        flush_pages(printer);
        printer->first = first;
    }
    printer->end = first + count;
    return 0;
}

int report_print_ranges(struct report *report, bool read, FILE *out)
{
    struct printer printer = { .out = out, .read = read, .size_bytes = report->header.size_bytes };
    int r = scan(report, report->header.counts_offset, pages_of(report), print_run, &printer);

    if (r == 0)
        flush_pages(&printer);
    return r;
}

struct checker {
    struct report *report;
    uint64_t first; /* page of the scan's first byte */
    uint64_t start, end;
};

/* Not whole, but perhaps in the sectors that are asked for. */
static bool sectors_read(const struct checker *checker, uint64_t page)
{
    uint64_t page_start = page * RECORD_PAGE_BYTES;
    uint8_t sectors;

    if (pread(checker->report->fd, &sectors, 1,
              (off_t)(checker->report->header.sectors_offset + page)) != 1)
        return false;
    for (unsigned i = 0; i < RECORD_PAGE_BYTES / RECORD_SECTOR_BYTES; i++) {
        uint64_t sector = page_start + (uint64_t)i * RECORD_SECTOR_BYTES;
        bool wanted = sector < checker->end && checker->start < sector + RECORD_SECTOR_BYTES;

        if (wanted && !(sectors & (1u << i)))
            return false;
    }
    return true;
}

static int check_run(uint8_t value, uint64_t first, uint64_t count, void *userdata)
{
    const struct checker *checker = userdata;

    for (uint64_t i = 0; value == 0 && i < count; i++) {
        if (!sectors_read(checker, checker->first + first + i))
            return -ENODATA;
    }
    return 0;
}

int report_check_read(struct report *report, uint64_t start, uint64_t end)
{
    struct checker checker = { report, start / RECORD_PAGE_BYTES, start, end };
    uint64_t pages = (end + RECORD_PAGE_BYTES - 1) / RECORD_PAGE_BYTES - checker.first;
    int r;

    if (end > report->header.size_bytes || start > end)
        return -ERANGE;
    if (start == end)
        return 1;
    r = scan(report, report->header.counts_offset + checker.first, pages, check_run, &checker);
    if (r == -ENODATA)
        return 0;
    return r < 0 ? r : 1;
}
