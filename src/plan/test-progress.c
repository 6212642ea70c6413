/* SPDX-License-Identifier: MIT */
/*
 * Progress against a disk made of bytes: a scripted one with bad sectors, transient failures and
 * short reads, whose own record of what was read is the judge.
 */
#include "plan/progress.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECTOR     8U
#define BLOCK      64U
#define DISK_MAX   2048U
#define FLIGHT_MAX 12U

struct disk {
    uint64_t size;
    bool bad[DISK_MAX];      /* per byte; whole sectors */
    bool was_read[DISK_MAX]; /* the record */
    bool in_flight[DISK_MAX];
    unsigned transient_percent, short_percent;
    unsigned seed;
    struct piece flight[FLIGHT_MAX];
    unsigned n_flight;
};

static unsigned random_below(struct disk *disk, unsigned limit)
{
    return (unsigned)rand_r(&disk->seed) % limit;
}

static void send(struct disk *disk, const struct piece *piece)
{
    assert_true(piece->start < piece->end);
    assert_true(piece->end - piece->start <= BLOCK);
    assert_true(piece->end % BLOCK == 0 || (piece->end - 1) / BLOCK == piece->start / BLOCK);
    for (uint64_t i = piece->start; i < piece->end; i++) {
        assert_false(disk->in_flight[i]); /* nothing is read twice at a time */
        disk->in_flight[i] = true;
    }
    disk->flight[disk->n_flight++] = *piece;
}

static bool touches_bad(const struct disk *disk, const struct piece *piece)
{
    for (uint64_t i = piece->start; i < piece->end; i++) {
        if (disk->bad[i])
            return true;
    }
    return false;
}

static void come_back(struct disk *disk, struct progress *progress)
{
    unsigned n = random_below(disk, disk->n_flight);
    struct piece piece = disk->flight[n];
    uint64_t bytes = piece.end - piece.start;

    disk->flight[n] = disk->flight[--disk->n_flight];
    for (uint64_t i = piece.start; i < piece.end; i++)
        disk->in_flight[i] = false;
    if (touches_bad(disk, &piece) || random_below(disk, 100) < disk->transient_percent) {
        assert_int_equal(progress_failed(progress, &piece), 0);
        return;
    }
    if (random_below(disk, 100) < disk->short_percent)
        bytes = 1 + random_below(disk, (unsigned)bytes);
    if (bytes < piece.end - piece.start)
        bytes = bytes / SECTOR * SECTOR;
    if (bytes == 0) {
        assert_int_equal(progress_returned(progress, &piece), 0);
        return;
    }
    for (uint64_t i = piece.start; i < piece.start + bytes; i++)
        disk->was_read[i] = true;
    assert_int_equal(progress_succeeded(progress, &piece, bytes), 0);
}

/* The promise: nothing is warm that was not read. */
static void check_promise(const struct disk *disk, const struct progress *progress)
{
    for (uint64_t i = 0; i < disk->size; i++) {
        if (rangeset_contains(progress_warm(progress), i, i + 1))
            assert_true(disk->was_read[i]);
    }
}

static void run(struct disk *disk, struct progress *progress)
{
    struct piece piece;

    while (!progress_is_over(progress)) {
        if (disk->n_flight < FLIGHT_MAX && random_below(disk, 3) > 0 &&
            progress_next(progress, BLOCK, &piece) == 0)
            send(disk, &piece);
        else if (disk->n_flight > 0)
            come_back(disk, progress);
        check_promise(disk, progress);
    }
    assert_int_equal(disk->n_flight, 0);
    assert_int_equal(progress_next(progress, BLOCK, &piece), -ENODATA);
}

static void check_end(const struct disk *disk, const struct progress *progress)
{
    for (uint64_t i = 0; i < disk->size; i++) {
        assert_int_equal(rangeset_contains(progress_unreadable(progress), i, i + 1), disk->bad[i]);
        assert_int_equal(rangeset_contains(progress_warm(progress), i, i + 1), !disk->bad[i]);
    }
    assert_int_equal(progress_warm_bytes(progress) + progress_unreadable_bytes(progress),
                     disk->size);
}

static void make_bad(struct disk *disk, unsigned sectors)
{
    for (unsigned i = 0; i < sectors; i++) {
        uint64_t start = random_below(disk, (unsigned)disk->size) / SECTOR * SECTOR;
        for (uint64_t j = start; j < start + SECTOR && j < disk->size; j++)
            disk->bad[j] = true;
    }
}

static void test_every_byte_is_read_or_found_bad(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 150; round++) {
        struct disk *disk = calloc(1, sizeof(*disk));
        struct progress *progress;

        disk->seed = round;
        disk->size = 1 + random_below(disk, DISK_MAX - 1); /* any: also less than a sector */
        disk->short_percent = round % 3 == 0 ? 20 : 0;
        make_bad(disk, round % 5);
        progress = progress_new(disk->size, SECTOR);
        run(disk, progress);
        check_end(disk, progress);
        progress_free(progress);
        free(disk);
    }
}

/* Errors that pass cost nothing in the end, as long as each place fails less often than it is
 * tried. */
