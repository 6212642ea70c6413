/* SPDX-License-Identifier: MIT */
/* Faults on ranges of a volume. Pure: time is an argument. */
#ifndef COLDVOL_FAULTS_H
#define COLDVOL_FAULTS_H

#include <stddef.h>
#include <stdint.h>

enum fault_kind {
    FAULT_FAIL,       /* every read fails with EIO */
    FAULT_FAIL_FIRST, /* the first `count` reads fail, later ones succeed */
    FAULT_HANG,       /* no read is answered until `until_usec` or until cleared */
    FAULT_SLOW,       /* every read takes `delay_usec` longer */
};

struct fault {
    enum fault_kind kind;
    uint64_t start;
    uint64_t end; /* UINT64_MAX: to the end of the volume, however it grows */
    uint64_t count;
    uint64_t until_usec;
    uint64_t delay_usec;
};

enum verdict_kind { VERDICT_PASS, VERDICT_FAIL, VERDICT_HANG };

struct verdict {
    enum verdict_kind kind;
    uint64_t delay_usec; /* of slow faults, for those that pass */
    uint64_t until_usec; /* of hanging ones; USEC_INFINITY until cleared */
};

struct faults;

/* `granule_bytes` and `seed` decide which granules fail_share takes. NULL when out of memory. */
struct faults *faults_new(uint64_t granule_bytes, uint64_t seed);
void faults_free(struct faults *faults);

int faults_add(struct faults *faults, const struct fault *fault);
/* 0 to 1: this share of the granules fails always. */
void faults_set_share(struct faults *faults, double share);
void faults_clear(struct faults *faults);
size_t faults_length(const struct faults *faults);
const struct fault *faults_get(const struct faults *faults, size_t n);
double faults_share(const struct faults *faults);

/* What becomes of a read of [start, end) that is tried now. A try that fails is used up. */
struct verdict faults_judge(struct faults *faults, uint64_t now_usec, uint64_t start, uint64_t end);

#endif
