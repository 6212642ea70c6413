/* SPDX-License-Identifier: MIT */
#include "check/rows.h"

#define KIB     1024u
#define MIB     (1024u * 1024u)
#define DECIMAL 1000000u
#define HDPARM  "hdparm"
#define DD      "dd"
#define CDM3    "cdm3"
#define CDM8    "cdm8"
#define N_ROWS  (sizeof(rows) / sizeof(rows[0]))

static const struct check_row rows[] = {
    { HDPARM, "-t", MIB, 2 * MIB, 1, CHECK_MEAN, false, false },
    { HDPARM, "-T", MIB, 2 * MIB, 1, CHECK_MEAN, false, false },
    { DD, "first", DECIMAL, 16 * KIB, 1, CHECK_MEAN, false, false },
    { DD, "second", DECIMAL, 16 * KIB, 1, CHECK_MEAN, false, false },
    { CDM3, "Seq", DECIMAL, MIB, 1, CHECK_BEST, true, false },
    { CDM3, "512K", DECIMAL, 512 * KIB, 1, CHECK_BEST, true, true },
    { CDM3, "4K QD1", DECIMAL, 4 * KIB, 1, CHECK_BEST, true, true },
    { CDM3, "4K QD32", DECIMAL, 4 * KIB, 32, CHECK_BEST, true, true },
    { CDM8, "SEQ1M Q8T1", DECIMAL, MIB, 8, CHECK_BEST, true, false },
    { CDM8, "SEQ1M Q1T1", DECIMAL, MIB, 1, CHECK_BEST, true, false },
    { CDM8, "RND4K Q32T1", DECIMAL, 4 * KIB, 32, CHECK_BEST, true, true },
    { CDM8, "RND4K Q1T1", DECIMAL, 4 * KIB, 1, CHECK_BEST, true, true },
};

const struct check_row *check_row_get(size_t n)
{
    return n < N_ROWS ? &rows[n] : NULL;
}

double check_row_rate(const struct check_row *row, uint64_t bytes, double seconds)
{
    return seconds > 0 ? (double)bytes / (double)row->unit_bytes / seconds : 0;
}

double check_without_seeks(double seconds, double seek_seconds)
{
    return seconds > seek_seconds ? seconds - seek_seconds : 0;
}
