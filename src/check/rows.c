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
    { HDPARM, "-t", 2 * MIB, 1, false, false, MIB, CHECK_MEAN },
    { HDPARM, "-T", 2 * MIB, 1, false, false, MIB, CHECK_MEAN },
    { DD, "first", 16 * KIB, 1, false, false, DECIMAL, CHECK_MEAN },
    { DD, "second", 16 * KIB, 1, false, false, DECIMAL, CHECK_MEAN },
    { CDM3, "Seq", MIB, 1, true, false, DECIMAL, CHECK_BEST },
    { CDM3, "512K", 512 * KIB, 1, true, true, DECIMAL, CHECK_BEST },
    { CDM3, "4K QD1", 4 * KIB, 1, true, true, DECIMAL, CHECK_BEST },
    { CDM3, "4K QD32", 4 * KIB, 32, true, true, DECIMAL, CHECK_BEST },
    { CDM8, "SEQ1M Q8T1", MIB, 8, true, false, DECIMAL, CHECK_BEST },
    { CDM8, "SEQ1M Q1T1", MIB, 1, true, false, DECIMAL, CHECK_BEST },
    { CDM8, "RND4K Q32T1", 4 * KIB, 32, true, true, DECIMAL, CHECK_BEST },
    { CDM8, "RND4K Q1T1", 4 * KIB, 1, true, true, DECIMAL, CHECK_BEST },
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