static void test_a_failure_that_passes_leaves_no_gap(void **state)
{
    struct disk *disk = calloc(1, sizeof(*disk));
    struct progress *progress = progress_new(1000, SECTOR);

    (void)state;
    disk->seed = 3;
    disk->size = 1000;
    disk->transient_percent = 5;
    run(disk, progress);
    check_promise(disk, progress);
    assert_int_equal(progress_warm_bytes(progress), 1000);
    progress_free(progress);
    free(disk);
}

static void test_one_bad_sector_costs_one_sector(void **state)
{
    struct disk *disk = calloc(1, sizeof(*disk));
    struct progress *progress = progress_new(512, SECTOR);

    (void)state;
    disk->seed = 1;
    disk->size = 512;
    memset(disk->bad + 200, true, SECTOR);
    run(disk, progress);
    assert_int_equal(progress_unreadable_bytes(progress), SECTOR);
    assert_true(rangeset_contains(progress_unreadable(progress), 200, 208));
    progress_free(progress);
    free(disk);
}

static void test_what_was_restored_is_not_read_again(void **state)
{
    struct disk *disk = calloc(1, sizeof(*disk));
    struct progress *progress = progress_new(1000, SECTOR);
    struct rangeset *warm = rangeset_new();

    (void)state;
    rangeset_add(warm, 0, 300);
    rangeset_add(warm, 504, 512);
    rangeset_add(warm, 900, 5000); /* of a time when it was larger: only what is there counts */
    assert_int_equal(progress_restore(progress, warm), 0);
    /* Of what begins or ends within a sector, that sector is read again. */
    assert_int_equal(progress_warm_bytes(progress), 296 + 8 + 96);
    disk->size = 1000;
    for (uint64_t i = 0; i < 1000; i++) {
        if ((i >= 296 && i < 504) || (i >= 512 && i < 904))
            continue;
        disk->was_read[i] = true;
        disk->in_flight[i] = true; /* so that send() fails if it is handed out */
    }
    run(disk, progress);
    check_end(disk, progress);
    rangeset_free(warm);
    progress_free(progress);
    free(disk);
}

/* The state directory answered late: reads of the same places are under way or have failed. */
static void test_restored_late_while_reads_are_under_way(void **state)
{
    for (unsigned round = 0; round < 40; round++) {
        struct disk *disk = calloc(1, sizeof(*disk));
        struct progress *progress = progress_new(DISK_MAX, SECTOR);
        struct rangeset *warm = rangeset_new();
        struct piece piece;

        (void)state;
        disk->seed = round;
        disk->size = DISK_MAX;
        make_bad(disk, 3);
        for (unsigned i = 0; i < 40; i++) {
            if (disk->n_flight < FLIGHT_MAX && progress_next(progress, BLOCK, &piece) == 0)
                send(disk, &piece);
            else
                come_back(disk, progress);
        }
        for (uint64_t i = 0; i < DISK_MAX; i++) {
            if (i % 512 < 300 && !disk->bad[i]) {
                rangeset_add(warm, i, i + 1);
                disk->was_read[i] = true;
            }
        }
        assert_int_equal(progress_restore(progress, warm), 0);
        run(disk, progress);
        check_end(disk, progress);
        rangeset_free(warm);
        progress_free(progress);
        free(disk);
    }
}

static void test_size_changes_while_reading(void **state)
{
    for (unsigned round = 0; round < 80; round++) {
        struct disk *disk = calloc(1, sizeof(*disk));
        struct progress *progress = progress_new(1024, SECTOR);
        struct piece piece;

        (void)state;
        disk->seed = round;
        disk->size = 1024;
        make_bad(disk, 2);
        for (unsigned i = 0; i < round; i++) {
            if (disk->n_flight < FLIGHT_MAX && progress_next(progress, BLOCK, &piece) == 0)
                send(disk, &piece);
            else if (disk->n_flight > 0)
                come_back(disk, progress);
        }
        disk->size = round % 2 ? DISK_MAX : 8 + random_below(disk, 1000);
        assert_int_equal(progress_resize(progress, disk->size), 0);
        run(disk, progress);
        check_end(disk, progress);
        progress_free(progress);
        free(disk);
    }
}

static void test_a_sample_is_taken_whole_or_not(void **state)
{
    struct progress *progress = progress_new(1024, SECTOR);
    struct piece piece, next;

    (void)state;
    assert_int_equal(progress_take(progress, 64, 128, &piece), 0);
    assert_int_equal(progress_in_flight_bytes(progress), 64);
    assert_int_equal(progress_take(progress, 100, 200, &next), -ENODATA);
    assert_int_equal(progress_next(progress, BLOCK, &next), 0);
    assert_int_equal(next.start, 0);
    assert_int_equal(progress_next(progress, BLOCK, &next), 0);
    assert_int_equal(next.start, 128);
    assert_int_equal(progress_succeeded(progress, &piece, 64), 0);
    assert_true(rangeset_contains(progress_warm(progress), 64, 128));
    assert_int_equal(progress_warm_bytes(progress), 64);
    progress_free(progress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_is_read_or_found_bad),
        cmocka_unit_test(test_a_failure_that_passes_leaves_no_gap),
        cmocka_unit_test(test_one_bad_sector_costs_one_sector),
        cmocka_unit_test(test_what_was_restored_is_not_read_again),
        cmocka_unit_test(test_restored_late_while_reads_are_under_way),
        cmocka_unit_test(test_size_changes_while_reading),
        cmocka_unit_test(test_a_sample_is_taken_whole_or_not),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
